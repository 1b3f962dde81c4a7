"""The page Learn without a browser: nothing is given away before a prediction, all of it is there after."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from pages.learn import details, question
from pages.lessons import LESSONS
from pages.lessons.answers import decided, help_for, judged, marked, solution, ticked, timing
from pages.lessons.course import TITLE, plans
from pages.lessons.export.page import recorded, values
from pages.lessons.lesson import Decision, Exercise
from pages.lessons.prediction import Answer, Choice, Number
from tests.pages.animated import animations_of
from tests.pages.lessons.test_export import few, plain
from tests.pages.made import trouble
from tests.pages.visits import arrived, turn_to

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parents[2]
#: Lessons that are theory; the others are simulated.
THEORY = [number for number, lesson in LESSONS.items() if not lesson.asks(lesson.variation.default)]


def opened(number: int, **query: str) -> AppTest:
    """Open a lesson by its link, as a new visitor."""
    at = arrived()
    at.query_params.update({"v": "1", "lesson": str(number), **query})
    return turn_to(at, "learn").run()


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
        app.select_slider(key=name).set_value(answer)
    else:
        app.pills(key=name).set_value(list(answer))
    app.run()
    return app.button(key=f"learn:sure:{prediction.key}").click().run()


def seen(app: AppTest) -> list[str]:
    blocks = [*app.markdown, *app.caption, *app.warning, *app.error, *app.info, *app.title, *app.table]
    charts = [chart.proto.alt for chart in app.get("plotly_chart")]
    return [str(block.value) for block in blocks] + charts


@pytest.mark.parametrize("number", LESSONS)
def test_nothing_is_given_away_before_the_prediction(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = LESSONS[number]
    monkeypatch.setattr(question.Request, "answers", lambda *given: pytest.fail("the answer was asked for"))
    app = opened(number)
    assert not app.exception
    assert app.title[0].value == lesson.question
    plain, *_ = lesson.watch.runs(lesson.variation.default)
    watched = [[run["name"] for run in one.animation["runs"]] for one in animations_of(app)]
    if lesson.sandbox:
        assert (len(app.get("plotly_chart")), watched) == (0, [])
        assert any(lesson.sandbox.before.element(False) == one.proto.body for one in app.get("html"))
    else:
        assert (len(app.get("plotly_chart")), watched) == (1, [[plain]])
    assert not app.text_input
    assert not trouble(seen(app))
    asks_now = app.button(key=f"learn:sure:{lesson.prediction.key}")
    assert asks_now.disabled
    if number in THEORY:
        told = lesson.find(lesson.variation.default)
        numbers = re.findall(r"\*\*(.+?)\*\*", told.told)
        assert numbers
        assert not any(text in block for text in (told.told, *told.why, *numbers) for block in seen(app))


@pytest.mark.parametrize("number", THEORY)
def test_the_answer_is_drawn_onto_the_prediction_and_can_be_varied(number: int) -> None:
    lesson, answer = LESSONS[number], wrong(number)
    app = opened(number)
    predict(app, number, answer)
    assert not app.exception
    found = lesson.find(lesson.variation.default)
    assert any(block.startswith(f"{found.told} You predicted ") for block in seen(app))
    assert any(all(part in block for part in found.why) for block in seen(app))
    assert found.draw(answer, False).alt in seen(app)
    assert not trouble(seen(app))
    (said,) = [block for block in seen(app) if block.startswith(f"{found.told} You predicted ")]
    written = recorded(number, lesson, few).predicted(answer, values(found.draw(None, False)))
    assert plain(said) == unescape(re.sub("<[^>]+>", "", written["told"]))
    assert written["alt"] in seen(app)
    other = next(value for value in lesson.variation.values if value != lesson.variation.default)
    app.segmented_control(key=f"learn:varied:{lesson.prediction.key}").set_value(other).run()
    assert not app.exception
    assert [[run["name"] for run in one.animation["runs"]] for one in animations_of(app)] == [
        [*lesson.watch.runs(other)]
    ]
    assert lesson.find(other).told in seen(app)
    assert lesson.find(other).draw(answer, False).alt in seen(app)
    app.button(key=f"learn:again:{lesson.prediction.key}").click().run()
    assert not any(found.told in block for block in seen(app))


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (3, "Here two copies of every task pay up to a load of **54 %** (95 % interval 5"),
        (5, "Mean flowtime, the fastest first: **Hopper"),
        (6, "**4 probes** per task suffice: "),
    ],
)
def test_what_is_simulated_is_followed_until_it_is_told_apart(number: int, told: str) -> None:
    app = opened(number)
    predict(app, number, wrong(number))
    assert not app.exception
    assert any("replications" in caption.value for caption in app.caption)
    (answer,) = [block for block in seen(app) if block.startswith(told)]
    assert "You predicted " in answer
    assert "No sure difference" not in answer
    assert "too near" not in answer
    assert sum("Predicted:" in block for block in seen(app)) == 1
    assert not trouble(seen(app))


@pytest.mark.parametrize("number", [*THEORY, 3, 6])
def test_the_plan_has_all_of_a_lesson_with_its_numbers(number: int) -> None:
    lesson = LESSONS[number]
    app = opened(number, teacher="1")
    assert not app.exception
    text = "\n".join(seen(app))
    for exercise in lesson.exercises:
        assert f"{exercise.question}\n\n**Solution: {solution(exercise)}.** {exercise.how}" in text
    for part in (*lesson.plan.objectives, lesson.prediction.label):
        assert part in text
    assert len(app.table) == 1
    assert all(f"- **{answer}.** {why}" in text for answer, why in lesson.plan.mistakes())
    assert len(app.get("plotly_chart")) == 1
    assert not trouble(seen(app))


@pytest.mark.parametrize("number", LESSONS)
def test_a_worksheet_asks_all_and_gives_nothing_away(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = LESSONS[number]
    monkeypatch.setattr(question.Request, "answers", lambda *given: pytest.fail("the answer was asked for"))
    app = opened(number, teacher="1", sheet="worksheet")
    assert not app.exception
    text = "\n".join(seen(app))
    for part in (lesson.prediction.label, marked(lesson.prediction)):
        assert part in text
    assert lesson.scene(0, False).alt in text
    for exercise in lesson.exercises:
        assert exercise.question in text
        assert exercise.hint not in text
        assert exercise.how not in text
        if isinstance(exercise, Decision):
            assert ticked(exercise.options) in text
            assert exercise.picture(False).alt in text
        else:
            assert not re.search(rf"(?<![\d.,]){re.escape(solution(exercise))}(?![\d.])", text)
    assert "Solution" not in text
    assert not any(wrong in text and why in text for wrong, why in lesson.plan.mistakes())
    assert not trouble(seen(app))


@pytest.mark.parametrize("number", THEORY)
def test_the_sheet_of_solutions_has_the_answer_and_all_solutions_with_hints(number: int) -> None:
    lesson = LESSONS[number]
    app = opened(number, teacher="1", sheet="solutions")
    assert not app.exception
    text = "\n".join(seen(app))
    found = lesson.find(lesson.variation.default)
    for part in (lesson.prediction.label, found.told, *found.why):
        assert part in text
    for exercise in lesson.exercises:
        for part in (exercise.question, exercise.hint, f"**Solution: {solution(exercise)}.** {exercise.how}"):
            assert part in text
    assert all(f"- **{answer}.** {why}" in text for answer, why in lesson.plan.mistakes())
    assert not trouble(seen(app))


def test_the_sheet_of_the_course_has_the_map_and_a_table_for_each_session() -> None:
    app = opened(4, teacher="1", sheet="course")
    assert not app.exception
    assert app.title[0].value == TITLE
    assert [chart.proto.alt for chart in app.get("plotly_chart")] == [details.alt_map()]
    (lessons,) = [one.value for one in app.markdown if one.value.startswith("1. ")]
    assert re.findall(r"^\d\. \*\*(.+?):\*\*", lessons, re.MULTILINE) == [
        one.title for one in LESSONS.values()
    ]
    assert [one.value for one in app.header] == [f"Course of {name}" for name in plans()]
    sessions = [one for plan in plans().values() for one in plan]
    assert len(app.table) == len(sessions)
    for table, one in zip(app.table, sessions, strict=True):
        minutes = [int(text.split()[0]) for text in table.value["Time"]]
        assert sum(minutes) == one.minutes
    assert "Builds on lesson 2." in lessons
    assert "Lesson 4" not in app.caption[0].value


def test_minutes_of_the_plan_are_those_of_the_lesson() -> None:
    for lesson in LESSONS.values():
        assert sum(int(minutes.split()[0]) for minutes, _ in timing(lesson)) == lesson.minutes


EXERCISES = [one for lesson in LESSONS.values() for one in lesson.exercises if isinstance(one, Exercise)]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.question[:40])
def test_exercises_are_judged_with_room_for_rounding_and_no_more(exercise: Exercise) -> None:
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


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.question[:40])
def test_neither_a_direction_nor_a_hint_gives_an_exercise_away(exercise: Exercise) -> None:
    shown = solution(exercise).split(" ")[0]
    shown = shown.rstrip("0") if "." in shown else shown
    for wrong in (1, 2):
        said = judged(exercise, 1.3 * exercise.solve(), help_for(exercise, wrong, asked=False))
        assert not re.search(rf"(?<![\d.]){re.escape(shown)}(?![\d.])", said)
        assert exercise.how not in said
    assert exercise.hint not in help_for(exercise, 1, asked=False)


def typed_of(number: int) -> Exercise:
    """Return the first exercise of a lesson whose answer is typed."""
    return next(one for one in LESSONS[number].exercises if isinstance(one, Exercise))


def test_a_decision_is_judged_where_it_is_made() -> None:
    decision = LESSONS[4].exercises[0]
    assert isinstance(decision, Decision)
    app = opened(4)
    predict(app, 4, 5.0)
    assert decision.picture(False).alt in seen(app)
    choice = app.radio(key="learn:exercise 1:wait-and-see")
    assert choice.value is None
    for option in decision.options:
        choice.set_value(option.key).run()
        assert decided(decision, option.key) in seen(app)


def after(app: AppTest) -> str:
    """Return what is said of the answer to the one exercise that was tried, empty if nothing is."""
    said = [block for block in seen(app) if block.startswith(("**Right", "**Not yet", "**Solution"))]
    assert len(said) <= 1
    return said[0] if said else ""


def test_wrong_answers_get_the_direction_then_a_hint_then_the_solution() -> None:
    exercise = typed_of(2)
    right = exercise.solve()
    app = opened(2)
    predict(app, 2, "twice")
    field = app.text_input(key="learn:exercise 2:second-copy")

    def give(number: float) -> str:
        field.set_value(f"{number}").run()
        return after(app)

    assert give(0.95 * right) == f"**Not yet: nearly, but {0.95 * right:.2f} is too low.**"
    assert exercise.hint not in give(0.95 * right)  # the same again is no other try
    second = give(3 * right)
    assert second.endswith(f"is too high.** **Hint.** {exercise.hint}")
    field.set_value("<b>*1*</b>").run()
    assert "is not accepted" in app.info[0].value
    assert after(app) == ""
    assert exercise.hint in give(3 * right)  # what is no number is no try either
    assert f"**Solution: {solution(exercise)}.** {exercise.how}" in give(4 * right)
    assert not [button for button in app.button if button.key == "learn:exercise 2:second-copy:show"]
    assert give(right) == f"**Right: {solution(exercise)}.** {exercise.how}"


def test_the_solution_is_shown_on_request() -> None:
    exercise = typed_of(3)
    app = opened(3)
    predict(app, 3, 50.0)
    app.button(key="learn:exercise 2:clone-everything:show").click().run()
    assert after(app) == f"**Solution: {solution(exercise)}.** {exercise.how}"
    share = f"{exercise.solve() / 100}"
    field = app.text_input(key="learn:exercise 2:clone-everything")
    field.set_value(share).run()
    assert after(app).startswith("**Not yet: the answer is asked in percent.** **Solution: ")


def test_a_slip_in_the_unit_is_told_and_costs_no_try() -> None:
    exercise = typed_of(3)
    app = opened(3)
    predict(app, 3, 50.0)
    field = app.text_input(key="learn:exercise 2:clone-everything")
    for text in ("5", f"{exercise.solve() / 100}"):
        field.set_value(text).run()
    assert after(app) == "**Not yet: the answer is asked in percent.**"
    field.set_value("6").run()
    assert exercise.hint in after(app)


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
    full = LESSONS[3].full
    assert dict(parse_qsl(links[full.label])) == {"v": "1"} | dict(full.query)
    app.button(key="learn:next").click().run()
    assert app.title[0].value == LESSONS[4].question
    assert app.query_params["lesson"] in ("4", ["4"])
    app = opened(len(LESSONS))
    assert not any(button.key == "learn:next" for button in app.button)


def test_a_scene_is_drawn_anew() -> None:
    app = opened(2)
    (before,) = [chart.proto.alt for chart in app.get("plotly_chart")]
    app.button(key=f"learn:another:{LESSONS[2].prediction.key}").click().run()
    (after,) = [chart.proto.alt for chart in app.get("plotly_chart")]
    assert before != after == LESSONS[2].scene(1, False).alt
