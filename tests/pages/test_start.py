"""The first screen without a browser: its text for every move of its controls."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame.menu import entries, named
from pages.start.details import DOORS
from pages.start.question import free_up_to, one_job
from sim.animation import LOG, animation
from sim.experiment import Experiment
from sim.presets import PRESETS
from tests.pages.animated import animations_of

pytestmark = pytest.mark.compiled
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
    assert [card.value for card in screen.metric] == expected


def test_two_copies_cost_nothing_and_three_do(screen: AppTest) -> None:
    said = {}
    for copies in (2, 3):
        screen.segmented_control(key="start.job_copies").set_value(copies).run()
        said[copies] = screen.metric[2].delta
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


def test_what_is_watched_is_a_run_of_the_engine_without_copies_and_with(screen: AppTest) -> None:
    (found,) = animations_of(screen)
    experiment = Experiment.of_texts(PRESETS["small"].scenario, ("fair+none", "fair+late"))
    workload = experiment.workload(0)
    assert [run["name"] for run in found.animation["runs"]] == [
        "Fair shares + no copies",
        "Fair shares + LATE",
    ]
    for run, sample in zip(found.animation["runs"], experiment.replicate(0, log=LOG), strict=True):
        same = animation(experiment.scenario, workload, sample.log).compact()
        assert {name: run[name] for name in same} == same
    assert "One run of 30 jobs under Fair shares + no copies and one under" in screen.caption[-1].value


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

    monkeypatch.setattr("pages.animation.show.show_animation", late)
    at = AppTest.from_file(APP, default_timeout=60).run()
    assert len(at.exception) == 1
    assert len(at.metric) == 3
    assert len(at.get("plotly_chart")) == 1
    assert len(at.get("page_link")) >= len(entries()) - 1
    assert at.get("expander")
