"""Residual luck, tested against every property that luck should not depend on.

Luck is drawn anew for every copy and alike for all. So in the history it may not go along with host,
executor, time, spells of a host, load, bytes, records, first waves, locality or garbage collection, once
what the model knows is taken out. For each the share of the variance of luck that it explains is compared
with what luck shuffled within each stage explains by chance.

A share of next to no luck is next to nothing: short tasks of a log whose long ones all take the same time
may depend on the minute. So the spread of durations that goes along with it is bounded (`Residual.spread`),
and luck is shuffled with copies weighed by what the times of jobs rest on, too (`Residual.weighed`).

The model plays hosts that were slow for a time, where they are found (`sim.advice.diagnosis.spells`). It
cannot play luck that comes in shorter spells or depends on load: there the check is fair or poor. Locality
and garbage collection are drawn anew by a copy, as luck is, and are said only.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from sim.advice.diagnosis.hierarchy import count_logs
from sim.advice.whatif.model import Model
from sim.telling.unit import unit_for
from sim.telling.words import in_percent, short

#: Times luck is shuffled; a chance below `SURE` counts, where the share explained is at least `SOME`. From
#: `MUCH` on, and for luck in spells of a host at any share, since copies share it, the check is poor.
SHUFFLES, SURE, SOME, MUCH = 199, 0.01, 0.05, 0.2
#: Spread of durations (standard deviation of the log) up to which the check is fair at worst, whatever the
#: share is; the chance that the spread is larger than said, and the normal deviate of that chance.
SLIGHT, LARGER, _BEYOND = 0.05, 0.05, 1.645
#: Share of the p95 of job times from which on a job is large.
_LARGE = 0.5
SPELLS = "host and time"
#: Groups that values are put in, copies of a group on average at least, and copies looked at at most.
_GROUPS, _FEWEST, _MOST = 8, 8, 20_000
#: What the model can play, or a copy draws anew: said, and no reason against it.
_SAID = ("locality", "garbage collection")
#: What is counted, and its column.
_COUNTS = {
    "bytes read": "bytes",
    "records read": "records",
    "bytes written": "written",
    "records written": "records_written",
}
#: What the groups of each are.
ABOUT = {
    "host": "hosts",
    "executor": "executors",
    "time": "time since the first launch",
    SPELLS: "hosts in parts of the time since the first launch",
    "load": "copies that ran at the launch",
    **{name: f"{name} over the median of the stage" for name in _COUNTS},
    "first wave": "what had ended on the slot before the launch",
    "locality": "locality",
    "garbage collection": "garbage collection, percent of the duration",
}
#: By how many of the holder and the stage, or of the holder, a copy is the first.
_WAVES = {0: "some of its stage", 1: "none of its stage", 2: "nothing"}
_UNKNOWN = "not known"


@dataclass(frozen=True, eq=False)
class Residual:
    """Luck held against something.

    Parameters
    ----------
    name : str
    share : float
        Of the variance of the log of luck within stages that it explains, beyond chance; 0 or more.
    chance : float
        That shuffled luck explains as much.
    spread : float
        Standard deviation of the log of durations that goes along with it, at most: with seconds counted
        alike, seconds of the job time, or large jobs, whichever is most.
    weighed : float
        The same chance where copies count by what jobs' times rest on: seconds, job time, or large jobs.
    groups : DataFrame
        group, copies, luck (median, over the usual one), low, high (its 95 % interval); in order.
    """

    name: str
    share: float
    chance: float
    spread: float
    weighed: float
    groups: pd.DataFrame

    @property
    def clear(self) -> bool:
        """Whether luck goes along with it beyond chance, and by how much it matters."""
        return self.chance <= SURE and self.share >= SOME

    @property
    def grade(self) -> str:
        """Say good, fair or poor."""
        if not self.clear or self.name in _SAID:
            return "good"
        spells = self.name == SPELLS and self.chance < SURE  # no shuffle explains as much
        matters = self.spread > SLIGHT and self.weighed <= SURE  # tasks that take no time may depend on it
        return "poor" if matters and (self.share >= MUCH or spells) else "fair"

    @property
    def about(self) -> str:
        """Say in a sentence what was found, how sure it is, and whether it counts against the model.

        Examples
        --------
        >>> Residual("load", 0.12, 0.005, 0.3, 0.005, pd.DataFrame()).about[-59:]
        'stages, shuffled luck as much in 0.5 % of shuffles or fewer'
        >>> Residual("load", 0.12, 0.005, 0.03, 0.005, pd.DataFrame()).about[-43:]
        '; durations differ by at most 3 % with load'
        >>> Residual("host", 0.01, 0.4, 0.0, 0.4, pd.DataFrame()).about[:57]
        'luck does not depend on host: it explains 1 % of how luck'
        """
        least = " or fewer" * (self.chance <= 1 / (1 + SHUFFLES))
        shuffled = f"shuffled luck as much in {in_percent(self.chance, small=1)} of shuffles{least}"
        if self.clear:
            drawn = "; a second copy draws it anew, so it is no reason against the model"
            slight = f"; durations differ by at most {in_percent(self.spread, small=1)} with {self.name}"
            return (
                f"{self.sentence}, {shuffled}{drawn * (self.name in _SAID)}{slight * (self.spread <= SLIGHT)}"
            )
        if not self.share:
            return f"{self.sentence}: it explains no more of how luck varies within stages than chance does"
        explained = in_percent(self.share, small=1)
        share = f"{explained} of how luck varies within stages beyond chance, {shuffled}"
        if self.chance <= SURE:
            return (
                f"luck hardly depends on {self.name}: it explains {share}; "
                f"from {in_percent(SOME, None)} on it counts"
            )
        return f"{self.sentence}: it explains {share}"

    @property
    def sentence(self) -> str:
        """Say what was found.

        Examples
        --------
        >>> Residual("load", 0.12, 0.005, 0.3, 0.005, pd.DataFrame()).sentence
        'luck depends on load: it explains 12 % of how luck varies within stages'
        >>> Residual("host", 0.0, 0.4, 0.0, 0.4, pd.DataFrame()).sentence
        'luck does not depend on host'
        """
        if not self.clear:
            return f"luck does not depend on {self.name}"
        return (
            f"luck depends on {self.name}: it explains {in_percent(self.share)} of how luck varies within "
            "stages"
        )


def residuals(model: Model) -> tuple[Residual, ...]:
    """Hold the luck of a model's history against everything that the log tells of its copies."""
    evidence = model.evidence
    copies = model.learned.frame("copies").loc[evidence.rows]
    # ranks: a straggler counts as one, however slow
    luck = pd.Series(evidence.luck / evidence.copies.spread()).rank(pct=True).to_numpy() - 0.5
    weights = _weights(model, copies)
    chosen = np.arange(luck.size)
    if luck.size > _MOST:
        chosen = np.sort(np.random.default_rng(47).choice(luck.size, _MOST, replace=False))
    stage = np.unique(evidence.stage[chosen], return_inverse=True)[1]
    groups = {name: one.iloc[chosen] for name, one in _groups(model, copies).items()}
    return _residuals(luck[chosen], evidence.luck[chosen], weights[:, chosen], stage, groups)


