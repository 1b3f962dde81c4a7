"""What to do, ranked by what it would save: one list from which every first sentence about a log is made.

A finding is a cause with its seconds of job time, and what an operator can do about it. A cause is found if
even the low end of its interval is above 0 and it cost `LITTLE` of the time. What second copies mend counts
without the slow tasks that would be as slow again, and without what copies meet again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.advice.diagnosis.account import STATES, Account
from sim.advice.diagnosis.causes import CAUSES, Causes
from sim.advice.diagnosis.costs import Cause
from sim.advice.diagnosis.effects import AWAY
from sim.advice.diagnosis.hierarchy import counts_work
from sim.advice.diagnosis.repeatable_slowness import Hidden
from sim.advice.diagnosis.replay import Lost
from sim.advice.diagnosis.shares import Shares
from sim.logs.formats import knows_of
from sim.logs.history import FAILED, History
from sim.logs.knows import NO, UNKNOWN, Knows
from sim.telling.words import clipped, counted, in_percent, listed, short, spell

#: Share of the job time below which a cause is not worth doing anything about.
LITTLE = 0.02
#: A host is called slow above this factor, if even the low end of its interval is above 1.
SLOW = 1.2
#: Share of the time that jobs are said to wait, at least, and what is said of each state of `account.STATES`.
_MUCH = 0.1
_STATES = {
    "behind other jobs": "waited behind other jobs",
    "waiting": "had tasks that waited for a slot",
    "slot idle": "waited beside free slots",
    "between stages": "ran no task and none waited",
    "starting": "had slots and had not begun",
}
#: Characters of a name in a sentence, and hosts that are named.
_NAME, _HOSTS = 24, 2
#: Share of the slow tasks that would be as slow again, as far as is known, from which luck is to be told from
#: skew first, and from which they count as work.
_OPEN, _MORE = 0.08, 0.5
#: Ratio to the median from which a task that ran again was slow again.
TWICE = 1.5
#: Correlation of work and bytes read below which slow tasks are said to miss a cache.
_CACHE = -0.7
#: Log of the work over the usual from which a task is a large one.
_LARGE = np.log(2.0)
#: What tasks do that is counted, in the order of the columns of `hierarchy.work_counted`.
_VERBS = ("read", "read", "write", "write")


@dataclass(frozen=True)
class Finding:
    """Something to do.

    Parameters
    ----------
    key : str
        The cause, of `causes.CAUSES`, or a state of `account.STATES`.
    seconds, low, high : float
        Job time that it cost, with its 95 % interval.
    share : float
        The seconds over the recorded time of all jobs.
    action : str
        What to do, why, and what it cost: a sentence of about 30 words at most, which begins with the verb.
    acts : bool
        Whether it mends the cause: no second copy mends luck where none can run.
    """

    key: str
    seconds: float
    low: float
    high: float
    share: float
    action: str
    acts: bool = True

    @property
    def title(self) -> str:
        """Name of the cause or state."""
        return CAUSES[self.key].title if self.key in CAUSES else STATES[self.key].title

    @property
    def phrase(self) -> str:
        """What time was lost to, in a sentence."""
        return named(self.key)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What actions are worked out from."""

    history: History
    lost: Lost
    shares: Shares
    causes: Causes
    hidden: Hidden
    ratios: pd.DataFrame
    no_copies: str


def named(key: str) -> str:
    """Return what a cause or state is called in a sentence."""
    return CAUSES[key].phrase if key in CAUSES else STATES[key].title


def rank(one: Finding) -> tuple[bool, float]:
    """Return what findings are ordered by: the most seconds first, and last what cannot be mended."""
    return not one.acts, -one.seconds


def costs(told: Mapping[str, Cause], anew: Cause | None, hidden: Hidden) -> dict[str, Cause]:
    """Return what each cause cost as findings count it: of luck, what a second copy could mend.

    That is what a copy draws anew, without tasks that would be as slow again, unless luck is to be told from
    skew first.
    """
    if anew is None:
        return dict(told)
    (low, high), again = hidden.between, hidden.again
    return {**told, "luck": anew if _open(hidden) else anew.part(1 - again, 1 - high, 1 - low)}


def _open(hidden: Hidden) -> bool:
    """Say whether luck is to be told from skew first."""
    return _OPEN <= hidden.again < _MORE


