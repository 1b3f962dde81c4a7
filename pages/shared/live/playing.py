"""Pieces of answers, played in processes at which the visitors take turns; what has been played is kept.

A piece of about a second is asked for after the other, so that nothing is played for who has left, and work
goes on from there when somebody comes back. Pieces go by what they are expected to take and by what their
session has had (`sim.running.processes.wire`); what takes long and cannot be divided has a process of its
own.
"""

from __future__ import annotations

import hashlib
import itertools
import pickle
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from pages.server.private import look_up, session
from pages.shared.app.turns import Placeholders, engines, records, turns
from pages.shared.app.uploads import digest
from sim.logs.source import Upload
from sim.model.cached import once
from sim.model.fields import BadInput
from sim.running.byte_cache import ByteCache
from sim.running.code_digest import of_logs
from sim.running.parallel import TASKS, Player
from sim.running.processes.child import Limits
from sim.running.processes.jobs import Jobs
from sim.running.processes.wire import Shares
from sim.running.processes.worker import Ended

# What was made of samples before the server started, by all that it depends on.


def made_of(key: Hashable, files: Sequence[Upload]) -> Any:
    """Return what was made of the files of a sample; None if nothing was."""
    data = records().read(name_of(key, files))
    return None if data is None else pickle.loads(data)


def name_of(key: Hashable, files: Sequence[Upload]) -> str:
    """Return how an answer is called among those that were computed beforehand."""
    made = repr((key, of_logs(), *map(digest, files)))
    return f"history-{hashlib.sha256(made.encode()).hexdigest()[:20]}"


Made = TypeVar("Made")

#: Seconds from which on a piece that cannot be divided, such as a fit, is expected to hold others up.
LONG_S = 1.5
#: Limits of a piece; a process has a lower priority than others: their answers go first.
LIMITS = Limits(memory=2 * 2**30, seconds=600, patience=1800, niceness=19)
#: Bytes of what has been played that are kept, of all sessions together.
KEPT_BYTES = 192 * 2**20
#: Seconds between two looks at the session, and between two messages on progress.
TICK_S, PACE_S = 0.1, 0.4
#: Why a process was ended (`sim.running.processes.worker.Ended`) -> what is said of it.
_WHY = {
    "memory": "playing it needed more memory than this server allows; give {less}",
    "time": "playing it took more processor time than this server allows; give {less}",
    "late": "this server is too busy to play it now; nothing is lost: try again in a few minutes",
    "result": "it has more than this server keeps; give {less}",
    "stopped": "playing was ended; load the page again",
    "died": "the process that played has ended, probably for want of memory; load the page again",
}


class _NotKept(Exception):
    """A piece would have to be waited for."""


class Players(NamedTuple):
    """A process for pieces, and one for those that are long."""

    short: Jobs
    long: Jobs


@once
def players() -> Players:
    """Return the processes that play, for all sessions and pages."""
    shares = Shares()
    return Players(Jobs(1, LIMITS, shares), Jobs(1, LIMITS, shares))


@once
def kept() -> ByteCache:
    """Return what has been played, for all sessions and pages."""
    return ByteCache(KEPT_BYTES, "played")


