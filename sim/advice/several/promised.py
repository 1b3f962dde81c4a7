"""What What-if promises on the runs before, under the setting of the runs after, beside what came.

The jobs of the last run before are played again on its cluster under the setting that the log after records.
Each replication draws luck, and another model that the log allows; the band holds 90 % of them. So it is the
range of one real run, if nothing but the setting changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim.advice.several.matching import PairedJobs
from sim.advice.several.reruns import FIGURES, Replayed, figure_of
from sim.advice.whatif.systems import today
from sim.logs.history import History

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
