"""A number that is typed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pages.lessons.answers import typed
from pages.lessons.prediction import Count
from sim.fields import BadInput
from sim.telling.words import plain
from theory.shown import quoted

#: How near to each other, as a share of them or in all, the ends of a range are too near.
NEAREST, LEAST = 1e-6, 1e-300
#: Bars that answers are drawn as, at most, and their widths, in powers of ten.
MOST_BARS, WIDTHS = 21, (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number from `low` to `high`, typed as people type numbers.

    Parameters
    ----------
    key : str
        Its name in messages.
    label : str
        What is asked.
    low, high : float
    unit : str, optional
        Written after the number.
    """

    key: str
    label: str
    low: float
    high: float
    unit: str = ""

    def __post_init__(self) -> None:
        largest = max(abs(self.low), abs(self.high))
        if not (math.isfinite(largest) and self.high - self.low > max(NEAREST * largest, LEAST)):
            raise BadInput(
                f"high: {quoted(self.high)} is not accepted; give a number well above low, {self.low:g}"
            )

    def checked(self, answer: object) -> float:
        """Return the number that is meant, as a number or as a text; raise `BadInput` naming the range.

        Examples
        --------
        >>> share = Amount("answer", "Which share?", 0, 100, "%")
        >>> share.checked("37,5 %"), share.checked(25)
        (37.5, 25.0)
        >>> share.checked("101")
        Traceback (most recent call last):
            ...
        sim.fields.BadInput: answer: '101' is not accepted; give a number from 0 to 100
        """
        accepted = f"give a number from {self.low:.10g} to {self.high:.10g}"
        refused = BadInput(f"{self.key}: {quoted(answer)} is not accepted; {accepted}")
        if isinstance(answer, str):
            try:
                value = typed(answer, self.unit)
            except BadInput:
                raise refused from None
        elif isinstance(answer, (int, float)) and not isinstance(answer, bool):
            value = answer
        else:
            raise refused
        if not self.low <= value <= self.high:
            raise refused
        return float(value) + 0.0  # + 0.0 turns -0.0 into 0.0

    def write(self, answer: Any) -> str:
        """Return the text of an answer."""
        return f"{self.checked(answer):.10g}"

    def shown(self, answer: Any) -> str:
        """Return an answer in words.

        Examples
        --------
        >>> Amount("answer", "How many?", 0, 1e6, "jobs").shown(12500)
        '12,500 jobs'
        """
        return f"{plain(self.checked(answer))} {self.unit}".rstrip()

    @property
    def _width(self) -> float:
        """Width of a bar: the smallest round number of which `MOST_BARS` cover the range."""
        power = 10.0 ** math.floor(math.log10((self.high - self.low) / MOST_BARS))
        widths = (one * power for one in WIDTHS)
        return next(one for one in widths if self._bars(one) <= MOST_BARS or one == WIDTHS[-1] * power)

    def _bars(self, width: float) -> int:
        return math.floor(self.high / width) - math.floor(self.low / width) + 1

    def counts(self, answers: Iterable[Any]) -> tuple[Count, ...]:
        """Return how many gave a number in each part of the range, from the lowest.

        Examples
        --------
        >>> counts = Amount("answer", "Which share?", 0, 100, "%").counts([3, 4.5, 5, 100])
        >>> len(counts), counts[0], counts[1].votes, counts[-1].votes
        (21, Count(key='0', label='0–5', votes=2), 1, 1)
        """
        votes = Counter(self.counted_as(answer) for answer in answers)
        width = self._width
        begin = math.floor(self.low / width)
        starts = [(begin + bar) * width for bar in range(self._bars(width))]
        return tuple(
            Count(key := f"{start:.10g}", f"{plain(start)}–{plain(start + width)}", votes[key])
            for start in starts
        )

    def counted_as(self, answer: Any) -> str:
        """Return the key of the count that a number is among."""
        return f"{math.floor(self.checked(answer) / self._width) * self._width:.10g}"
