"""One field of a scenario swept over some values: a comparison of all policies at each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sim.model.recorded import refuse_load
from sim.model.result import Comparison
from sim.running.effort import ANY, Effort
from sim.running.experiment import Experiment, compare_all


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
