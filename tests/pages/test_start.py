"""The first screen without a browser: what it says for every move of its controls."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.start.question import one_job

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
