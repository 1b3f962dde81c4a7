"""A fleet as rows of a table, as JSON, and as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from sim.advice.diagnosis.account import STATES
from sim.advice.diagnosis.findings import Finding, rank, share_told
from sim.advice.fleet.first_look import HOUR, Look
from sim.advice.whatif.price import FREE, Price
from sim.logs.formats import title_of_format
from sim.logs.tabled import as_csv as safe_csv
from sim.telling.words import clipped, counted, in_percent, listed, percent, spell
from theory.quoting import visible

# What the diagnoses of a fleet say together: seconds of findings, and of states of the account, added up.


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
    >>> first(looks).partition(" Over all logs ")[::2]
    ('a: Try second copies.', 'luck cost most: 90.0 s, 25 % (17 to 33) of the job time, in 1 of 2 logs.')
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
    return f"{said} Over all logs {one.finding.phrase} cost most: {cost}, in {one.logs:,} of {read:,} logs."


#: What is said of a log that is not read, and of files of which none is a log.
NOT_READ, NONE = "not read", "None of these files is a log."
#: What of the table has no interval, and why.
ABOUT = (
    "Lost: job time that would be saved with every task at the median of its stage, in a replay without "
    "simulation. It bounds what mending single slow tasks can win; where most tasks of a stage are slow, a "
    "remedy may win more. First: what the diagnosis of the log says to do first. Gain: of the remedy that "
    "What-if puts first, with its 95 % interval."
)
#: Characters of a name in a column, and names that one line lists.
_WIDEST, _NAMED = 44, 5


def logs_of(looks: Sequence[Look]) -> list[Look]:
    """Return the looks at logs, without those at files that are none."""
    return [one for one in looks if not one.no_log]


def no_logs(looks: Sequence[Look], shown: Callable[[str], str] = clipped) -> str:
    """Say which files are no logs, in one line; empty if all are.

    Parameters
    ----------
    looks : sequence of Look
    shown : callable, optional
        Makes of the name of a file how it is shown.

    Examples
    --------
    >>> no_logs([Look("a.txt", no_log=True), Look("b"), Look("c.csv", no_log=True)])
    '2 files are no logs: a.txt and c.csv.'
    """
    names = [shown(one.name) for one in looks if one.no_log]
    if not names:
        return ""
    more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
    return f"{counted(len(names), 'file is no log', 'files are no logs')}: {listed(names[:_NAMED] + more)}."


@dataclass(frozen=True)
class Totals:
    """Sums over a fleet.

    Parameters
    ----------
    logs, unread, computed : int
        Logs, those that could not be read, and those for which a remedy is computed; a file that is no log is
        none of them.
    jobs : int
    hours, lost, slot_hours : float
        Recorded job time, what of it is lost, and slot-time beyond the medians, of logs that tell.
    gain : float
        Hours of job time that remedies win, where they are computed and surely pay.
    money : float or None
        Of the slot-hours; None where no log has a price.
    unpriced : int
        Logs without a price that can be used, where one is given.
    """

    logs: int
    unread: int
    computed: int
    jobs: int
    hours: float
    lost: float
    slot_hours: float
    gain: float
    money: float | None
    unpriced: int


def totals(looks: Sequence[Look], price: Price = FREE) -> Totals:
    """Add up a fleet.

    Examples
    --------
    >>> found = totals([Look("a", format="spark", jobs=2, hours=3.0, lost=1.0), Look("b")])
    >>> found.logs, found.unread, found.jobs, found.lost
    (2, 1, 2, 1.0)
    """
    looks = logs_of(looks)
    paid = [one.money(price) for one in looks if one.lost is not None]
    known = [money for money in paid if money is not None]
    return Totals(
        logs=len(looks),
        unread=sum(not one.is_read for one in looks),
        computed=sum(one.advised is not None for one in looks),
        jobs=sum(one.jobs for one in looks),
        hours=sum(one.hours for one in looks),
        lost=sum(one.lost or 0.0 for one in looks),
        slot_hours=sum(one.slot_hours for one in looks),
        gain=sum(one.gain or 0.0 for one in looks if one.advised and one.advised.surely),
        money=sum(known) if known else None,
        unpriced=0 if price == FREE else len(paid) - len(known),
    )


def table(looks: Sequence[Look], price: Price = FREE) -> pd.DataFrame:
    """Return a row for each log; numbers are plain, empty where they are not known."""
    rows = []
    for one in logs_of(looks):
        advice, slot_hour = one.advised, one.slot_hour(price) if price != FREE else 0.0
        slots = advice.slot_value if advice else None
        rows.append(
            {
                "application": one.application,
                "log": one.name,
                "format": title_of_format(one.format) if one.is_read else NOT_READ,
                "jobs": one.jobs if one.is_read else None,
                "job time (h)": one.hours if one.lost is not None else None,
                "lost (h)": one.lost,
                "lost (%)": 100 * one.lost / one.hours if one.lost is not None and one.hours else None,
                "lost slot-time (h)": one.slot_hours if one.lost is not None else None,
                "lost slot-time (money)": one.money(price),
                "first": one.first or NOT_READ,
                "remedy": advice.title if advice else "",
                "gain (h)": one.gain,
                "gain from (h)": advice.hours(one.hours, "high") if advice else None,
                "gain to (h)": advice.hours(one.hours, "low") if advice else None,
                "its slot-time (h)": slots,
                "its slot-time (money)": slots * slot_hour if slots is not None and slot_hour else None,
                "told": advice.told if advice else one.reason,
            }
        )
    numbers = [name for name in _COLUMNS if name not in _TEXTS]
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype(dict.fromkeys(numbers, float))


_COLUMNS = (
    *("application", "log", "lost (h)", "lost (%)", "first", "remedy", "gain (h)", "gain from (h)"),
    *("gain to (h)", "format", "jobs", "job time (h)", "lost slot-time (h)", "lost slot-time (money)"),
    *("its slot-time (h)", "its slot-time (money)", "told"),
)
_TEXTS = ("application", "log", "format", "first", "remedy", "told")


def as_json(looks: Sequence[Look], price: Price = FREE) -> dict[str, Any]:
    """Return a fleet as values of JSON: times in hours, account and findings in seconds."""
    found = totals(looks, price)
    return {
        "unit": "h",
        "about": ABOUT,
        "totals": {
            "logs": found.logs,
            "unread": found.unread,
            "computed": found.computed,
            "jobs": found.jobs,
            "job_hours": found.hours,
            "lost_hours": found.lost,
            "lost_slot_hours": found.slot_hours,
            "gain_hours": found.gain,
            "money": found.money,
            "unpriced": found.unpriced,
        },
        "account": account(looks),
        "findings": [asdict(one.finding) | {"logs": one.logs, "log": one.log} for one in findings(looks)],
        "logs": [_row(one, price) for one in logs_of(looks)],
        "no_logs": [one.name for one in looks if one.no_log],
    }


def as_csv(looks: Sequence[Look], price: Price = FREE) -> str:
    """Return the table as a file; names that a spreadsheet would run as formulas begin with an apostrophe."""
    return safe_csv(table(looks, price))


def _row(one: Look, price: Price) -> dict[str, Any]:
    advice = one.advised
    return {
        "application": one.application,
        "log": one.name,
        "format": one.format or None,
        "jobs": one.jobs,
        "tasks": one.tasks,
        "job_hours": one.hours,
        "lost_hours": one.lost,
        "lost_slot_hours": one.slot_hours,
        "money": one.money(price),
        "reason": one.reason or None,
        "first": one.first or None,
        "findings": [asdict(finding) for finding in one.findings],
        "account": one.account,
        "remedy": None
        if advice is None
        else {
            "key": advice.remedy,
            "title": advice.title,
            "surely_pays": advice.surely,
            "told": advice.told,
            "change": _interval(advice.value, advice.low, advice.high),
            "gain_hours": _interval(*(advice.hours(one.hours, end) for end in ("value", "high", "low"))),
            "slot_hours": _interval(advice.slot_value, advice.slot_low, advice.slot_high),
        },
    }


def _interval(value: float | None, low: float | None, high: float | None) -> dict[str, float | None] | None:
    return None if value is None else {"value": value, "low": low, "high": high}


def as_text(looks: Sequence[Look], price: Price = FREE, most: int | None = None) -> str:
    """Return a fleet for a terminal, with a row for each of its first logs, at most so many."""
    told = [sentence(looks, price), *filter(None, [account_told(looks), no_logs(looks)])]
    looks = logs_of(looks)
    if not looks:
        return "\n".join(told)
    shown = looks[:most]
    computed = any(one.advised for one in looks)
    head = ("application", "log", "format", "jobs", "lost (h)", *(("remedy", "gain (h)") * computed), "first")
    rows = [head, *(_cells(one, computed) for one in shown)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    right = {3, 4}
    lines = [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    more = [f"{counted(len(looks) - len(shown), 'log')} more"] if len(shown) < len(looks) else []
    return "\n".join([*told, "", *lines, *more, *_told(shown), "", ABOUT])


def _cells(one: Look, computed: bool) -> tuple[str, ...]:
    advice = one.advised
    gain = ""
    if advice is not None and one.gain is not None:
        low, high = (advice.hours(one.hours, end) or 0.0 for end in ("high", "low"))
        gain = f"{one.gain:.4g} ({low:.4g} to {high:.4g})"
    lost = "" if one.lost is None else f"{one.lost:.4g}"
    return (
        clipped(one.application, _WIDEST),
        clipped(one.name, _WIDEST) if one.name != one.application else "",
        one.format,
        f"{one.jobs:,}" if one.is_read else "",
        lost,
        *((advice.title if advice else "", gain) * computed),
        visible(one.first or NOT_READ),
    )


def _told(looks: Sequence[Look]) -> list[str]:
    """Return what is said of logs beside the table: the answer of What-if, or why one is not read."""
    told = [(one, one.advised.told) for one in looks if one.advised]
    told += [(one, one.reason) for one in looks if not one.is_read]
    return (
        ["", *(f"{clipped(one.application, _WIDEST)}: {visible(text)}" for one, text in told)] if told else []
    )


def account_told(looks: Sequence[Look]) -> str:
    """Say where the time of all jobs went; empty where no log tells.

    Examples
    --------
    >>> account_told([Look("a", account={"running": 45.0, "waiting for the last": 15.0})])
    'Where 60.0 s of job time went: running 75 % and waiting for the last 25 %.'
    """
    states = account(looks)
    total = sum(states.values())
    told = [f"{STATES[key].title} {percent(seconds / total)}" for key, seconds in states.items()]
    return f"Where {spell(total)} of job time went: {listed(told)}." if told else ""


def sentence(looks: Sequence[Look], price: Price = FREE) -> str:
    """Say what to do first over a fleet, and what stragglers cost it.

    Examples
    --------
    >>> sentence([Look("a", format="spark", jobs=2, hours=4.0, lost=1.0, slot_hours=2.0)])
    '1 log, 2 jobs: stragglers cost 1 h of 4 h of job time (25 %), and 2 slot-hours.'
    """
    found = totals(looks, price)
    if not found.logs:
        return NONE
    unread = f" ({found.unread:,} not read)" * bool(found.unread)
    share = f" ({in_percent(found.lost / found.hours)})" if found.hours else ""
    money = "" if found.money is None else f", which cost {found.money:.4g}"
    unpriced = f" ({found.unpriced:,} without a price)" * bool(found.unpriced and found.money is not None)
    told = (
        f"{counted(found.logs, 'log')}{unread}, {counted(found.jobs, 'job')}: stragglers cost "
        f"{found.lost:.4g} h of {found.hours:.4g} h of job time{share}, and {found.slot_hours:.4g} slot-hours"
        f"{money}{unpriced}."
    )
    won = (
        f"Remedies are computed for {found.computed:,} of them and would win {found.gain:.4g} h of job time "
        "where they surely pay."
        if found.computed
        else ""
    )
    return " ".join(filter(None, [first(looks), told, won]))
