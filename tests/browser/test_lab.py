"""Sliders that run the engine in a browser, from a disk: numbers of a run here, by keyboard, on a phone."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from pages.compare import controls
from pages.lessons import LESSONS
from pages.lessons.export import lab, live
from pages.lessons.export.page import page as lesson_page
from pages.lessons.export.page import recorded
from pages.lessons.export.scripts import PLOTLY, bundled, plotly
from pages.lessons.lesson import Live
from pages.lessons.prediction import Order
from sim.engines.slots.scenario import SlotScenario, read_policy
from sim.model.workload import generate
from sim.running.distribution import MOST
from sim.running.distribution import curve as shown_curve
from sim.running.experiment import Experiment, compare
from sim.shell.verbs import main
from sim.shell.wasm import shipped
from sim.telling.words import number, spread
from tests.browser.axe import ALL, found
from tests.browser.conftest import listen
from tests.pages.lessons.test_export import few
from tests.test_wasm import Elsewhere

pytestmark = [pytest.mark.browser, pytest.mark.compiled]

#: Largest relative difference: sums of the same numbers in another order.
CLOSE = 1e-12
SETTINGS: tuple[dict[str, Any], ...] = (
    {"load": 0.7, "beta": 1.5, "slots": 50, "epsilon": 1, "seed": 1},
    {"load": 0.95, "beta": 1.1, "slots": 10, "epsilon": 0.3, "seed": 7},
    {"load": 0.3, "beta": 3, "slots": 200, "epsilon": 0, "seed": 2**40 + 5},
)
#: What memory holds before runs, as Base64.
BEGUN = """async ([known, wasm, asked]) => {
  %s
  const { Engine, drawn } = module_lab_engine;
  const bytes = Uint8Array.from(atob(wasm), (one) => one.charCodeAt(0));
  const engine = new Engine((await WebAssembly.instantiate(bytes)).instance.exports, known);
  return asked.map(([policy, setting, replication]) => {
    engine.begin(policy, setting, drawn(known, setting.seed, replication), replication);
    const content = new Uint8Array(engine.view.buffer.slice(1 << 20, engine.end));
    return btoa(Array.from(content, (one) => String.fromCharCode(one)).join(""));
  });
}"""


#: What the page knows of each policy.
FIGURES = """Object.fromEntries(lab.policies.map((policy) => [policy, {
  estimates: ["mean", "p50", "p95", "resource"].map((of) => lab.estimate(policy, of)),
  unstable: lab.grown(policy),
}]))"""


def scenario(of: Live, setting: dict[str, Any]) -> SlotScenario:
    named = {name: setting[name] for name in ("load", "slots", "seed")}
    return of.scenario.replace(straggle_tail=float(setting["beta"]), **named)


def code(policy: str, setting: dict[str, Any]) -> str:
    return policy.replace("hopper+", f"hopper:epsilon={setting['epsilon']}+")


def settings(of: Live) -> Iterator[dict[str, Any]]:
    """Yield settings at both ends of the sliders that there are, and between."""
    for one in SETTINGS:
        near = {
            name: min(values, key=lambda value: abs(value - one[name])) for name, values in of.sliders.items()
        }
        yield {**live.defaults(of.scenario), **near, "seed": one["seed"]}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("lab")
    assert main(["export", "lab", str(folder)]) == 0
    return (folder / "index.html").as_uri()


def opened(browser: Browser, address: str, complaints: list[str], **more: Any) -> Page:
    view = browser.new_context(**more).new_page()
    listen(view, complaints, headers=False)
    view.goto(address)
    finish(view)
    return view


def finish(view: Page, of: Live = lab.LAB) -> None:
    expect(view.locator(".lab > .told")).to_have_attribute("aria-busy", "false")
    count = f"{of.replications} of {of.replications} replications of {of.scenario.jobs:,} jobs each"
    expect(view.locator(".work")).to_have_text(count)


@pytest.mark.parametrize("name", lab.lives())
def test_memory_holds_every_bit_that_a_run_here_begins_with(name: str, browser: Browser) -> None:
    view, of = browser.new_page(), lab.lives()[name]
    asked = [
        (policy, setting, replication)
        for replication, setting in enumerate(settings(of))
        for policy in of.policies
    ]
    wasm = base64.b64encode(shipped().wasm).decode()
    begun = view.evaluate(BEGUN % bundled(live.ENGINE), [json.loads(json.dumps(live.known(of))), wasm, asked])
    for (policy, setting, replication), content in zip(asked, begun, strict=True):
        jobs = generate(scenario(of, setting), replication)
        run = Elsewhere(scenario(of, setting), read_policy(code(policy, setting)), replication, jobs)
        assert base64.b64decode(content) == run.call(100_000).content, (policy, setting)
    view.close()


def assert_as_the_command(view: Page, told: dict[str, Any], setting: dict[str, Any], file: Path) -> list[str]:
    """See that a page has what its line prints in a terminal; return the line."""
    command: list[str] = view.locator(".command").inner_text().split()
    assert main([*command[3:], "--json", str(file)]) == 0
    ran = json.loads(file.read_text())
    for policy, there in told.items():
        run = ran["policies"][code(policy, setting)]
        assert there["unstable"] == run["unstable"]
        expected = [run["flowtime"][one] for one in ("mean", "p50", "p95")] + [run["resource"]["mean"]]
        for one, figure in zip(expected, there["estimates"], strict=True):
            assert figure["value"] == pytest.approx(one["value"], rel=CLOSE)
            assert (figure["half"] is None) == (one["low"] is None)
            if one["low"] is not None:
                ends = [figure["value"] + by * figure["half"] for by in (-1, 1)]
                assert ends == pytest.approx([one["low"], one["high"]], rel=CLOSE)
    return command


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: f"load={one['load']}")
def test_the_page_has_the_numbers_of_the_command_here_and_on_dask(
    setting: dict[str, Any], browser: Browser, exported: str, complaints: list[str], tmp_path: Path
) -> None:
    """The same seed in three places: natively, on workers of Dask, in a browser."""
    policies = lab.LAB.policies
    parts = [*(f"{name}={value}" for name, value in setting.items()), f"policies={';'.join(policies)}"]
    view = opened(browser, f"{exported}#{'&'.join(parts)}", complaints)
    told = view.evaluate(FIGURES)
    assert told.keys() == {*policies}
    command = assert_as_the_command(view, told, setting, tmp_path / "here.json")
    view.context.close()
    if setting is SETTINGS[0]:
        pytest.importorskip("distributed")
        line = [sys.executable, *command[1:], "--dask", "local", "--json", str(tmp_path / "dask.json")]
        subprocess.run(line, check=True, capture_output=True)
        here, there = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("here", "dask"))
        for policy, figures in here["policies"].items():
            assert figures.pop("seconds") > 0 < there["policies"][policy].pop("seconds")
        assert there["policies"] == here["policies"]


@pytest.mark.parametrize("number", [number for number, lesson in LESSONS.items() if lesson.live])
def test_a_lesson_has_sliders_that_run_the_engine(
    number: int, browser: Browser, complaints: list[str], tmp_path: Path
) -> None:
    """In sight once something is predicted; its numbers are those of the command."""
    lesson = LESSONS[number]
    of = lesson.live
    assert of is not None
    (tmp_path / PLOTLY).write_text(plotly(), encoding="utf-8")
    (tmp_path / "lesson.html").write_text(lesson_page(recorded(number, lesson, few)), encoding="utf-8")
    view = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    listen(view, complaints, headers=False)
    view.goto((tmp_path / "lesson.html").as_uri())
    expect(view.locator(".lab")).to_be_hidden()
    assert view.evaluate("window.lab") is None, "nothing is computed yet"
    if isinstance(lesson.prediction, Order):
        for place, item in enumerate(lesson.prediction.items, start=1):
            view.get_by_role("combobox", name=f"{place}.").select_option(item.key)
    else:
        view.get_by_role("slider", name="My prediction").press("ArrowRight")
    view.get_by_role("button", name="This is my prediction").press("Enter")
    view.locator(".lab").scroll_into_view_if_needed()
    finish(view, of)
    load = view.locator(".lab").get_by_role("slider", name="load")
    before = load.get_attribute("aria-valuetext")
    load.press("ArrowLeft")
    expect(load).not_to_have_attribute("aria-valuetext", before or "")
    finish(view, of)
    setting = view.evaluate("lab.setting")
    assert_as_the_command(view, view.evaluate(FIGURES), setting, tmp_path / "run.json")
    if "slots" in of.sliders:  # with few of them heavy tails have no interval
        view.get_by_role("slider", name="slots").press("Home")
        finish(view, of)
        setting = view.evaluate("lab.setting")
        told = view.evaluate(FIGURES)
        assert told[of.policies[0]]["estimates"][0]["half"] is None
        half, most = view.evaluate('["p50", "p95"].map((one) => lab.reliable(one, false))')
        curves = view.evaluate(
            "lab.charts.figures.curve.data.map(({ y, text, fill }) => ({ y, text, fill }))"
        )
        lines, bands = ([one for one in curves if one.get(part)] for part in ("text", "fill"))
        assert len(lines) == len(told)
        for one in lines:
            assert [bool(text) for text in one["text"]] == [half if y <= 0.5 else most for y in one["y"]]
        last = max(lines[0]["y"]) if most else 0.5
        assert {max(one["y"]) for one in bands} == ({last} if half else set())
        words = view.locator("#curve").get_attribute("aria-label") or ""
        assert ("Bands end at the median" in words) == (not most)
        assert_as_the_command(view, told, setting, tmp_path / "few.json")
    expect(view.locator("#usage svg").first).to_be_visible()
    assert found(view, ALL) == []
    assert view.evaluate("document.documentElement.scrollWidth") <= 390
    view.context.close()


def test_curves_and_slots_in_use_are_those_of_a_run_here(
    browser: Browser, exported: str, complaints: list[str]
) -> None:
    view = opened(browser, exported, complaints)
    samples = view.evaluate("lab.samples")
    bands = view.evaluate(
        "recorded => recorded.data.filter((one) => one.fill)", view.evaluate("lab.charts.figures.curve")
    )
    view.context.close()
    ran = compare(
        Experiment(lab.LAB.scenario, [read_policy(one) for one in lab.LAB.first]),
        replications=lab.LAB.replications,
    )
    for policy, result in zip(lab.LAB.first, ran.policies.values(), strict=True):
        for there, here in zip(samples[policy], result.samples, strict=True):
            curve = here.curves["flowtime"]
            np.testing.assert_array_equal(there["curve"], curve[~np.isnan(curve)])
            np.testing.assert_array_equal(np.transpose(there["series"]), here.series[:, :3])
    for band, result in zip(bands, ran.policies.values(), strict=True):
        shown = shown_curve(result, "flowtime").up_to(MOST)
        low = np.maximum(shown.x - shown.half, shown.x[0] / 10)
        np.testing.assert_allclose(band["x"], [*low, *(shown.x + shown.half)[::-1]], rtol=CLOSE)
        assert band["y"] == [*shown.levels, *shown.levels[::-1]]


def test_the_lab_is_moved_by_keyboard_on_a_phone_and_its_link_opens_it_again(
    browser: Browser, exported: str, complaints: list[str]
) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    view = browser.new_context(**phone).new_page()
    asked: list[str] = []
    view.on("request", lambda request: asked.append(request.url))
    listen(view, complaints, headers=False)
    view.goto(f"{exported}#jobs=2000&load=3&cores=2&policies=fair%2Bnone;fifo")
    finish(view)
    expect(view.get_by_role("alert")).to_have_text(
        "policies: “fifo” is not offered here. load: 3 is not offered here; 0.95 is nearest. "
        "cores: this page has no such control."
    )
    expect(view.locator(".lab > .told")).to_contain_text("Choose a second policy to compare it with.")
    view.get_by_role("checkbox", name="Fair shares + no copies").press("Space")
    expect(view.get_by_role("checkbox", name="Fair shares + no copies")).to_be_checked()
    for name in ("Shortest first + LATE", "Hopper"):
        view.get_by_role("checkbox", name=name).press("Space")
    load = view.get_by_role("slider", name="load")
    for _ in range(5):
        load.press("ArrowLeft")
    expect(load).to_have_attribute("aria-valuetext", "0.7")
    finish(view)
    expect(view.locator(".lab > .told")).to_contain_text("under Fair shares + no copies. It does so for ")
    expect(view.locator("#usage svg").first).to_be_visible()
    view.get_by_role("radio", name="slot-time").press("Space")
    expect(view.get_by_text("Mean slot-time of a job").first).to_be_visible()
    assert found(view, ALL) == []
    assert view.evaluate("document.documentElement.scrollWidth") <= 390
    assert {urlsplit(one).scheme for one in asked} == {"file", "blob"}
    told, link = view.locator(".lab > .told").inner_text(), view.url
    asked_again = "jobs=2000&load=0.7&policies=fair%2Bnone%3Bsrpt%2Blate%3Bhopper%2Bbudget"
    assert link == f"{exported}#{asked_again}"
    view.context.close()
    view = opened(browser, link, complaints)
    expect(view.locator(".lab > .told")).to_have_text(told)
    view.context.close()


def test_a_lab_without_the_script_of_its_charts_tells_the_numbers(
    browser: Browser, exported: str, tmp_path: Path, complaints: list[str]
) -> None:
    """A file that has it within is whole."""
    (tmp_path / "index.html").write_text(lab.page(within=True), encoding="utf-8")
    view = opened(browser, (tmp_path / "index.html").as_uri(), complaints)
    expect(view.locator("#curve svg").first).to_be_visible()
    view.context.close()
    (tmp_path / "index.html").write_text(lab.page(), encoding="utf-8")
    view = opened(browser, (tmp_path / "index.html").as_uri(), [])
    expect(view.locator(".lab > .told")).to_contain_text("19 of 20 jobs finish within")
    expect(view.get_by_text("The file plotly.min.js, which belongs beside this page").first).to_be_visible()
    expect(view.get_by_text("Mean flowtime with 95 % intervals").first).to_be_visible()
    view.context.close()


def test_a_link_means_the_same_in_the_app_and_in_the_lab(
    browser: Browser, exported: str, complaints: list[str]
) -> None:
    """What the app leaves out of a link is so in the Lab, and the other way round."""
    entries = {one.link: one for one in controls.PANEL.entries()}
    usual = {name: one.write(one.default) for name, one in entries.items()}
    view = opened(browser, exported, complaints)
    known = json.loads(view.locator("#recorded").text_content() or "")
    assert known["links"]["usual"] == {
        name: list(value) if isinstance(value := entries[name].default, tuple) else value
        for name in live.defaults(lab.LAB.scenario)
    } | {"jobs": entries["jobs"].default, "policies": usual["policies"]}
    bare = view.evaluate("lab.setting")
    for setting in SETTINGS:
        there = setting | {"jobs": lab.LAB.scenario.jobs, "policies": "fair+none;srpt+late;hopper+budget"}
        given = {name: entries[name].write(entries[name].read(str(value))) for name, value in there.items()}
        written = {name: value for name, value in given.items() if value != usual[name]}
        view.evaluate("text => (location.hash = text)", urlencode({"v": controls.PANEL.version} | written))
        finish(view)
        expect(view.get_by_role("alert")).to_have_text("")
        assert view.evaluate("lab.setting") == setting
        link = dict(parse_qsl(view.evaluate("lab.link")))
        assert link.keys() == written.keys()
        assert {name: entries[name].read(value) for name, value in link.items()} == {
            name: entries[name].read(value) for name, value in written.items()
        }
    view.evaluate(
        "location.hash = 'load=0.5&baseline=srpt%2Blate&policies=srpt%2Blate;fair%2Blate;constructor'"
    )
    expect(view.get_by_role("alert")).to_have_text(
        "policies: “constructor” is not offered here. jobs: 5500 are not offered here; there are 2000. "
        "baseline: “srpt+late” is not offered here; the first policy is what the others are compared with."
    )
    view.evaluate("location.hash = ''")
    finish(view)
    assert view.evaluate("lab.setting") == bare
    view.context.close()


def test_numbers_are_written_as_everywhere(browser: Browser) -> None:
    luck = np.random.default_rng(1)
    values, halves = (10.0 ** luck.uniform(-6, 9, (2, 2000))).tolist()
    pairs = [(0.0, 0.0), (1.5, 0.0039), (-3.25, 0.1), *zip(values, halves, strict=True)]
    view = browser.new_page()
    asked = "([pairs]) => { %s const { number, spread } = module_lab_numbers; return pairs.map(%s); }"
    each = "(one) => [number(one[0]), spread(...one)]"
    told = view.evaluate(asked % (bundled(live.PARTS / "lab-numbers.js"), each), [pairs])
    assert told == [[number(value), spread(value, half)] for value, half in pairs]
    view.close()
