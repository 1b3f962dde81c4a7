"""Replications of several policies on the same jobs, in parallel, until they are precise enough.

The answer does not depend on who runs it: replications count in their order, and the stopping rule looks at
prefixes of that order only (`sim.running.parallel`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from sim.engines.engine import Engine, Running, RunningLong
from sim.engines.registry import engine_of
from sim.logs import Trace
from sim.model.cached import cached_property
from sim.model.fields import BadInput
from sim.model.policy import Policy
from sim.model.result import Comparison, PolicyResult, Sample, read, sample
from sim.model.scenario import Scenario
from sim.model.workload import (
    Jobs,
    StreamedWorkload,
    Workload,
    about_trace,
    from_trace,
    generate,
    refuse_load,
    with_recorded_load,
)
from sim.running.execution import ANY, Effort, backend
from sim.running.parallel import Abandoned, Enough, Point, in_order
from theory.quoting import quoted, visible

__all__ = ["Abandoned", "Experiment", "compare", "compare_all", "expected_tasks", "precise"]

#: Jobs of a replication that are held at once, with a record of each; of more, twelve bytes remain of each.
MOST_HELD = 1 << 17
#: Replications below which an interval is not trusted to stop a run.
FEWEST = 4


@dataclass(frozen=True)
class Experiment:
    """What is compared: a scenario, policies and perhaps a trace.

    Parameters
    ----------
    scenario : Scenario
    policies : tuple of Policy
        Of the engine of the scenario, each once.
    trace : Trace, optional
        Where the scenario's 'trace' columns come from. Where its times are kept, the load is what it offers.
    baseline : int, optional
        Place among `policies` of the one with which the others are compared.

    Raises
    ------
    BadInput
        If there is no policy, one is given twice, or one can do nothing with the scenario.
    """

    scenario: Scenario
    policies: tuple[Policy, ...]
    trace: Trace | None = None
    baseline: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "policies", tuple(self.policies))
        if self.trace is not None and self.scenario.keeps_times:
            object.__setattr__(self, "scenario", with_recorded_load(self.scenario, self.trace))
        if not self.policies:
            raise BadInput(f"policy: none is given; give at least one, e.g. {self.engine.example}")
        for policy in self.policies:
            if self.policies.count(policy) > 1:
                raise BadInput(f"policy: {quoted(policy.text)} is given twice; give each policy once")
        if self.engine.implementation.check:
            for policy in self.policies:
                self.engine.implementation.check(policy, self.scenario)

    @classmethod
    def of_texts(
        cls, scenario: Scenario, texts: Sequence[str], trace: Trace | None = None, baseline: str = ""
    ) -> Self:
        """Return the experiment that texts describe, as in a preset, a link or the shell.

        Parameters
        ----------
        scenario : Scenario
        texts : sequence of str
            Policies as they are written for the engine of the scenario.
        trace : Trace, optional
        baseline : str, optional
            One of `texts`; the first if empty.

        Raises
        ------
        BadInput
            If a policy cannot be read, or as above.

        Examples
        --------
        >>> from sim.engines.slots.scenario import SlotScenario
        >>> Experiment.of_texts(SlotScenario(), ["fair+late", "hopper"], baseline="hopper").texts
        ('fair+late', 'hopper+budget')
        """
        read = engine_of(scenario).implementation.policy.read
        written = [text.strip() for text in texts]
        policies = tuple(read(text) for text in written)
        baseline = baseline.strip()
        if baseline and baseline not in written:
            raise BadInput(
                f"baseline: {quoted(baseline)} is not accepted; "
                f"give one of the policies: {', '.join(written)}"
            )
        return cls(scenario, policies, trace, written.index(baseline) if baseline else 0)

    @cached_property
    def engine(self) -> Engine:
        """The engine of the scenario."""
        return engine_of(self.scenario)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Canonical texts of the policies, by which results are known."""
        return tuple(policy.text for policy in self.policies)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """How people call the policies."""
        return tuple(policy.name for policy in self.policies)

    def only(self, place: int) -> Self:
        """Return the experiment with one of its policies."""
        return replace(self, policies=(self.policies[place],), baseline=0)

    def few(self) -> Self:
        """Return the policies on a few jobs, for the sake of the code that they need."""
        if self.trace is None:
            return replace(self, scenario=self.scenario.replace(jobs=min(5, self.scenario.jobs)))
        changes = {name: getattr(type(self.scenario)(), name) for name in ("arrivals", "tasks", "size")}
        return replace(self, scenario=self.scenario.replace(jobs=5, **changes), trace=None)

    def workload(self, replication: int) -> Workload:
        """Jobs of one replication, the same for every policy."""
        if self.trace is None:
            return generate(self.scenario, replication)
        return from_trace(self.trace, self.scenario, replication)

    @property
    def is_long(self) -> bool:
        """Whether the jobs of a replication are too many to be held at once, and need not be."""
        if self.scenario.jobs <= MOST_HELD or self.trace is not None or self.scenario.replicas > 0:
            return False
        return self.engine.implementation.start_long is not None

    def jobs(self, replication: int) -> Jobs:
        """Jobs of one replication, and for each the flowtime its slowdown is in units of."""
        if self.is_long:
            return StreamedWorkload(self.scenario, replication)
        workload = self.workload(replication)
        return workload, self.engine.implementation.isolated_flowtime(self.scenario, workload)

    def run(
        self,
        policy: Policy,
        replication: int,
        jobs: Jobs,
        progress: Callable[[int], object] = lambda tasks: None,
        log: int = 0,
    ) -> Sample:
        """Run one policy once.

        Parameters
        ----------
        policy : Policy
            One of `policies`.
        replication : int
            Which luck.
        jobs : tuple
            What `jobs` returned for this replication.
        progress : callable, optional
            Called with the number of tasks finished since its last call; may raise to abandon the run.
        log : int, optional
            Copies to remember for a Gantt chart.
        """
        implementation = self.engine.implementation
        if isinstance(jobs, StreamedWorkload):
            assert implementation.start_long is not None
            long = implementation.start_long(self.scenario, policy, replication, jobs, log)
            _to_the_end(long, progress)
            return read(self.scenario, *long.ended())
        workload, isolated_flowtime = jobs
        run = implementation.start(self.scenario, policy, replication, workload, log)
        _to_the_end(run, progress)
        return sample(self.scenario, run.outcome(), isolated_flowtime)

    def replicate(
        self, replication: int, progress: Callable[[int], object] = lambda tasks: None, log: int = 0
    ) -> list[Sample]:
        """Run every policy once on the same jobs with the same luck."""
        jobs = self.jobs(replication)
        return [self.run(policy, replication, jobs, progress, log) for policy in self.policies]

    def compared(self, replications: Sequence[Sequence[Sample]]) -> Comparison:
        """Collect replications, in order, into a comparison."""
        results = {
            policy.text: PolicyResult(policy.text, tuple(samples[i] for samples in replications), policy)
            for i, policy in enumerate(self.policies)
        }
        return self.named(Comparison(self.scenario, results, self.texts[self.baseline]))

    def named(self, comparison: Comparison) -> Comparison:
        """Return a comparison of the same runs with the baseline here, and name and notes of the file."""
        source, notes = "", tuple[str, ...]()
        if self.trace is not None:
            source, notes = (
                visible(self.trace.source),
                (*self.trace.notes, *about_trace(self.trace, self.scenario)),
            )
        return replace(comparison, baseline=self.texts[self.baseline], source=source, notes=notes)


