"""Time units for people."""

from __future__ import annotations

from typing import NamedTuple


class Unit(NamedTuple):
    """A unit of time: its sign, and how many seconds it has."""

    sign: str
    seconds: float


UNITS = (Unit("s", 1.0), Unit("min", 60.0), Unit("h", 3600.0), Unit("d", 86400.0))
#: A unit is used from so many of it on.
FROM = 2.0


def unit_for(seconds: float) -> Unit:
    """Return the unit for times up to this one.

    Examples
    --------
    >>> unit_for(90.0).sign, unit_for(200.0).sign, unit_for(1e6).sign
    ('s', 'min', 'd')
    """
    return next((unit for unit in reversed(UNITS) if seconds >= FROM * unit.seconds), UNITS[0])
