"""Before and after: by what figures changed, where and why, what was promised, what more would tell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.advice.several.change import ASSUMED, BY_RERUNS, TITLES, Change, Changes, changes, changes_of
from sim.advice.several.matching import PairedJobs, paired_jobs
from sim.advice.several.reruns import FIGURES, MOST, Replayed, Reruns, figure_of, replayed
from sim.advice.several.sides import Sides, sides_of
from sim.advice.whatif.systems import today
from sim.logs.history import History
from sim.model.fields import BadInput
from sim.running.parallel import HERE, Player
from sim.telling.words import changed, compact, in_percent, percent
from theory.quoting import quoted

# A gate for a pipeline: fail where a figure is beyond a limit, and only beyond doubt.
#
# Each condition is judged three ways: *fails* where the change is above the limit beyond doubt, *passes*
# where it is below it or the interval holds nothing above it, and else it *cannot be told*. A gate fails by
# chance, where no change is above a limit, with probability `FALSE_ALARM` at most; over several conditions
# it is shared out.

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


# What What-if promises on the runs before, under the setting of the runs after, beside what came.
#
# The jobs of the last run before are played again on its cluster under the setting that the log after
# records. Each replication draws luck, and another model that the log allows; the band holds 90 % of them.
# So it is the range of one real run, if nothing but the setting changed.

#: Share of the plays that the band holds.
HELD = 0.9
#: What belongs to a run or an application and is no setting that somebody changed.
_OWN = ("application", "spark.app.id", "spark.app.name", "spark.app.startTime")


@dataclass(frozen=True)
class Band:
    """What a figure was promised to be, in seconds, and what it came to.

    Parameters
    ----------
    low, middle, high : float
        5 %, 50 % and 95 % of the replications, widened where the check is fair.
    before, after : float
        What the runs show, over the same jobs.
    """

    low: float
    middle: float
    high: float
    before: float
    after: float

    @property
    def kept(self) -> bool:
        """Whether what came is in the band."""
        return self.low <= self.after <= self.high


@dataclass(frozen=True, eq=False)
class Promise:
    """What was promised.

    Parameters
    ----------
    setting : tuple of str
        The policy before, and after, as What-if calls it.
    bands : mapping of str to Band
        Figure -> band; empty where nothing can be promised.
    reason : str
        Why not.
    verdict : str
        How the model of the run before was checked: good, fair or poor; empty where there is none.
    """

    setting: tuple[str, str]
    bands: dict[str, Band]
    reason: str = ""
    verdict: str = ""


def changed_settings(before: History, after: History) -> dict[str, tuple[str, str]]:
    """Return the settings that differ: before and after, empty where a log does not name one."""
    names = [name for name in (*before.settings, *after.settings) if name not in _OWN]
    both = {name: (before.settings.get(name, ""), after.settings.get(name, "")) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def settings_of(before: History, after: History) -> tuple[str, str]:
    """Return the policies that two logs record."""
    return today(before), today(after)


def promised(
    run: Replayed | str,
    plays: Mapping[str, np.ndarray],
    before: History,
    after: History,
    jobs: PairedJobs,
) -> Promise:
    """Return the bands of what was played, or why nothing was.

    Parameters
    ----------
    run : Replayed or str
        The run before, or why it cannot be played again.
    plays : mapping of str to ndarray
        Its figures under the setting of the run after.
    before, after : History
    jobs : PairedJobs
        Of these two runs.
    """
    setting = settings_of(before, after)
    if isinstance(run, str):
        return Promise(setting, {}, run)
    bands = {}
    for name, values in plays.items():
        share = FIGURES[name]
        columns = (jobs.slot_time if name == "slot-time" else jobs.time).T
        low, middle, high = np.quantile(values, ((1 - HELD) / 2, 0.5, (1 + HELD) / 2))
        wide = run.checked.widened
        bands[name] = Band(
            float(max(middle - wide * (middle - low), 0.0)),
            float(middle),
            float(middle + wide * (high - middle)),
            figure_of(columns[0], share),
            figure_of(columns[-1], share),
        )
    return Promise(setting, bands, verdict=run.checked.verdict)


#: The figure of the sentence.
LEADING = "mean"
#: Pairs of runs up to which somebody may be asked for so many more.
_PAIRS = 5


@dataclass(frozen=True, eq=False)
class After:
    """What a change did.

    Parameters
    ----------
    found : Changes
    settings : mapping of str to tuple of str
        Settings that differ between the last log before and the last one after.
    sides : Sides
        What the diagnoses of these two say.
    promise : Promise or None
        None where it is not known, or not yet.
    """

    found: Changes
    settings: dict[str, tuple[str, str]]
    sides: Sides
    promise: Promise | None = None

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        one = self.found.change.get(LEADING)
        if one is None:
            return "Nothing can be compared: no job is in all runs by its name."
        if one.untold:
            return f"{one.untold}{self._promise}"
        if not one.share.sign:
            return f"No change of the mean job time is beyond doubt: {changed(one.share)}.{self._promise}"
        word = "shorter" if one.share.sign < 0 else "longer"
        ends = sorted(abs(end) for end in (one.share.low, one.share.high) if end is not None)
        low, high = map(percent, ends)
        luck = ", by more than luck is in reruns as What-if plays them" if one.over == BY_RERUNS else ""
        value = percent(abs(one.share.value or 0.0))
        return (
            f"These jobs are {value} {word} on average after the change (95 %: {low} to {high}){luck}"
            f"{_of_runs(self.found)}.{self._promise}"
        )

    @property
    def _promise(self) -> str:
        if self.promise is None or not (band := self.promise.bands.get(LEADING)):
            return ""
        return f" The mean job time lies {'in' if band.kept else 'outside'} the promised band."

    @property
    def assumed(self) -> str:
        """What the intervals cannot know; empty where runs tell it."""
        return "" if self.found.by_runs or not self.found.change else ASSUMED


def compared(
    before: Sequence[History],
    after: Sequence[History],
    plays: int = 0,
    seed: int = 1,
    player: Player = HERE,
    leave_out: str = "",
) -> After:
    """Compare runs before and after a change.

    Parameters
    ----------
    before, after : sequence of History
    plays : int, optional
        How often the last runs are played again, at most: for what What-if promises, and for intervals where
        jobs do not run apart from each other; 0 leaves both out.
    seed : int, optional
    player : Player, optional
    leave_out : str, optional
        Jobs whose group or name contains it are not compared; they take slots as they did.
    """
    found, settings = changes(before, after, leave_out), changed_settings(before[-1], after[-1])
    sides = sides_of(before[-1], after[-1], found.last_rows, leave_out)
    known = After(found, settings, sides)
    if not plays:
        return known
    return with_replays(known, before[-1], after[-1], plays, seed, player, leave_out)


def with_replays(
    known: After,
    before: History,
    after: History,
    plays: int = MOST,
    seed: int = 1,
    player: Player = HERE,
    leave_out: str = "",
) -> After:
    """Return what a change did with what was promised, and with intervals by reruns where no others are.

    Parameters
    ----------
    known : After
        What the runs show.
    before, after : History
        The last of each.
    plays, seed, player, leave_out
        As of `compared`.
    """
    jobs, found = paired_jobs([before, after], leave_out), known.found
    now, then = settings_of(before, after)
    run = replayed(before, jobs.rows[:, 0], seed, plays, player)
    played = {} if isinstance(run, str) else run.plays(then, player)
    if found.untold:
        early = run if isinstance(run, str) else played if now == then else run.plays(now, player)
        reruns = _reruns(early, after, found.jobs.rows[:, -1], plays, seed, player)
        found = changes_of(found.jobs, found.runs[0], reruns, found.loop)
    return replace(known, found=found, promise=promised(run, played, before, after, jobs))


def _reruns(
    early: Mapping[str, np.ndarray] | str,
    after: History,
    rows: np.ndarray,
    plays: int,
    seed: int,
    player: Player,
) -> Reruns | str:
    """Return how far two runs differ by luck, or why that is not known; of the first one, so far."""
    if isinstance(early, str):
        return f"before: {early}"
    late = replayed(after, rows, seed + 1, plays, player)
    return f"after: {late}" if isinstance(late, str) else Reruns.of(early, late.plays(today(after), player))


def told_more(change: Change) -> str:
    """Say how many more pairs of runs would tell a change.

    It is asked of pairs of one run before and one after.
    """
    one = change.sequence
    alarm = in_percent(one.false_alarm)
    if one.told:
        return f"told by {one.pairs} pairs of runs (false alarm {alarm} over all looks)"
    if one.more is None or one.more > _PAIRS:
        return "two runs of each would tell more"
    runs = "run" if one.more == 1 else "runs"
    return f"about {one.more} more {runs} of each would tell more"


def _of_runs(found: Changes) -> str:
    before, after = found.runs
    return f" over {before} and {after} runs" if found.by_runs else ""
