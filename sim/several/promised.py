"""What What-if promises on the runs before, under the setting of the runs after, beside what came.

The jobs of the last run before are played again on its cluster under the setting that the log after records.
Each replication draws luck, and another model that the log allows; the band holds 90 % of them. So it is the
range of one real run, if nothing but the setting changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sim.fields import BadInput
from sim.several.change import FIGURES
from sim.several.matching import paired_jobs
from sim.slots.policy import SlotPolicy, read_policy
from sim.traces.history import History
from sim.whatif.check import POOR, check
from sim.whatif.model import fit
from sim.whatif.played import Played, quantile
from sim.whatif.runs import Question, replicate
from sim.whatif.systems import today

#: Replications, and the share of them that the band holds.
REPLICATIONS, HELD = 100, 0.9
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

    @property
    def same_setting(self) -> bool:
        """Whether both runs record one setting of copies."""
        return self.setting[0] == self.setting[1]


def changed_settings(before: History, after: History) -> dict[str, tuple[str, str]]:
    """Return the settings that differ: before and after, empty where a log does not name one."""
    names = [name for name in (*before.settings, *after.settings) if name not in _OWN]
    both = {name: (before.settings.get(name, ""), after.settings.get(name, "")) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def settings_of(before: History, after: History) -> tuple[str, str]:
    """Return the policies that two logs record."""
    return today(before), today(after)


def promised(
    before: History,
    after: History,
    replications: int = REPLICATIONS,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[int], object] = lambda tasks: None,
) -> Promise:
    """Play the jobs of a run under the setting of another.

    Parameters
    ----------
    before, after : History
    replications : int, optional
    seed : int, optional
    threads : int, optional
        Replications played at a time.
    progress : callable, optional
        Called with the number of tasks played.
    """
    setting = settings_of(before, after)
    try:
        question = Question(fit(before), seed=seed)
        jobs = paired_jobs([before, after])
        place = question.model.jobs.index.get_indexer(jobs.rows[:, 0])
        if not len(place) or (place < 0).any():
            return Promise(setting, {}, "no job is in both runs by its name, or some cannot be played again")
        now, then = (read_policy(text) for text in setting)
        checked = check(
            replace(question, doubted=False), _plays(question, now, False, replications, threads, progress)
        )
        if checked.verdict == POOR:
            return Promise(setting, {}, "the model does not reproduce the run before", checked.verdict)
        plays = _plays(question, then, True, replications, threads, progress)
    except BadInput as error:
        return Promise(setting, {}, str(error))
    bands = {}
    for name, share in FIGURES.items():
        if name == "slot-time":
            if len(place) < len(question.model.jobs):
                continue  # what is played has the slot-time of all jobs
            values = np.array([one.slot_time / len(place) for one in plays])
            recorded = jobs.slot_time.mean(axis=0)
        else:
            values = np.array([_figure(one.job_times[place], share) for one in plays])
            recorded = np.array([_figure(column, share) for column in jobs.time.T])
        low, middle, high = np.quantile(values, ((1 - HELD) / 2, 0.5, (1 + HELD) / 2))
        wide = checked.widened
        bands[name] = Band(
            float(max(middle - wide * (middle - low), 0.0)),
            float(middle),
            float(middle + wide * (high - middle)),
            float(recorded[0]),
            float(recorded[1]),
        )
    return Promise(setting, bands, verdict=checked.verdict)


def _plays(
    question: Question,
    policy: SlotPolicy,
    doubted: bool,
    replications: int,
    threads: int | None,
    progress: Callable[[int], object],
) -> list[Played]:
    asked = replace(question, doubted=doubted)
    (found,) = replicate(asked, [policy], range(replications), threads=threads, progress=progress)
    return found


def _figure(values: np.ndarray, share: float) -> float:
    return quantile(values, share) if share else float(values.mean())
