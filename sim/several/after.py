"""Before and after: by what figures changed, what was promised, what else changed, what more would tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sim.several.change import ASSUMED, Change, Changes, changes
from sim.several.gate import told_change
from sim.several.promised import Promise, changed_settings, promised
from sim.traces.history import History

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
        said = told[0].upper() + told[1:]
        if not one.share.sign:
            return f"{said}: no change is beyond doubt."
        better = "shorter" if one.share.sign < 0 else "longer"
        return f"{said}: jobs are {better} beyond doubt.{self._promise}"

    @property
    def _promise(self) -> str:
        if self.promise is None or not (band := self.promise.bands.get(LEADING)):
            return ""
        return " As promised." if band.kept else " Not as promised."

    @property
    def assumed(self) -> str:
        """What the intervals cannot know; empty where runs tell it."""
        return "" if self.found.by_runs or not self.found.change else ASSUMED


def compared(
    before: Sequence[History],
    after: Sequence[History],
    replications: int = 0,
    seed: int = 1,
    progress: Callable[[int], object] = lambda tasks: None,
) -> After:
    """Compare runs before and after a change.

    Parameters
    ----------
    before, after : sequence of History
    replications : int, optional
        Of what What-if promises; 0 leaves that out.
    seed : int, optional
    progress : callable, optional
        Called with the number of tasks played.
    """
    promise = promised(before[-1], after[-1], replications, seed, progress=progress) if replications else None
    return After(changes(before, after), changed_settings(before[-1], after[-1]), promise)


def told_more(change: Change) -> str:
    """Say how many more pairs of runs would tell a change.

    It is asked of pairs of one run before and one after.
    """
    one = change.sequence
    alarm = f"{100 * one.false_alarm:.0f} %"
    if one.told:
        return f"told by {one.pairs} pairs of runs (false alarm {alarm} over all looks)"
    if one.more is None:
        return "cannot be told how many more runs it takes"
    pairs = "pair" if one.more == 1 else "pairs"
    return f"about {one.more:,} more {pairs} of runs would tell, if the change is as it looks"


def _of_runs(found: Changes) -> str:
    before, after = found.runs
    return f" over {before} and {after} runs" if found.by_runs else ""