def findings(
    history: History,
    lost: Lost,
    shares: Shares,
    causes: Causes,
    hidden: Hidden,
    ratios: pd.DataFrame,
    account: Account,
    no_copies: str,
) -> tuple[Finding, ...]:
    """Return what to do, by what it would save, the most first, and last what cannot be mended.

    Parameters
    ----------
    history, lost, shares, causes, hidden
        As `diagnose` has them.
    ratios : DataFrame
        From `durations.ratios`.
    account : Account
        Of the jobs.
    no_copies : str
        Why no second copy helps here; empty if one may.
    """
    recorded = float(lost.jobs["recorded"].sum())
    if not recorded > 0:
        return ()
    seen = _Seen(history, lost, shares, causes, hidden, ratios, no_copies)
    found = []
    cost = costs(causes.told, causes.anew, hidden)
    for key, act in _ACTIONS.items():
        cause = cost.get(key)
        if cause is not None and cause.low > 0 and cause.seconds >= LITTLE * recorded:
            told = f"{share_told(cause, recorded)} of the job time"
            action = act(seen, told)
            numbers = (cause.seconds, cause.low, cause.high, cause.seconds / recorded)
            found.append(Finding(key, *numbers, action, key != "luck" or not no_copies))
    return tuple(sorted(found, key=rank))


def of_states(account: Account, found: Sequence[Finding]) -> str:
    """Say where most of the time went, if stragglers are a small part of it; else nothing.

    Examples
    --------
    >>> jobs = pd.DataFrame({"recorded": [10.0]})
    >>> of_states(Account(jobs, {"behind other jobs": 6.1, "running": 3.9}, 0), ())  # doctest: +ELLIPSIS
    'Jobs waited behind other jobs for 61 % of their time: add slots, or change the order of jobs or the ...
    """
    recorded = float(account.jobs["recorded"].sum())
    waits = {key: account.states.get(key, 0.0) for key in _STATES}
    key = max(waits, key=lambda one: waits[one])
    if not recorded > 0 or waits[key] < max(_MUCH * recorded, *(one.seconds for one in found), 0.0):
        return ""
    if any(one.key in ("no executor", "idle", "start") for one in found) and key != "behind other jobs":
        return ""
    return f"Jobs {_STATES[key]} for {in_percent(waits[key] / recorded)} of their time: {STATES[key].advice}."


def share_told(cause: Cause | Finding, recorded: float) -> str:
    """Return a cost as a share of the recorded time, with its interval.

    Examples
    --------
    >>> share_told(Cause(2.0, 1.0, 4.0), 8.0)
    '25 % (12 to 50)'
    """
    value, low, high = (min(max(one / recorded, 0.0), 1.0) for one in (cause.seconds, cause.low, cause.high))
    return f"{in_percent(value)} ({100 * low:.0f} to {100 * high:.0f})"


def _luck(seen: _Seen, told: str) -> str:
    knows = knows_of(seen.history.format)
    if again := _slow_again(seen.ratios):
        return (
            f"Give tasks that were cut off more time, or less to do: {again} were slow again when they ran "
            f"again, {told}."
        )
    uncounted = not counts_work(seen.ratios)
    if knows.no_copies:
        if (seen.hidden.again > LITTLE or uncounted) and (look := slow_stage(seen.history, seen.lost, told)):
            return look
        if not _tells_starts(seen.history):
            return (
                "See whether slow tasks started late, which this log does not tell; else set a time limit, "
                f"where running again is safe: they cost {told}."
            )
        return (
            f"Set a time limit and run slow tasks again, where that is safe: bad luck cost {told}, and "
            f"{knows.system} runs no copies."
        )
    if seen.no_copies:
        return f"Expect nothing of second copies, since {seen.no_copies}: bad luck cost {told}."
    doubts = {
        "skew": _open(seen.hidden) or (uncounted and not seen.hidden.excluded),
        "slow hosts": seen.history.hosts.num_rows == 0,
    }
    if others := [name for name, open_ in doubts.items() if open_]:
        asked = {
            "skew": "an hour with second copies" + _or_log(knows, "read", "that counts bytes"),
            "slow hosts": f"a log with {knows.give.get('hosts', 'hosts')}",
        }
        return (
            f"Tell luck from {listed(others, 'or')} first: slow tasks cost {told}; "
            f"{listed([asked[one] for one in others])} will tell."
        )
    able = ", if your system can run them" if knows.copies == UNKNOWN else ""
    return f"Try second copies for an hour{able}: bad luck cost {told}."


