"""A request for runs: an experiment, and how well its answer is to be known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from sim.model.cached import cached_property
from sim.model.scenario import Scenario
from sim.running.effort import USUAL, Effort
from sim.running.experiment import Experiment

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
