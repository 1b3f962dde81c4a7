"""How much of an experiment is run: a small part for a first answer, and no more than a server can do."""

from __future__ import annotations

from dataclasses import replace

from sim.logs import Trace
from sim.running.experiment import Experiment, expected_tasks
from sim.running.live.request import RunRequest

#: Tasks (summed over the policies) a first answer may take: about 0.1 s on a slow core. With 2.5 times as
#: many fifty visitors with values of their own waited 2.2 s (p95) instead of 1.6.
FIRST = 120_000
#: Tasks (summed over the policies) of a replication that is waited for: a longer one has a preview.
SHORT = 300_000
#: Tasks (summed over the policies) one replication may take on a server; longer runs are cut.
LONGEST = 6_000_000
#: By how much previews shrink when this many first answers are waiting.
CROWDS = ((40, 3), (16, 2))


def shrink(crowd: int) -> int:
    """By how much first answers are made smaller when this many are waiting.

    Examples
    --------
    >>> shrink(0), shrink(16), shrink(100)
    (1, 2, 3)
    """
    return next((factor for size, factor in CROWDS if crowd >= size), 1)


def preview(request: RunRequest, crowd: int = 0) -> RunRequest:
    """Return the request for a first answer of about `FIRST` tasks."""
    share = FIRST / shrink(crowd) / expected_tasks(request.experiment)
    once = replace(request.effort, replications=1)
    return replace(request, experiment=shortened(request.experiment, share), effort=once, log=0)


def fitted(experiment: Experiment) -> tuple[Experiment, str]:
    """Cut an experiment to what the server runs, and say so.

    Returns
    -------
    tuple
        The experiment, and a sentence that says what was cut; empty if nothing was.
    """
    tasks = expected_tasks(experiment)
    if tasks <= LONGEST:
        return experiment, ""
    cut = shortened(experiment, LONGEST / tasks)
    return cut, (
        f"One replication would take about {tasks / 1e6:,.0f} million tasks over all policies, and this "
        f"server runs {LONGEST / 1e6:,.0f} million: the first {cut.scenario.jobs:,} jobs of "
        f"{experiment.scenario.jobs:,} are simulated. The command line has no such limit."
    )


def shortened(experiment: Experiment, share: float) -> Experiment:
    """Return the experiment with this share of its jobs, the first ones, at least 20."""
    if share >= 1:
        return experiment
    if experiment.trace is None:
        jobs = min(experiment.scenario.jobs, max(20, int(share * experiment.scenario.jobs)))
        return replace(experiment, scenario=experiment.scenario.replace(jobs=jobs))
    trace = experiment.trace
    jobs = min(trace.arrival.size, max(20, int(share * trace.arrival.size)))
    start = Trace(
        trace.arrival[:jobs],
        trace.tasks[:jobs],
        None if trace.size is None else trace.size[:jobs],
        trace.names[:jobs],
        trace.source,
        f"{trace.digest} first {jobs}",
        trace.notes,
    )
    return replace(experiment, scenario=experiment.scenario.replace(jobs=jobs), trace=start)
