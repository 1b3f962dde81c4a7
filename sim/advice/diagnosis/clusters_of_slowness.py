"""Luck that is not chance alone: slow copies that come together on a host, in a kind of stage or for a time.

The fit has one factor for each host, and for each time in which `spells` finds it slow. A host that is slow
in the stages of one name, or for times that are too short, leaves that to luck, and luck would seem to be
all there is. So the share of the variance of luck that goes along with the host and the name of the stage,
or with the host and the time, is compared with that of luck shuffled within stages. Both are looked at: one
of them is found by chance in one log of a hundred.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.advice.diagnosis.costs import FEWEST, Cause, cause_of
from sim.advice.diagnosis.effects import medians
from sim.advice.diagnosis.hierarchy import COUNTED, work_counted
from sim.advice.diagnosis.replay import Replay
from sim.advice.diagnosis.shares import Shares
from sim.logs.history import History
from sim.model.statistics import inner
from theory.quoting import quoted

# Stages of one task: they have no peers but their recurrences in jobs of the same name.
#
# A task alone in its stage is slow if it took longer than the median of its recurrences, given what it
# read. The interval is of the medians of bootstrap samples.

#: Recurrences from which a stage of one task is compared with them.
PEERS = 5
#: Largest exponent of input size; bootstrap draws.
_STEEP, _DRAWS = 1.2, 9


@dataclass(frozen=True)
class Alone:
    """Stages whose tasks have none to be compared with.

    Parameters
    ----------
    stages : int
        With fewer than two finished tasks.
    seconds : float
        What these tasks took.
    compared : int
        How many of the stages recur often enough in jobs of the same name.
    kinds : int
        Of how many jobs and stages by name.
    lost : Cause or None
        Job time lost by those that took longer than the usual recurrence; None if none is compared.
    """

    stages: int
    seconds: float
    compared: int
    kinds: int
    lost: Cause | None


def alone(history: History, replay: Replay, seed: int = 1) -> Alone:
    """Compare stages of one task over jobs of the same name.

    Parameters
    ----------
    history : History
    replay : Replay
        Of it.
    seed : int, optional
        Of the draws.
    """
    tasks = replay.tasks
    single = tasks.groupby("stage")["task"].transform("size").to_numpy(int) < FEWEST
    single &= tasks["recorded"].to_numpy(float) > 0
    chosen = tasks[single]
    stages, jobs = history.frame("stages").loc[chosen["stage"]], history.frame("jobs")
    of = jobs[["name", "group"]].reindex(stages["job"])
    named = [of["name"].fillna("").to_numpy(), of["group"].fillna("").to_numpy(), stages["name"].to_numpy()]
    kind = pd.factorize(pd.MultiIndex.from_arrays(named))[0] if len(chosen) else np.empty(0, int)
    enough = np.bincount(kind, minlength=1)[kind] >= PEERS if kind.size else np.empty(0, bool)
    seconds = float(chosen["recorded"].sum())
    if not enough.any():
        return Alone(len(chosen), seconds, 0, 0, None)
    rows = np.flatnonzero(single)[enough]
    kind = np.unique(kind[enough], return_inverse=True)[1]
    recorded = tasks["recorded"].to_numpy(float)
    log = np.log(recorded[rows])
    copies = history.copies.select([*COUNTED]).to_pandas().iloc[tasks["row"].to_numpy(int)[rows]]
    log = log - _work(log, work_counted(copies.assign(stage=kind))[:, 0], kind)
    found = []
    for usual in medians(log, kind, _DRAWS, np.random.default_rng([seed, 71])):
        without = recorded.copy()
        without[rows] *= np.exp(usual[kind] - log)
        found.append(replay.seconds(without))
    return Alone(len(chosen), seconds, rows.size, int(kind.max()) + 1, cause_of(found, replay.error))


def _work(log: np.ndarray, x: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Return what unequal reading adds: the power is that of all recurrences, at most `_STEEP`."""
    size = np.bincount(kind)
    x = x - (np.bincount(kind, x) / size)[kind]
    square = inner(x, x)
    slope = (
        float(np.clip(inner(x, log - (np.bincount(kind, log) / size)[kind]) / square, 0, _STEEP))
        if square > 1e-9
        else 0.0
    )
    return slope * x


#: Times luck is shuffled: it counts where none explains as much, the share is at least `SOME`, and the copies
#: took at least `SLOW` times as long as others.
SHUFFLES, SOME, SLOW = 199, 0.2, 1.5
#: Copies of a host that are one of its times, about; times at most; copies looked at at most.
_FEWEST, _TIMES, _MOST = 8, 8, 5_000


