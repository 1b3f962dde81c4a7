"""The map of the lessons and the plans: complete, in an order that can be taught, within their time."""

from __future__ import annotations

import pytest

from pages.learn import details
from pages.lessons import LESSONS
from pages.lessons.course import EXERCISE, EXPLORE, NEEDS, SHORTEST, SUMMARY, Session, plans
from pages.lessons.lesson import LEVELS, Illustration
from tests.pages.lessons.test_lessons import assert_drawn

LENGTHS = {"45 minutes": [45], "90 minutes": [90], "4 × 90 minutes": [90] * 4}


def numbers(sessions: tuple[Session, ...]) -> list[int]:
    """Return the lessons of a plan in their order."""
    return [step.lesson for one in sessions for step in one.steps if step.what.startswith("Lesson ")]


def test_every_lesson_is_on_the_map_below_those_that_it_builds_on() -> None:
    assert NEEDS.keys() == LESSONS.keys()
    where = details.places()
    assert where.keys() == LESSONS.keys()
    assert len({*where.values()}) == len(LESSONS)
    for number, needed in NEEDS.items():
        assert all(one < number and where[one][1] < where[number][1] for one in needed)


def test_plans_are_of_their_lengths_and_leave_some_time_for_questions() -> None:
    assert {name: [one.minutes for one in sessions] for name, sessions in plans().items()} == LENGTHS
    for sessions in plans().values():
        for one in sessions:
            assert 0.85 * one.minutes <= one.taken <= one.minutes


@pytest.mark.parametrize("name", LENGTHS)
def test_a_plan_teaches_what_a_lesson_needs_before_it(name: str) -> None:
    order = numbers(plans()[name])
    assert len(set(order)) == len(order)
    for place, number in enumerate(order):
        assert set(NEEDS[number]) <= set(order[:place]), number


def test_the_long_course_has_all_lessons_and_of_all_but_short_ones_exercises_and_pages() -> None:
    sessions = plans()["4 × 90 minutes"]
    assert numbers(sessions) == [*LESSONS]
    minutes = [lesson.minutes for lesson in LESSONS.values()]
    whole = sum(one >= SHORTEST for one in minutes)
    each = sum(EXERCISE[level] for level in LEVELS) + EXPLORE
    assert sum(one.taken for one in sessions) == sum(minutes) + each * whole + SUMMARY * len(sessions)


def test_the_map_has_an_arrow_for_each_need_and_says_so() -> None:
    figure = details.draw_map(4, dark=False)
    assert_drawn(Illustration("Which lesson builds on which", figure, details.alt_map()), dark=False)
    where = details.places()
    drawn = {(one.ax, one.ay, one.x, one.y) for one in figure.layout.annotations if one.showarrow}
    assert drawn == {(*where[needed], *where[number]) for number in NEEDS for needed in NEEDS[number]}
    assert "8 (Luck or skew?) on 4" in details.alt_map()
    titles = " ".join(one.text.replace("<br>", " ") for one in figure.layout.annotations)
    assert all(lesson.title in titles for lesson in LESSONS.values())
