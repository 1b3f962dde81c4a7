"""Hopper's targets."""

from __future__ import annotations

from tests.reference.slots.sharing.rule import Sharing


class Hopper(Sharing, key="hopper"):
    """The job that is farthest below its target."""

    budgets = True

    def pick(self):
        jobs = self.cluster.system
        unstarted = [not job.copies for job in jobs]
        targets = hopper_targets(
            [job.remaining for job in jobs],
            unstarted,
            self.cluster.scenario.slots,
            self.cluster.theta,
            self.parameters["epsilon"],
        )
        self.targets = dict(zip(jobs, targets, strict=True))
        return super().pick()

    def limit(self, job):
        return self.targets[job]

    def order(self, job):
        return -(self.targets[job] - job.held), job.remaining, job.number


def hopper_targets(
    tasks: list[int], unstarted: list[bool], slots: float, theta: float, epsilon: float
) -> list[float]:
    """Targets of jobs in order of arrival: Algorithms 1 and 2 as the rule's docstring states them."""
    if not tasks:
        return []
    floor = (1 - epsilon) * slots / len(tasks)
    above = [t for t in tasks if theta * t > floor]
    if slots <= theta * sum(above) + (len(tasks) - len(above)) * floor:
        return _raised(tasks, unstarted, slots, theta, floor)
    levels = sorted(set(tasks))
    for level in levels:
        others = [t for t in tasks if t >= level]
        slope = (slots - (len(tasks) - len(others)) * floor) / sum(others)
        if slope * level >= floor:
            break
    return [max(floor, slope * t) for t in tasks]


def _raised(tasks: list[int], unstarted: list[bool], slots: float, theta: float, floor: float) -> list[float]:
    """Everyone at the floor, then jobs raised to their virtual size in order of remaining tasks."""
    targets = [floor] * len(tasks)
    raised: list[int] = []
    for level in sorted({t for t in tasks if theta * t > floor}):
        need = theta * level - floor
        left = slots - len(tasks) * floor - (theta * sum(raised) - floor * len(raised))
        equal = [i for i, t in enumerate(tasks) if t == level]
        started = [i for i in equal if not unstarted[i]]
        for i in started:
            targets[i] += max(0.0, need if need * len(started) <= left else left / len(started))
        left -= need * len(started)
        for i in (i for i in equal if unstarted[i]):
            targets[i] += min(need, max(left, 0.0))
            left -= need
        raised += [level] * len(equal)
    return targets
