"""The picture of a lesson as its question has it, on the stage and on every phone; it gives nothing away."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from pages.lessons import LESSONS
from pages.room.question import Asked, OfLesson
from pages.shared.charts.on_page import show_figure
from pages.shared.charts.serialized import SerializedFigure


def show_picture(asked: Asked, round_: int, dark: bool) -> None:
    """Draw the cluster to play with of a lesson, or else its scene; a question of one's own has neither."""
    if not isinstance(asked, OfLesson):
        return
    if asked.lesson.sandbox:
        st.html(_sandbox(asked.number, dark))
    else:
        show_figure(f"room:picture:{round_}", *_scene(asked.number, dark))


@lru_cache(maxsize=2 * len(LESSONS))  # a class sees the same one, again and again
def _sandbox(number: int, dark: bool) -> str:
    sandbox = LESSONS[number].sandbox
    assert sandbox
    return sandbox.before.element(dark)


@lru_cache(maxsize=2 * len(LESSONS))
def _scene(number: int, dark: bool) -> tuple[SerializedFigure, str]:
    drawn = LESSONS[number].scene(0, dark)
    return SerializedFigure(drawn.figure, drawn.title), drawn.alt
