"""How far the compilation of an engine is, and how long the rest of it will take.

What a policy needs beyond those before it is a step. The functions that have been compiled are counted, and a
record of one compilation (``python -m tests.compile_times --record``) says what share of the time had gone by
then. Shares are much the same on other machines, though one is twice as fast as another.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

#: Parts of a step in which a process says how far it is, and points of a step in the record.
PARTS, POINTS = 1000, 10
RECORD = Path(__file__).with_name("compile_times.json")
#: Share of the whole below which the time left is not estimated.
EARLY = 0.03


@dataclass(frozen=True)
class Step:
    """The functions that a policy needs beyond those before it.

    Parameters
    ----------
    functions : int
        How many they are.
    shares : tuple of float
        Share of the time of the whole engine that the step has taken when 0, 1/`POINTS`, ... of them are
        compiled; the last is that of the whole step.
    """

    functions: int
    shares: tuple[float, ...]

    @property
    def share(self) -> float:
        """That of the whole step."""
        return self.shares[-1]

    def after(self, part: float) -> float:
        """Return the share of time after a part of its functions, 0 to 1."""
        return float(np.interp(part, np.linspace(0, 1, len(self.shares)), self.shares))


@cache
def recorded(key: str) -> dict[str, Step]:
    """Return the steps of an engine by their policies, in order."""
    kept = json.loads(RECORD.read_text(encoding="utf-8")).get(key, {})
    return {policy: Step(step["functions"], tuple(step["shares"])) for policy, step in kept.items()}


class Counter(event.Listener):  # type: ignore[misc]
    """Tells after each function that is compiled how far the step is.

    Parameters
    ----------
    tell : callable
        Called with the parts of `PARTS` that are new; those of a step add up to `PARTS` when it ends.
    """

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._functions = self._told = self._done = 0
        self._following: tuple[Step, ...] = ()

    def begin(self, step: Step | None, *following: Step) -> None:
        """Begin a step, told at its end only if it is not recorded; `following` begin by themselves."""
        self._functions, self._following = step.functions if step else 0, following
        self._told = self._done = 0

    def on_start(self, started: Any) -> None:
        """Do nothing: a function counts when it ends."""

    def on_end(self, ended: Any) -> None:
        """Count a function."""
        self._done += 1
        if self._done > self._functions and self._following:
            self.end()
            self.begin(*self._following)
            self._done = 1
        if self._functions:
            self._say(min(PARTS * self._done // self._functions, PARTS - 1))

    def end(self) -> None:
        """End the step."""
        self._say(PARTS)

    def _say(self, told: int) -> None:
        if told > self._told:
            self._tell(told - self._told)
            self._told = told


class Estimate:
    """The time that is left, by the share that is done and the time that it took.

    Parameters
    ----------
    steps : iterable of Step
        In order.

    Examples
    --------
    >>> half, now = Step(10, (0.0, 0.5)), 0.0
    >>> estimate = Estimate([half, half], clock=lambda: now)
    >>> now = 20.0
    >>> estimate.note(PARTS)
    >>> now = 22.0
    >>> round(estimate.share(2), 6), estimate.left(2)
    (0.55, 18.0)
    """

    def __init__(self, steps: Iterable[Step], clock: Callable[[], float] = time.monotonic) -> None:
        self._steps, self._clock = tuple(steps), clock
        self._ends = np.cumsum([0.0, *(step.share for step in self._steps)])
        self._begun = self._seen = clock()
        self._known = self._next = 0.0

    def begin(self) -> None:
        """Begin to count the time."""
        self._begun = self._seen = self._clock()

    def note(self, amount: int) -> None:
        """Take in what a `Counter` has told in all."""
        done, part = divmod(amount, PARTS)
        self._seen = self._clock()
        if done >= len(self._steps):
            self._known = self._next = float(self._ends[-1])
            return
        step, before = self._steps[done], float(self._ends[done])
        ahead = (np.floor(POINTS * part / PARTS) + 1) / POINTS
        self._known, self._next = before + step.after(part / PARTS), before + step.after(ahead)

    def share(self, steps: int) -> float:
        """Return how much of the first steps is done, 0 to 1, and what went by since at the same rate."""
        return min(self._now / self._of(steps), 1.0) if self._of(steps) else 0.0

    def left(self, steps: int) -> float | None:
        """Return the seconds until the first steps are done; None as long as too little is known."""
        if self._known < EARLY:
            return None
        whole = (self._seen - self._begun) / self._known
        return max(self._of(steps) - self._now, 0.0) * whole

    def _of(self, steps: int) -> float:
        return float(self._ends[min(steps, len(self._steps))])

    @property
    def _now(self) -> float:
        took = self._seen - self._begun
        if self._known <= 0 or took <= 0:
            return self._known
        return min(self._known * (self._clock() - self._begun) / took, max(self._next, self._known))
