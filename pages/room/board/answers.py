"""The answers of a class as they are: a chart, and once the answer is shown which is right."""

from __future__ import annotations

import streamlit as st

from pages.lessons.prediction import Answer, Number
from pages.room.charts import alt, draw
from pages.room.question import Asked
from pages.room.words import answered
from pages.server.room import Seen


def show_answers(seen: Seen[Asked], dark: bool, mine: Answer | None = None) -> None:
    """Draw a question with its answers so far, and after it is revealed with the right one."""
    assert seen.question is not None
    prediction = seen.question.prediction
    counts = prediction.counts(seen.answers)
    own = "" if mine is None else prediction.counted_as(mine)
    st.subheader(prediction.label, anchor=False)
    st.markdown(answered(seen, mine))
    st.plotly_chart(
        draw(counts, "", own, isinstance(prediction, Number), dark),
        key=f"room:answers:{seen.round}", config={"displayModeBar": False}, alt=alt(counts), theme=None,
    )  # fmt: skip
