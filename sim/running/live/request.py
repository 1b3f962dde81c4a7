"""A request in progress, and its results so far."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from functools import lru_cache

from sim.model.cached import cached_property
from sim.model.result import Comparison, Sample
from sim.model.scenario import Scenario
from sim.model.workload import Jobs
from sim.running.execution import USUAL, Effort
from sim.running.experiment import Experiment

# A request for runs: an experiment, and how well its answer is to be known.

#: How well an answer on a screen is to be known, unless it is said otherwise.
SHOWN = Effort(replications=USUAL, precision=2)


@dataclass(frozen=True)
class RunRequest:
    """A request: an experiment, and the precision of its final answer.

    Parameters
    ----------
    experiment : Experiment
    effort : Effort, optional
        Whose replications and precision count: the shared workers do it.
    log : int
        Copies to remember of the first replication, for a Gantt chart.
    """

    experiment: Experiment
    effort: Effort = SHOWN
    log: int = 0

    @cached_property
    def key(self) -> str:
        """Text that is equal for requests that need the same runs.

        Scenarios print exactly, a trace is known by its digest; the baseline needs no run of its own.
        """
        trace = self.experiment.trace.digest if self.experiment.trace else ""
        policies = self.experiment.texts
        scenario = _spelled(self.experiment.scenario)
        effort = self.effort
        return f"{scenario} {(policies, trace, effort.most, effort.precision, self.log)!r}"


@lru_cache(maxsize=200)  # a class asks for the same one a hundred times
def _spelled(scenario: Scenario) -> str:
    return repr(scenario)


def nameless(request: RunRequest) -> RunRequest:
    """Return a request for others to share, errors included: the name of a file is its owner's."""
    trace = request.experiment.trace
    if trace is None:
        return request
    return replace(request, experiment=replace(request.experiment, trace=replace(trace, source="the file")))


#: Seconds a run goes on without a follower: a page that reruns comes back within them.
GRACE = 0.5


@dataclass(frozen=True)
class Snapshot:
    """The results of a request so far.

    Attributes
    ----------
    comparison : Comparison
        Of the replications that are done.
    preview : bool
        True if it is of fewer jobs than requested, to be replaced.
    done, most : int
        Replications done, and the most that will be.
    final : bool
        True if no better answer follows.
    beforehand : bool
        True if nothing of it was computed here (`sim.running.live.records`).
    """

    comparison: Comparison
    preview: bool
    done: int
    most: int
    final: bool
    beforehand: bool = False


class ActiveRun:
    """The runs of a request: replications in order, for all its followers."""

    def __init__(self, request: RunRequest, urgency: int, before: RunRequest | None = None) -> None:
        self.request = request
        self.urgency = urgency  # of its first replication; smaller goes first
        self.before = before  # its preview
        self.policies = request.experiment.policies
        self.samples: dict[int, dict[int, Sample]] = {}
        self.jobs: dict[int, Jobs] = {}
        self.parked: list[tuple[int, int]] = []
        self.started = 0
        self.complete = 0  # replications that are done, counted from the first without a gap
        self.finished = False
        self.beforehand = False  # its first replication was computed beforehand
        self.followers = 0
        self.left = 0.0
        self.error: Exception | None = None
        self.bytes = 0  # of the samples
        self.deaths = 0  # of threads that worked for it
        self.lock = threading.Lock()

    @property
    def wanted(self) -> bool:
        """Whether a session follows it, or did until very recently."""
        return self.followers > 0 or time.monotonic() - self.left < GRACE

    def compared(self, count: int) -> Comparison:
        """Compare the first `count` replications."""
        order = range(len(self.policies))
        return self.request.experiment.compared([[self.samples[r][i] for i in order] for r in range(count)])

    def snapshot(self, preview: bool, asked: Experiment) -> Snapshot:
        """Return the results so far, under the names that the request uses."""
        count = self.complete
        return Snapshot(
            asked.named(self.compared(count)),
            preview,
            count,
            self.request.effort.most,
            self.finished and not preview,
            self.beforehand and count == 1,
        )
