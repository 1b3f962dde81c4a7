"""Before and after: by what figures changed, where and why, what was promised, what more would tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.advice.several.change import ASSUMED, BY_RERUNS, Change, Changes, changes, changes_of
from sim.advice.several.matching import paired_jobs
from sim.advice.several.promised import Promise, changed_settings, promised, settings_of
from sim.advice.several.reruns import MOST, Reruns, replayed
from sim.advice.several.sides import Sides, sides_of
from sim.advice.whatif.systems import today
from sim.logs.history import History
from sim.running.player import HERE, Player
from sim.telling.words import changed, in_percent, percent

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
