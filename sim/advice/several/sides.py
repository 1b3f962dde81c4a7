"""What the diagnoses of two runs say beside each other: where the time went, and what to do first.

States of the account are seconds of the same jobs, so their change is exact, but for what a log does not tell
apart: then it is a range. What a cause cost has an interval, so its change is said only where the intervals
of both runs do not overlap, and only if all jobs are in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sim.advice.diagnosis import Diagnosis, diagnose
from sim.advice.diagnosis.account import STATES
from sim.advice.diagnosis.findings import LITTLE, Finding, named
from sim.logs.history import History
from sim.logs.leaving_out import left_out_of, named_in
from sim.telling.words import spell

#: Share of a change below which its range is not worth saying.
_EXACT = 0.01


@dataclass(frozen=True, eq=False)
class Side:
    """What the diagnosis of a run says.

    Parameters
    ----------
    first : str
        What to do first (`Diagnosis.answer`).
    findings : tuple of Finding
        What to do.
    account : mapping of str to float
        Seconds of all its jobs in each state.
    per_job : mapping of str to float
        Seconds of each state per job, over the jobs that are in both runs.
    """

    first: str
    findings: tuple[Finding, ...]
    account: Mapping[str, float]
    per_job: Mapping[str, float]


@dataclass(frozen=True)
class Moved:
    """By how much a state, or what a cause cost, changed.

    Parameters
    ----------
    key : str
        Of `account.STATES` or `causes.CAUSES`.
    before, after : float
        Seconds per job.
    low, high : float
        Between which the change lies: of a state what the logs leave open, of a cause its 95 % intervals.
    """

    key: str
    before: float
    after: float
    low: float
    high: float

    @property
    def least(self) -> float:
        """The least by which it changed; 0 where that may be nothing."""
        return max(self.low, -self.high, 0.0)

    @property
    def sentence(self) -> str:
        """The change in words."""
        of = "where the time of jobs went" if self.key in STATES else "what causes cost"
        told = (
            f"Of {of}, {named(self.key)} changed most: {spell(self.before)} per job before, "
            f"{spell(self.after)} after"
        )
        least, most = sorted((abs(self.low), abs(self.high)))
        if most - least <= _EXACT * most:
            return f"{told}."
        return f"{told}, {spell(least)} to {spell(most)} {'less' if self.high < 0 else 'more'}."


@dataclass(frozen=True, eq=False)
class Sides:
    """What two runs say.

    Parameters
    ----------
    before, after : Side
        The last run of each.
    jobs : int
        Jobs in the accounts of both.
    state, cause : Moved or None
        What changed most; None where no change is sure to be `LITTLE` of the job time.
    """

    before: Side
    after: Side
    jobs: int
    state: Moved | None
    cause: Moved | None

    @property
    def sentence(self) -> str:
        """What changed most; empty where nothing surely did."""
        return " ".join(one.sentence for one in (self.state, self.cause) if one)

    @property
    def told(self) -> list[str]:
        """What changed most, and what to do first in each run."""
        first = f"First before: {self.before.first}", f"First after: {self.after.first}"
        return [*filter(None, [self.sentence]), *first]

    @property
    def as_json(self) -> dict[str, Any]:
        """Account and findings of both, as their diagnoses have them, and what changed most."""
        both = {"before": self.before, "after": self.after}
        return {
            "account": {name: dict(one.account) for name, one in both.items()},
            "findings": {name: [asdict(found) for found in one.findings] for name, one in both.items()},
            "first": {name: one.first for name, one in both.items()},
            "changed_most": {
                name: asdict(one) if one else None
                for name, one in (("state", self.state), ("cause", self.cause))
            },
        }


def sides_of(before: History, after: History, rows: np.ndarray, leave_out: str = "") -> Sides:
    """Diagnose two runs and say what changed.

    Parameters
    ----------
    before, after : History
    rows : ndarray of int, shape (jobs, 2)
        Rows of the jobs that are in both.
    leave_out : str, optional
        Jobs whose group or name contains it do not count.
    """
    texts = named_in([before, after], leave_out)
    found = diagnose(before, leave_out=texts[0]), diagnose(after, leave_out=texts[1])
    stays = [~left_out_of(one, text) for one, text in zip((before, after), texts, strict=True)]
    # Diagnosed jobs are numbered without those that are left out.
    rows = np.column_stack([(np.cumsum(one) - 1)[rows[:, side]] for side, one in enumerate(stays)])
    told = [np.isin(rows[:, side], one.account.jobs.index) for side, one in enumerate(found)]
    both = rows[told[0] & told[1]]
    tables = [one.account.jobs.loc[both[:, side]] for side, one in enumerate(found)]
    means = [{key: float(table[key].mean()) for key in STATES if len(table)} for table in tables]
    early, late = (
        Side(
            one.answer, one.findings, one.account.states, {key: mean for key, mean in per_job.items() if mean}
        )
        for one, per_job in zip(found, means, strict=True)
    )
    enough = LITTLE * max((float(table["recorded"].mean()) for table in tables if len(table)), default=0.0)
    alike = all(set(one.lost.jobs.index) == set(rows[:, side]) for side, one in enumerate(found))
    return Sides(
        early,
        late,
        len(both),
        _most(_states(early.per_job, late.per_job), enough),
        _most(_causes(*found) if alike else (), enough),
    )


def _most(changes: Iterable[Moved], enough: float) -> Moved | None:
    found = max(changes, key=lambda one: one.least, default=None)
    return found if found is not None and found.least >= max(enough, 1e-9) else None


def _states(before: Mapping[str, float], after: Mapping[str, float]) -> Iterable[Moved]:
    """Yield the change of each state, and of states together that a log does not tell apart."""
    for key in sorted({*before, *after}, key=lambda one: (len(_parts(one)), list(STATES).index(one))):
        early, late = _bounds(before, key), _bounds(after, key)
        yield Moved(key, early[0], late[0], late[0] - early[1], late[1] - early[0])


def _parts(key: str) -> set[str]:
    """Return the states that a state may be."""
    return set(STATES[key].merges) or {key}


def _bounds(seconds: Mapping[str, float], key: str) -> tuple[float, float]:
    """Return the seconds that were surely in a state, and those that may have been."""
    asked = _parts(key)
    surely = sum(one for name, one in seconds.items() if _parts(name) <= asked)
    return surely, sum(one for name, one in seconds.items() if _parts(name) & asked)


def _causes(before: Diagnosis, after: Diagnosis) -> Iterable[Moved]:
    """Yield the change of what each cause cost that one of the runs finds and both can tell."""
    early, late = before.costs, after.costs
    jobs = len(before.lost.jobs), len(after.lost.jobs)
    for key in dict.fromkeys(one.key for one in (*before.findings, *after.findings)):
        if key in early and key in late:
            one, other = early[key], late[key]
            low, high = other.low / jobs[1] - one.high / jobs[0], other.high / jobs[1] - one.low / jobs[0]
            yield Moved(key, one.seconds / jobs[0], other.seconds / jobs[1], low, high)
