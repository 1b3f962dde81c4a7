"""The diagnosis of a log, made once: for all visitors if it is offered to all, else for its session alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from pages.diagnose.question import Log
from pages.shared.app.runs import made_once
from pages.shared.app.turns import turns
from sim.traces.diagnosis import Diagnosis, read_and_diagnose

Made = TypeVar("Made")
#: Where a session keeps what was made of its own log.
KEPT = "diagnose:kept"


@dataclass(frozen=True, eq=False)
class Seen:
    """A log and what was found in it."""

    log: Log
    found: Diagnosis

    def once(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` makes of this log, made once: of a visitor's own log in that session only."""
        return _once(self.log, what, make)


def see(log: Log) -> Seen:
    """Read and diagnose a log; raises `BadInput` naming file, line and reason."""
    return Seen(log, _once(log, "diagnosis", lambda: _diagnosed(log)))


def _diagnosed(log: Log) -> Diagnosis:
    with turns().lent():
        return read_and_diagnose(*log.sources())


def _once(log: Log, what: Hashable, make: Callable[[], Made]) -> Made:
    if not log.own:
        return made_once(("diagnose", *log.key, what), make)
    key, kept = st.session_state.get(KEPT, (None, {}))
    if key != log.key:  # what was made of the log before is dropped
        kept = {}
        st.session_state[KEPT] = (log.key, kept)
    if what not in kept:
        kept[what] = make()
    made: Made = kept[what]
    return made
