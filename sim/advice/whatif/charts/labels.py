"""Positions of the numbers of marks: beside their marks, covering no mark and no other number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

#: A place in a plot, or a shift, across and up; shares of the plot, or pixels.
Place = tuple[float, float]
#: Left, right, lower and upper end, in pixels.
Box = tuple[float, float, float, float]

#: Pixels that a plot is wide on a phone, a tablet, a laptop and a projector, and high everywhere.
WIDTHS, HEIGHT = (270, 340, 460, 800), 200
#: Pixels of a mark, and of a number: its height, and the width of a digit.
MARK, LINE, DIGIT = 11, 14, 8
#: Pixels from the middle of a mark to that of its number: near first, then at the end of a line.
NEAR, FAR = 15, 30
_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (0.8, 0.8), (-0.8, 0.8), (0.8, -0.8), (-0.8, -0.8))
SHIFTS: tuple[Place, ...] = tuple((far * x, far * y) for far in (NEAR, FAR) for x, y in _AROUND)


def placed(marks: Sequence[Place], texts: Sequence[str], order: Sequence[int]) -> dict[int, Place]:
    """Return how far each number stands from its mark, in pixels; one that has no room is left out.

    Parameters
    ----------
    marks : sequence of (float, float)
        As shares of the plot, from its lower left corner.
    texts : sequence of str
    order : sequence of int
        Places among them; the first ones find room first.

    Examples
    --------
    >>> placed([(0.2, 0.5), (0.8, 0.5)], ["1", "2"], [0, 1])
    {0: (15, 0), 1: (15, 0)}
    >>> placed([(0.5, 0.5)] * 3, ["1", "2", "3"], [2, 1, 0])
    {2: (15, 0), 1: (-15, 0), 0: (0, 15)}
    """
    found: dict[int, Place] = {}
    for mark in order:
        for shift in SHIFTS:
            if not any(_hits(marks, texts, found, mark, shift, wide) for wide in WIDTHS):
                found[mark] = shift
                break
    return found


def _hits(
    marks: Sequence[Place],
    texts: Sequence[str],
    found: dict[int, Place],
    mark: int,
    shift: Place,
    wide: float,
) -> bool:
    """Whether a number so far from its mark lies on another, on a mark or beyond a plot that is so wide."""
    own = _box(marks[mark], shift, DIGIT * len(texts[mark]), LINE, wide)
    if own[0] < 0 or own[1] > wide or own[2] < 0 or own[3] > HEIGHT:
        return True
    return any(_over(own, other) for other in _taken(marks, texts, found, wide))


def _taken(
    marks: Sequence[Place], texts: Sequence[str], found: dict[int, Place], wide: float
) -> Iterator[Box]:
    """Yield the boxes of all marks, and of the numbers that have room."""
    yield from (_box(mark, (0, 0), MARK, MARK, wide) for mark in marks)
    for one, shift in found.items():
        yield _box(marks[one], shift, DIGIT * len(texts[one]), LINE, wide)


def _box(mark: Place, shift: Place, width: float, height: float, wide: float) -> Box:
    x, y = mark[0] * wide + shift[0], mark[1] * HEIGHT + shift[1]
    return x - width / 2, x + width / 2, y - height / 2, y + height / 2


def _over(one: Box, other: Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
