"""A prediction that is a number."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pages.lessons.prediction.option import Count
from sim.model.fields import BadInput
from sim.telling.words import number, plain
from theory.quoting import quoted

#: Bars that counts of numbers are drawn as, at most, and places of a slider.
MOST_BARS, MOST_PLACES = 21, 201


@dataclass(frozen=True, slots=True)
class Number:
    """A number from `low` to `high` in steps; a slider.

    Parameters
    ----------
    key : str
        Its name among the predictions of all lessons.
    label : str
        What is asked.
    low, high, step : float
        The step divides the range into at most `MOST_PLACES` - 1 parts.
    unit : str, optional
        Written after the number.
    """

    key: str
    label: str
    low: float
    high: float
    step: float
    unit: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and self.low < self.high < math.inf):
            raise BadInput(
                f"high: {quoted(self.high)} is not accepted; give a number above low, {self.low:g}"
            )
        if not 0 < self.step <= self.high - self.low or not math.isclose(self._steps, round(self._steps)):
            raise BadInput(
                f"step: {quoted(self.step)} is not accepted; give a number that divides high - low"
            )
        if self._steps > MOST_PLACES - 1 + 1e-9:
            raise BadInput(f"step: {quoted(self.step)} is not accepted; give at most {MOST_PLACES - 1} steps")

    @property
    def _steps(self) -> float:
        return (self.high - self.low) / self.step

    @property
    def places(self) -> tuple[float, ...]:
        """The places of the slider.

        Examples
        --------
        >>> Number("load", "Up to which load?", 0, 1, 0.25).places
        (0.0, 0.25, 0.5, 0.75, 1.0)
        """
        return tuple(map(self._at, range(round(self._steps) + 1)))

    @property
    def _in_a_bar(self) -> int:
        """Places of the slider that are counted as one."""
        return math.ceil((round(self._steps) + 1) / MOST_BARS)

    def checked(self, answer: object) -> float:
        """Return the answer if it is one of the slider's places; raise `BadInput` naming the range.

        Examples
        --------
        >>> load = Number("load", "Up to which load?", 0, 100, 5, "%")
        >>> load.checked(35), load.checked(35.0000000001)
        (35.0, 35.0)
        >>> load.checked(101)
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: load: 101 is not accepted; give a number from 0 to 100 in steps of 5
        """
        if (
            isinstance(answer, (int, float))
            and not isinstance(answer, bool)
            and self.low <= answer <= self.high
        ):
            nearest = self.nearest(answer)
            if abs(nearest - answer) <= 1e-6 * self.step:
                return nearest
        accepted = f"a number from {self.low:g} to {self.high:g} in steps of {self.step:g}"
        raise BadInput(f"{self.key}: {quoted(answer)} is not accepted; give {accepted}")

    def nearest(self, value: float) -> float:
        """Return the place of the slider that is nearest to a finite number, which may lie outside.

        Examples
        --------
        >>> load = Number("load", "Up to which load?", 0, 1, 0.1)
        >>> load.nearest(0.31), load.nearest(7.0)
        (0.3, 1.0)
        """
        steps = round((min(max(value, self.low), self.high) - self.low) / self.step)
        return float(round(self.low + steps * self.step, 10))

    def read(self, text: str) -> float:
        """Return the answer that a link's text means."""
        try:
            value = float(text)
        except ValueError:
            return self.checked(text)
        return self.checked(value)

    def write(self, answer: Any) -> str:
        """Return the text of an answer in a link."""
        return f"{self.checked(answer):.10g}"

    def shown(self, answer: Any) -> str:
        """Return an answer in words; the computed one may lie between the slider's places.

        Examples
        --------
        >>> load = Number("load", "Up to which load?", 0, 100, 5, "%")
        >>> load.shown(35), load.shown(35.3802737)
        ('35 %', '35.4 %')
        """
        value = float(answer)
        placed = abs(self.nearest(value) - value) <= 1e-6 * self.step
        return f"{plain(self.nearest(value)) if placed else number(value)} {self.unit}".rstrip()

    def counts(self, answers: Iterable[Any]) -> tuple[Count, ...]:
        """Return how many predicted each number, or each few next to each other, from the lowest.

        Examples
        --------
        >>> load = Number("load", "Up to which load?", 0, 100, 5, "%")
        >>> counts = load.counts([0, 35, 35])
        >>> len(counts), counts[7]
        (21, Count(key='35', label='35', votes=2))
        >>> Number("time", "How long?", 0, 100, 1, "min").counts([7])[1]
        Count(key='5', label='5–9', votes=1)
        """
        votes = Counter(self.counted_as(self.checked(answer)) for answer in answers)
        firsts = range(0, round(self._steps) + 1, self._in_a_bar)
        return tuple(Count(key := self._key(first), self._label(first), votes[key]) for first in firsts)

    def counted_as(self, answer: Any) -> str:
        """Return the key of the count that a number is among: the nearest if it lies outside."""
        place = round((self.nearest(float(answer)) - self.low) / self.step)
        return self._key(place - place % self._in_a_bar)

    def _at(self, place: int) -> float:
        return self.nearest(self.low + place * self.step)

    def _key(self, first: int) -> str:
        return f"{self._at(first):.10g}"

    def _label(self, first: int) -> str:
        last = min(first + self._in_a_bar - 1, round(self._steps))
        ends = [plain(self._at(place)) for place in ([first] if last == first else [first, last])]
        return "–".join(ends)
