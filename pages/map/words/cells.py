"""A cell in words: its best policy, with all numbers; or that it was not simulated, and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from pages.map.question.asked import Asked
from pages.map.question.axes import at
from pages.map.words.names import names
from pages.shared.words.numbers import changed, listed, measured, percent
from sim.map.picture import GUESSED, SIMULATED, Picture, Square
from sim.map.plane import LETTERS, Cell, Plane
from sim.map.standing import ALIKE, SURE, UNKNOWN, Standing
from sim.statistics import Estimate


def place(plane: Plane, cell: Cell) -> str:
    """Return where a cell is."""
    i, j = cell
    return f"{at(plane.x.name, plane.x.values[i])}, {at(plane.y.name, plane.y.values[j])}"


def told(asked: Asked, found: Picture, cell: Cell) -> list[str]:
    """Return the lines that a cell shows when it is pointed at."""
    plane, one = found.plane, found.squares[cell]
    lines = [f"<b>{place(plane, cell)}</b>", verdict(plane, one)]
    if one.known == SIMULATED:
        return [*lines, *(f"{LETTERS[i]} {text}" for i, text in numbers(plane, one.standing))]
    if one.known == GUESSED:
        return [lines[0], f"not simulated yet; so far like {place(plane, one.around[0])}"]
    low, high = gains_around(found, one)
    return [
        *lines,
        f"not simulated: like the {len(one.around)} simulated cells around;",
        f"there the best saves {percent(low)} to {percent(high)} of the second best",
    ]


def gains_around(found: Picture, one: Square) -> tuple[float, float]:
    """Return the least and the largest gain of the simulated cells around a cell."""
    gains = [found.squares[cell].gain or 0.0 for cell in one.around]
    return max(min(gains), 0.0), max(*gains, 0.0)


def verdict(plane: Plane, one: Square) -> str:
    """Return the best policy of a cell."""
    standing = one.standing
    if standing.kind == SURE and standing.best is not None:
        best = f"best: {LETTERS[standing.best]} {names(plane)[standing.best]}"
        if one.known != SIMULATED or standing.second is None:
            return best
        return f"{best}, saves {above(standing.gain)} against {LETTERS[standing.second]}"
    if standing.kind == ALIKE:
        return f"a tie: {listed([LETTERS[i] for i in sorted(standing.leaders)])}"
    if standing.kind == UNKNOWN:
        return "not known: too few jobs, or some unfinished"
    return "the queue grows under every policy"


def above(share: Estimate) -> str:
    """Return a share that is rarely below 0: how far a policy is above the best, or what the best saves.

    Examples
    --------
    >>> above(Estimate(0.25, 0.2, 0.3)), above(Estimate(-0.01, -0.02, 0.0))
    ('25.0 ± 5.0 %', '−1.0 ± 1.0 %')
    """
    return changed(share).removeprefix("+")


def numbers(plane: Plane, standing: Standing) -> Iterator[tuple[int, str]]:
    """Yield for each policy its number, how far it is above the best, and its replications."""
    unit = "" if plane.by.measure == "slowdown" else plane.experiment.scenario.time_unit
    for i, value in enumerate(standing.values):
        parts = [measured(value, unit)]
        regret = standing.regrets[i] if standing.regrets else Estimate(None)
        if standing.unstable[i]:
            parts.append("its queue grows")
        elif standing.over[i]:
            parts.append("over the budget")
        elif i != standing.best and regret.value is not None:
            parts.append(f"{above(regret)} above the best")
        parts.append(f"{standing.replications[i]} replications")
        yield i, "; ".join(parts)
