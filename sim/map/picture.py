"""The contents of a map: each cell, simulated or filled in between cells that agree, and all regrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sim.map.plane import Cell, Plane
from sim.map.survey import ALIKE, SURE, Pair, Standing, Survey
from sim.model.statistics import Estimate

#: How a cell is known: from runs; between simulated cells that agree; like the nearest, until more is known.
SIMULATED, BETWEEN, GUESSED = "simulated", "between", "guessed"


@dataclass(frozen=True)
class Square:
    """A cell as it is shown.

    Attributes
    ----------
    known : str
        `SIMULATED`, `BETWEEN` or `GUESSED`.
    standing : Standing
        Of the cell, or of the simulated one that it is like.
    gain : float or None
        Share of the second's value that the best saves; between simulated cells linear in the places.
    regrets : tuple of float or None
        By what share each policy is above the best, in the same way.
    around : tuple of Cell
        The simulated cells that it is known from; none where it is simulated itself.
    """

    known: str
    standing: Standing
    gain: float | None
    regrets: tuple[float | None, ...]
    around: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Regret:
    """How far a policy is above the best of each cell.

    Attributes
    ----------
    worst : Estimate
        In the simulated cell where it is farthest, paired; no value where it is in no cell in question.
    where : Cell or None
        That cell.
    mean : Estimate
        Over all cells. Its half width is the mean of theirs, as if all erred the same way.
    wins : int
        Cells where it is surely the best.
    unstable, over : int
        Cells where its queue grows, or where it exceeds the budget: they are in neither number.
    """

    worst: Estimate
    where: Cell | None
    mean: Estimate
    wins: int
    unstable: int
    over: int


@dataclass(frozen=True)
class Picture:
    """What is known of a map.

    Parameters
    ----------
    plane : Plane
    squares : dict
        Cell -> as it is shown; all of them, or none before the first look.
    runs : int
        Runs it rests on.
    final : bool
        Whether no better one follows.
    made : mapping, optional
        Version and commit of what has computed it beforehand.
    """

    plane: Plane
    squares: Mapping[Cell, Square]
    runs: int
    final: bool
    made: Mapping[str, Any] = field(default_factory=dict)

    @property
    def simulated(self) -> int:
        """How many cells are simulated."""
        return sum(one.known == SIMULATED for one in self.squares.values())

    @property
    def regrets(self) -> tuple[Regret, ...]:
        """The regret of each policy."""
        return tuple(_regret(self.squares, i) for i in range(len(self.plane.experiment.policies)))

    def count(self, kind: str) -> int:
        """Return how many cells are of a kind."""
        return sum(one.standing.kind == kind for one in self.squares.values())


def picture(survey: Survey, *, final: bool = False) -> Picture:
    """Return what a survey knows; nothing before all its first cells have been looked at."""
    simulated = {cell: survey.standing(cell) for cell in survey.wanted if survey.begun(cell)}
    if survey.round == 0 and len(simulated) < len(survey.wanted):
        return Picture(survey.plane, {}, survey.runs, final)
    squares = {cell: _simulated(one) for cell, one in simulated.items()}
    for cell, pair in survey.between.items():  # in the order in which they were found
        if all(place in squares for place in pair):  # one of them may have been found in doubt since
            squares[cell] = _between(cell, pair, squares)
    for cell in survey.plane.cells:
        if cell not in squares:
            near = min(simulated, key=lambda one: (one[0] - cell[0]) ** 2 + (one[1] - cell[1]) ** 2)
            squares[cell] = replace(squares[near], known=GUESSED, around=(near,))
    ordered = {cell: squares[cell] for cell in survey.plane.cells}
    return Picture(survey.plane, ordered, survey.runs, final)


def _simulated(standing: Standing) -> Square:
    return Square(SIMULATED, standing, standing.gain.value, tuple(one.value for one in standing.regrets))


def _between(cell: Cell, pair: Pair, squares: Mapping[Cell, Square]) -> Square:
    """Return a cell between two where the same is known."""
    one, other = (squares[place] for place in pair)
    (a, c), (b, d) = pair
    share = ((cell[0] - a) + (cell[1] - c)) / ((b - a) + (d - c))
    around = [root for place in pair for root in squares[place].around or (place,)]
    return Square(
        BETWEEN,
        one.standing if share <= 0.5 else other.standing,
        _linear(one.gain, other.gain, share),
        tuple(_linear(*values, share) for values in zip(one.regrets, other.regrets, strict=False)),
        tuple(dict.fromkeys(around)),
    )


def _linear(first: float | None, last: float | None, share: float) -> float | None:
    return None if first is None or last is None else (1 - share) * first + share * last


def _regret(squares: Mapping[Cell, Square], policy: int) -> Regret:
    judged = {cell: one for cell, one in squares.items() if one.standing.kind in (SURE, ALIKE)}
    known = [one.regrets[policy] for one in judged.values() if one.regrets]
    values = [value for value in known if value is not None]
    simulated = {
        cell: one.standing.regrets[policy]
        for cell, one in judged.items()
        if one.known == SIMULATED and one.standing.regrets[policy].value is not None
    }
    where = max(simulated, key=lambda cell: simulated[cell].value or 0.0, default=None)
    halves = [one.half for one in simulated.values()]
    mean = Estimate(None)
    if values:
        middle, half = sum(values) / len(values), sum(halves) / len(halves) if halves else 0.0
        mean = Estimate(middle, middle - half, middle + half)
    standings = [one.standing for one in squares.values()]
    return Regret(
        worst=simulated[where] if where is not None else Estimate(None),
        where=where,
        mean=mean,
        wins=sum(one.kind == SURE and one.best == policy for one in standings),
        unstable=sum(one.unstable[policy] for one in standings),
        over=sum(one.over[policy] for one in standings),
    )