def _to_the_end(run: Running | RunningLong, progress: Callable[[int], object]) -> None:
    """Let a run come to its end, and tell how many tasks have been finished since it was last told."""
    reported, over = 0, False
    while not over:
        over = run.advance()
        progress(run.finished_tasks - reported)
        reported = run.finished_tasks


def compare(experiment: Experiment, effort: Effort = ANY, **options: Any) -> Comparison:
    """Run an experiment.

    Parameters
    ----------
    experiment : Experiment
    effort : Effort, optional
    **options
        What of the effort is otherwise: its fields, by name.

    Returns
    -------
    Comparison
    """
    (found,) = compare_all([experiment], replace(effort, **options))
    return found


def compare_all(experiments: Sequence[Experiment], effort: Effort) -> Iterator[Comparison]:
    """Run experiments, several at a time where there are workers for it; give each in its order.

    Parameters
    ----------
    experiments : sequence of Experiment
    effort : Effort
        For each.

    Yields
    ------
    Comparison
        As soon as it and those before it are done.
    """

    def enough_of(experiment: Experiment) -> Enough:
        wanted = effort.precision
        return lambda found: wanted is not None and precise(experiment.compared(found), wanted)

    points = [Point(one, effort.most, enough_of(one)) for one in experiments]
    with (
        backend(effort, all_needed=effort.precision is None) as chosen,
        closing(in_order(points, chosen, effort.keeper)) as over,
    ):
        for experiment, point in zip(experiments, over, strict=True):
            yield experiment.compared(point.complete)


def precise(comparison: Comparison, percent: float) -> bool:
    """Tell whether every policy's mean flowtime (or median) is known to within `percent` of itself."""
    if comparison.replications < FEWEST:
        return False
    for result in comparison.policies.values():
        estimate = result.estimate("flowtime", "mean")
        if estimate.value is None or not estimate.reliable:
            estimate = result.estimate("flowtime", "p50")
        if estimate.value is None or estimate.half > percent / 100 * estimate.value:
            return False
    return True


def expected_tasks(experiment: Experiment) -> float:
    """Tasks that one replication of all policies completes, known before it starts."""
    if experiment.trace is not None and experiment.scenario.tasks == "trace":
        tasks = float(np.sum(experiment.trace.tasks))
    else:
        jobs = experiment.trace.arrival.size if experiment.trace else experiment.scenario.jobs
        tasks = jobs * experiment.scenario.mean_tasks
    return tasks * len(experiment.policies)


# One field of a scenario swept over some values: a comparison of all policies at each of them.


def sweep(
    experiment: Experiment, field: str, values: Sequence[object], effort: Effort = ANY, **options: Any
) -> Iterator[tuple[object, Comparison]]:
    """Run an experiment at each value of a field, and give each comparison as it is done.

    All policies at one value meet the same jobs with the same luck; a policy's own parameter is swept by
    naming it several times with different numbers.

    Parameters
    ----------
    experiment : Experiment
    field : str
        A field of its scenario.
    values : sequence
        Values of the field, each checked as `Scenario.replace` does before the first run begins.
    effort, **options
        As of `sim.running.experiment.compare`, at each value; several values are under way at a time.

    Yields
    ------
    tuple of (object, Comparison)
        The value as the scenario has it, and what was found there.

    Raises
    ------
    BadInput
        If the scenario has no such field, or does not accept a value.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> experiment = Experiment.of_texts(SlotScenario(slots=10, jobs=20, tasks_max=3), ["fifo+none"])
    >>> points = sweep(experiment, "load", (0.2, 0.4), replications=2, threads=1)
    >>> [(load, comparison.replications) for load, comparison in points]
    [(0.2, 2), (0.4, 2)]
    """
    if experiment.trace is not None:
        refuse_load(experiment.scenario, field)
    experiments = [
        replace(experiment, scenario=experiment.scenario.replace(**{field: value})) for value in values
    ]
    found = compare_all(experiments, replace(effort, **options))
    yield from zip((getattr(one.scenario, field) for one in experiments), found, strict=True)
