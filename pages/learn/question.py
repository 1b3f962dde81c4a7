"""The lesson, and what the visitor has predicted and varied in it; kept in the session alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.lessons import LESSONS
from pages.lessons.lesson import Found, Lesson
from pages.lessons.prediction import Answer
from pages.shared.app.placeholders import Placeholders
from pages.shared.live.follow import follow


@dataclass(frozen=True, slots=True)
class Request:
    """A lesson by its number, as far as this visitor has come with it."""

    number: int

    @property
    def lesson(self) -> Lesson:
        """The lesson itself."""
        return LESSONS[self.number]

    def key(self, name: str) -> str:
        """Return the key in the session of something about this lesson."""
        return f"learn:{name}:{self.lesson.prediction.key}"

    @property
    def predicted(self) -> Answer | None:
        """What has been predicted; None before."""
        given: Answer | None = st.session_state.get(self.key("predicted"))
        return given

    def predict(self, answer: Answer) -> None:
        """Keep a prediction."""
        st.session_state[self.key("predicted")] = self.lesson.prediction.checked(answer)

    def forget(self) -> None:
        """Predict again: what was varied begins anew, too."""
        for name in ("predicted", "varied"):
            st.session_state.pop(self.key(name), None)

    @property
    def drawn(self) -> int:
        """How often the scene has been drawn anew."""
        return int(st.session_state.get(self.key("drawn"), 0))

    def draw_again(self) -> None:
        """Draw the scene anew."""
        st.session_state[self.key("drawn")] = self.drawn + 1

    def answers(self, varied: Any, status: Placeholders) -> Iterator[Found]:
        """Yield the answer: once where it is theory, better and better where it is simulated."""
        request = self.lesson.asks(varied)
        if request is None:
            yield self.lesson.find(varied, None)
            return
        for (snapshot,) in follow([request], status):
            yield self.lesson.find(varied, snapshot.comparison)
