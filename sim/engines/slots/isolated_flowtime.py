"""How long a job with phases takes alone on an idle healthy cluster: the denominator of its slowdown.

There is no closed form for pipelined phases, so the engine itself is asked: all copies run at factor 1, on
healthy machines that hold every block, and each job arrives when the one before it must be done.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from sim.engines.slots.policy import read_policy
from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotScenario
from sim.model.workload import Workload, ideal


def isolated_flowtime(scenario: SlotScenario, workload: Workload) -> np.ndarray:
    """Return the flowtime of each job alone on the idle healthy cluster of a scenario.

    Parameters
    ----------
    scenario : SlotScenario
        Its slots, and how phases wait for each other.
    workload : Workload
        Jobs, with or without phases.

    Returns
    -------
    ndarray of float64, shape (jobs,)
        `sim.model.workload.ideal` for jobs without phases; where jobs have them, up to rounding (1e-9 of the
        largest), since each job is timed on one clock.

    Examples
    --------
    >>> from sim.model.workload import generate
    >>> chain = SlotScenario(slots=10, jobs=1, tasks="constant", tasks_max=8, phases=2, transfer=0.5)
    >>> isolated_flowtime(chain, generate(chain, 0))  # two phases of 4 tasks of size 1, 0.5 in between
    array([2.5])
    """
    phases = workload.phases
    if phases is None:
        return ideal(workload, scenario.slots)
    # One after the other: no job can take longer than all its tasks in turn and all its transfers.
    size = workload.size if not workload.task_size.size else largest_sizes(workload)
    longest = workload.tasks * size + workload.size * np.add.reduceat(phases.ratio, phases.first)
    arrival = np.concatenate([[0.0], np.cumsum(longest)[:-1]]) + np.arange(workload.n)
    healthy = scenario.replace(
        straggle="deterministic", slow_share=0, replicas=0, decision_interval=0, drain=np.inf
    )
    jobs = dataclasses.replace(workload, arrival=arrival, blocks=np.empty((0, 0), np.int32))
    run = SlotRun(healthy, read_policy("fifo+none"), 0, jobs)
    while not run.advance():
        pass
    outcome = run.outcome()
    return outcome.finish - outcome.arrival


def largest_sizes(workload: Workload) -> np.ndarray:
    """Size of the largest task of each job, where sizes are per task."""
    largest: np.ndarray = np.maximum.reduceat(workload.task_size, np.cumsum(workload.tasks) - workload.tasks)
    return largest
