"""The answers of a class: a chart, and once the answer is shown the right one and its reason."""

from __future__ import annotations

import streamlit as st

from pages.frame.tabs import onwards
from pages.lessons.prediction import Answer
from pages.room.answer import Right
from pages.room.charts import Votes, alt, bars, sent
from pages.room.question import Asked, OfLesson
from pages.room.words import answered
from pages.server.room import RoomState
from pages.shared.charts.on_page import show_figure
from pages.shared.controls.links import VERSION


def show_told(seen: RoomState[Asked], right: Right | None, mine: Answer | None = None) -> None:
    """Draw the question and, in words, how many have answered or what is right.

    Parameters
    ----------
    seen : RoomState
    right : Right or None
        The right answer, where it is shown.
    mine : str, float or tuple, optional
        What the visitor has answered.
    """
    assert seen.question is not None
    st.header(seen.question.written, anchor=False)
    st.markdown(answered(seen, right, mine))


def show_answers(seen: RoomState[Asked], right: Right | None, dark: bool, mine: Answer | None = None) -> None:
    """Draw the answers and, where the right one is shown, why it is; `right` and `mine` as in `show_told`."""
    assert seen.question is not None
    show_bars(seen, right, dark, mine)
    if right and right.why:
        _show_reason(seen.question, right)


def show_bars(seen: RoomState[Asked], right: Right | None, dark: bool, mine: Answer | None = None) -> None:
    """Draw the answers alone; `right` and `mine` as in `show_told`."""
    assert seen.question is not None
    votes = (seen.answers,) if seen.first is None else (seen.first, seen.answers)
    show_votes(seen.question, votes, right, dark, mine, key=f"room:answers:{seen.round}")


def show_votes(
    asked: Asked, votes: Votes, right: Right | None, dark: bool, mine: Answer | None = None, *, key: str
) -> None:
    """Draw the chart of one vote, or of a first and a second one."""
    answer = right.answer if right else None
    words = alt(bars(asked.prediction, votes, answer))
    show_figure(key, sent(asked.prediction, votes, answer, mine, dark), words)


def _show_reason(asked: Asked, right: Right) -> None:
    """Draw why the answer is right, and the link to its lesson."""
    with st.expander("Why", icon=":material/lightbulb:"):
        st.markdown("\n\n".join(right.why))
    if isinstance(asked, OfLesson):
        onwards("learn", f"The lesson: {asked.lesson.title}", {"v": VERSION, "lesson": str(asked.number)})
