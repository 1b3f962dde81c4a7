"""The end of a lesson, after the answer: formulas, the full page, the exercise, other lessons."""

from __future__ import annotations

import streamlit as st

from pages.frame.limits import limits
from pages.learn.answer import Attempts
from pages.learn.controls import PAGE
from pages.learn.question import Asked
from pages.lessons import LESSONS
from pages.lessons.lesson import LEVELS, Lesson
from pages.lessons.typed import LONGEST
from pages.lessons.words import TRIES
from pages.shared.controls.links import VERSION, remember
from pages.shared.controls.panel import drawer
from pages.shared.words.foreign import show_info
from sim.fields import BadInput


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
    st.page_link(
        f"pages/{full.page}/page.py",
        label=full.label,
        icon=":material/arrow_forward:",
        icon_position="right",
        query_params=version | dict(full.query),
    )


def show_exercises(asked: Asked) -> None:
    """Draw the exercises."""
    for place, exercise in enumerate(asked.lesson.exercises, start=1):
        with st.container(border=True):
            _show_exercise(Attempts(exercise, asked.key(f"exercise {place}")), place)


def _show_exercise(attempts: Attempts, place: int) -> None:
    """Draw an exercise, whether the visitor's answer is right, and the help that is due."""
    exercise = attempts.exercise
    st.markdown(f"**Exercise {place}** ({LEVELS[place - 1]}). {exercise.question}")
    unit = f" ({exercise.unit})" if exercise.unit else ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            f"Your answer{unit}", key=attempts.key, max_chars=LONGEST, width=240, on_change=attempts.take,
            help="As you would write it: 1.5, 3/2, ×2, √2, twice, 2 h.",
        )  # fmt: skip
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
            label, icon=":material/arrow_forward:", icon_position="right", key="learn:next",
            on_click=remember, args=(PAGE, "lesson", str(number + 1)),
        )  # fmt: skip