def _groups(model: Model, copies: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the group of each copy, by what they are grouped by."""
    host, launch = copies["host"].astype(str), copies["launch"] - copies["launch"].min()
    hosts = max(1, host.nunique())
    spells = int(np.clip(len(copies) // (4 * hosts), 1, 40))
    unit = unit_for(float(launch.max()))
    time, spell = (_binned(launch / unit.seconds, f" {unit.sign}", groups) for groups in (_GROUPS, spells))
    waves = pd.Series(model.evidence.copies.columns.cold.sum(axis=1), copies.index).map(_WAVES)
    found = {
        "host": host,
        "executor": copies["slot"].astype(str),
        "time": time,
        SPELLS: host + ", " + spell.astype(str) if hosts > 1 else host[:0],
        "load": _binned(_busy(model, copies["launch"].to_numpy(float))),
        **{name: _count(copies, column) for name, column in _COUNTS.items()},
        "first wave": waves.astype(pd.CategoricalDtype([*_WAVES.values()], ordered=True)),
        "locality": copies["locality"].astype(str),
        "garbage collection": _binned(100 * copies["gc"] / (copies["end"] - copies["began"]), " %"),
    }
    return {name: groups for name, groups in found.items() if len(groups)}


def _count(copies: pd.DataFrame, name: str) -> pd.Series:
    """Return by bins what is counted of copies over the median of their stage; nothing where all is alike."""
    values = pd.Series(np.exp(count_logs(copies, name)[0]), copies.index)
    return _binned(values, "×") if np.ptp(values.to_numpy()) > 1e-9 else values[:0]


def _binned(values: pd.Series, unit: str = "", groups: int = _GROUPS) -> pd.Series:
    """Return the bin of each value, bins of about equally many; unknown values are a bin of their own.

    Examples
    --------
    >>> _binned(pd.Series([0.0, 1.0, 2.0, 3.0, np.nan]), " s", 2).tolist()
    ['0 to 1.5 s', '0 to 1.5 s', '1.5 to 3 s', '1.5 to 3 s', 'not known']
    """
    filled = values.astype(float)
    if filled.nunique() <= 1:
        return pd.Series("", index=values.index)
    code, ends = pd.qcut(filled, groups, labels=False, duplicates="drop", retbins=True)
    names = [f"{short(low)} to {short(high)}{unit}" for low, high in pairwise(ends)]
    kind = pd.CategoricalDtype([*dict.fromkeys(names), _UNKNOWN], ordered=True)
    told = code.map(dict(enumerate(names))).fillna(_UNKNOWN)
    return told.astype(kind)


def _busy(model: Model, times: np.ndarray) -> pd.Series:
    """Return how many copies ran at each of some times."""
    copies = model.learned.frame("copies").dropna(subset=["launch", "end"])
    begun = np.searchsorted(np.sort(copies["launch"].to_numpy(float)), times, side="left")
    ended = np.searchsorted(np.sort(copies["end"].to_numpy(float)), times, side="right")
    return pd.Series(begun - ended, index=model.evidence.rows)


def _weights(model: Model, copies: pd.DataFrame) -> np.ndarray:
    """Return the weights of copies, a row for each way to count: what the mean and the p95 of jobs rest on.

    Short jobs do not matter to either, unless they are so many that the p95 is one of them.
    """
    took = (copies["end"] - copies["began"]).to_numpy(float)
    of_stage = model.learned.frame("stages")["job"].to_numpy()
    stage = copies["stage"].to_numpy()
    job = pd.factorize(np.where(of_stage[stage] >= 0, of_stage[stage], -1 - stage))[0]
    span = (copies["end"].groupby(job).max() - copies["launch"].groupby(job).min()).to_numpy(float)
    share = took / np.bincount(job, took)[job]
    large = span >= _LARGE * np.quantile(span, 0.95)
    return np.array([took, share * span[job], share * large[job]])


def _residuals(
    rank: np.ndarray, luck: np.ndarray, weights: np.ndarray, stage: np.ndarray, groups: dict[str, pd.Series]
) -> tuple[Residual, ...]:
    if (np.bincount(stage) > 1).sum() < 2:
        return ()
    coded = {name: pd.factorize(one, sort=True) for name, one in groups.items()}
    enough = range(2, int(2 * rank.size / _FEWEST) + 1)
    coded = {name: found for name, found in coded.items() if len(found[1]) in enough}
    # what a group says within stages: its members against the others of their stages
    weighted = [(rank, np.ones(rank.size)), *((one, weight) for one in (luck, rank) for weight in weights)]
    counted = [(_within(values, weight, stage), weight) for values, weight in weighted]

    def explained(order: np.ndarray, code: np.ndarray) -> list[float]:
        return [_between(values[order], weight[order], code) for values, weight in counted]

    random = np.random.default_rng(53)
    order, place = np.argsort(stage, kind="stable"), np.arange(rank.size)
    whole = explained(place, place)
    seen = {name: explained(place, code) for name, (code, _) in coded.items()}
    shuffled = {name: np.empty((SHUFFLES, len(counted))) for name in coded}
    for number in range(SHUFFLES):
        place[order] = order[np.lexsort((random.random(rank.size), stage[order]))]
        for name, (code, _) in coded.items():
            shuffled[name][number] = explained(place, code)
    sizes = weights.sum(axis=1) ** 2 / np.maximum((weights**2).sum(axis=1), 1e-300)
    found = []
    for name, (code, names) in coded.items():
        by_chance, mean = shuffled[name][:, 0], float(shuffled[name][:, 0].mean())
        share = max(0.0, (seen[name][0] - mean) / (max(whole[0], 1e-12) - mean))
        chance = float((1 + np.count_nonzero(by_chance >= seen[name][0])) / (1 + SHUFFLES))
        low = np.quantile(shuffled[name], LARGER, axis=0)
        usual = np.maximum(shuffled[name].mean(axis=0), 1e-300)[-len(weights) :]
        most = (shuffled[name][:, -len(weights) :] / usual).max(axis=1)
        here = max(seen[name][-len(weights) :] / usual)
        weighed = float((1 + np.count_nonzero(most >= here)) / (1 + SHUFFLES))
        # of what none is among the copies that are looked at, all of it could be
        bounds = [
            _bound(*one) if one[-1] else float(luck.std())
            for one in zip(seen[name][1:], low[1:], whole[1:], sizes, strict=False)
        ]
        found.append(Residual(name, share, chance, max(bounds), weighed, _table(code, names, np.exp(luck))))
    return tuple(found)


def _bound(seen: float, low: float, whole: float, size: float) -> float:
    """Return the standard deviation of a dependence, at most.

    Parameters
    ----------
    seen, low : float
        Variance of the means of groups: as it is, and that which chance has at least.
    whole : float
        Variance of all. Chance explains the part `low` of it, also of what does not depend on the groups.
    size : float
        So many values would tell as much, each alike.
    """
    if whole - low <= 0.05 * whole:  # hardly more than one value in each group: it could be all
        return float(whole**0.5)
    found = whole * max(0.0, seen - low) / (whole - low)
    found += 2 * _BEYOND * (found * whole / size) ** 0.5  # that of the mean of a group's own luck
    return float(min(found, whole) ** 0.5)


def _within(values: np.ndarray, weight: np.ndarray, stage: np.ndarray) -> np.ndarray:
    """Return values less the mean of their stage."""
    whole = np.maximum(np.bincount(stage, weight), 1e-300)
    return values - (np.bincount(stage, weight * values) / whole)[stage]


def _between(values: np.ndarray, weight: np.ndarray, code: np.ndarray) -> float:
    """Return the mean square of the means of groups."""
    whole = np.maximum(np.bincount(code, weight), 1e-300)
    return float(np.bincount(code, weight * values) ** 2 @ (1 / whole) / whole.sum())


def _table(code: np.ndarray, names: pd.Index, factor: np.ndarray) -> pd.DataFrame:
    """Return the median luck of each group, with an interval from its ranks."""
    rows = []
    for number, name in enumerate(names):
        values = np.sort(factor[code == number])
        half = 0.98 * np.sqrt(values.size)
        low, high = (
            float(values[int(np.clip(values.size / 2 + side * half, 0, values.size - 1))]) for side in (-1, 1)
        )
        rows.append((str(name), values.size, float(np.median(values)), low, high))
    return pd.DataFrame(rows, columns=["group", "copies", "luck", "low", "high"])
