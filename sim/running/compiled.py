"""Makes engines ready to run: compiles them in separate processes; a run loads them from the cache.

To compile an engine takes most of a minute, in which the interpreter has little time for others. So a server
lets another process do it, ``python -m sim compile`` does it ahead of time, and who asks for a run waits for
`Engines` to say that its engine and the rules of its policy are ready. All rules of all engines are loaded
later, so that a first visitor waits only for those that were asked for.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from sim.engines import plugins
from sim.engines.registry import ENGINES
from sim.model.policy import Policy
from sim.running.compile_progress import PARTS, Counter, Estimate, Step, recorded
from sim.running.experiment import Experiment
from sim.running.processes.child import Limits
from sim.running.processes.worker import Ended, Worker

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
    found: Experiment = import_module(f"sim.running.warm.{key}").experiment()
    return found


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
    from sim.kernel.baseline import machines
    from sim.kernel.cache import AHEAD, this_machine

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
    >>> from sim.engines.slots.policy import read_policy
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
