"""The answers of a class as they are: a chart, and once the answer is shown which is right."""

from __future__ import annotations

from typing import Any, cast

import streamlit as st

from pages.lessons.prediction import Answer
from pages.room.charts import alt, counted, draw
from pages.room.question import Asked
from pages.room.words import answered
from pages.server.room import Seen


def show_answers(seen: Seen[Asked], dark: bool, mine: Answer | None = None) -> None:
    """Draw a question with its answers so far, and after it is revealed with the right one."""
    assert seen.question is not None
    asked, answers = seen.question.prediction, cast(tuple[Any, ...], seen.answers)
    right = None
    st.subheader(asked.label, anchor=False)
    st.markdown(answered(seen, mine))
    st.plotly_chart(
        draw(asked, answers, right, mine, dark),
        key=f"room:answers:{seen.round}",
        config={"displayModeBar": False},
        alt=alt(counted(asked, answers, right)),
        theme=None,
    )
