"""An animation in a real browser: it draws its run, moves, and obeys keys and settings."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from sim.engines.registry import PRESETS
from sim.running.animation import LOG, Animation, animation
from sim.running.experiment import Experiment
from tests.browser.conftest import FIRST, Visit, wait_for_app_run
from tests.browser.looks import assert_becomes
from tests.sim.test_animation import drawn

pytestmark = pytest.mark.browser

#: A page that shows one cluster under two policies.
WATCHED = "/compare?v=1&preset=small&policies=fair%2Bnone;fair%2Blate&baseline=fair%2Bnone"
#: Milliseconds in which an animation that plays would have moved.
WHILE = 600
#: Milliseconds from picture to picture for who wants no motion.
CALM = 1000
#: What the browser's part says of every instant of every run.
STATES = """async () => {
  const frame = [...document.scripts].find(one => one.src.endsWith('frame.js')).src;
  const { read, stateAt, story } = await import(frame.replace('frame.js', 'animation.js'));
  const { runs } = JSON.parse(document.querySelector('[data-animation]').dataset.animation);
  return runs.map(one => {
    const run = read(one), last = run.instants.length - 1;
    const states = run.instants.map((_, place) => {
      const { held, waiting, late, busy, extra } = stateAt(run, place);
      const copies = held.map(one => one && [one.job, one.task, one.number]);
      return { copies, waiting, late, busy, extra, told: story(run, place) };
    });
    return { states, flowtime: stateAt(run, last).flowtime };
  });
}"""

#: Milliseconds between the pictures that the browser draws for the next changes of an animation's clock.
APART = """() => new Promise(resolve => {
  const clock = document.querySelector('.animation-clock'), at = [];
  const changes = new MutationObserver(() => {
    at.push(document.timeline.currentTime);
    if (at.length < 3) return;
    changes.disconnect();
    resolve(at.slice(1).map((now, place) => now - at[place]));
  });
  changes.observe(clock, {characterData: true, childList: true, subtree: true});
})"""


def clock(page: Page) -> float:
    return float(page.locator(".animation-clock").inner_text().split()[0])


def held(page: Page) -> bool:
    """Whether the clock stands still."""
    before = clock(page)
    page.wait_for_timeout(WHILE)
    return clock(page) == before


def bar(page: Page) -> Locator:
    return page.locator(".animation").get_by_role("slider", name="Time")


def opened(visit: Visit) -> Page:
    page = visit(WATCHED, motion=True, wait=False)
    expect(page.locator(".animation canvas")).to_have_count(2, timeout=FIRST)
    wait_for_app_run(page, FIRST)
    return page


def test_a_cluster_that_is_watched_draws_its_run_and_obeys_keys_and_settings(visit: Visit) -> None:
    page = opened(visit)
    assert_draws_the_run(page)
    assert_moves_until_paused(page)
    assert_steps(page)
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    assert_is_calm(page)


def assert_draws_the_run(page: Page) -> None:
    """Assert that every instant is drawn as the engine had it, and the last job ends as the report says."""
    experiment = Experiment.of_texts(PRESETS["small"].scenario, ("fair+none", "fair+late"))
    runs: list[dict[str, Any]] = page.evaluate(STATES)
    for run, sample in zip(runs, experiment.replicate(0, log=LOG), strict=True):
        shown = animation(experiment.scenario, experiment.workload(0), sample.log)
        assert run["flowtime"] == pytest.approx(sample.values["flowtime", "mean"], rel=1e-5)
        assert len(run["states"]) == shown.instants.size
        for place, state in enumerate(run["states"]):
            assert_same(state, shown, place)


def assert_same(state: dict[str, Any], shown: Animation, place: int) -> None:
    slots, waiting, late = drawn(shown, place)
    assert {slot: tuple(copy) for slot, copy in enumerate(state["copies"]) if copy} == slots
    assert state["waiting"] == waiting
    assert (state["late"], state["busy"]) == (len(late), len(slots))
    assert state["extra"] == sum(number > 0 for _, _, number in slots.values())
    assert state["told"], "something happens at every instant"


def assert_moves_until_paused(page: Page) -> None:
    """Assert that it plays once it is seen, that the picture changes, and that a key stops it."""
    picture = "document.querySelector('.animation canvas').toDataURL()"
    before = page.evaluate(picture)
    page.locator(".animation").scroll_into_view_if_needed()
    expect(page.get_by_role("group", name="Animation")).to_have_count(1)
    assert_becomes(lambda: clock(page) > 3, True)
    assert_becomes(lambda: page.evaluate(picture) == before, False)
    button = page.get_by_role("button", name="Pause")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Play")).to_be_focused()
    assert held(page)
    stood = clock(page)
    page.keyboard.press("Enter")
    assert_becomes(lambda: clock(page) > stood, True)
    page.keyboard.press("Enter")


def assert_steps(page: Page) -> None:
    """Assert that arrow keys go to the next instant and back, and that it is said what happens there."""
    instants = sorted(
        {
            time
            for run in page.evaluate(
                "JSON.parse(document.querySelector('[data-animation]').dataset.animation).runs"
            )
            for time in run["instants"]
        }
    )
    at = bar(page)
    at.press("Home")
    assert clock(page) == 0
    for place in range(3):
        at.press("ArrowRight")
        assert float(at.input_value()) == pytest.approx(instants[place])
    at.press("ArrowLeft")
    at.press("ArrowLeft")
    assert float(at.input_value()) == pytest.approx(instants[0])
    told = page.locator(".animation").get_by_role("status").filter(has_text="Fair shares")
    expect(told).to_contain_text("Fair shares + LATE: job 1 arrives with 2 tasks; job 1 starts 2 tasks.")
    page.get_by_role("button", name="Step", exact=True).press("Space")
    assert float(at.input_value()) == pytest.approx(instants[1])
    assert "job 2 arrives with 15 tasks" in (at.get_attribute("aria-valuetext") or "")


def assert_is_calm(page: Page) -> None:
    """Assert that nothing moves by itself, and played it goes from picture to picture, a second apart."""
    expect(page.locator(".animation canvas")).to_have_count(2, timeout=FIRST)
    page.locator(".animation").scroll_into_view_if_needed()
    assert held(page)
    assert bar(page).get_attribute("aria-valuetext").endswith("job 1 starts 2 tasks.")
    page.get_by_role("button", name="Play").click()
    apart = page.evaluate(APART)
    assert min(apart) >= CALM, apart
