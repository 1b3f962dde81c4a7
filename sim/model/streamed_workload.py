"""The jobs of a long replication, drawn on demand: a block at a time, and again for each policy.

Drawing is cheap beside simulating, so what has been used is forgotten. The jobs are those of
`sim.model.workload.generate`, to the bit, whatever the blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.model.drawing import Draws
from sim.model.scenario import Scenario
from sim.model.workload import Totals, Workload, next_jobs

#: Jobs of a block: enough that what is done once a block costs little, few enough to be held.
BLOCK = 1 << 15
#: Jobs that are known before they arrive: at least as many as one call of an engine may have events.
AHEAD = 100_000


class StreamedWorkload:
    """Jobs of one replication in blocks.

    Parameters
    ----------
    scenario : Scenario
        Without a column from a trace, and without input blocks.
    replication : int
        Number of the replication, at least 0.
    block, ahead : int, optional
        Jobs of a block, and jobs that a run is to know before they arrive; at least 1.

    Examples
    --------
    >>> from sim.engines.slots.scenario import SlotScenario
    >>> jobs = StreamedWorkload(SlotScenario(jobs=5), 0, block=2, ahead=1)
    >>> [block.n for block in jobs.blocks()], jobs.totals.jobs
    ([2, 2, 1], 5)
    """

    def __init__(self, scenario: Scenario, replication: int, block: int = BLOCK, ahead: int = AHEAD) -> None:
        self.scenario = scenario
        self.replication = replication
        self.block, self.ahead = block, ahead
        self.totals = Totals.of(self.blocks())

    def blocks(self) -> Iterator[Workload]:
        """Draw all jobs, block after block."""
        draws = Draws(self.scenario, self.replication)
        for count in self._counts():
            yield next_jobs(draws, count)

    def tasks(self) -> Iterator[np.ndarray]:
        """Draw how many tasks the jobs have, block after block."""
        draws = Draws(self.scenario, self.replication)
        for count in self._counts():
            yield draws.tasks(count)

    def _counts(self) -> Iterator[int]:
        for first in range(0, self.scenario.jobs, self.block):
            yield min(self.block, self.scenario.jobs - first)


#: Jobs of one replication as a run takes them: held, each with the flowtime that its slowdown is in units of,
#: or drawn when they are needed.
Jobs = tuple[Workload, np.ndarray] | StreamedWorkload
