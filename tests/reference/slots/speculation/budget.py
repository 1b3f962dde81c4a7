"""Hopper's budgeted copies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.reference.slots.speculation.rule import Speculation

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Job


class Budget(Speculation, key="budget"):
    """Any running task of a job below its share: fewest copies first, then what seems to take longest."""

    when = "budget"

    def worth(self, job: Job) -> float:
        return self.parameters["benefit"] * self.cluster.mean_duration(job)

    def next_look(self, copy):
        if copy.number > 0 or copy.looked or self.parameters["copies"] == 1:
            return math.inf
        if self.parameters["benefit"] and self.unobserved:
            return copy.start + self.worth(copy.task.job)
        return copy.revealed

    def qualifies(self, task):
        if len(task.copies) >= self.parameters["copies"]:
            return False
        if not self.parameters["benefit"]:
            return True
        if not task.original.looked or self.unobserved:
            return task.original.looked
        return task.original.known_finish(self.cluster.now) - self.cluster.now > self.worth(task.job)

    def order(self, task):
        now, original = self.cluster.now, task.original
        seen = original.is_known(now)
        late = original.known_finish(now) if seen else -original.start
        return len(task.copies), not seen, -late, task.address
