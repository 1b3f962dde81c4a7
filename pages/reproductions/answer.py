"""A claim computed anew at quick scale while the visitor waits, in one process for the whole server.

Equal requests are computed once, others wait for their turn; who moves on is waited for no longer and the
computation ends. Pages and their simulations go first: the process is a nice one.
"""

from __future__ import annotations

import time
from typing import Any

import streamlit as st

from pages.reproductions.controls import PAGE
from pages.reproductions.question import Row, estimate
from pages.reproductions.words import MARKED, known, with_unit
from pages.server.private import session
from pages.shared.app.turns import turns
from pages.shared.words.foreign import show_error
from sim.model.cached import once
from sim.papers.reproduce import again
from sim.running.processes.child import Limits
from sim.running.processes.jobs import Job, Jobs
from sim.running.processes.worker import Ended
from sim.telling.words import fixed

#: Of one computation: processor time of minutes at most, memory of the largest quick run several times over.
LIMITS = Limits(memory=2 * 2**30, seconds=180, patience=600, result=2**20)
#: Seconds between two looks at the session, and between two drawings.
TICK_S, PACE_S = 0.1, 0.5
#: Where a session has what came out, and of which claim.
KEPT = f"{PAGE}:again"


@once
def _jobs() -> Jobs:
    """Return the process that computes, for all sessions."""
    return Jobs(1, LIMITS)


def show_again(row: Row) -> None:
    """Draw the button that computes the claim anew, the progress, and what came out."""
    pressed = st.button(
        "Run it now, at quick scale",
        icon=":material/replay:",
        key=f"{PAGE}:run",
        help="Fewer and smaller runs, in a process of its own.",
    )
    if pressed:
        try:
            st.session_state[KEPT] = (row.claim.key, _computed(row))
        except Ended as ended:
            busy = "This server is too busy to run it now; try again in a few minutes."
            ended_by = f"It was ended: {ended.reason}. The shell has no such limit."
            show_error(busy if ended.reason == "late" else ended_by)
    key, found = st.session_state.get(KEPT, ("", {}))
    if key == row.claim.key:
        st.markdown(told(row, found))


def _computed(row: Row) -> dict[str, Any]:
    """Return the quick outcome of a claim, drawing how far it is."""
    key, place, owner = row.claim.key, st.empty(), session() or None
    with _jobs().joined(key, again, key, owner=owner, expected=_took(row)) as job, turns().lent():
        drawn = 0.0
        while not job.wait(TICK_S):
            st.session_state.get("any")  # ends the run of who has moved on
            if time.monotonic() - drawn > PACE_S:
                drawn = time.monotonic()
                place.progress(*_progress(row, job, drawn))
        place.empty()
        found: dict[str, Any] = job.result()
        return found


def _progress(row: Row, job: Job, now: float) -> tuple[float, str]:
    """Return the share that is done, by what it took when it was recorded, and a sentence."""
    if job.begun is None:
        return 0.0, f"Waits until {_jobs().place(job) + 1} before it are computed …"
    took, passed = _took(row), now - job.begun
    told = f"Computing … {fixed(passed, 0)} s; it took {fixed(took, 0)} s when it was recorded"
    return min(passed / took, 0.95), told


def _took(row: Row) -> float:
    """Return the seconds that the quick run took when it was recorded, at least one."""
    return max(float(row.found["quick"].get("seconds", 0.0)), 1.0)


def told(row: Row, found: dict[str, Any]) -> str:
    """Return what came out in words, beside what is recorded of a quick run."""
    kept = row.found["quick"]
    same = abs(found["value"] - kept["value"]) <= 1e-6 * max(abs(kept["value"]), 1e-3)
    return (
        f"**Just computed, at quick scale: {with_unit(known(estimate(found)), row.claim.unit)}, "
        f"{MARKED[found['verdict']]}** ({found['seconds']:.1f} s). "
        + (
            "It is what was recorded of a quick run."
            if same
            else f"Recorded of a quick run: {known(estimate(kept))}."
        )
    )
