"""A request in progress, and its results so far."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from sim.model.result import Comparison, Sample
from sim.model.streamed_workload import Jobs
from sim.running.experiment import Experiment
from sim.running.live.request import RunRequest

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
