"""The lesson, and what the visitor has predicted and varied in it; kept in the session alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from pages.lessons import LESSONS
from pages.lessons.lesson import Found, Lesson
from pages.lessons.prediction import Answer
from pages.shared.app.turns import Placeholders
from pages.shared.live.follow import Snapshots, follow, is_final, rests_on


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
        requests = self.lesson.asks(varied)
        if not requests:
            yield self.lesson.find(varied)
            return
        many = partial(_progress, len(requests)) if len(requests) > 1 else None
        for snapshots in follow(requests, status, many):
            if len(snapshots) == len(requests):
                yield self.lesson.find(varied, *(one.comparison for one in snapshots))


def _progress(runs: int, known: Snapshots) -> tuple[float, str]:
    """Return how far an answer from several runs is."""
    if is_final(known, runs):
        return 1.0, f"{runs} loads, each: {rests_on(known[0])}"
    done = sum(0 if one.preview else one.done / one.most for one in known) / runs
    return done, f"Simulating {runs} loads."
