"""The declaration of an engine: what it simulates, how it is started, its measures beyond the common ones.

Nothing here imports Numba: the parts of an engine that do are loaded when a run, a policy or a list of
rules is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from sim.model.scenario import Scenario

if TYPE_CHECKING:
    import numpy as np

    from sim.model.counted_jobs import CountedJobs
    from sim.model.outcome import Ending, Outcome
    from sim.model.policy import Policy
    from sim.model.workload import StreamedWorkload, Workload


@dataclass(frozen=True, slots=True)
class Measure:
    """Something an engine reports beyond what all engines report.

    Parameters
    ----------
    key : str
        Its name in `Outcome.columns` (a value for each job) or `Outcome.scalars` (one for each run),
        and in the JSON.
    title : str
        Its heading in a table.
    statistics : tuple of str, optional
        Of a column: quantiles reported beside its mean (`sim.model.result.SHARES`). A scalar has none.
    is_time : bool, optional
        Whether it is in the scenario's time unit.
    """

    key: str
    title: str
    statistics: tuple[str, ...] = ()
    is_time: bool = False


class Running(Protocol):
    """One replication of one policy in progress."""

    def advance(self) -> bool:
        """Let more events happen; return whether the run is over."""

    @property
    def finished_tasks(self) -> int:
        """Tasks that are done."""

    def outcome(self) -> Outcome:
        """Read the results."""


class RunningLong(Protocol):
    """One replication of one policy in progress, of jobs that come and go."""

    def advance(self) -> bool:
        """Let more events happen; return whether the run is over."""

    @property
    def finished_tasks(self) -> int:
        """Tasks that are done."""

    def ended(self) -> tuple[CountedJobs, Ending]:
        """Read the results, once."""


@dataclass(frozen=True)
class EngineImplementation:
    """The functions of an engine that need Numba.

    Parameters
    ----------
    policy : type of Policy
        What it compares, read from a text: the rules of the engine by kind and key, and its grammar.
    start : callable
        (scenario, policy, replication, workload, log) -> run, where `log` is how many copies to remember.
    isolated_flowtime : callable
        (scenario, workload) -> the denominator of each job's slowdown.
    start_long : callable, optional
        (scenario, policy, replication, jobs in blocks, log) -> run, for more jobs than are held at once.
    check : callable, optional
        (policy, scenario) -> None; raises `BadInput` if the policy can do nothing with the scenario.
    """

    policy: type[Policy]
    start: Callable[[Any, Any, int, Workload, int], Running]
    isolated_flowtime: Callable[[Any, Workload], np.ndarray]
    start_long: Callable[[Any, Any, int, StreamedWorkload, int], RunningLong] | None = None
    check: Callable[[Any, Any], None] | None = None


@dataclass(frozen=True)
class Engine:
    """A kind of system that can be simulated.

    Parameters
    ----------
    key : str
        How a scenario, the shell and links call it.
    title : str
        How a menu calls it.
    scenario : type of Scenario
        What it simulates.
    home : str
        Module whose `IMPLEMENTATION` are its `EngineImplementation`; imported on first use.
    example : str
        A policy, for messages.
    columns, scalars : tuple of Measure, optional
        What it reports beyond the others, a value for each job or one for each run.
    differences : dict, optional
        Measure -> statistics whose paired differences it reports beyond the others.
    curves : tuple of str, optional
        Measures whose distribution is kept beyond the others'.
    saturated : float, optional
        Share of the slots that is busy when no more fit: a queue that grows in a run that is less busy
        does not grow for want of slots (`sim.model.result.PolicyResult.unstable`). 0 where that share depends
        on the jobs, as where one that does not fit holds up the others.
    reference : str, optional
        Rule by which a policy begins that all others are measured against: where it is compared, the
        ratio of every policy's flowtime to its is reported, too.
    """

    key: str
    title: str
    scenario: type[Scenario]
    home: str
    example: str
    columns: tuple[Measure, ...] = ()
    scalars: tuple[Measure, ...] = ()
    differences: tuple[tuple[str, tuple[str, ...]], ...] = ()
    curves: tuple[str, ...] = ()
    saturated: float = 0.97
    reference: str = ""

    @property
    def implementation(self) -> EngineImplementation:
        """What needs Numba, imported now."""
        found: EngineImplementation = import_module(self.home).IMPLEMENTATION
        return found