class SharedPlayer(Player):
    """Plays pieces where all visitors take turns, keeps what they made, and shows how far it is.

    Parameters
    ----------
    key : tuple
        What all that is played depends on.
    status : Placeholders
        Whose line says how far it is.
    field : str, optional
        What an error names.
    less : str, optional
        What should be given where this is too much.
    prefix : str, optional
        Words before those of `begin`.
    sample : sequence of Upload, optional
        Files of a sample, of which some was made before the server started.
    """

    tasks = TASKS

    def __init__(
        self,
        key: tuple[object, ...],
        status: Placeholders,
        *,
        field: str = "history",
        less: str = "a part of it",
        prefix: str = "",
        sample: Sequence[Upload] = (),
    ) -> None:
        super().__init__()
        self._key, self._status, self._prefix = key, status, prefix
        self._field, self._less = field, less
        self._sample = sample
        self._making: tuple[Hashable, Iterator[int]] = (key, itertools.count())
        self.begin("")
        self._waits, self._so_far = True, ""
        self.waited = False

    def begin(self, doing: str, tasks: float = 0.0, share: float = 0.0) -> None:
        """Show from now on how much of so many tasks is played, above the share that is done before."""
        self._doing, self._done, self._total, self._share = doing, 0.0, tasks, share

    def made(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what is made of pieces, or has been for anybody."""
        whole, before = (*self._key, key), self._making
        self._making = whole, itertools.count()
        try:
            return self._once(whole, make)
        except Ended as error:
            if before[0] != self._key:  # what is made around it would keep a failure that may pass
                raise
            raise self._told(error) from None
        finally:
            self._making = before

    def __call__(
        self, function: Callable[..., Any], *arguments: Any, tasks: float = 0.0, key: Hashable = None
    ) -> Any:
        """Return what a function answers in one of the processes, or has answered."""
        making, numbers = self._making
        whole = (*self._key, key) if key is not None else (making, next(numbers))
        found = self._once(whole, lambda: self.play(whole, tasks, function, *arguments))
        self._done += tasks
        return found

    def play(self, key: Hashable, tasks: float, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function answers, which is not kept; who has moved on is waited for no longer.

        Parameters
        ----------
        key : hashable
            Equal for equal work, which is done once.
        tasks : float
        function, *arguments
            What is called in one of the processes.

        Raises
        ------
        Ended
            If the process was ended.
        """
        if not self._waits:
            raise _NotKept
        self.waited = True
        expected, end_if_left = tasks / TASKS, look_up()
        jobs = players().long if expected > LONG_S else players().short
        with turns().lent(answered=True):
            while not engines().ready("slots"):
                self._say(0, engines().progress("slots")[1])
                end_if_left()
                time.sleep(TICK_S)
        with jobs.joined(key, function, *arguments, owner=session() or None, expected=expected) as job:
            with turns().lent(answered=True):
                said = 0.0
                while not job.wait(TICK_S):
                    end_if_left()
                    if time.monotonic() - said >= PACE_S:
                        said = time.monotonic()
                        self._say(job.done, "" if job.begun else _waits_for(jobs.place(job) + 1))
            return job.result()

    def follow(self, steps: Callable[[SharedPlayer], Iterator[Made]]) -> Iterator[Made]:
        """Yield the last step that needs no waiting, then each that is waited for.

        Parameters
        ----------
        steps : callable
            Yields what is known so far as a player plays it.
        """
        found: list[Made] = []
        kept_all, self._waits = True, False
        self._begin_again()
        try:
            for step in steps(self):
                found = [step]
        except _NotKept:
            kept_all = False
        finally:
            self._waits = True
        yield from found
        if kept_all:
            return
        self._begin_again()
        last: list[Made] = []
        try:
            for step in steps(self):
                last = [] if self.waited else [step]  # before the first wait it is what is shown already
                if self.waited:
                    yield step
        except Ended as error:
            raise self._told(error) from None
        yield from last  # all the rest was kept meanwhile

    def _begin_again(self) -> None:
        """Count pieces from the first one: they are found again by their places."""
        self._making, self.waited = (self._key, itertools.count()), False

    def _once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what is kept, was made beforehand, or is made now, and keep it."""
        found = kept().get(key)
        if found is None:
            recorded = made_of(key, self._sample) if self._sample else None
            found = (make() if recorded is None else recorded,)
            self._so_far = "" if recorded is None else "Computed beforehand. "
            kept().keep(key, found)
        made: Made = found[0]
        return made

    def _told(self, error: Ended) -> BadInput:
        return BadInput(f"{self._field}: {_WHY[error.reason].format(less=self._less)}")

    def _say(self, tasks: float, waits: str) -> None:
        more = (self._done + tasks) / self._total if self._total else 0.0
        share = min(self._share + more, 1.0)
        self._status.progress("line", share, f"{self._so_far}{self._prefix}{self._doing} … {waits}")


def _waits_for(visitors: int) -> str:
    return f"waits for {visitors} other visitors" if visitors > 1 else "waits for another visitor"
