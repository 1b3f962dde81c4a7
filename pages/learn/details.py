"""Below a lesson: what is watched, formulas, exercises and other lessons; and what a teacher can print."""

from __future__ import annotations

from itertools import islice

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.animation.show import few_jobs, show_runs
from pages.frame.limits import limits
from pages.frame.tabs import onwards
from pages.learn import charts
from pages.learn.answer import Attempts
from pages.learn.controls import PAGE
from pages.learn.question import Request
from pages.lessons import LESSONS
from pages.lessons.answers import LONGEST, TRIES, decided, marked, solution, ticked, timing
from pages.lessons.course import contents, plans
from pages.lessons.lesson import LEVELS, Decision, Illustration, Lesson
from pages.lessons.prediction import Choice, Option, Order, Prediction, shown_labels
from pages.shared.app.placeholders import Placeholders, answer_place
from pages.shared.charts.on_page import CONFIG, show_figure
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.controls.links import VERSION, remember
from pages.shared.controls.panel import drawer
from pages.shared.words.foreign import show_info
from sim.fields import BadInput


def show_plain_run(asked: Request) -> None:
    """Show the plain run, which gives nothing away."""
    _show(asked, asked.lesson.variation.default, 1)


def show_all_runs(asked: Request, varied: object) -> None:
    """Show all runs, the plain one above."""
    _show(asked, varied, None)


def _show(asked: Request, varied: object, most: int | None) -> None:
    watch = asked.lesson.watch
    runs = dict(islice(watch.runs(varied).items(), most))
    st.markdown(f"**Watch it.** {watch.told}")
    show_runs(runs, few_jobs(runs), st.container())


def show_formulas(lesson: Lesson) -> None:
    """Draw the formulas, folded."""
    if box := drawer(PAGE, "formula", "The formula", ":material/function:"):
        for formula in lesson.formulas:
            box.latex(formula)
        box.markdown(lesson.source)


def show_full(lesson: Lesson) -> None:
    """Draw the link to the page that has more of it, in this setting."""
    full = lesson.full
    version = {} if full.page == "start" else {"v": VERSION}
    onwards(full.page, full.label, version | dict(full.query))


def show_exercises(asked: Request, dark: bool, beside: DeltaGenerator) -> None:
    """Draw the exercises: the decision `beside` what is there, the others next to each other below."""
    places = [beside, *st.columns(len(LEVELS) - 1, gap="medium")]
    for place, (box, exercise) in enumerate(zip(places, asked.lesson.exercises, strict=True), start=1):
        key = asked.key(f"exercise {place}")
        with box.container(border=True, key=f"exercise-{place}"):
            st.markdown(f"**Exercise {place}** ({LEVELS[place - 1]}). {exercise.question}")
            if isinstance(exercise, Decision):
                _show_decision(exercise, key, dark)
            else:
                _show_exercise(Attempts(exercise, key))


def _show_decision(decision: Decision, key: str, dark: bool) -> None:
    """Draw what is decided about, what can be done, and whether the visitor's choice is right."""
    _show_picture(f"{key}:picture", decision.picture(dark))
    options = shown_labels(decision.options)
    chosen = st.radio("Your decision", list(options), index=None, format_func=options.__getitem__, key=key)
    if chosen is not None:
        st.markdown(decided(decision, chosen))


def _show_picture(key: str, drawn: Illustration) -> None:
    show_figure(key, SerializedFigure(drawn.figure, drawn.title), drawn.alt)


def _show_exercise(attempts: Attempts) -> None:
    """Draw the field of an exercise, whether the visitor's answer is right, and the help that is due."""
    exercise = attempts.exercise
    unit = f" ({exercise.unit})" if exercise.unit else ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            f"Your answer{unit}",
            key=attempts.key,
            max_chars=LONGEST,
            width=240,
            on_change=attempts.take,
            help="As you would write it: 1.5, 3/2, ×2, √2, twice, 2 h.",
        )
        if not attempts.is_asked and len(attempts.wrong) < TRIES:
            st.button("Show the solution", key=f"{attempts.key}:show", on_click=attempts.ask)
    try:
        if told := attempts.told():
            st.markdown(told)
    except BadInput as error:
        show_info(str(error))


def show_next_lesson(number: int) -> None:
    """Draw the way to the lesson after this one, if there is one.

    It is no link: the browser would keep the address of this lesson, since it is one of the same page.
    """
    if number + 1 in LESSONS and limits(PAGE).leaves("lesson"):
        label = f"Next lesson: {LESSONS[number + 1].title}"
        st.button(
            label,
            icon=":material/arrow_forward:",
            icon_position="right",
            key="learn:next",
            on_click=remember,
            args=(PAGE, "lesson", str(number + 1)),
        )


