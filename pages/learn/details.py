"""Below a lesson: what is watched, formulas, exercises and other lessons; and what a teacher can print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.animation.show import few_jobs, show_runs
from pages.frame.limits import limits
from pages.frame.menu import onwards
from pages.learn import charts
from pages.learn.answer import Attempts
from pages.learn.controls import PAGE
from pages.learn.question import Request
from pages.lessons import LESSONS
from pages.lessons.answers import LONGEST, TRIES, decided
from pages.lessons.lesson import LEVELS, Decision, Found, Illustration, Lesson
from pages.lessons.prediction import shown_labels
from pages.lessons.sheets import (
    SHEETS,
    Answer,
    Beside,
    Box,
    Drawn,
    Formula,
    Head,
    Listed,
    Part,
    Rows,
    Said,
    Told,
    course,
)
from pages.shared.app.turns import Placeholders, answer_place
from pages.shared.charts.on_page import CONFIG, show_figure
from pages.shared.charts.serialized import SerializedFigure
from pages.shared.controls.control import drawer
from pages.shared.controls.links import VERSION, remember
from pages.shared.words.foreign import show_info
from sim.model.fields import BadInput


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


#: Pixels of a box to write into.
BOX = 140


def show_sheet(name: str, asked: Request, dark: bool) -> None:
    """Draw the sheet of this name; what it tells of the answer gets better while that is simulated."""
    if name == "course":
        picture = Illustration("Which lesson builds on which", charts.draw(asked.number, dark), charts.alt())
        parts = [*course([Drawn(lambda dark: picture)])]
    else:
        parts = [*SHEETS[name](asked.number, asked.lesson)]
    pages: list[list[Part]] = [[]]
    for part in parts:
        if isinstance(part, Head) and part.new_page:
            pages.append([])
        pages[-1].append(part)
    live: list[partial[None]] = []
    for place, page in enumerate(pages, start=1):
        with st.container(key=f"sheet-{place}"):
            _draw(page, asked, dark, live, f"{place}")
    if live:
        answers = asked.answers(asked.lesson.variation.default, Placeholders(st.container()))
        for place, found in enumerate(answers):
            for show in live:
                show(place, found)


def _draw(parts: Sequence[Part], asked: Request, dark: bool, live: list[partial[None]], key: str) -> None:
    """Draw parts; what shows the answer is drawn by `live` functions when there is one."""
    for place, part in enumerate(parts):
        match part:
            case Head(text, 1):
                if text != asked.lesson.question:  # which the page has as its title
                    st.caption(text)
            case Head(text, 2):
                st.header(text, anchor=False)
            case Head(text):
                st.markdown(f"**{text}**")
            case Said(text):
                st.markdown(text)
            case Told(tell):
                istold = any(one.func is _tell for one in live)
                live.append(partial(_tell, Placeholders(st.container()) if istold else answer_place(), tell))
            case Listed(points, numbered):
                marks = [f"{one}." if numbered else "-" for one in range(1, len(points) + 1)]
                st.markdown("\n".join(f"{mark} {point}" for mark, point in zip(marks, points, strict=True)))
            case Rows(rows):
                table = pd.DataFrame(rows, columns=["Time", "What"])
                st.table(table, border="horizontal", hide_index=True, hide_header=True)
            case Formula(latex):
                st.latex(latex)
            case Answer():
                live.append(partial(_show_answer, Placeholders(st.container()), asked, dark))
            case Drawn(draw):
                _show_picture(asked.key(f"sheet {key} {place}"), draw(dark))
            case Box(label):
                with st.container(border=True, height=BOX):
                    st.caption(label)
            case Beside(columns):
                for at, (box, column) in enumerate(zip(st.columns(2, gap="medium"), columns, strict=False)):
                    with box:
                        _draw(column, asked, dark, live, f"{key} {place} {at}")


def _tell(box: Placeholders, tell: Callable[[Found], str], place: int, found: Found) -> None:
    box.markdown("told", tell(found))


def _show_answer(box: Placeholders, asked: Request, dark: bool, place: int, found: Found) -> None:
    drawn = found.draw(None, dark)
    figure = SerializedFigure(drawn.figure, drawn.title)
    key = asked.key(f"plan {place}")
    box.plotly_chart("answer", figure, config=CONFIG, alt=drawn.alt, key=key, theme=None)