def _or_log(knows: Knows, name: str, what: str) -> str:
    """Return that another log would tell, if one of the format can."""
    if getattr(knows, name) == NO:
        return ""
    return f", or a log {f'with {knows.give[name]}' if name in knows.give else what}"


def _tells_starts(history: History) -> bool:
    """Say whether a log tells when the work of any task began, beside its launch."""
    copies = history.frame("copies")
    return bool(copies["start"].notna().any() or (copies["began"] > copies["launch"]).any())


def _slow_again(ratios: pd.DataFrame) -> int:
    """Count tasks that were cut off when they had run long, and were slow again; 0 if others were not.

    Bad luck would seldom come twice: their work is longer.
    """
    keys = ["stage", "task"]
    cut = ratios[ratios["fate"].eq(FAILED)].drop_duplicates(keys)
    both = ratios[ratios["complete"]].merge(cut[keys], on=keys)
    slow = int(both["ratio"].gt(TWICE).sum())
    return slow if slow > len(both) / 2 else 0


def slowest(table: pd.DataFrame) -> pd.DataFrame:
    """Return the hosts, or executors, that are slow beyond doubt, the slowest first."""
    return table[(table["factor"] > SLOW) & (table["low"] > 1)]


def _machine(seen: _Seen, told: str) -> str:
    slow = slowest(seen.shares.hosts)
    if slow.empty and (for_a_time := seen.shares.fit.spells()):
        one = max(for_a_time, key=lambda spell: spell.copies * math.log(for_a_time[spell]))
        when = one.when(seen.history.origin)
        times = f"{for_a_time[one]:.2g} times as long as usual"
        return f"Look at host {clipped(one.host, _NAME)}: tasks launched {when} took {times}, {told}."
    if slow.empty:
        return f"Even out the hosts: that they are not equally fast cost {told}."
    return f"Replace {_named(slow, 'hosts')} as long as the usual host, {told}."


def _named(slow: pd.DataFrame, what: str) -> str:
    """Name the slow, and by what they are slower: m2: it takes 1.7 times."""
    if len(slow) > _HOSTS:
        low, high = float(slow["factor"].min()), float(slow["factor"].max())
        return f"{len(slow)} slow {what}: they take {low:.2g} to {high:.2g} times"
    names = listed([clipped(name, _NAME) for name in slow["host"]])
    factors = listed([f"{factor:.3g}" for factor in slow["factor"]])
    return f"{names}: {'it takes' if len(slow) == 1 else 'they take'} {factors} times"


def _executor(seen: _Seen, told: str) -> str:
    slow = slowest(seen.shares.executors)
    if slow.empty:
        return f"Even out the executors: that they are not equally fast cost {told}."
    return f"Restart {_named(slow, 'executors')} as long as others, {told}."


def _work(seen: _Seen, told: str) -> str:
    fit = seen.shares.fit
    if float(np.var(fit.hidden_work())) > float(np.var(fit.seen_work())):
        name, _ = _worst(seen, fit.hidden_work())
        return f"Split the tasks of {name} that are slow in every run (skew), {told}."
    if inverse(seen.shares):
        return f"Keep cached data where it is: tasks that miss the cache are slow, {told}."
    name, rows = _worst(seen, fit.seen_work())
    parts = fit.counted_work()[rows]
    above = parts.sum(axis=1) - np.median(parts.sum(axis=1))
    large = above > _LARGE
    if not large.any():
        return f"Even out the tasks of {name} (skew), {told}."
    most = int(np.argmax(above))
    verb = _VERBS[int(np.argmax(parts[most]))]
    many = f"{large.sum()} of {large.size} {'is' if large.sum() == 1 else 'are up to'}"
    times = short(float(np.exp(above[most])), 2)
    return f"Split the tasks of {name} that {verb} most (skew): {many} {times} times as long, {told}."


