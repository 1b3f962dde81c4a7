"""The first screen without a browser: its text for every move of its controls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student
from streamlit.testing.v1 import AppTest

from pages.frame.menu import entries, named
from pages.start import setting
from pages.start.details import DOORS
from pages.start.question import free_up_to, one_job
from pages.start.setting import EFFORT, moves
from sim.animation import LOG, animation
from sim.experiment import compare
from sim.telling.words import number
from tests.agreement import assert_mean
from tests.pages.animated import animations_of
from theory.order_statistics import maximum_moment

pytestmark = pytest.mark.compiled
MADE = moves()
APP = Path(__file__).resolve().parents[2] / "app.py"


@pytest.fixture(scope="module")
def screen() -> AppTest:
    return AppTest.from_file(APP, default_timeout=60).run()


def test_the_app_opens_on_the_start_screen(screen: AppTest) -> None:
    assert not screen.exception
    assert "one task" in screen.title[0].value


@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("tasks", [2, 20, 50])
def test_the_cards_show_the_job_of_the_controls(screen: AppTest, tasks: int, copies: int) -> None:
    screen.slider(key="start.job_tasks").set_value(tasks)
    screen.segmented_control(key="start.job_copies").set_value(copies)
    screen.run()
    assert not screen.exception
    job = one_job(tasks, copies, 1.5)
    expected = [f"{minutes:.1f} min" for minutes in (job.typical, job.end, job.slot_time)]
    assert [card.value for card in screen.metric[3:]] == expected


def test_two_copies_cost_nothing_and_three_do(screen: AppTest) -> None:
    said = {}
    for copies in (2, 3):
        screen.segmented_control(key="start.job_copies").set_value(copies).run()
        said[copies] = screen.metric[5].delta
    assert said[2] == "the same as with one copy"
    assert said[3].startswith("+")


def test_a_second_copy_is_free_only_on_such_a_tail(screen: AppTest) -> None:
    told = {}
    for copies in (2, 3):
        screen.segmented_control(key="start.job_copies").set_value(copies).run()
        (told[copies],) = [one.value for one in screen.markdown if "What to notice" in one.value]
    assert "2 copies of a task cost nothing if its index β is at most 1.5; here it is 1.5." in told[2]
    assert "3 copies of a task cost nothing if its index β is at most 1.33; here it is 1.5." in told[3]


@pytest.mark.parametrize("copies", [2, 3])
def test_just_beyond_that_tail_copies_cost_and_just_within_they_save(copies: int) -> None:
    most = free_up_to(copies)
    for tail, costs in ((most + 0.001, True), (most - 0.001, False)):
        assert (one_job(5, copies, tail).slot_time > one_job(5, 1, tail).slot_time) == costs


def test_what_is_watched_are_runs_of_the_engine(screen: AppTest) -> None:
    found = [one for one in animations_of(screen) if one.animation]  # beside their legend
    assert len(found) == len(MADE)
    for shown, move in zip(found, MADE, strict=True):
        assert [run["name"] for run in shown.animation["runs"]] == [*move.watched]
        for run, experiment in zip(shown.animation["runs"], move.watched.values(), strict=True):
            (sample,) = experiment.replicate(0, log=LOG)
            same = animation(experiment.scenario, experiment.workload(0), sample.log).compact()
            assert {name: run[name] for name in same} == same


def test_what_is_watched_shows_what_is_said() -> None:
    """One task holds the job for 0.4 of its time; the same copies make the mean flowtime less, then more."""
    (only,), *clusters = (list(move.watched.values()) for move in MADE)
    (sample,) = only.replicate(0, log=LOG)
    *_, second, last = sorted(sample.log.end)
    assert second < 0.6 * last
    light_one, light_two, full_one, full_two = (
        run.replicate(0)[0].values["flowtime", "mean"] for runs in clusters for run in runs
    )
    assert light_two < 0.8 * light_one
    assert full_two > 1.5 * full_one


def test_the_numbers_are_means_over_simulated_jobs_with_intervals(screen: AppTest) -> None:
    """The first against theory, the others computed once more from the flowtimes of each replication."""
    alone, *clusters = MADE
    compared = compare(alone.measured, EFFORT)
    (flowtimes,) = (result.values("flowtime", "mean") for result in compared.policies.values())
    assert_mean(np.array(flowtimes), maximum_moment(alone.measured.scenario.tasks_max, setting.TAIL))
    numbers = [(card.value, card.delta) for card in screen.metric[:3]]
    assert numbers[0][0].startswith(f"{np.mean(flowtimes):.2f} ± ")
    assert numbers[0][1] == "1.00 min if no task straggled"
    for move, sign, (value, told) in zip(clusters, (-1, 1), numbers[1:], strict=True):
        results = compare(move.measured, EFFORT).policies.values()
        without, copied = (np.array(result.values("flowtime", "mean")) for result in results)
        ratio = copied.mean() / without.mean() - 1
        scatter = (copied / copied.mean() - without / without.mean()).std(ddof=1)
        half = (1 + ratio) * np.sinh(student.ppf(0.975, without.size - 1) * scatter / np.sqrt(without.size))
        shown, _, known = value.removesuffix(" %").replace("−", "-").partition(" ± ")
        assert np.sign(float(shown)) == sign == np.sign(ratio)
        assert float(shown) == pytest.approx(100 * ratio, abs=0.6)
        assert float(known) == pytest.approx(100 * half, rel=0.1)
        assert half < abs(ratio) / 4, "it is known whether the copies help"
        assert told == f"{number(copied.mean())} min instead of {number(without.mean())} min"


def test_what_the_numbers_rest_on_is_said(screen: AppTest) -> None:
    (told,) = [one.value for one in screen.caption if "Each number" in one.value]
    assert "20 replications, 72,000 of 80,000 jobs counted (the first 10 % are warm-up), seed 1" in told
    assert "95 % intervals" in told


def test_every_page_is_on_it_with_its_question_and_each_kind_of_visitor_has_a_door(screen: AppTest) -> None:
    links = [(link.proto.page, link.proto.label) for link in screen.get("page_link")]
    for entry in entries()[1:]:
        assert (entry.name, f"**{entry.title}**: {entry.question}") in links
    doors = [door for door in DOORS if named(door.pages)]
    assert [door.who for door in doors][-2:] == ["I run a cluster", "I know the papers"]
    for door in doors:
        assert any(one.value.startswith(f"**{door.who}**") for one in screen.markdown)
        for entry in named(door.pages):
            assert (entry.name, entry.title) in links


def test_the_page_is_there_before_the_run_that_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> None:
        raise RuntimeError("no engine yet")

    monkeypatch.setattr("pages.start.layout.Moves.show", late)
    at = AppTest.from_file(APP, default_timeout=60).run()
    assert len(at.exception) == 1
    assert [card.value for card in at.metric[:3]] == ["…"] * 3
    assert len(at.metric) == 6
    assert len(at.get("plotly_chart")) == 1
    assert len(at.get("page_link")) >= len(entries()) - 1
    assert at.get("expander")
