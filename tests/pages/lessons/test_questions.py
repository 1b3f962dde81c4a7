"""A question has all that its answer depends on: it is asked where neither page nor film is beside it."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from types import ModuleType

import pytest

from pages.lessons import FILES, LESSONS
from pages.lessons.lesson import Lesson
from pages.lessons.prediction import Choice, Order
from pages.room.question import OfLesson
from sim.telling.words import percent, plain

#: Words for small numbers of copies.
WORDS = {1: ("one", "first"), 2: ("two", "twice", "second")}
#: Fields of a scenario that say how well an answer is known, not what it is.
EFFORT = {"jobs", "warm_up", "seed"}
#: Fields on which the answer depends in any cluster, also where they are at their defaults.
ALWAYS = ("slots", "load", "tasks_max", "straggle_tail")

THEORY = [number for number, lesson in LESSONS.items() if not lesson.asks(lesson.variation.default)]
SIMULATED = [*LESSONS.keys() - {*THEORY}]


def written(lesson: Lesson) -> str:
    """Return a question with all that is offered as its answer."""
    match lesson.prediction:
        case Choice(options=offered) | Order(items=offered):
            return " ".join([lesson.prediction.label, *(one.label for one in offered)])
    return lesson.prediction.label


def is_said(value: float, text: str) -> bool:
    """Tell whether a text has a number, in figures, in percent or in words."""
    words = WORDS.get(value, ()) if isinstance(value, int) else ()
    said = [plain(value), percent(value) if value <= 1 else "", *words]
    return any(re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.]\w)", text) for one in said if one)


def numbers_of(module: ModuleType) -> dict[str, float]:
    """Return the numbers that a lesson's module is made with, by name."""
    named = {name: value for name, value in vars(module).items() if name.isupper()}
    return {name: value for name, value in named.items() if type(value) in (int, float)}


@pytest.mark.parametrize("number", THEORY)
def test_a_question_has_each_number_that_moves_its_answer(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson, module = LESSONS[number], import_module(f"pages.lessons.{FILES[number - 1]}")
    default = lesson.variation.default
    right, text = lesson.find(default).answer, written(lesson)
    moved = []
    for name, value in numbers_of(module).items():
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value + 1 if isinstance(value, int) else 1.2 * value)
            if lesson.find(default).answer != right:
                moved.append(value)
    shown = getattr(lesson.variation.values, "get", lambda one: None)(default)
    assert all(is_said(value, text) for value in moved)
    assert shown in text if shown else is_said(default, text)


@pytest.mark.parametrize("number", SIMULATED)
def test_a_question_has_the_cluster_that_is_simulated(number: int) -> None:
    lesson = LESSONS[number]
    experiments = [one.experiment for one in lesson.asks(lesson.variation.default)]
    text = written(lesson)
    scenario = experiments[0].scenario
    usual = type(scenario)()
    told = {
        one.name: getattr(scenario, one.name)
        for one in fields(scenario)
        if one.name in ALWAYS or getattr(scenario, one.name) != getattr(usual, one.name)
    }
    numbers = {name: value for name, value in told.items() if type(value) in (int, float)}
    for name in numbers.keys() - EFFORT:
        if len({getattr(one.scenario, name) for one in experiments}) > 1:
            assert name.replace("_", " ") in text, "it is what is asked for"
        else:
            assert is_said(numbers[name], text), name
    assert is_said(lesson.variation.default, text)
    rules = [next(iter(one.rules.values())) for one in experiments[0].policies]
    assert all(one.title in text or one.key == "central" for one in rules)


def test_a_room_asks_it_whole() -> None:
    assert all(OfLesson(number).written == lesson.prediction.label for number, lesson in LESSONS.items())