def _worst(seen: _Seen, work: np.ndarray) -> tuple[str, np.ndarray]:
    """Return the stage in which unequal work takes most time, by its name, and the rows of its copies."""
    stage = seen.ratios["stage"].to_numpy()
    table = pd.DataFrame({"work": np.exp(work), "usual": seen.ratios["duration"] / seen.ratios["ratio"]})
    table["work"] -= table["work"].groupby(stage).transform("median")
    cost = (table["work"].clip(lower=0) * table["usual"]).groupby(stage).max()
    worst = cost.idxmax()
    told = seen.history.stages["name"][int(worst)].as_py() or seen.history.stages["stage"][int(worst)].as_py()
    return clipped(told, _NAME), np.flatnonzero(stage == worst)


def inverse(shares: Shares) -> bool:
    """Say whether tasks that read less take longer: what they read tells most of the work that shows."""
    seen, read = shares.fit.seen_work(), shares.fit.columns.x[:, 0]
    both = float(np.sqrt(np.var(seen) * np.var(read)))
    return both > 0 and float(np.cov(seen, read, bias=True)[0, 1]) < _CACHE * both


def _idle(seen: _Seen, told: str) -> str:
    waited = "locality.wait" in " ".join(seen.history.settings) or seen.history.format == "spark"
    away = seen.history.frame("copies")["locality"].isin(AWAY).any()
    if waited and away:
        return (
            f"Lower spark.locality.wait: slots stood idle while tasks waited to be near their input, {told}."
        )
    return f"Find out why slots stood idle while tasks waited (driver, limits, scheduler): {told}."


def _first_wave(seen: _Seen, told: str) -> str:
    return f"Keep slots warm between jobs: first tasks on a slot (first waves) are slower, {told}."


def _late(seen: _Seen, told: str) -> str:
    return f"Keep some executors warm, or start them sooner: jobs waited until one existed, {told}."


def _start(seen: _Seen, told: str) -> str:
    return f"Keep executors warm: tasks were slow to start (code is loaded and deserialised), {told}."


def _locality(seen: _Seen, told: str) -> str:
    return f"Bring tasks to their input, or copy it to more hosts: tasks away from it are slower, {told}."


def _gc(seen: _Seen, told: str) -> str:
    return f"Give executors more memory, or fewer tasks at once: unusual garbage collection cost {told}."


def _fetch_wait(seen: _Seen, told: str) -> str:
    return (
        f"Find the host that serves shuffle blocks late: waiting for blocks cost {told}; "
        "a second copy asks the same host."
    )


def _failures(seen: _Seen, told: str) -> str:
    copies = seen.history.frame("copies")
    failed = int(copies["fate"].eq(FAILED).sum())
    which = counted(failed, "attempt") if failed else "attempts"
    return f"Find out why {which} ended early (failed, a limit, a lost executor): running again cost {told}."


def _again(seen: _Seen, told: str) -> str:
    return f"Keep the output of finished tasks when a host goes: finished tasks that ran again cost {told}."


#: What can be done about each cause: (what was seen, what it cost in words) -> a sentence.
_ACTIONS: Mapping[str, Callable[[_Seen, str], str]] = {
    "luck": _luck,
    "machine": _machine,
    "executor": _executor,
    "work": _work,
    "first_wave": _first_wave,
    "locality": _locality,
    "gc": _gc,
    "fetch_wait": _fetch_wait,
    "start": _start,
    "failures": _failures,
    "again": _again,
    "idle": _idle,
    "no executor": _late,
}


def slow_stage(history: History, lost: Lost, told: str = "") -> str:
    """Say which task held up the worst stage, where the log does not tell why; empty if none did.

    `told` is what it cost, in words.
    """
    worst = lost.stages.iloc[0] if len(lost.stages) else None
    if worst is None or not worst["lost"] > 0:
        return ""
    copies = history.frame("copies")
    own = copies[copies["stage"].eq(lost.stages.index[0]) & copies["end"].notna()]
    slowest = own.loc[(own["end"] - own["began"]).idxmax()]
    name = clipped(worst["name"] or worst["stage"], _NAME)
    where = f" on {clipped(slowest['host'], _NAME)}" if slowest["host"] else ""
    took, usual = slowest["end"] - slowest["began"], worst["median"]
    return (
        f"Look at task {slowest['task']} of {name}{where}: it took {spell(took)}, the usual one "
        f"{spell(usual)}, {told}{', ' if told else ''}and this log does not tell why."
    )
