"""Numbers as people type them."""

from __future__ import annotations

import math
import re

from sim.fields import BadInput
from theory.shown import quoted

NUMBER = r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?"
FORM = re.compile(rf"({NUMBER})(?:/({NUMBER}))?(.*)", re.IGNORECASE)
#: Texts accepted behind a number, by the unit that is asked for.
BEHIND = {
    "": ("", "times", "x", "×"),
    "%": ("", "%", "percent"),
    "min": ("", "min", "minute", "minutes"),
    "slots": ("", "slot", "slots"),
}
#: Characters that are read.
LONGEST = 40


def typed(text: str, unit: str) -> float:
    """Return the number that a text means, in a unit.

    Raises
    ------
    BadInput
        If it is none, or has another unit.

    Examples
    --------
    >>> typed("1,5", ""), typed(" 3 / 2 ", ""), typed("150 %", ""), typed("37.5%", "%"), typed("4 min", "min")
    (1.5, 1.5, 1.5, 37.5, 4.0)
    >>> typed("four", "min")
    Traceback (most recent call last):
        ...
    sim.fields.BadInput: answer: 'four' is not accepted; give a number, such as 1.5, 1,5 or 3/2
    """
    short = text[:LONGEST].replace("−", "-")
    found = FORM.fullmatch(re.sub(r"\s", "", short))
    if found and len(text) <= LONGEST:
        value, below, behind = _read(found[1]), _read(found[2] or "1"), found[3].lower()
        known = below and math.isfinite(value / below)
        if known and behind in BEHIND[unit]:
            return value / below
        if known and not unit and behind in BEHIND["%"]:
            return value / below / 100
    raise BadInput(f"answer: {quoted(text)} is not accepted; give a number, such as 1.5, 1,5 or 3/2")


def _read(number: str) -> float:
    return float(number.replace(",", "."))
