"""Before and after: by what figures changed, what was promised, what else changed, what more would tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sim.several.change import ASSUMED, BY_RERUNS, Change, Changes, changes
from sim.several.gate import told_change
from sim.several.matching import PairedJobs, paired_jobs
from sim.several.promised import Promise, changed_settings, promised, settings_of
from sim.several.reruns import MOST, Replayed, Reruns, replayed
from sim.telling.words import begun, in_percent
from sim.traces.history import History
from sim.whatif.systems import today

#: The figure of the sentence.
LEADING = "mean"


@dataclass(frozen=True, eq=False)
class After:
    """What a change did.

    Parameters
    ----------
    found : Changes
    settings : mapping of str to tuple of str
        Settings that differ between the last log before and the last one after.
    promise : Promise or None
        None where it is not known, or not yet.
    """

    found: Changes
    settings: dict[str, tuple[str, str]]
    promise: Promise | None = None

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        one = self.found.change.get(LEADING)
        if one is None:
            return "No job is in all runs by its name, so the change cannot be told."
        if one.share.low is None or one.share.high is None:
            return f"The change of the job time cannot be told: {one.reason}."
        told = f"{told_change(one)}{_of_runs(self.found)}"
        said = begun(told)
        if not one.share.sign:
            return f"{said}: no change is beyond doubt.{self._promise}"
        better = "shorter" if one.share.sign < 0 else "longer"
        if one.over == BY_RERUNS:
            return f"{said}: jobs are {better} by more than luck is, as What-if plays reruns.{self._promise}"
        return f"{said}: jobs are {better} beyond doubt.{self._promise}"

    @property
    def _promise(self) -> str:
        if self.promise is None or not (band := self.promise.bands.get(LEADING)):
            return ""
        return f" That lies {'in' if band.kept else 'outside'} the promised band."

    @property
    def assumed(self) -> str:
        """What the intervals cannot know; empty where runs tell it."""
        return "" if self.found.by_runs or not self.found.change else ASSUMED


def compared(
    before: Sequence[History],
    after: Sequence[History],
    plays: int = 0,
    seed: int = 1,
    progress: Callable[[int], object] = lambda tasks: None,
) -> After:
    """Compare runs before and after a change.

    Parameters
    ----------
    before, after : sequence of History
    plays : int, optional
        How often the last runs are played again, at most: for what What-if promises, and for intervals where
        jobs do not run apart from each other; 0 leaves both out.
    seed : int, optional
    progress : callable, optional
        Called with the number of tasks played.
    """
    settings = changed_settings(before[-1], after[-1])
    if not plays:
        return After(changes(before, after), settings)
    jobs = paired_jobs([before[-1], after[-1]])
    run = replayed(before[-1], jobs.rows[:, 0], seed, plays, progress)
    played = {} if isinstance(run, str) else run.plays(settings_of(before[-1], after[-1])[1], progress)
    found = changes(
        before, after, lambda all_: reruns_of(before[-1], after[-1], all_, run, seed, plays, progress)
    )
    return After(found, settings, promised(run, played, before[-1], after[-1], jobs))


def reruns_of(
    before: History,
    after: History,
    jobs: PairedJobs,
    run: Replayed | str | None = None,
    seed: int = 1,
    plays: int = MOST,
    progress: Callable[[int], object] = lambda tasks: None,
) -> Reruns | str:
    """Play two runs again as they were; return how far they differ by luck, or why that is not known.

    Parameters
    ----------
    before, after : History
    jobs : PairedJobs
        In whose columns they are the last before and the last of all.
    run : Replayed or str, optional
        The run before, where that is known.
    seed, plays, progress
        As of `compared`.
    """
    columns = jobs.rows
    early = replayed(before, columns[:, 0], seed, plays, progress) if run is None else run
    if isinstance(early, str):
        return f"before: {early}"
    late = replayed(after, columns[:, -1], seed + 1, plays, progress)
    if isinstance(late, str):
        return f"after: {late}"
    return Reruns.of(early.plays(today(before), progress), late.plays(today(after), progress))


def told_more(change: Change) -> str:
    """Say how many more pairs of runs would tell a change.

    It is asked of pairs of one run before and one after.
    """
    one = change.sequence
    alarm = in_percent(one.false_alarm)
    if one.told:
        return f"told by {one.pairs} pairs of runs (false alarm {alarm} over all looks)"
    if one.more is None:
        return "cannot be told how many more runs it takes"
    pairs = "pair" if one.more == 1 else "pairs"
    return f"about {one.more:,} more {pairs} of runs would tell, if the change is as it looks"


def _of_runs(found: Changes) -> str:
    before, after = found.runs
    return f" over {before} and {after} runs" if found.by_runs else ""
