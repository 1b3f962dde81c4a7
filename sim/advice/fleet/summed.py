"""What the diagnoses of a fleet say together: seconds of findings, and of states of the account, added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.advice.diagnosis.account import STATES
from sim.advice.diagnosis.findings import Finding, rank, share_told
from sim.advice.fleet.look import HOUR, Look
from sim.telling.words import clipped, spell


@dataclass(frozen=True)
class Summed:
    """A cause or state that logs of a fleet name among their findings.

    Parameters
    ----------
    finding : Finding
        Seconds of these logs together, their share of the job time of the fleet, and the action in the log
        where it cost most. The ends of intervals are added, as if all logs erred the same way.
    logs : int
        How many they are.
    log, application : str
        The one where it cost most.
    """

    finding: Finding
    logs: int
    log: str
    application: str


def findings(looks: Sequence[Look]) -> list[Summed]:
    """Return what to do over a fleet, ranked as in a diagnosis.

    Examples
    --------
    >>> one, other = Finding("luck", 60, 30, 90, 0.5, "One."), Finding("luck", 90, 45, 135, 0.5, "Other.")
    >>> found = findings([Look("a", "A", hours=0.05, findings=(one,)), Look("b", "B", findings=(other,))])
    >>> found[0].finding.seconds, found[0].finding.low, found[0].finding.action, found[0].application
    (150, 75, 'Other.', 'B')
    """
    together: dict[tuple[str, bool], list[tuple[Finding, Look]]] = {}
    for look in looks:
        for one in look.findings:
            together.setdefault((one.key, one.acts), []).append((one, look))
    recorded = sum(one.hours for one in looks) * HOUR
    summed = []
    for (key, acts), found in together.items():
        most, where = max(found, key=lambda one: one[0].seconds)
        seconds, low, high = (
            sum(getattr(one, end) for one, _ in found) for end in ("seconds", "low", "high")
        )
        share = seconds / recorded if recorded else 0.0
        finding = Finding(key, seconds, low, high, share, most.action, acts)
        summed.append(Summed(finding, len(found), where.name, where.application))
    return sorted(summed, key=lambda one: rank(one.finding))


def account(looks: Sequence[Look]) -> dict[str, float]:
    """Return the seconds of all jobs in each state; what one log does not tell apart stays one state.

    Examples
    --------
    >>> account([Look("a", account={"running": 2.0}), Look("b", account={"waiting": 1.0, "running": 3.0})])
    {'waiting': 1.0, 'running': 5.0}
    """
    total = {key: sum(one.account.get(key, 0.0) for one in looks) for key in STATES}
    return {key: seconds for key, seconds in total.items() if seconds}


def first(looks: Sequence[Look]) -> str:
    """Say what to do first over a fleet: in the log where the first cause cost most, and what it cost in all.

    Empty if there is nothing to do.

    Examples
    --------
    >>> one = Finding("luck", 90.0, 60.0, 120.0, 0.5, "Try second copies.")
    >>> looks = [Look("a", "a", "spark", hours=0.05, findings=(one,)), Look("b", "b", "spark", hours=0.05)]
    >>> print(first(looks))
    a: Try second copies. Over all logs luck cost most: 90.0 s, 25 % (17 to 33) of the job time, in 1 of 2.
    """
    found, recorded = findings(looks), sum(look.hours for look in looks) * HOUR
    if not found or not recorded:
        return ""
    one, read = found[0], sum(look.is_read for look in looks)
    where = clipped(one.application or one.log)
    where += f" ({clipped(one.log)})" if one.application not in ("", one.log) else ""
    said = f"{where}: {one.finding.action}"
    if read == 1:
        return said
    cost = f"{spell(one.finding.seconds)}, {share_told(one.finding, recorded)} of the job time"
    return f"{said} Over all logs {one.finding.phrase} cost most: {cost}, in {one.logs:,} of {read:,}."
