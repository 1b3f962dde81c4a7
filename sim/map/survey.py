"""The runs of a map: all policies of a cell on the same jobs, and the results that are stored."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sim.map.plane import READ, SMALL, Cell, Plane
from sim.map.standing import ALIKE, SURE, Judge, Standing
from sim.model.result import PolicyResult, Sample
from sim.running.experiment import expected_tasks


class Unit(NamedTuple):
    """One replication of a cell under some policies, by their places."""

    cell: Cell
    replication: int
    policies: tuple[int, ...]


#: Cell, place of a policy, replication -> what is kept of the run.
Samples = dict[tuple[Cell, int, int], Sample]
#: Nothing of these is kept.
_NONE = np.empty(0)


def slim(sample: Sample) -> Sample:
    """Return what a map reads of a sample; its series keeps the means of its quarters."""
    quarters = np.array([part.mean(axis=0) for part in np.array_split(sample.series, 4)])
    return replace(
        sample,
        values={name: value for name, value in sample.values.items() if name in READ},
        unreliable=sample.unreliable & READ,
        unreliable_differences=sample.unreliable_differences & READ,
        classes=sample.classes[: SMALL + 1],
        series=quarters,
        curves={},
        holding=_NONE,
        single={},
        log=_NONE.view(np.recarray),
    )


def cost(plane: Plane, unit: Unit) -> float:
    """Return the tasks that a unit completes, about."""
    experiment = plane.at(unit.cell)
    return expected_tasks(experiment) * len(unit.policies) / len(experiment.policies)


# Chooses the runs of a map: coarse cells first, then those between neighbours that differ.
#
# Every decision is made from whole rounds of runs, so a map does not depend on who makes them, or when.

#: Cells from one that is simulated first to the next.
STRIDE = 4
#: Replications of a first look, and from which a policy may be let go.
FIRST, FEWEST = 2, 4
#: A policy is let go once it is above the best by so many half widths of the paired interval.
CLEAR = 3.0
#: Half widths shrink with the root of the replications; so much more are asked for.
MORE = 1.1

#: Two cells on a line; a cell between them, and the pairs it lies between.
Pair = tuple[Cell, Cell]
Place = tuple[Cell, list[Pair]]


class Survey:
    """The runs of a map as they become necessary.

    Parameters
    ----------
    plane : Plane
    samples : dict
        Of runs that are there; what is learned is added to it.
    """

    def __init__(self, plane: Plane, samples: Samples | None = None) -> None:
        self.plane = plane
        self.samples: Samples = {} if samples is None else samples
        self.wanted: dict[Cell, list[int]] = {}
        self.between: dict[Cell, Pair] = {}
        self.round = 0
        self._judge = Judge(plane.by, plane.budget)
        self._standings: dict[Cell, tuple[tuple[int, ...], Standing]] = {}
        stride = 1 if plane.full else STRIDE
        columns, rows = (_spread(len(axis.values), stride) for axis in (plane.x, plane.y))
        self._stages = list(_stages(columns, rows))
        self._want((i, j) for j in rows for i in columns)

    def _want(self, cells: Iterable[Cell]) -> None:
        for cell in cells:
            self.wanted.setdefault(cell, [FIRST] * len(self.plane.experiment.policies))

    def todo(self) -> list[Unit]:
        """Return the runs of this round that are not there yet."""
        found = []
        for cell, counts in self.wanted.items():
            for number in range(max(counts)):
                places = tuple(
                    i
                    for i, count in enumerate(counts)
                    if number < count and (cell, i, number) not in self.samples
                )
                if places:
                    found.append(Unit(cell, number, places))
        return found

    def advance(self) -> bool:
        """Decide on the next round, once this one is there; return whether there is one."""
        self.round += 1
        more = {cell: self._next(cell) for cell in self.wanted}
        if any(counts != self.wanted[cell] for cell, counts in more.items()):
            self.wanted = more
            return True
        return self._refine()

    def standing(self, cell: Cell) -> Standing:
        """Return what is known of a cell that is simulated, from the runs of the rounds that are whole."""
        counts = tuple(self.wanted[cell])
        counts = tuple(self._there(cell, i, count) for i, count in enumerate(counts))
        kept = self._standings.get(cell)
        if kept is None or kept[0] != counts:
            texts = self.plane.at(cell).texts
            results = [
                PolicyResult(text, tuple(self.samples[cell, i, number] for number in range(counts[i])))
                for i, text in enumerate(texts)
            ]
            kept = counts, self._judge.judge(self.plane.at(cell).scenario, results)
            self._standings[cell] = kept
        return kept[1]

    def begun(self, cell: Cell) -> bool:
        """Whether every policy of a cell has its first runs."""
        counts = self.wanted.get(cell)
        return counts is not None and all(self._there(cell, i, FIRST) == FIRST for i in range(len(counts)))

    def _there(self, cell: Cell, policy: int, count: int) -> int:
        """Return how many of so many replications are there, from the first without a gap."""
        for number in range(count):
            if (cell, policy, number) not in self.samples:
                return number
        return count

    @property
    def runs(self) -> int:
        """Runs that all rounds so far want."""
        return sum(sum(counts) for counts in self.wanted.values())

    def _next(self, cell: Cell) -> list[int]:
        """Return the replications of each policy that the next round wants of a cell."""
        counts, standing = self.wanted[cell], self.standing(cell)
        if max(counts) < FEWEST:
            return [min(FEWEST, self.plane.most)] * len(counts)
        if standing.best is None or standing.kind not in (SURE, ALIKE):
            return counts  # more runs would not tell
        asked = {i: self._asked(standing, i) for i in range(len(counts)) if i != standing.best}
        wide = {i: count for i, count in asked.items() if count > counts[i]}
        if not wide:
            return counts
        most = min(max(wide.values()), self.plane.most)
        return [most if i in wide or i == standing.best else count for i, count in enumerate(counts)]

    def _asked(self, standing: Standing, policy: int) -> int:
        """Return the replications with which a policy's distance from the best is known well enough."""
        count, regret = standing.replications[policy], standing.regrets[policy]
        if regret.value is None:
            return count
        half = regret.half / (1 + regret.value)  # of its own value, as a gain is
        target = self.plane.precision / 100
        if half <= target or (policy != standing.second and regret.value > CLEAR * regret.half):
            return count
        if math.isinf(half):
            return 2 * count
        needed = math.ceil(MORE * count * (half / target) ** 2)
        return min(max(needed, count + FIRST), 2 * count)

    def _refine(self) -> bool:
        """Go on to cells between those that are known; return whether some must be simulated."""
        while self._stages:
            found = [cell for cell, pairs in self._stages.pop(0) if not self._lies_between(cell, pairs)]
            if found:
                self._want(found)
                return True
        doubtful = [cell for cell in self.between if self._in_doubt(cell)]
        for cell in doubtful:
            del self.between[cell]
        self._want(doubtful)
        return bool(doubtful)

    def _in_doubt(self, cell: Cell) -> bool:
        """Whether a cell differs from those it lies between, or from a neighbour that is not simulated."""
        i, j = cell
        near = ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))
        beside = [one for one in near if one in self.between]
        return any(self._known(one) != self._known(cell) for one in (*self.between[cell], *beside))

    def _lies_between(self, cell: Cell, pairs: list[Pair]) -> bool:
        """Whether a cell lies between two where the same is known; note them."""
        for one, other in pairs:
            if self._known(one) == self._known(other):
                self.between[cell] = one, other
                return True
        return False

    def _known(self, cell: Cell) -> tuple[str, frozenset[int]]:
        """Return the winner of a cell, or the policies that cannot be told apart."""
        while cell in self.between:
            cell = self.between[cell][0]
        standing = self.standing(cell)
        return standing.kind, standing.leaders


