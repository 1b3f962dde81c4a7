"""Axes of an exported picture: where a value stands, and which ones are written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.telling.scales import round_up

#: Steps between labels, times a power of ten.
STEPS = (1, 2, 5, 10)


@dataclass(frozen=True)
class Axis:
    """An axis of a picture.

    Parameters
    ----------
    given : mapping
        As Plotly has it: linear or logarithmic, with a range.
    start, end : float
        Pixels where its range begins and ends.
    """

    given: Mapping[str, Any]
    start: float
    end: float

    def __post_init__(self) -> None:
        if self.given.get("type", "linear") not in ("linear", "log") or len(self.given.get("range", ())) != 2:
            raise ValueError(f"not drawn: an axis of {dict(self.given)}")

    def at(self, place: float) -> float:
        """Return the pixel of a place in the range: of a logarithmic axis, the logarithm.

        Examples
        --------
        >>> Axis({"range": [0, 10]}, 50, 150).at(2.5)
        75.0
        """
        low, high = self.given["range"]
        return self.start + (place - low) / (high - low) * (self.end - self.start)

    def of(self, value: float) -> float:
        """Return the pixel of a value; the start of a logarithmic axis for one that it cannot have."""
        if self.given.get("type") != "log":
            return self.at(value)
        return self.at(math.log10(value)) if value > 0 else self.start

    def within(self, value: float) -> float:
        """Return the pixel of a value, or of the end of the axis that is nearest to it."""
        low, high = sorted((self.start, self.end))
        return min(max(self.of(value), low), high)

    def share(self, share: float) -> float:
        """Return the pixel of a share of the axis, from its start."""
        return self.start + share * (self.end - self.start)

    @property
    def is_shown(self) -> bool:
        """Whether it has labels and lines."""
        return self.given.get("visible", True) is not False

    @property
    def title(self) -> str:
        """What stands beside it."""
        return (self.given.get("title") or {}).get("text") or ""

    def labels(self) -> list[tuple[float, str]]:
        """Return pixel and text of each label.

        Examples
        --------
        >>> Axis({"range": [0, 1000], "nticks": 6}, 0, 100).labels()[-2:]
        [(80.0, '800'), (100.0, '1,000')]
        """
        if not self.is_shown:
            return []
        if "ticktext" in self.given:
            marks = zip(self.given["tickvals"], self.given["ticktext"], strict=True)
            return [(self.of(float(value)), str(text)) for value, text in marks]
        low, high = sorted(self.given["range"])
        step = self.given.get("dtick") or round_up((high - low) / self.given.get("nticks", 6), STEPS)
        places = max(0, -math.floor(math.log10(step) + 1e-9))
        values = step * np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
        return [(self.at(float(value)), f"{value:,.{places}f}") for value in values]
