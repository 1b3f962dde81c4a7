"""What a class gets on paper: a worksheet of two pages, without solutions, and solutions for the teacher."""

from __future__ import annotations

import streamlit as st

from pages.learn.question import Asked
from pages.lessons.lesson import LEVELS, Picture
from pages.lessons.words import marked, solution
from pages.shared.app.placeholders import Placeholders, answer_place
from pages.shared.charts.on_page import show_figure
from pages.shared.charts.serialized import SerializedFigure

#: Pixels of a box to write into: a reason, a calculation.
REASON, CALCULATION = 130, 150


def show_worksheet(asked: Asked, dark: bool) -> None:
    """Draw a page with the question to predict, and a page with the exercises; nothing is given away."""
    lesson = asked.lesson
    with st.container(key="sheet-1"):
        st.markdown(f"Name: {'_' * 40} Date: {'_' * 20}")
        picture: Picture = lesson.scene(0, dark)
        show_figure(asked.key("worksheet"), SerializedFigure(picture.figure, picture.title), picture.alt)
        st.markdown(f"**Predict first.** {lesson.prediction.label}\n\n{marked(lesson.prediction)}")
        _box("Why do you think so?", REASON)
        _box("After the answer: what is right, and why?", REASON)
    with st.container(key="sheet-2"):
        st.markdown("**Exercises,** for after the answer. The formulas of this lesson:")
        for formula in lesson.formulas:
            st.latex(formula)
        for level, exercise in zip(LEVELS, lesson.exercises, strict=True):
            unit = f" ({exercise.unit})" if exercise.unit else ""
            st.markdown(f"**Exercise** ({level}). {exercise.question}")
            _box(f"Calculation, and answer{unit}", CALCULATION)


def show_solutions(asked: Asked) -> None:
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
