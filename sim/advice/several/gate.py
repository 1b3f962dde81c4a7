"""A gate for a pipeline: fail where a figure is beyond a limit, and only beyond doubt.

Each condition is judged three ways: *fails* where the change is above the limit beyond doubt, *passes* where
it is below it or the interval holds nothing above it, and else it *cannot be told*. A gate fails by chance,
where no change is above a limit, with probability `FALSE_ALARM` at most; over several conditions it is shared
out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sim.advice.several.change import TITLES, Change, Changes
from sim.advice.several.sides import Sides
from sim.model.fields import BadInput
from sim.telling.words import compact, in_percent
from theory.shown import quoted

#: Chance that a gate fails although no change is above its limit.
FALSE_ALARM = 0.01
#: What a condition comes to, and the exit code of a gate.
FAILS, PASSES, UNTOLD = "fails", "passes", "cannot be told"
EXIT = {PASSES: 0, FAILS: 1, UNTOLD: 3}
_MORE = "More runs are given by --more-before and --more-after."
_FORM = re.compile(r"\s*([a-zA-Z0-9-]+)\s*>\s*([+-]?\d+(?:\.\d+)?)\s*%\s*")
_ACCEPTED = f"give a figure, > and percent, such as 'p95 > +10%'; figures are {', '.join(TITLES)}"


@dataclass(frozen=True)
class Condition:
    """A figure, and the change in it from which a gate fails."""

    figure: str
    limit: float

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{self.figure} > {compact(self.limit, None, signed=True)}"


def read_condition(text: str) -> Condition:
    """Read a condition.

    Examples
    --------
    >>> read_condition("p95 > +10%"), str(read_condition("slot-time>5 %"))
    (Condition(figure='p95', limit=0.1), 'slot-time > +5%')
    >>> read_condition("p90 > 10%")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: fail-if: 'p90 > 10%' is not accepted; give a figure, > and percent, such as ...
    """
    found = _FORM.fullmatch(text)
    limit = float(found[2]) / 100 if found else 0.0
    if not found or found[1] not in TITLES or not -1 < limit <= 10:
        more = ", and percent lie above -100 and at most at 1000"
        raise BadInput(f"fail-if: {quoted(text)} is not accepted; {_ACCEPTED}{more}")
    return Condition(found[1], limit)


@dataclass(frozen=True, eq=False)
class Judged:
    """A condition and what it came to.

    Parameters
    ----------
    condition : Condition
    verdict : str
        `FAILS`, `PASSES` or `UNTOLD`.
    change : Change or None
        None where the figure is not known.
    reason : str
        In words.
    """

    condition: Condition
    verdict: str
    change: Change | None
    reason: str


@dataclass(frozen=True, eq=False)
class Gate:
    """What all conditions came to.

    Parameters
    ----------
    judged : tuple of Judged
    changes : Changes
    sides : Sides or None
        What the diagnoses of the last runs say; None where they are not asked.
    """

    judged: tuple[Judged, ...]
    changes: Changes
    sides: Sides | None = None

    @property
    def verdict(self) -> str:
        """Say what the gate comes to: it fails where one condition does."""
        verdicts = {one.verdict for one in self.judged}
        return next(one for one in (FAILS, UNTOLD, PASSES) if one in verdicts)

    @property
    def code(self) -> int:
        """The exit code."""
        return EXIT[self.verdict]


def judge(found: Changes, conditions: Sequence[Condition], sides: Sides | None = None) -> Gate:
    """Judge conditions on changes.

    Parameters
    ----------
    found : Changes
    conditions : sequence of Condition
        At least one.
    sides : Sides, optional
        What is said beside the verdict.
    """
    if not conditions:
        raise BadInput(f"fail-if: at least one condition is needed; {_ACCEPTED}")
    false_alarm = FALSE_ALARM / len(conditions)
    return Gate(tuple(_judged(found, one, false_alarm) for one in conditions), found, sides)


def _judged(found: Changes, condition: Condition, false_alarm: float) -> Judged:
    change = found.change.get(condition.figure)
    if change is None:
        why = "no job is in all runs by its name" if not found.change else "these logs do not tell it"
        return Judged(condition, UNTOLD, None, f"{why}.")
    above, below = change.larger(condition.limit), change.smaller(condition.limit)
    told, limit = told_change(change), in_percent(condition.limit, None, signed=True)
    if above is not None and above <= false_alarm:
        return Judged(condition, FAILS, change, f"{told}, surely above the limit {limit}.")
    high = change.share.high
    if (below is not None and below <= false_alarm) or (high is not None and high <= condition.limit):
        return Judged(condition, PASSES, change, f"{told}, limit {limit}.")
    if change.untold:
        return Judged(condition, UNTOLD, change, f"{change.untold} {_MORE}")
    return Judged(condition, UNTOLD, change, f"{told}; the limit {limit} lies in this interval. {_MORE}")


def told_change(change: Change) -> str:
    """Return a change with its interval in words."""
    share = change.share
    value = f"{TITLES[change.figure]} {in_percent(share.value or 0.0, 1, signed=True)}"
    if share.low is None and share.high is None:
        return f"{value}, without an interval: {change.reason}"
    low = "any" if share.low is None else f"{100 * share.low:+z.1f}"
    high = "any" if share.high is None else f"{100 * share.high:+z.1f}"
    return f"{value} (95 %: {low} to {high} %)"