def _stages(columns: list[int], rows: list[int]) -> Iterator[list[Place]]:
    """Yield the cells between those of a lattice: first those on its lines, then the others; finer and finer.

    Examples
    --------
    >>> for stage in _stages([0, 2], [0, 1]):
    ...     print(stage)
    [((1, 0), [((0, 0), (2, 0))]), ((1, 1), [((0, 1), (2, 1))])]
    """
    while True:
        across, up = list(_middles(columns)), list(_middles(rows))
        lines: list[Place] = [((m, j), [((a, j), (b, j))]) for j in rows for a, m, b in across]
        lines += [((i, m), [((i, a), (i, b))]) for a, m, b in up for i in columns]
        if not lines:
            return
        yield lines
        inner: list[Place] = [
            ((m, n), [((a, n), (b, n)), ((m, c), (m, d))]) for c, n, d in up for a, m, b in across
        ]
        if inner:
            yield inner
        columns = sorted([*columns, *(m for _, m, _ in across)])
        rows = sorted([*rows, *(m for _, m, _ in up)])


def _middles(places: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield neighbours that have room between them, with the place in the middle."""
    return ((a, (a + b) // 2, b) for a, b in pairwise(places) if b - a > 1)


def _spread(count: int, stride: int) -> list[int]:
    """Return places from the first to the last, about so far from each other.

    Examples
    --------
    >>> _spread(12, 4), _spread(10, 4), _spread(3, 1)
    ([0, 4, 7, 11], [0, 3, 6, 9], [0, 1, 2])
    """
    parts = math.ceil((count - 1) / stride)
    return [round(place) for place in np.linspace(0, count - 1, parts + 1).tolist()]
