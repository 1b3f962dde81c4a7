"""The plan of a lesson for the teacher: one page to print."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.learn.question import Asked
from pages.lessons.lesson import LEVELS
from pages.lessons.prediction import Choice, Option, Order, Prediction
from pages.lessons.words import solution, timing
from pages.shared.app.placeholders import Placeholders, answer_place
from pages.shared.charts.on_page import CONFIG
from pages.shared.charts.serialized import SerializedFigure


def show_plan(asked: Asked, dark: bool) -> None:
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
            "answer", SerializedFigure(drawn.figure, drawn.title), config=CONFIG, alt=drawn.alt,
            key=asked.key(f"plan {place}"), theme=None,
        )  # fmt: skip


def _offered(prediction: Prediction) -> tuple[Option, ...]:
    match prediction:
        case Choice(options=options):
            return options
        case Order(items=items):
            return items
    return ()


def _list(title: str, points: list[str]) -> None:
    st.markdown(f"**{title}**\n\n" + "\n".join(f"- {point}" for point in points))
