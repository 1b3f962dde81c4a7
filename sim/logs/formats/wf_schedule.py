"""Tasks of a workflow that wait for one another, and when each would start under a list schedule."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass
class Task:
    """A task of a run: how long it ran, where, on how many cores, after which others."""

    program: str
    runtime: float
    host: str
    cores: float
    bytes: float
    parents: list[int] = field(default_factory=list)


def depths(tasks: Sequence[Task]) -> list[int] | None:
    """Return how many tasks each waits for one after the other; None if some wait in a circle.

    Examples
    --------
    >>> depths([Task("a", 1, "", 1, 0), Task("b", 1, "", 1, 0, [0]), Task("c", 1, "", 1, 0, [0, 1])])
    [0, 1, 2]
    """
    depth = [0] * len(tasks)
    graph = _Graph(tasks)
    done = list(graph.first())
    for row in done:
        for child in graph.children[row]:
            depth[child] = max(depth[child], depth[row] + 1)
        done += graph.end(row)
    return depth if len(done) == len(tasks) else None


def list_schedule(tasks: Sequence[Task], cores: Mapping[str, float]) -> list[float]:
    """Return when each task starts on its host: once its parents have ended and its cores are free.

    Of those that are ready the first in the list comes first, and none overtakes it. A task that
    asks for more cores than its host has takes them all. Ends come before starts of the same time.

    Parameters
    ----------
    tasks : sequence of Task
        Without circles, on hosts that are known.
    cores : mapping of str to float
        Of each host.

    Examples
    --------
    >>> tasks = [Task("a", 3, "h", 1, 0), Task("a", 2, "h", 1, 0), Task("b", 1, "h", 2, 0, [1])]
    >>> list_schedule(tasks, {"h": 2})
    [0.0, 0.0, 3.0]
    """
    graph, free = _Graph(tasks), dict(cores)
    needs = [min(task.cores, cores[task.host]) for task in tasks]
    starts = [0.0] * len(tasks)
    ready: dict[str, list[int]] = {host: [] for host in cores}
    ends: list[tuple[float, int]] = []
    new, now = list(graph.first()), 0.0
    while True:
        for row in new:
            heapq.heappush(ready[tasks[row].host], row)
        for host, queue in ready.items():
            while queue and free[host] >= needs[queue[0]]:
                row = heapq.heappop(queue)
                starts[row] = now
                free[host] -= needs[row]
                heapq.heappush(ends, (now + tasks[row].runtime, row))
        if not ends:
            return starts
        now, new = ends[0][0], []
        while ends and ends[0][0] <= now:
            _, row = heapq.heappop(ends)
            free[tasks[row].host] += needs[row]
            new += graph.end(row)


class _Graph:
    """Which tasks wait for which, and for how many each still waits."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.children: list[list[int]] = [[] for _ in tasks]
        self._waiting = [len(task.parents) for task in tasks]
        for row, task in enumerate(tasks):
            for parent in task.parents:
                self.children[parent].append(row)

    def first(self) -> Iterator[int]:
        """Yield the tasks that wait for none."""
        yield from (row for row, count in enumerate(self._waiting) if count == 0)

    def end(self, row: int) -> list[int]:
        """End a task; return those that waited for it last."""
        freed = []
        for child in self.children[row]:
            self._waiting[child] -= 1
            if self._waiting[child] == 0:
                freed.append(child)
        return freed
