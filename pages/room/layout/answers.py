"""The answers of a class: a chart, and once the answer is shown the right one and its reason."""

from __future__ import annotations

from typing import Any, cast

import streamlit as st

from pages.lessons.lesson import Found
from pages.lessons.prediction import Answer
from pages.room.charts import alt, counted, sent
from pages.room.question import Asked
from pages.room.words import answered
from pages.server.room import Seen
from pages.shared.controls.links import VERSION


def show_told(seen: Seen[Asked], found: Found | None, mine: Answer | None = None) -> None:
    """Draw the question and, in words, how many have answered or what is right.

    Parameters
    ----------
    seen : Seen
    found : Found or None
        The right answer, where it is shown.
    mine : str, float or tuple, optional
        What the visitor has answered.
    """
    assert seen.question is not None
    st.header(seen.question.prediction.label, anchor=False)
    st.markdown(answered(seen, found, mine))


def show_answers(seen: Seen[Asked], found: Found | None, dark: bool, mine: Answer | None = None) -> None:
    """Draw the answers and, where the right one is shown, why it is; `found` and `mine` as in `show_told`."""
    assert seen.question is not None
    asked, answers = seen.question.prediction, cast(tuple[Any, ...], seen.answers)
    right = found.answer if found else None
    st.plotly_chart(
        sent(asked, answers, right, mine, dark),
        key=f"room:answers:{seen.round}",
        config={"displayModeBar": False},
        alt=alt(counted(asked, answers, right)),
        theme=None,
    )
    if found:
        _show_reason(seen.question, found)


def _show_reason(asked: Asked, found: Found) -> None:
    """Draw why the answer is right, and the link to its lesson."""
    with st.expander("Why", icon=":material/lightbulb:"):
        st.markdown("\n\n".join(found.why))
    st.page_link(
        "pages/learn/page.py",
        label=f"The lesson: {asked.lesson.title}",
        icon=":material/arrow_forward:",
        icon_position="right",
        query_params={"v": VERSION, "lesson": str(asked.number)},
    )