@dataclass(frozen=True)
class Uneven:
    """Where slow copies come together.

    Parameters
    ----------
    host : str
    stage : str or None
        Name of the stages; None where it is a time.
    begin, end : float
        First and last launch of these copies, in seconds of the history.
    copies : int
    factor : float
        Duration of these copies against others of their stages.
    share : float
        Of the variance of luck within stages that goes along with such groups, beyond chance.
    """

    host: str
    stage: str | None
    begin: float
    end: float
    copies: int
    factor: float
    share: float

    @property
    def place(self) -> str:
        """Say which copies they are, with names from the log.

        Examples
        --------
        >>> Uneven("a", "map", 0.0, 9.0, 40, 4.0, 0.9).place
        "host 'a', stages 'map', 40 copies"
        """
        launched = f"launched {self.begin:,.0f} to {self.end:,.0f} s after the start"
        which = launched if self.stage is None else f"stages {quoted(self.stage)}"
        return f"host {quoted(self.host)}, {which}, {self.copies:,} copies"

    @property
    def sentence(self) -> str:
        """Say what was found, without names.

        Examples
        --------
        >>> Uneven("a", "map", 0.0, 9.0, 40, 4.0, 0.9).sentence
        'Slow tasks come together: on one host, tasks of one stage name took 4.0 times as long as others'
        """
        where = "for a time, tasks" if self.stage is None else "tasks of one stage name"
        return (
            f"Slow tasks come together: on one host, {where} took {self.factor:.1f} times as long as others"
        )


def uneven(ratios: pd.DataFrame, shares: Shares, names: pd.Series) -> Uneven | None:
    """Return where slow copies come together; None where they do not, or that cannot be told.

    Parameters
    ----------
    ratios : DataFrame
        From `durations.ratios`.
    shares : Shares
        From them.
    names : Series
        Name of each stage.
    """
    host = ratios["host"].astype(str).to_numpy()
    if np.unique(host).size < 2 or not shares.residual.size:
        return None
    frame = pd.DataFrame(
        {
            "luck": shares.residual,
            "stage": ratios["stage"].to_numpy(int),
            "host": host,
            "name": names.reindex(ratios["stage"]).astype(str).to_numpy(),
            "launch": ratios["launch"].to_numpy(float),
        }
    )
    frame = _some_stages(frame[frame["host"] != ""])
    stage = pd.factorize(frame["stage"])[0]
    luck = frame["luck"].to_numpy() - _means(frame["luck"].to_numpy(), stage)[stage]
    times = int(np.clip(len(frame) // (_FEWEST * max(1, frame["host"].nunique())), 1, _TIMES))
    time = pd.qcut(frame["launch"], times, labels=False, duplicates="drop") if len(frame) else frame["launch"]
    found = [
        one
        for name, code in (("stage", frame["name"]), ("time", time))
        if code.nunique() > 1 and (one := _found(frame, luck, stage, name, code)) is not None
    ]
    return max(found, key=lambda one: one.share, default=None)


def _some_stages(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the copies of so many stages as are looked at, chosen by chance where they are not all."""
    if len(frame) <= _MOST:
        return frame
    stages = np.random.default_rng(61).permutation(frame["stage"].unique())
    sizes = frame["stage"].value_counts().reindex(stages).cumsum()
    return frame[frame["stage"].isin(sizes.index[sizes <= max(_MOST, int(sizes.iloc[0]))])]


def _found(
    frame: pd.DataFrame, luck: np.ndarray, stage: np.ndarray, name: str, code: pd.Series
) -> Uneven | None:
    """Return the slowest group of a host and a code, if such groups explain more than chance does."""
    group = frame.groupby(["host", code.to_numpy()]).ngroup().to_numpy()
    seen, random = _explained(luck, group), np.random.default_rng(67)
    order, shuffled = np.argsort(stage, kind="stable"), np.empty(SHUFFLES)
    moved = np.empty_like(luck)
    for number in range(SHUFFLES):
        moved[order] = luck[np.lexsort((random.random(luck.size), stage))]
        shuffled[number] = _explained(moved, group)
    by_chance, whole = float(shuffled.mean()), inner(luck, luck)
    share = (seen - by_chance) / max(whole - by_chance, 1e-300)
    if (shuffled >= seen).any() or share < SOME:
        return None
    size, mean = np.bincount(group), _means(luck, group)
    worst = int(np.argmax(np.where(size >= _FEWEST, size * np.maximum(mean, 0.0) ** 2, -1.0)))
    if size[worst] < _FEWEST or mean[worst] <= 0:
        return None
    rows = group == worst
    others = np.isin(stage, stage[rows]) & ~rows
    factor = float(np.exp(np.median(luck[rows]) - np.median(luck[others]))) if others.any() else 1.0
    if factor < SLOW:
        return None
    one = frame[rows]
    return Uneven(
        str(one["host"].iloc[0]),
        str(one["name"].iloc[0]) if name == "stage" else None,
        float(one["launch"].min()),
        float(one["launch"].max()),
        int(rows.sum()),
        factor,
        float(share),
    )


def _means(values: np.ndarray, code: np.ndarray) -> np.ndarray:
    return np.bincount(code, values) / np.maximum(np.bincount(code), 1)


def _explained(luck: np.ndarray, group: np.ndarray) -> float:
    """Return the sum of squares between groups."""
    return float(np.bincount(group, luck) ** 2 @ (1 / np.maximum(np.bincount(group), 1)))
