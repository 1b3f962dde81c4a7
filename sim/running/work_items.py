"""Work items, which other processes can run: one policy, one replication, one point; the answer is a sample.

A process draws the jobs of a replication once for the policies it runs on them, and compiles each rule once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sim.engines.plugins import Source, ensure, sources
from sim.running.code_digest import check_same, digest

if TYPE_CHECKING:
    from sim.model.policy import Policy
    from sim.model.result import Comparison, Sample
    from sim.model.scenario import Scenario
    from sim.model.workload import Jobs, Trace


class Work(Protocol):
    """An experiment as its executors see it (`sim.running.experiment.Experiment`)."""

    @property
    def scenario(self) -> Scenario:
        """What is simulated."""

    @property
    def policies(self) -> tuple[Policy, ...]:
        """What is compared."""

    @property
    def trace(self) -> Trace | None:
        """Where jobs are from, unless they are drawn."""

    def only(self, place: int) -> Work:
        """Return the part that the policy at this place needs."""

    def few(self) -> Work:
        """Return the policies on a few jobs."""

    def jobs(self, replication: int) -> Jobs:
        """Jobs of one replication."""

    def run(
        self,
        policy: Policy,
        replication: int,
        jobs: Jobs,
        progress: Callable[[int], object] = ...,
    ) -> Sample:
        """Run one policy once."""

    def compared(self, replications: list[list[Sample]]) -> Comparison:
        """Collect replications, in order."""


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One policy, run once.

    Parameters
    ----------
    work : Experiment
        With this policy alone.
    replication : int
        Which luck.
    code : str
        Digest of the code that asks (`sim.running.code_digest`).
    sources : tuple of Source
        Where rules of one's own are from (`sim.engines.plugins`).
    """

    work: Work
    replication: int
    code: str
    sources: tuple[Source, ...] = ()


def work_item(work: Work, replication: int, place: int) -> WorkItem:
    """Return the work item for the policy at this place of an experiment."""
    only = work.only(place)
    return WorkItem(only, replication, digest(), sources(only.policies))


def run(one: WorkItem) -> Sample:
    """Run a work item, in whichever process this is.

    Raises
    ------
    BadInput
        If this process has other code than the one that asks, or cannot have a rule.
    """
    check_same(one.code)
    ensure(one.sources)
    (policy,) = one.work.policies
    return one.work.run(policy, one.replication, _drawn(one.work, one.replication))


def preparation(work: Work) -> list[WorkItem]:
    """Return work items that need the compiled code of an experiment, and little time."""
    few = work.few()
    return [work_item(few, 0, place) for place in range(len(few.policies))]


def prepare(few: list[WorkItem]) -> None:
    """Run work items for the sake of the code that they compile."""
    for one in few:
        run(one)


_lock = threading.Lock()
_last: dict[Any, Jobs] = {}


def _drawn(work: Work, replication: int) -> Jobs:
    """Return the jobs of a replication; those drawn last are kept, for another policy comes next."""
    key = work.scenario, work.trace.digest if work.trace else "", replication
    with _lock:
        found = _last.get(key)
    if found is None:
        found = work.jobs(replication)
        with _lock:
            _last.clear()
            _last[key] = found
    return found
