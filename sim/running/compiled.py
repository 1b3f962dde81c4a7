"""Makes engines ready to run: compiles them in separate processes; a run loads them from the cache.

To compile an engine takes most of a minute, in which the interpreter has little time for others. So a server
lets another process do it, ``python -m sim compile`` does it ahead of time, and who asks for a run waits for
`Engines` to say that its engine and the rules of its policy are ready. All rules of all engines are loaded
later, so that a first visitor waits only for those that were asked for.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

from sim.engines import plugins
from sim.engines.registry import ENGINES
from sim.model.policy import Policy
from sim.running.experiment import Experiment
from sim.running.processes.child import Limits
from sim.running.processes.worker import Ended, Worker

# How far the compilation of an engine is, and how long the rest of it will take.
#
# What a policy needs beyond those before it is a step. The functions that have been compiled are counted,
# and a record of one compilation (``python -m tests.compile_times --record``) says what share of the time
# had gone by then. Shares are much the same on other machines, though one is twice as fast as another.

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


_LOG = logging.getLogger(__name__)

#: Processes that compile at the same time, and how often one that has died is started again.
PROCESSES, ATTEMPTS = 2, 3
#: Seconds after which a process that compiles is taken for stuck.
PATIENCE_S = 900.0


def steps(key: str) -> Iterator[str]:
    """Run every rule of an engine once on a few jobs, which compiles what is not in the cache yet.

    Parameters
    ----------
    key : str
        Of the engine.

    Yields
    ------
    str
        Each policy that has run.
    """
    few = experiment(key)
    jobs = few.jobs(0)
    for policy in few.policies:
        few.run(policy, 0, jobs)
        yield policy.text
    if _folder() and not is_compiled(key):
        _marks(key)[0].touch()


def experiment(key: str) -> Experiment:
    """Return the runs that need every compiled function of an engine."""
    from sim.running.warm import WARM

    return WARM[key]()


def compile_engine(key: str, progress: Callable[[int], None] = lambda amount: None) -> None:
    """Compile an engine into the cache; `progress` is told `PARTS` in all for each policy."""
    from numba.core import event

    known = recorded(key)
    names = [policy.text for policy in experiment(key).policies]
    counter = Counter(progress)
    with event.install_listener("numba:compile", counter):
        counter.begin(known.get(names[0]))
        for following, _ in zip([*names[1:], ""], steps(key), strict=True):
            counter.end()
            counter.begin(known.get(following))


def told(key: str) -> Iterator[str]:
    """Compile an engine into the cache, yielding a line for each step."""
    policies = experiment(key).policies
    count, estimate = len(policies), _estimate(key, policies)
    begun = time.monotonic()
    for number, policy in enumerate(steps(key), start=1):
        estimate.note(number * PARTS)
        left = estimate.left(count) or 0.0
        yield (
            f"{key}: {number} of {count} policies, {time.monotonic() - begun:.0f} s, about {left:.0f} s left "
            f"({policy})"
        )
    folder = _folder()
    yield f"{key}: compiled, " + (f"kept in {folder}" if folder else "and not kept: no folder to write to")


@contextmanager
def telling(key: str, policies: Iterable[Policy], say: Callable[[str], object]) -> Iterator[None]:
    """Say meanwhile how long it takes until what these policies need is compiled, where it is not."""
    from numba.core import event

    if is_compiled(key) or not recorded(key):
        yield
        return
    known, needed, has = recorded(key), rules_of(policies), frozenset[tuple[str, str]]()
    steps = []
    for number, policy in enumerate(experiment(key).policies):
        new = rules_of([policy]) - has
        has |= new
        if policy.text in known and (not number or new & needed):
            steps.append(known[policy.text])
    estimate, amount = Estimate(steps), 0

    def tell(more: int) -> None:
        nonlocal amount
        amount += more
        estimate.note(amount)
        left = estimate.left(len(steps))
        say("compiling, once on this machine" + ("" if left is None else f": about {left:.0f} s left"))

    counter = Counter(tell)
    counter.begin(*steps)
    with event.install_listener("numba:compile", counter):
        yield


def is_compiled(key: str) -> bool:
    """Whether there is code of this engine that this machine can run."""
    return any(mark.exists() for mark in _marks(key))


def _folder() -> Path | None:
    """Return the folder in which code is kept, if there is one that can be written to."""
    import numba

    import sim.kernel.compile  # noqa: F401  (which chooses the folder)

    folder = numba.config.CACHE_DIR
    if numba.config.DISABLE_JIT or not folder or not os.access(folder, os.W_OK):
        return None
    return Path(folder)


def _marks(key: str) -> list[Path]:
    """Return the files that may say so, that of this very machine first."""
    import numba

    import sim.kernel.compile  # noqa: F401  (which chooses the folder)
    from sim.kernel.cache import AHEAD, machines, this_machine

    if numba.config.DISABLE_JIT or not numba.config.CACHE_DIR:
        return []
    kinds = [f"{one}{plugins.state()}".encode() for one in machines(this_machine())]
    return [
        folder / f"compiled-{key}-{hashlib.sha256(kind).hexdigest()[:8]}"
        for kind in kinds
        for folder in (Path(numba.config.CACHE_DIR), *AHEAD)
    ]


#: Rules by their kind and name, as an engine's policies choose them.
Rules = frozenset[tuple[str, str]]


def rules_of(policies: Iterable[Policy]) -> Rules:
    """Return the rules that policies choose.

    Examples
    --------
    >>> from sim.engines.slots.scenario import read_policy
    >>> sorted(rules_of([read_policy("fair+late:speculative_cap=0.2")]))
    [('sharing', 'fair'), ('speculation', 'late')]
    """
    return frozenset((kind, rule.key) for policy in policies for kind, rule in policy.rules.items())


def _estimate(key: str, policies: Iterable[Policy]) -> Estimate:
    """Return the estimate of an engine; a policy that is not in the record counts as nothing."""
    known = recorded(key)
    return Estimate(known.get(policy.text, Step(0, (0.0, 0.0))) for policy in policies)


@dataclass
class _State:
    """Progress of an engine; `waiting` holds the waiting requests and the rules they need (None: all)."""

    ready: threading.Event = field(default_factory=threading.Event)
    begun: float | None = None
    policies: tuple[Policy, ...] = ()
    estimate: Estimate | None = None
    compiled: Rules = frozenset()
    waiting: list[tuple[Rules | None, Callable[[], None]]] = field(default_factory=list)

    def has(self, needed: Rules | None) -> bool:
        """Tell whether these rules are ready."""
        return self.ready.is_set() or (needed is not None and needed <= self.compiled)

    def steps(self, needed: Rules | None) -> int:
        """Return after how many policies these rules are ready."""
        count = len(self.policies)
        if needed is None:
            return count
        return next((number for number in range(count) if needed <= rules_of(self.policies[:number])), count)

    def served(self) -> list[Callable[[], None]]:
        """Remove requests that need not wait any more."""
        found = [then for needed, then in self.waiting if self.has(needed)]
        self.waiting = [(needed, then) for needed, then in self.waiting if not self.has(needed)]
        return found


class Engines:
    """The engines of a server, which become ready when they are first asked for."""

    def __init__(self) -> None:
        self._states = {key: _State() for key in ENGINES}
        self._lock = threading.Lock()
        self._places = threading.Semaphore(PROCESSES)

    def ready(self, key: str, then: Callable[[], None] = lambda: None, policy: Policy | None = None) -> bool:
        """Tell whether an engine is ready; if it is not, it is made so, and `then` is called when it is.

        Parameters
        ----------
        key : str
            Of the engine.
        then : callable, optional
        policy : Policy, optional
            The one whose rules are needed; all rules without.
        """
        state = self._states[key]
        if state.ready.is_set():
            return True
        needed = rules_of([policy]) if policy else None
        with self._lock:
            if state.has(needed):
                return True
            state.waiting.append((needed, then))
            if state.begun is None:
                state.begun = time.monotonic()
                threading.Thread(target=self._prepare, args=(key,), name=f"{key} engine", daemon=True).start()
        return False

    def wait(self) -> None:
        """Make all engines ready, and wait until they are."""
        for key in ENGINES:
            self.ready(key)
        for state in self._states.values():
            state.ready.wait()

    def load(self) -> None:
        """Load every rule of all engines into this process, once they are ready."""
        self.wait()
        for key in ENGINES:
            try:
                compile_engine(key)
            except Exception:  # a later run reports what is wrong with it
                _LOG.exception("the engine %r could not be loaded", key)

    def progress(self, key: str, policies: Iterable[Policy] = ()) -> tuple[float, str]:
        """Return how far an engine is, 0 to 1, and that in words; ``(1.0, "")`` if it is ready.

        Parameters
        ----------
        key : str
            Of the engine.
        policies : iterable of Policy, optional
            Those whose rules are waited for; all rules without.
        """
        state = self._states[key]
        needed = rules_of(policies) or None
        if state.has(needed):
            return 1.0, ""
        seconds = time.monotonic() - (state.begun or time.monotonic())
        share, left = 0.0, None
        if state.estimate is not None:
            steps = state.steps(needed)
            share, left = state.estimate.share(steps), state.estimate.left(steps)
        time_left = f"{seconds:.0f} s so far" if left is None else f"about {max(left, 1.0):.0f} s left"
        return share, f"Compiling this engine once on this machine: {time_left}. Other pages work meanwhile."

    def _prepare(self, key: str) -> None:
        """Make an engine ready: compiled by another process if need be, and then the others, too."""
        state = self._states[key]
        try:
            if not is_compiled(key):
                policies = experiment(key).policies
                state.policies, state.estimate = policies, _estimate(key, policies)
                with self._places:
                    # Begun once this engine has its place: the others would take it from the one asked for.
                    for other in ENGINES:
                        self.ready(other)
                    self._compile(key, state, policies)
        except Exception:  # a later run reports what is wrong with it
            _LOG.exception("the engine %r could not be made ready", key)
        finally:
            state.ready.set()
            self._serve(state)

    def _serve(self, state: _State) -> None:
        """Resume the requests whose rules are ready."""
        with self._lock:
            served = state.served()
        for then in served:
            then()

    def _compile(self, key: str, state: _State, policies: tuple[Policy, ...]) -> None:
        """Let another process compile; one that dies is started again, a few times."""
        import numba

        if numba.config.DISABLE_JIT:
            return

        assert state.estimate is not None
        estimate = state.estimate

        def note(amount: int) -> None:
            estimate.note(amount)
            state.compiled = rules_of(policies[: amount // PARTS])
            self._serve(state)

        for attempt in range(1, ATTEMPTS + 1):
            worker = Worker(Limits(patience=PATIENCE_S))
            estimate.begin()
            try:
                worker.call(compile_engine, key, progress=note)
                return
            except Ended as error:
                _LOG.warning("compiling the engine %r ended (%s), attempt %d", key, error.reason, attempt)
            finally:
                worker.close()
        _LOG.warning("the engine %r is compiled by the server itself, which is slow meanwhile", key)
        compile_engine(key)
