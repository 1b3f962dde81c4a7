"""The diagnosis of a `History`: what stragglers cost a cluster, and where they come from.

All functions are pure; each idea has a file of its own. A page or the shell only shows what is here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sim.advice.diagnosis.account import Account, account
from sim.advice.diagnosis.causes import CAUSES, carried, causes
from sim.advice.diagnosis.clusters_of_slowness import Alone, Uneven, alone, uneven
from sim.advice.diagnosis.costs import Cause, Counts, Spread, counts, ratios, spread
from sim.advice.diagnosis.findings import Finding, costs, findings
from sim.advice.diagnosis.luck import Luck, luck
from sim.advice.diagnosis.repeatable_slowness import Hidden, hidden
from sim.advice.diagnosis.replay import Lost, Replay
from sim.advice.diagnosis.sentence import no_copies, sentence
from sim.advice.diagnosis.shares import Shares, shares
from sim.advice.diagnosis.speculation import Speculation, speculation
from sim.logs.foreign import refusing
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.leaving_out import KEPT, left_out_of, without_jobs
from sim.logs.source import Upload

__all__ = ["CAUSES", "Diagnosis", "diagnose", "read_and_diagnose"]


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What is found in a history.

    Parameters
    ----------
    history : History
        What was read.
    counts : Counts
        How much that is.
    account : Account
        Where the time of each job went.
    lost : Lost
        What stragglers cost, job by job and stage by stage.
    spread : Spread
        Slowest against median, by stage.
    shares : Shares
        Variance of durations by work, machine, first wave and luck; hosts ranked.
    luck : Luck
        The law of luck and its tail, if any.
    speculation : Speculation
        What second copies did.
    causes : mapping of str to Cause
        What each cause cost in seconds of job time, of those that can be told.
    untold : mapping of str to str
        Why the others cannot be told.
    anew : Cause or None
        What a second copy draws anew: luck, and what the log measures of it.
    alone : Alone
        Stages of one task, compared over jobs of the same name.
    hidden : Hidden
        How likely slow tasks are slow by themselves.
    uneven : Uneven or None
        Where slow copies come together, if they do.
    findings : tuple of Finding
        What to do, by what it would save, the most first.
    first : str
        What to do first, in a sentence; empty if there is nothing to do, or the log does not tell.
    cost : str
        What stragglers cost, and what of it second copies could mend.
    """

    history: History
    counts: Counts
    account: Account
    lost: Lost
    spread: Spread
    shares: Shares
    luck: Luck
    speculation: Speculation
    causes: Mapping[str, Cause]
    untold: Mapping[str, str]
    anew: Cause | None
    alone: Alone
    hidden: Hidden
    uneven: Uneven | None
    findings: tuple[Finding, ...]
    first: str
    cost: str

    @property
    def sentence(self) -> str:
        """The answer in plain sentences."""
        return f"{self.first} {self.cost}".strip()

    @property
    def answer(self) -> str:
        """What to do first; where there is nothing to do, or the log does not tell, what stragglers cost."""
        return self.first or self.cost

    @property
    def costs(self) -> dict[str, Cause]:
        """What each cause cost, as findings count it."""
        return costs(self.causes, self.anew, self.hidden)


def diagnose(history: History, seed: int = 1, leave_out: str = "", left_out: str = KEPT) -> Diagnosis:
    """Say what stragglers cost, and which of it a second copy could mend.

    Parameters
    ----------
    history : History
        A log that has been read.
    seed : int, optional
        Of the bootstrap: the same seed gives the same intervals.
    leave_out : str, optional
        Jobs whose group or name contains it are not counted and tell nothing of luck.
    left_out : str, optional
        Whether they take slots in the replay, as recorded: "kept" or "gone".

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> from sim.logs.formats import read_history, table
    >>> from sim.logs.source import Upload
    >>> found = diagnose(read_history(Upload("template.csv", table.template().encode())))
    >>> found.counts.copies, found.speculation.won
    (5, 1)
    """
    held, whole = left_out_of(history, leave_out), history
    history = without_jobs(history, leave_out)
    durations = ratios(history)
    split = shares(durations, history.frame("stages"), seed)
    replay = Replay(whole, held) if held.any() else Replay(history)
    if left_out != KEPT and held.any():
        replay = Replay(history, idle=replay.idle)  # those that are gone held slots all the same
    cost = replay.lost(replay.tasks["median"].to_numpy(float))
    doubt = hidden(durations, split)
    together = uneven(durations, split, history.frame("stages")["name"])
    found = carried(causes(replay, durations, split, seed), doubt, float(cost.jobs["recorded"].sum()))
    spent = account(history, whole)
    ranked = findings(history, cost, split, found, doubt, durations, spent, no_copies(history))
    return Diagnosis(
        history,
        counts(history),
        spent,
        cost,
        spread(history, durations),
        split,
        luck(durations, split.residual, seed),
        speculation(history, seed),
        found.told,
        found.untold,
        found.anew,
        alone(history, replay, seed),
        doubt,
        together,
        ranked,
        *sentence(history, cost, split, found, doubt, together, spent, ranked),
    )


def read_and_diagnose(
    *sources: str | Path | Upload | History, progress: Callable[[int], None] = lambda number: None
) -> Diagnosis:
    """Read the files of a log and diagnose it; see `sim.logs.formats.read_history`."""
    with refusing(sources):
        return diagnose(read_history(*sources, progress=progress))
