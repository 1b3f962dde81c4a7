"""Hadoop MapReduce and Apache Tez."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.reference.slots.speculation.system import System

if TYPE_CHECKING:
    from tests.reference.slots.cluster import Job, Phase, Task


class Hadoop(System, key="hadoop"):
    """One copy at a time, of the task that ends last, at the scans of a clock that starts with the set."""

    waits_for_originals = True

    def __init__(self, cluster, **parameters):
        super().__init__(cluster, **parameters)
        self.origin: dict[Phase | Job, float] = {}
        self.scanned: dict[Phase, float] = {}
        self.ticked: dict[Phase | Job, float] = {}

    def qualifies(self, task):
        return task in self.marked and len(task.copies) == 1

    def place(self, task):
        return -1

    def among_siblings(self, task):
        return self.marked[task], task.address

    def by_age(self, task: Task) -> bool:
        return self.parameters.get("single_timeout", -1) >= 0 and len(self.siblings(task)) == 1

    def watched(self, task: Task) -> list[Task]:
        """Running siblings whose end is known and that have no copy, the last to end first."""
        known = [one for one in self.siblings(task) if one.runs and one.original.looked]
        alone = [one for one in known if len(one.copies) == 1 and one not in self.marked]
        return sorted(alone, key=lambda one: (-one.original.finish, one.address))

    def clock(self, task: Task) -> Phase | Job:
        """What shares a clock: the job in Hadoop, in which nothing waits, and in Tez the vertex."""
        return task.job if self.waits_for_originals else task.job.phase(task)

    def next_scan(self, task: Task) -> float:
        phase, now = task.job.phase(task), self.cluster.now
        if not self.times.get(phase) and not self.by_age(task):
            return math.inf
        if self.ticked.get(self.clock(task)) == now != self.scanned.get(phase):
            return now  # one tick is for all sets of a clock, though the first has set it to its pause
        origin = self.origin.setdefault(self.clock(task), task.job.arrival)
        wait = self.parameters["wait"]
        number = max(0, int((now - origin) / wait) - 1)
        while origin + number * wait < now or origin + number * wait <= self.scanned.get(phase, -1):
            number += 1
        return origin + number * wait

    def next_look(self, copy):
        if copy.number > 0:
            return math.inf
        if not copy.looked:
            known = max(copy.revealed, copy.start + self.parameters.get("report", 0))
            return copy.start if self.by_age(copy.task) else known
        first = next(iter(self.watched(copy.task)), None)
        return self.next_scan(copy.task) if first is copy.task else math.inf

    def look(self, copy):
        if not copy.looked and not self.by_age(copy.task):
            copy.known_finish(self.cluster.now)
        copy.looked = True
        task, phase, now = copy.task, copy.task.job.phase(copy.task), self.cluster.now
        first = next(iter(self.watched(task)), None)
        if first is None or self.next_scan(task) == math.inf or self.scanned.get(phase) == now:
            return
        if self.next_scan(task) != now and self.ticked.get(self.clock(task)) != now:
            return
        self.scanned[phase] = self.ticked[self.clock(task)] = now
        if self.may_copy(task) and self.worth_it(first):
            self.marked[first] = now
            self.origin[self.clock(task)] = now + self.parameters["pause"]

    def may_copy(self, task: Task) -> bool:
        siblings, p = self.siblings(task), self.parameters
        started = [one for one in siblings if one.copies]
        running = [one for one in started if not one.done]
        queued = [one for one in running if one in self.marked and len(one.copies) == 1]
        copied = [one for one in running if len(one.copies) > 1 and not self.too_late(one)]
        if self.waits_for_originals and (queued or len(started) < len(siblings)):
            return False
        done = len(siblings) - len(running) - (len(siblings) - len(started))
        if not self.by_age(task) and (done < 1 or done < 0.05 * len(siblings)):
            return False
        most = max(int(p["total_share"] * len(siblings)), int(p["running_share"] * len(running)))
        return len(queued) + len(copied) < max(p["least_copies"], most)

    def too_late(self, task: Task) -> bool:
        now, times = self.cluster.now, self.times.get(task.job.phase(task))
        return bool(times) and task.original.known_finish(now) <= now + sum(times) / len(times)

    def worth_it(self, task: Task) -> bool:
        now, times = self.cluster.now, self.times.get(task.job.phase(task), [])
        if self.by_age(task):
            return now - task.original.start > self.parameters["single_timeout"]
        return task.original.known_finish(now) > now + sum(times) / len(times)


class Tez(Hadoop, key="tez"):
    """The same, off the original's machine, also while originals wait, and by age for a task alone."""

    waits_for_originals = False
    qualifies = System.qualifies
    place = System.place
