"""The only way from a page to the simulation: a shared pool of workers and a shared cache."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from pages.server.private import look_up
from pages.shared.app.turns import turns
from sim.byte_cache import ByteCache
from sim.cached import once
from sim.compiled import Engines
from sim.fields import BadInput
from sim.live import Pool
from sim.live.records import Records
from sim.processes.jobs import Jobs
from sim.processes.worker import Ended

Made = TypeVar("Made")

#: Bytes of drawings and tables that are kept: sixty screens of Compare.
MADE_BYTES = 6 * 2**20
#: Seconds between two looks at the session, and between two messages on progress.
TICK_S, PACE_S = 0.1, 0.4


@once
def pool() -> Pool:
    """Return the workers that all sessions share; they refine nothing while a session waits to draw."""
    drawing = turns()
    return Pool(busy=lambda: drawing.wanted, ready=engines().ready, records=records())


@once
def records() -> Records:
    """Return what was computed beforehand."""
    return Records()


@once
def engines() -> Engines:
    """Return the engines, which are compiled once while pages are already served."""
    return Engines()


def made_once(key: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """Return what `make` makes, made once for all sessions and kept while there is room.

    Errors are not cached. A waiting session stops waiting when its visitor leaves the page.

    Parameters
    ----------
    key : tuple
        What it is and all it depends on: of text, numbers, and values that print exactly.
    make : callable
        Draws nothing on the page.
    """
    made: Made = _drawings().made(repr(key), make, look_up())
    return made


@once
def _drawings() -> ByteCache:
    """Return what is made once for all sessions: screens, charts, tables."""
    return ByteCache(MADE_BYTES)


@dataclass(frozen=True)
class LongWork:
    """What a page has computed in a process of its own, one for all sessions, because it takes long.

    Parameters
    ----------
    jobs : callable
        Returns the process.
    asked : str
        What a visitor asks for, such as 'map'.
    field : str
        What an error names.
    why : mapping
        Why a process was ended (`sim.processes.worker.Ended`) -> what is said of it.
    """

    jobs: Callable[[], Jobs]
    asked: str
    field: str
    why: Mapping[str, str]

    def done(
        self, key: Hashable, say: Callable[[int, str], None], function: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Return what a function answers there; the run of a session that has moved on is ended.

        Parameters
        ----------
        key : hashable
            Equal for equal work, which is done once.
        say : callable
            Told now and then how much is done, as the function counts it, and what it waits for, if it does.
        function, *arguments
            What is called there.

        Raises
        ------
        BadInput
            If the process was ended.
        """
        jobs = self.jobs()
        with turns().lent(answered=True):
            while not engines().ready("slots"):
                say(0, engines().progress("slots")[1])
                st.session_state.get("any")
                time.sleep(TICK_S)
        with jobs.joined(key, function, *arguments) as job:
            try:
                with turns().lent(answered=True):
                    said = 0.0
                    while not job.wait(TICK_S):
                        st.session_state.get("any")  # a look at the session ends the run of who has moved on
                        if time.monotonic() - said >= PACE_S:
                            said = time.monotonic()
                            say(job.done, "" if job.begun else self._waits(jobs.place(job)))
                return job.result()
            except Ended as error:
                raise BadInput(f"{self.field}: {self.why[error.reason]}") from None

    def _waits(self, before: int) -> str:
        others = f"{before + 1} visitors’" if before else "another visitor’s"
        return f"waits for {others} {self.asked}"
