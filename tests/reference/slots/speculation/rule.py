"""A speculation rule of the reference implementation: when a job runs extra copies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Cluster, Copy, Job, Task

#: Key of a speculation rule -> its reference implementation.
SPECULATION: dict[str, type[Speculation]] = {}


class Speculation:
    """No copies: what a rule does not say otherwise."""

    when = "never"
    at_launch = False  # copies come with the originals, so that no sharing rule's target limits them
    drops = False

    def __init_subclass__(cls, key: str = "") -> None:
        if key:
            SPECULATION[key] = cls

    def __init__(self, cluster: Cluster, **parameters: float) -> None:
        self.cluster = cluster
        self.parameters = parameters
        self.unobserved = cluster.scenario.observation.kind == "never"

    def next_look(self, copy: Copy) -> float:
        """When the rule will look at a running copy, ``inf`` if it will not."""
        return math.inf

    def look(self, copy: Copy) -> None:
        copy.looked = True

    def begin(self, job: Job) -> None:
        """Take note that the first original of a job is about to be launched."""

    def started(self, copy: Copy) -> None:
        """Take note that a copy has been launched."""

    def copy_ends(self, copy: Copy, won: bool) -> None:
        """Take note that a copy is about to end."""

    def place(self, task: Task) -> int:
        """Index among the idle slots of the one that the next copy takes: the one freed last."""
        return -1

    def bars(self, slot: int) -> bool:
        """Whether nothing starts on the machine of a slot."""
        return False

    def next_opening(self) -> float:
        """When something may start again on a machine with an idle slot."""
        return math.inf

    def dropped(self, owed: Job | None) -> Copy | None:
        """Return the copy that makes room, if any; `owed` is the job that would get a free slot."""

    def task_ended(self, task: Task, winner: Copy) -> None:
        """Take note that a copy has ended its task."""

    def in_turn(self, following: Job | None) -> Task | None:
        """Return the task to copy before the originals of the job whose turn it is, if there is one."""

    def candidates(self, job: Job | None = None) -> list[Task]:
        """Tasks that would get a copy now, first to last."""
        return sorted(filter(self.qualifies, self.cluster.running_tasks(job)), key=self.order)

    def qualifies(self, task: Task) -> bool:
        return False

    def order(self, task: Task) -> tuple:
        raise NotImplementedError
