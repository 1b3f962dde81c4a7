"""Times of a log in units that people use."""

from __future__ import annotations

from collections.abc import Iterable

from pages.shared.words.numbers import number
from sim.traces.unit import unit_for


def spell(seconds: float) -> str:
    """Return a time with its unit.

    Examples
    --------
    >>> spell(0.0), spell(17.96), spell(44242.0)
    ('0 s', '18.0 s', '12.3 h')
    """
    unit = unit_for(abs(seconds))
    return f"{number(seconds / unit.seconds)} {unit.sign}"


def column_format(values: Iterable[float], decimals: int) -> str:
    """Return how the numbers of a column are written: two digits more where all are below 1.

    Examples
    --------
    >>> column_format([0.02, 0.16], 2), column_format([3.5, 1200.0], 1), column_format([0.0, float("nan")], 2)
    ('%,.4f', '%,.1f', '%,.2f')
    """
    most = max((abs(value) for value in values if value == value), default=0.0)
    return f"%,.{decimals + 2 * (0 < most < 1)}f"
