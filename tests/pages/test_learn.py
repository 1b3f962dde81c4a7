"""The page Learn without a browser: nothing is given away before a prediction, all of it is there after."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.learn import question
from pages.learn.words import judged, solution, timing
from pages.lessons import LESSONS
from pages.lessons.prediction import Answer, Choice, Number
from pages.lessons.typed import typed
from sim.fields import BadInput
from tests.pages.animated import animations_of
from tests.pages.made import trouble
from tests.pages.visits import arrived

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parents[2]
#: Lessons that are theory; the others are simulated.
THEORY = [number for number, lesson in LESSONS.items() if lesson.asks(lesson.variation.default) is None]


def opened(number: int, **query: str) -> AppTest:
    """Open a lesson by its link, as a new visitor."""
    at = arrived()
    at.query_params.update({"v": "1", "lesson": str(number), **query})
    return at.switch_page("pages/learn/page.py").run()


def wrong(number: int) -> Answer:
    """Return a prediction that is not the answer."""
    prediction = LESSONS[number].prediction
    if isinstance(prediction, Choice):
        return prediction.options[-1].key
    if isinstance(prediction, Number):
        return prediction.high
    return tuple(item.key for item in prediction.items)


def predict(app: AppTest, number: int, answer: Answer) -> AppTest:
    """Give a prediction as a visitor does."""
    prediction = LESSONS[number].prediction
    name = f"learn:asked:{prediction.key}"
    if isinstance(prediction, Choice):
        app.radio(key=name).set_value(answer)
    elif isinstance(prediction, Number):
        app.slider(key=name).set_value(answer)
    else:
        app.multiselect(key=name).set_value(list(answer))
    app.run()
    return app.button(key=f"learn:sure:{prediction.key}").click().run()


def seen(app: AppTest) -> list[str]:
    blocks = [*app.markdown, *app.caption, *app.warning, *app.error, *app.info, *app.title, *app.table]
    charts = [chart.proto.alt for chart in app.get("plotly_chart")]
    return [str(block.value) for block in blocks] + charts


@pytest.mark.parametrize("number", LESSONS)
def test_nothing_is_given_away_before_the_prediction(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = LESSONS[number]
    monkeypatch.setattr(question.Asked, "answers", lambda *given: pytest.fail("the answer was asked for"))
    app = opened(number)
    assert not app.exception
    assert app.title[0].value == lesson.question
    assert len(app.get("plotly_chart")) == 1
    plain, *_ = lesson.watch.runs(lesson.variation.default)
    assert [[run["name"] for run in one.animation["runs"]] for one in animations_of(app)] == [[plain]]
    assert not app.text_input
    assert not trouble(seen(app))
    asks_now = app.button(key=f"learn:sure:{lesson.prediction.key}")
    assert asks_now.disabled is not isinstance(lesson.prediction, Number)
    if number in THEORY:
        told = lesson.find(lesson.variation.default, None)
        numbers = re.findall(r"\*\*(.+?)\*\*", told.told)
        assert numbers
        assert not any(text in block for text in (told.told, *told.why, *numbers) for block in seen(app))


@pytest.mark.parametrize("number", THEORY)
def test_the_answer_is_drawn_onto_the_prediction_and_can_be_varied(number: int) -> None:
    lesson, answer = LESSONS[number], wrong(number)
    app = opened(number)
    predict(app, number, answer)
    assert not app.exception
    found = lesson.find(lesson.variation.default, None)
    assert any(block.startswith(f"{found.told} You predicted ") for block in seen(app))
    assert any(all(part in block for part in found.why) for block in seen(app))
    assert found.draw(answer, False).alt in seen(app)
    assert not trouble(seen(app))
    other = next(value for value in lesson.variation.values if value != lesson.variation.default)
    app.segmented_control(key=f"learn:varied:{lesson.prediction.key}").set_value(other).run()
    assert not app.exception
    assert [[run["name"] for run in one.animation["runs"]] for one in animations_of(app)] == [
        [*lesson.watch.runs(other)]
    ]
    assert lesson.find(other, None).told in seen(app)
    assert lesson.find(other, None).draw(answer, False).alt in seen(app)
    app.button(key=f"learn:again:{lesson.prediction.key}").click().run()
    assert not any(found.told in block for block in seen(app))


@pytest.mark.parametrize(
    ("number", "told"),
    [(5, "Mean flowtime, the fastest first: **Hopper"), (6, "**4 probes** per task suffice: ")],
)
def test_what_is_simulated_is_followed_until_it_is_told_apart(number: int, told: str) -> None:
    app = opened(number)
    predict(app, number, wrong(number))
    assert not app.exception
    assert any("replications" in caption.value for caption in app.caption)
    (answer,) = [block for block in seen(app) if block.startswith(told)]
    assert "You predicted “" in answer
    assert "No sure difference" not in answer
    assert "too near" not in answer
    assert sum("Predicted:" in block for block in seen(app)) == 1
    assert not trouble(seen(app))


@pytest.mark.parametrize("number", [*THEORY, 6])
def test_the_plan_has_all_of_a_lesson_with_its_numbers(number: int) -> None:
    lesson = LESSONS[number]
    app = opened(number, teacher="1")
    assert not app.exception
    text = "\n".join(seen(app))
    assert f"**Solution: {solution(lesson.exercise)}.**" in text
    for part in (*lesson.plan.objectives, lesson.prediction.label, lesson.exercise.question):
        assert part in text
    assert len(app.table) == 1
    assert all(f"- **{answer}.** {why}" in text for answer, why in lesson.plan.mistakes())
    assert len(app.get("plotly_chart")) == 1
    assert not trouble(seen(app))


def test_minutes_of_the_plan_are_those_of_the_lesson() -> None:
    for lesson in LESSONS.values():
        assert sum(int(minutes.split()[0]) for minutes, _ in timing(lesson)) == lesson.minutes


@pytest.mark.parametrize("number", LESSONS)
def test_exercises_are_judged_with_room_for_rounding_and_no_more(number: int) -> None:
    exercise = LESSONS[number].exercise
    right = exercise.solve()
    for close in (right, float(f"{right:.3g}"), 1.009 * right):
        assert judged(exercise, close).startswith("**Right: ")
    for far in (1.011 * right, 0.989 * right, -right, 0.0):
        assert judged(exercise, far).startswith("**Not yet: ")
    assert "nearly, but" in judged(exercise, 1.03 * right)
    assert "too high" in judged(exercise, 1.03 * right)
    assert "too low" in judged(exercise, 0.97 * right)
    if exercise.unit == "%":
        assert "in percent" in judged(exercise, right / 100)
        assert "all others" in judged(exercise, 100 - right)


#: Right answers as people type them, by the number of the lesson.
TYPED = {
    1: ("2", "2.0", "4/2", "200 %", "2 times", "2,00"),
    2: ("1.6", "1,6", "8/5", "160%", "1.60 x"),
    3: ("58.3", "58,3 %", "700/12", "58.3 percent"),
    4: ("16", "16%", "16,0"),
    5: ("16", "16 slots"),
    6: ("34.4", "34,39 %"),
    7: ("1.37", "1,37 min", "48/35 minutes"),
}


@pytest.mark.parametrize("number", LESSONS)
def test_answers_of_exercises_are_read_as_people_type_them(number: int) -> None:
    exercise = LESSONS[number].exercise
    for text in TYPED[number]:
        assert judged(exercise, typed(text, exercise.unit)).startswith("**Right: "), text
    for text in ("", "two", "1/0", "1.2.3", "nan", "inf", "1e999", "1/1e-320", "--1", "16 €", "1" * 50):
        with pytest.raises(BadInput, match="is not accepted"):
            typed(text, exercise.unit)


def test_an_exercise_is_typed_and_judged() -> None:
    app = opened(2)
    predict(app, 2, "twice")
    (field,) = app.text_input
    field.set_value("3/2").run()
    assert any(block.startswith("**Not yet: nearly, but 1.50 is too low.**") for block in seen(app))
    app.text_input[0].set_value("1,6").run()
    assert any(block.startswith("**Right: 1.60.**") for block in seen(app))
    app.text_input[0].set_value("<b>*1*</b>").run()
    assert not any(block.startswith(("**Right", "**Not yet")) for block in seen(app))
    assert "is not accepted" in app.info[0].value


def test_a_prediction_stays_until_it_is_taken_back_and_is_in_no_link() -> None:
    app = opened(1)
    predict(app, 1, 10.0)
    assert "You predicted 10 min: 26 min too low." in "\n".join(seen(app))
    assert not {*app.query_params} - {"v", "lesson"}
    app.selectbox(key="learn.lesson").set_value("2").run()
    assert app.title[0].value == LESSONS[2].question
    assert "You predicted" not in "\n".join(seen(app))
    app.selectbox(key="learn.lesson").set_value("1").run()
    assert "You predicted 10 min" in "\n".join(seen(app))


def test_links_lead_to_the_full_page_and_to_the_next_lesson() -> None:
    app = opened(3)
    predict(app, 3, 50.0)
    links = {link.proto.label: link.proto.query_string for link in app.get("page_link")}
    assert links[LESSONS[3].full.label] == "v=1&alpha=3&omega=0.3"
    app.button(key="learn:next").click().run()
    assert app.title[0].value == LESSONS[4].question
    assert app.query_params["lesson"] in ("4", ["4"])
    app = opened(len(LESSONS))
    assert not any(button.key == "learn:next" for button in app.button)


def test_a_scene_is_drawn_anew() -> None:
    app = opened(1)
    (before,) = [chart.proto.alt for chart in app.get("plotly_chart")]
    app.button(key="learn:another:slowest").click().run()
    (after,) = [chart.proto.alt for chart in app.get("plotly_chart")]
    assert before != after == LESSONS[1].scene(1, False).alt
