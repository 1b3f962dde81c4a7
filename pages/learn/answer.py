"""A visitor's answers to an exercise: each wrong one is met with more help; kept in the session alone."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.lessons.answers import close, help_for, is_slip, judged, typed
from pages.lessons.lesson import Exercise
from sim.model.fields import BadInput


@dataclass(frozen=True, slots=True)
class Attempts:
    """The answers to one exercise.

    Parameters
    ----------
    exercise : Exercise
    key : str
        Of the field in the session.
    """

    exercise: Exercise
    key: str

    @property
    def text(self) -> str:
        """What stands in the field."""
        return str(st.session_state.get(self.key, "")).strip()

    @property
    def wrong(self) -> tuple[float, ...]:
        """The wrong answers so far, each once; a slip in the unit is none."""
        given: tuple[float, ...] = st.session_state.get(f"{self.key}:wrong", ())
        return given

    @property
    def is_asked(self) -> bool:
        """Whether the solution has been asked for."""
        return bool(st.session_state.get(f"{self.key}:asked"))

    def take(self) -> None:
        """Count what stands in the field if it is wrong."""
        try:
            given = typed(self.text, self.exercise.unit)
        except BadInput:
            return
        right = self.exercise.solve()
        if close(given, right) or is_slip(self.exercise.unit, given, right) or given in self.wrong:
            return
        st.session_state[f"{self.key}:wrong"] = (*self.wrong, given)

    def ask(self) -> None:
        """Ask for the solution."""
        st.session_state[f"{self.key}:asked"] = True

    def told(self) -> str:
        """Return what is said of the answer, with the help that is due; raises `BadInput` for no number."""
        help_due = help_for(self.exercise, len(self.wrong), asked=self.is_asked)
        if not self.text:
            return help_due if self.is_asked else ""
        return judged(self.exercise, typed(self.text, self.exercise.unit), help_due)
