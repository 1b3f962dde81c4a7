"""Requirements on every lesson, read from the registry: a new one is tested by being listed."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pages.coding.controls import asked_of
from pages.compare.controls import CHOICE, OFFERED, scenario_from
from pages.decentralised.controls import setting_of
from pages.formulas.detection.question import Request
from pages.frame.menu import entries, entry_of
from pages.lessons import FILES, LESSONS, coded_or_copied, nobody_knows, whose_turn
from pages.lessons.answers import decided
from pages.lessons.lesson import LEVELS, Decision, Found, Illustration, Lesson
from pages.lessons.prediction import Answer, Choice, Number, Order
from pages.shared.charts.serialized import LONGEST
from sim.running.experiment import compare
from sim.running.live import fitted
from sim.telling.palette import palette
from tests.pages.made import checked, trouble, words

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parents[3]
EACH = pytest.mark.parametrize("number", LESSONS)


@cache
def found(number: int, varied: Any) -> Found:
    """Return the answer of a lesson, of two replications of fewer jobs where it is simulated."""
    lesson = LESSONS[number]
    asked = [request.experiment for request in lesson.asks(varied)]
    fewer = [type(one)(one.scenario.replace(jobs=400), one.policies) for one in asked]
    return lesson.find(varied, *(compare(one, replications=2) for one in fewer))


def predictions(lesson: Lesson) -> list[Answer | None]:
    """Return some predictions, at the ends of what is accepted."""
    match lesson.prediction:
        case Choice(options=options):
            return [None, *(option.key for option in options)]
        case Number(low=low, high=high):
            return [None, low, high]
        case Order(items=items):
            keys = tuple(item.key for item in items)
            return [None, keys, keys[::-1]]


def assert_drawn(picture: Illustration, dark: bool) -> None:
    """Assert that a chart is one, with letters of the theme, a title of a line, and nothing odd to read."""
    checked(picture.figure)
    assert {one.font.color for one in picture.figure.layout.annotations} <= {palette(dark).ink}
    assert len(picture.title) <= LONGEST
    assert picture.alt.endswith(".")
    assert not trouble([picture.title, picture.alt, *words(picture.figure)])


def test_every_text_of_a_lesson_is_listed_and_has_a_module() -> None:
    folder = ROOT / "pages" / "lessons"
    texts = {path.stem for path in (ROOT / "sim" / "content" / "lessons").glob("*.md")}
    assert texts == set(FILES) <= {path.stem for path in folder.glob("*.py")}
    assert [*LESSONS] == [*range(1, len(FILES) + 1)]


@EACH
def test_a_lesson_is_asked_in_one_sentence_and_takes_minutes(number: int) -> None:
    lesson = LESSONS[number]
    assert re.fullmatch(r"[A-Z][^.?!]*\?", lesson.question)
    assert 2 <= lesson.minutes <= 8
    assert lesson.variation.default in lesson.variation.values
    assert len(lesson.variation.values) > 1
    assert len(lesson.plan.objectives) >= 2
    assert len(lesson.plan.mistakes()) >= 3
    assert len(lesson.exercises) == len(LEVELS) == 3
    assert len({exercise.question for exercise in lesson.exercises}) == 3
    assert [isinstance(exercise, Decision) for exercise in lesson.exercises] == [True, False, False]
    assert lesson.formulas
    assert len(lesson.full.label) <= 44  # a line on a phone
    assert not trouble([text for pair in lesson.plan.mistakes() for text in pair])


@EACH
def test_the_scene_is_drawn_anew_and_the_same_for_everybody(number: int) -> None:
    lesson = LESSONS[number]
    first, again, other = (lesson.scene(draw, False) for draw in (0, 0, 1))
    assert first.figure.to_dict() == again.figure.to_dict()
    assert (first.alt != other.alt) is lesson.random
    for draw in range(5):
        assert_drawn(lesson.scene(draw, draw % 2 == 0), draw % 2 == 0)


@EACH
def test_a_decision_has_a_picture_and_one_right_option_whose_reason_is_told_only_then(number: int) -> None:
    decision = LESSONS[number].exercises[0]
    assert isinstance(decision, Decision)
    for dark in (False, True):
        assert_drawn(decision.picture(dark), dark)
    options = {option.key: option.label for option in decision.options}
    right = decision.solve()
    assert 2 <= len(options) == len({*options.values()})
    assert not trouble([decision.question, decision.hint, decision.how, *options.values()])
    for key, label in options.items():
        said = decided(decision, key)
        assert (decision.how in said) is (label in said) is (key == right)
        assert (decision.hint in said) is (key != right)


def bars_of(number: int) -> Any:
    """Return the bars, or points, of the first picture of a lesson, by their names."""
    return {trace.name: trace for trace in LESSONS[number].scene(0, False).figure.data}


def test_the_first_picture_shows_what_the_text_is_about() -> None:
    took = np.sort(bars_of(1)["a task"].x)
    assert took[-1] > 10 > 3 * np.median(took), "a straggler"
    second = bars_of(2)
    left = second["not needed any more"]
    assert left.x.max() > 3 * left.base[left.x.argmax()], "a straggler whose copy ends first"
    remaining = np.sort(bars_of(4)["remaining"].x)
    assert remaining[-1] > 1.7 > remaining[-2] > 1 > remaining[-3], "far more, a little more, and less to do"
    tasks = bars_of(5)["tasks"].x
    assert tasks.max() > whose_turn.SCENARIO.slots > 2 * np.median(tasks), "one large job, most of them small"
    assert tasks.argmax() < 3, "some jobs wait behind it"
    workers = bars_of(6)
    busy, asked = ({*zip(workers[one].x, workers[one].y, strict=True)} for one in ("busy", "asked"))
    assert len(busy) == nobody_knows.LOAD * nobody_knows.WORKERS
    assert asked < busy, "two were not enough"
    pairs = bars_of(7)
    first, copy = pairs["started as task"].x, pairs["started as its copy"].x
    half = np.sort([*first, *copy])[9]
    assert np.minimum(first, copy).max() > 2 * half, "a pair that is slow twice"


def test_names_are_those_of_the_menus() -> None:
    titles = {entry.name: entry.title for entry in entries()}
    for lesson in LESSONS.values():
        assert lesson.full.label.startswith(f"{titles[lesson.full.page]}: ")
    for item, policy in whose_turn.policies(1.0).items():
        title = CHOICE.called(policy.text).removesuffix(" + LATE")
        assert whose_turn.NAMES[item] == title
        assert LESSONS[5].prediction.shown([*whose_turn.NAMES]).count(title) == 1


@EACH
def test_runs_to_watch_are_called_as_in_the_menus(number: int) -> None:
    lesson = LESSONS[number]
    for varied in lesson.variation.values:
        for name, one in lesson.watch.runs(varied).items():
            assert name.partition(": ")[0] == one.policies[0].name
            if number not in (6, 7, 8):  # whose runs differ in what no menu of policies has
                assert name == CHOICE.called(one.policies[0].text)


@EACH
def test_the_answer_is_one_that_can_be_predicted_with_a_reason_in_three_parts(number: int) -> None:
    lesson = LESSONS[number]
    for varied in lesson.variation.values:
        answer = found(number, varied)
        lesson.prediction.counted_as(answer.answer)
        lesson.prediction.shown(answer.answer)
        assert len(answer.why) == 3
        assert answer.told.count("**") >= 2
        assert not trouble([answer.told, *answer.why])


@EACH
def test_the_answer_is_drawn_onto_any_prediction(number: int) -> None:
    lesson = LESSONS[number]
    answer = found(number, lesson.variation.default)
    alts = set()
    for place, predicted in enumerate(predictions(lesson)):
        picture = answer.draw(predicted, place % 2 == 0)
        assert_drawn(picture, place % 2 == 0)
        alts.add(picture.alt)
        if predicted is not None:
            assert not trouble([answer.yours(predicted)])
            assert "redicted" in picture.alt
    assert len(alts) == len(predictions(lesson))


def opened(number: int) -> dict[str, Any]:
    """Return what the full page of a lesson is set to by its link, every parameter of which it knows."""
    full = LESSONS[number].full
    panel = import_module(f"{entry_of(full.page).package}.controls").PANEL
    entries = {entry.link: entry for entry in panel.entries(full.query.get("preset", ""))}
    assert full.query.keys() <= entries.keys()
    written = {name: entries[name].write(entries[name].read(text)) for name, text in full.query.items()}
    assert written == dict(full.query)
    return {
        entry.name: entry.read(full.query[name]) if name in full.query else entry.default
        for name, entry in entries.items()
    }


def test_detection_has_the_threshold_of_its_lesson() -> None:
    values = opened(4)
    there = Request(*(values[name] for name in ("alpha", "omega", "sigma", "copies", "share", "delta")))
    best = found(4, 2.0).answer
    assert there.best_sigma(there.copies) == pytest.approx(best)
    assert there.sigma == pytest.approx(best, abs=0.025)  # half a step of the slider there


def test_compare_decentralised_and_coding_have_the_setting_of_the_lessons() -> None:
    for number in (3, 5):
        values, lesson = opened(number), LESSONS[number]
        experiment = lesson.asks(lesson.variation.default)[0].experiment
        there = scenario_from(OFFERED[values["preset"]].scenario, values, {})
        load = there.load if number == 3 else whose_turn.SCENARIO.load  # lesson 3 asks for the load
        assert there == experiment.scenario.replace(load=load)
        policies, complaints = CHOICE.picked(values["policies"])
        assert not complaints
        assert tuple(policies.values()) == experiment.policies
    setting = setting_of(opened(6))
    assert setting.scenario == nobody_knows.SCENARIO
    probed = nobody_knows.policies(nobody_knows.REFUSALS)[4]
    assert [*setting.policies.values()] == [nobody_knows.CENTRAL, probed]
    asked = asked_of(opened(7))
    assert (asked.rate, asked.scenario.straggle_tail) == (coded_or_copied.RATE, coded_or_copied.TAIL)


def test_a_server_runs_all_that_a_lesson_simulates() -> None:
    for lesson in LESSONS.values():
        for varied in lesson.variation.values:
            for request in lesson.asks(varied):
                assert fitted(request.experiment) == (request.experiment, "")


@pytest.mark.parametrize("number", [one for one in LESSONS if isinstance(LESSONS[one].prediction, Number)])
def test_the_name_of_the_largest_prediction_is_within_the_chart(number: int) -> None:
    lesson = LESSONS[number]
    picture = found(number, lesson.variation.default).draw(lesson.prediction.high, False)
    layout = picture.figure.to_dict()["layout"]
    top = max(layout["yaxis"]["range"])
    for note in layout["annotations"]:
        if note["text"].startswith("predicted") and note.get("yref", "y") == "y" and note["y"] >= 0.97 * top:
            assert note.get("yshift", 0) < 0
