"""The common part of real systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.slots.speculation.rule import Speculation

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Phase, Task


class System(Speculation):
    """What real systems do alike: they judge the tasks of a phase together, at the times of a clock."""

    when = "in turn"

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.times: dict[Phase, list[float]] = {}  # of the winners of each set
        self.marked: dict[Task, float] = {}

    def siblings(self, task: Task) -> list[Task]:
        return task.job.phase(task).tasks

    def finished(self, task: Task) -> list[float]:
        return sorted(self.times.get(task.job.phase(task), []))

    def task_ended(self, task, winner):
        self.times.setdefault(task.job.phase(task), []).append(winner.known_duration(self.cluster.now))

    def qualifies(self, task):
        return task in self.marked and len(task.copies) == 1 and self.fits(task) is not None

    def fits(self, task: Task) -> int | None:
        """Place of the idle slot freed last that is on no machine of a copy, if there is one."""
        taken = {self.cluster.machine(copy.slot) for copy in task.copies}
        apart = [i for i, slot in enumerate(self.cluster.idle) if self.cluster.machine(slot) not in taken]
        return max(apart, default=None)

    def place(self, task):
        return -1 if not task.copies else self.fits(task)

    def in_turn(self, following):
        first = next(iter(self.candidates()), None)
        if first is None or (following is not None and following.number <= first.job.number):
            return None
        return first

    def order(self, task):
        return task.job.number, min(other.number for other in self.siblings(task)), *self.among_siblings(task)
