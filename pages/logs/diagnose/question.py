"""The diagnosis of a log and what is made of it, computed once: for all visitors, or for one session."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from pages.logs.question import Log, read
from pages.shared.app.runs import made_once
from sim.advice.diagnosis import Diagnosis, read_and_diagnose

Made = TypeVar("Made")
#: Where a session keeps what was made of its own log.
KEPT = "diagnose:kept"


@dataclass(frozen=True, eq=False)
class Diagnosed:
    """A log and what was found in it."""

    log: Log
    found: Diagnosis

    def once(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """Return what `make` makes of this log, made once: of a visitor's own log in that session only."""
        return _in_session(self.log, what, make) if self.log.kind == "own" else _for_all(self.log, what, make)


def see(log: Log) -> Diagnosed:
    """Read and diagnose a log in a process of its own; raises `BadInput` naming file, line and reason."""
    if log.kind != "own":
        st.session_state.pop(KEPT, None)  # the visitor's log is gone
    return Diagnosed(log, read(read_and_diagnose, log))


def _for_all(log: Log, what: Hashable, make: Callable[[], Made]) -> Made:
    return made_once(("diagnose", log.kind, *log.key, what), make)


def _in_session(log: Log, what: Hashable, make: Callable[[], Made]) -> Made:
    key, kept = st.session_state.get(KEPT, (None, {}))
    if key != log.key:  # what was made of the log before is dropped
        kept = {}
        st.session_state[KEPT] = (log.key, kept)
    if what not in kept:
        kept[what] = make()
    made: Made = kept[what]
    return made