def show_plan(asked: Request, dark: bool) -> None:
    """Draw objectives, timing, question and answer, usual wrong answers, the exercise with its solution."""
    lesson = asked.lesson
    st.caption(f"Lesson plan: {lesson.title}. Numbers are computed now. To print it: Share, Print.")
    answer = answer_place()
    left, right = st.columns(2, gap="medium")
    with left:
        _list("After the lesson students can", [*lesson.plan.objectives])
        st.markdown("**Timing**")
        minutes = pd.DataFrame(timing(lesson), columns=["Time", "What"])
        st.table(minutes, border="horizontal", hide_index=True, hide_header=True)
    with right:
        picture = Placeholders(st.container())
        status = Placeholders(st.container())
    st.markdown(f"**The question.** {lesson.prediction.label}")
    if offered := _offered(lesson.prediction):
        st.markdown(" · ".join(option.label for option in offered))
    why = Placeholders(st.container())
    _list("Common wrong answers, and why", [f"**{answer}.** {why}" for answer, why in lesson.plan.mistakes()])
    for level, exercise in zip(LEVELS, lesson.exercises, strict=True):
        st.markdown(
            f"**Exercise** ({level}). {exercise.question}\n\n"
            f"**Solution: {solution(exercise)}.** {exercise.how}"
        )
    st.markdown(f"**Vary it.** {lesson.variation.label}.")
    for place, found in enumerate(asked.answers(lesson.variation.default, status)):
        answer.markdown("answer", found.told)
        why.markdown("why", f"**The reason.** {' '.join(found.why)}")
        drawn = found.draw(None, dark)
        picture.plotly_chart(
            "answer",
            SerializedFigure(drawn.figure, drawn.title),
            config=CONFIG,
            alt=drawn.alt,
            key=asked.key(f"plan {place}"),
            theme=None,
        )


def _offered(prediction: Prediction) -> tuple[Option, ...]:
    match prediction:
        case Choice(options=options):
            return options
        case Order(items=items):
            return items
    return ()


def _list(title: str, points: list[str]) -> None:
    st.markdown(f"**{title}**\n\n" + "\n".join(f"- {point}" for point in points))


#: Pixels of a box to write into: a reason, a calculation.
REASON, CALCULATION = 130, 150


def show_worksheet(asked: Request, dark: bool) -> None:
    """Draw a page with the question to predict, and a page with the exercises; nothing is given away."""
    lesson = asked.lesson
    with st.container(key="sheet-1"):
        st.markdown(f"Name: {'_' * 40} Date: {'_' * 20}")
        _show_picture(asked.key("worksheet"), lesson.scene(0, dark))
        st.markdown(f"**Predict first.** {lesson.prediction.label}\n\n{marked(lesson.prediction)}")
        _box("Why do you think so?", REASON)
        _box("After the answer: what is right, and why?", REASON)
    with st.container(key="sheet-2"):
        st.markdown("**Exercises,** for after the answer. The formulas of this lesson:")
        for formula in lesson.formulas:
            st.latex(formula)
        for level, exercise in zip(LEVELS, lesson.exercises, strict=True):
            st.markdown(f"**Exercise** ({level}). {exercise.question}")
            if isinstance(exercise, Decision):
                _show_picture(asked.key(f"worksheet {level}"), exercise.picture(dark))
                st.markdown(ticked(exercise.options))
                continue
            unit = f" ({exercise.unit})" if exercise.unit else ""
            _box(f"Calculation, and answer{unit}", CALCULATION)


def show_solutions(asked: Request) -> None:
    """Draw the answer with its reason, the usual wrong answers, and each exercise with hint and solution."""
    lesson = asked.lesson
    answer = answer_place()
    status = Placeholders(st.container())
    why = Placeholders(st.container())
    wrong = [f"- **{answer}.** {why}" for answer, why in lesson.plan.mistakes()]
    st.markdown("**Common wrong answers, and why**\n\n" + "\n".join(wrong))
    for level, exercise in zip(LEVELS, lesson.exercises, strict=True):
        st.markdown(
            f"**Exercise** ({level}). {exercise.question}\n\n**Hint.** {exercise.hint}\n\n"
            f"**Solution: {solution(exercise)}.** {exercise.how}"
        )
    for found in asked.answers(lesson.variation.default, status):
        answer.markdown("answer", f"**{lesson.prediction.label}**\n\n{found.told}")
        why.markdown("why", f"**The reason.** {' '.join(found.why)}")


def _box(title: str, height: int) -> None:
    """Draw a box to write into."""
    with st.container(border=True, height=height):
        st.caption(title)


def show_course(asked: Request, dark: bool) -> None:
    """Draw the lessons in their order with their map, then each plan, the shortest first."""
    left, right = st.columns(2, gap="medium")
    left.markdown("\n".join(f"{number}. {line}" for number, line in enumerate(contents(), start=1)))
    with right:
        figure = SerializedFigure(charts.draw(asked.number, dark), "Which lesson builds on which")
        show_figure(asked.key("map"), figure, charts.alt())
    for name, sessions in plans().items():
        st.header(f"Course of {name}", anchor=False)
        columns = st.columns(2, gap="medium")
        for place, one in enumerate(sessions):
            if place and place % len(columns) == 0:  # a row of its own: on a phone 1, 2, 3, 4
                columns = st.columns(2, gap="medium")
            with columns[place % len(columns)]:
                if len(sessions) > 1:
                    st.markdown(f"**Session {place + 1}**")
                table = pd.DataFrame(one.rows, columns=["Time", "What"])
                st.table(table, border="horizontal", hide_index=True, hide_header=True)


def show_sheet(name: str, asked: Request, dark: bool) -> None:
    """Draw the sheet of this name."""
    match name:
        case "worksheet":
            show_worksheet(asked, dark)
        case "solutions":
            show_solutions(asked)
        case "course":
            show_course(asked, dark)
        case _:
            show_plan(asked, dark)
