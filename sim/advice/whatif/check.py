"""The model checked on the history it comes from, before it predicts other settings.

The jobs are played under the setting that the history was recorded with. Each check compares what was
recorded with what the replications show, and is good, fair or poor; the verdict is good if all are, and poor
if one is. Where it is poor no gain is shown; where it is fair intervals are widened until they hold what was
recorded (`Check.widened`). Luck is held against what it should not depend on, too
(`sim.advice.whatif.check`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from sim.advice.diagnosis.hierarchy import count_logs
from sim.advice.whatif.model import Model, fit
from sim.advice.whatif.runs import Replay, Replication, in_parts, plays, quantile
from sim.engines.slots.scenario import SlotPolicy
from sim.logs.history import History
from sim.running.parallel import HERE, Player
from sim.telling.words import in_percent, short, unit_for

# Data for the charts of the check: recorded times beside those of the model.


@dataclass(frozen=True, eq=False)
class Pictures:
    """What the check compares.

    Parameters
    ----------
    recorded, low, middle, high : ndarray
        Time of each job that ended: recorded, and the model's 5 %, 50 % and 95 % quantile.
    ranks : ndarray
        Share of the simulated times of each stage that are below the recorded one.
    figures : mapping of str to ndarray
        Figures in each replication.
    """

    recorded: np.ndarray
    low: np.ndarray
    middle: np.ndarray
    high: np.ndarray
    ranks: np.ndarray
    figures: Mapping[str, np.ndarray]


def pictures(question: Replay, plays: Sequence[Replication]) -> Pictures:
    """Return what replications of today's setting show beside the history."""
    model, kept = question.model, question.kept
    ended = np.isfinite(model.job_times[kept])
    times = np.array([play.job_times for play in plays])[:, ended]
    low, middle, high = np.quantile(times, (0.05, 0.5, 0.95), axis=0)
    figures = {name: np.array([play.figures[name] for play in plays]) for name in plays[0].figures}
    return Pictures(model.job_times[kept][ended], low, middle, high, ranks(question, plays), figures)


def ranks(question: Replay, plays: Sequence[Replication]) -> np.ndarray:
    """Return for each stage whose time is known the share of its simulated times that are below it."""
    stages = question.kept[question.model.stage_job] & np.isfinite(question.model.recorded)
    simulated = np.array([play.stage_times for play in plays])[:, stages]
    recorded = question.model.recorded[stages]
    return np.asarray((simulated < recorded).mean(axis=0) + 0.5 * (simulated == recorded).mean(axis=0))


# Residual luck, tested against every property that luck should not depend on.
#
# Luck is drawn anew for every copy and alike for all. So in the history it may not go along with host,
# executor, time, spells of a host, load, bytes, records, first waves, locality or garbage collection, once
# what the model knows is taken out. For each the share of the variance of luck that it explains is compared
# with what luck shuffled within each stage explains by chance.
#
# A share of next to no luck is next to nothing: short tasks of a log whose long ones all take the same time
# may depend on the minute. So the spread of durations that goes along with it is bounded
# (`Residual.spread`), and luck is shuffled with copies weighed by what the times of jobs rest on, too
# (`Residual.weighed`).
#
# The model plays hosts that were slow for a time, where they are found (`sim.advice.diagnosis.spells`). It
# cannot play luck that comes in shorter spells or depends on load: there the check is fair or poor.
# Locality and garbage collection are drawn anew by a copy, as luck is, and are said only.

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
    counted = [(weight * _within(values, weight, stage), weight) for values, weight in weighted]

    def explained(counted: list[tuple[np.ndarray, np.ndarray]], code: np.ndarray) -> list[float]:
        return [_between(values, weight, code) for values, weight in counted]

    random = np.random.default_rng(53)
    order, place = np.argsort(stage, kind="stable"), np.arange(rank.size)
    whole = explained(counted, place)
    seen = {name: explained(counted, code) for name, (code, _) in coded.items()}
    shuffled = {name: np.empty((SHUFFLES, len(counted))) for name in coded}
    for number in range(SHUFFLES):
        place[order] = order[np.lexsort((random.random(rank.size), stage[order]))]
        moved = [(values[place], weight[place]) for values, weight in counted]  # once for all groups
        for name, (code, _) in coded.items():
            shuffled[name][number] = explained(moved, code)
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


def _between(weighted: np.ndarray, weight: np.ndarray, code: np.ndarray) -> float:
    """Return the mean square of the means of groups, of values times their weight."""
    whole = np.maximum(np.bincount(code, weight), 1e-300)
    return float(np.bincount(code, weighted) ** 2 @ (1 / whole) / whole.sum())


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


GOOD, FAIR, POOR = "good", "fair", "poor"
#: Checks that compare a figure, and the figure.
COMPARED = {
    "mean job time": "mean",
    "p50": "p50",
    "p95": "p95",
    "makespan": "makespan",
    "copies": "copies",
    "won": "won",
    "killed_time": "killed_time",
}
#: Jobs below which it is said how many of them, not which share.
_FEW = 10


@dataclass(frozen=True)
class Item:
    """One check.

    Parameters
    ----------
    name : str
        What is compared.
    recorded, expected : float
        What the history says, and the model.
    grade : str
        good, fair or poor.
    sentence : str
        The same in words.
    """

    name: str
    recorded: float
    expected: float
    grade: str
    sentence: str

    @property
    def ratio(self) -> float:
        """Recorded over the model: above 1 where the history took longer."""
        return self.recorded / self.expected if self.expected > 0 else math.inf


@dataclass(frozen=True)
class Check:
    """All checks, and what they amount to.

    Parameters
    ----------
    items : tuple of Item
    residuals : tuple of Residual
        Luck held against what it should not depend on, the clear ones among the items.
    widened : float
        Smallest factor for interval widths with which the recorded setting's intervals contain the recorded
        values, where the check is fair; 1 where they do.
    """

    items: tuple[Item, ...]
    residuals: tuple[Residual, ...] = ()
    widened: float = 1.0

    @property
    def verdict(self) -> str:
        """Say good, fair or poor."""
        grades = {item.grade for item in self.items}
        return POOR if POOR in grades else FAIR if FAIR in grades else GOOD


def check(question: Replay, plays: Sequence[Replication]) -> Check:
    """Compare the replications of today's setting with the history.

    Parameters
    ----------
    question : Replay
        At the recorded rate, on the recorded slots.
    plays : sequence of Replication
        Its replications under the setting of the history.
    """
    figures, luck = _figures(question, plays), residuals(question.model)
    found = [
        _job_times(question, plays),
        _ratio("mean job time", *figures["mean"]) if figures else None,
        *(_quantile(name, *figures[name]) for name in ("p50", "p95") if figures),
        _ratio("makespan", *_makespans(question, plays)),
        *_copies(question, plays),
        _ranks(question, plays),
        _pairs(question),
        *(Item(f"luck and {one.name}", one.share, 0.0, one.grade, one.sentence) for one in luck if one.clear),
    ]
    items = tuple(item for item in found if item is not None)
    checked = Check(items, luck)
    return replace(checked, widened=_widened(figures)) if checked.verdict == FAIR else checked


def _figures(question: Replay, plays: Sequence[Replication]) -> dict[str, tuple[float, np.ndarray]]:
    """Return mean and quantiles of the times of jobs that ended: recorded, and in each replication."""
    ended = _ended(question)
    recorded = question.model.job_times[question.kept][ended]
    if not recorded.size:
        return {}
    times = [play.job_times[ended] for play in plays]
    found = {"mean": (float(recorded.mean()), np.array([one.mean() for one in times]))}
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        found[name] = quantile(recorded, share), np.array([quantile(one, share) for one in times])
    return found


def _widened(figures: Mapping[str, tuple[float, np.ndarray]]) -> float:
    """Return by what bands are widened so that they hold the recorded mean and quantiles."""
    factor = 1.0
    for recorded, values in figures.values():
        low, middle, high = np.quantile(values, (0.05, 0.5, 0.95))
        half = high - middle if recorded > middle else middle - low
        factor = max(factor, abs(recorded - middle) / half if half > 0 else 1.0)
    return float(factor)


def _quantile(name: str, recorded: float, values: np.ndarray) -> Item | None:
    """Compare a quantile of the job times: good inside the model's 90 % band, or within a tenth of it."""
    if not recorded > 0:
        return None
    mean, (low, high) = float(values.mean()), np.quantile(values, (0.05, 0.95))
    ratio = recorded / mean
    inside = low <= recorded <= high or 0.9 <= ratio <= 1.1
    outside = not (values.min() <= recorded <= values.max()) and (ratio < 0.6 or ratio > 1.67)
    grade = GOOD if inside else POOR if outside else FAIR
    words = {"p50": "half of the job times are below", "p95": "95 % of the job times are below"}
    sentence = (
        f"{words[name]} {short(recorded, 4)} s recorded, {short(mean, 4)} s in the model "
        f"(90 %: {short(float(low))} to {short(float(high))})"
    )
    return Item(name, recorded, mean, grade, sentence)


def _pairs(question: Replay) -> Item | None:
    """Say what originals and their copies tell, where the log has them."""
    hidden = question.model.evidence.hidden
    if not hidden.pairs:
        return None
    again = hidden.again
    if hidden.probability > 0.95 and again > 0.2:
        sentence = f"{hidden.signs[-1]}: about {in_percent(again)} of the slow tasks are slow by themselves"
        return Item("originals and copies", again, 0.0, FAIR, sentence)
    return Item("originals and copies", again, 0.0, GOOD, hidden.signs[-1])


def _ended(question: Replay) -> np.ndarray:
    """Say of the jobs in the figures whether their recorded time is known."""
    return np.isfinite(question.model.job_times[question.kept])


def _job_times(question: Replay, plays: Sequence[Replication]) -> Item | None:
    """Count the recorded job times inside the model's 90 % band."""
    ended = _ended(question)
    recorded = question.model.job_times[question.kept][ended]
    if not recorded.size:
        return None
    times = np.array([play.job_times for play in plays])[:, ended]
    low, high = np.quantile(times, (0.05, 0.95), axis=0)
    share = float(np.mean((low <= recorded) & (recorded <= high)))
    too_many = share > 0.98 and recorded.size * math.log(0.9) < math.log(0.01)  # else it is chance
    grade = POOR if share < 0.6 else GOOD if share >= 0.8 and not too_many else FAIR
    return Item(
        "job times",
        share,
        0.9,
        grade,
        f"{_of(share, recorded.size)} inside the model's 90 % band",
    )


def _of(share: float, jobs: int) -> str:
    """Return which share of the recorded job times; of few jobs how many.

    Examples
    --------
    >>> _of(0.85, 26), _of(1 / 3, 3)
    ('85 % of 26 recorded job times are', '1 of 3 recorded job times is')
    """
    if jobs >= _FEW:
        return f"{in_percent(share)} of {jobs} recorded job times are"
    inside = round(share * jobs)
    return f"{inside} of {jobs} recorded job times {'is' if inside == 1 else 'are'}"


def _ratio(name: str, recorded: float, simulated: np.ndarray) -> Item | None:
    """Grade the ratio of a recorded to a simulated time; the 90 % band excuses up to a factor of two."""
    if not recorded > 0:
        return None
    low, high = np.quantile(simulated, (0.05, 0.95))
    mean = float(simulated.mean())
    ratio = recorded / mean
    outside = (ratio < 0.75 or ratio > 1.33) and not low <= recorded <= high
    poor = outside or ratio < 0.5 or ratio > 2  # a band that holds anything tells nothing
    grade = GOOD if 0.9 <= ratio <= 1.1 else POOR if poor else FAIR
    times = f"{short(recorded, 4)} s recorded, {short(mean, 4)} s in the model"
    sentence = f"{name}: {times}, recorded over model {ratio:.2f}"
    return Item(name, recorded, mean, grade, sentence)


def _makespans(question: Replay, plays: Sequence[Replication]) -> tuple[float, np.ndarray]:
    jobs = question.model.jobs[question.kept]
    if jobs["end"].isna().any():
        return 0.0, np.zeros(1)
    recorded = float(jobs["end"].max() - jobs["submit"].min())
    return recorded, np.array([play.makespan for play in plays])


def recorded_copies(model: Model, kept: np.ndarray) -> dict[str, float]:
    """Count what second copies did in the history: copies, won, killed_time."""
    history = model.history
    copies = history.frame("copies")
    rows = model.jobs.index[kept]
    copies = copies[np.isin(history.stages["job"].to_numpy()[copies["stage"]], rows)]
    extra, killed = copies["speculative"], copies["fate"].eq("killed")
    return {
        "copies": float(extra.sum()),
        "won": float((extra & copies["fate"].eq("finished")).sum()),
        "killed_time": float((copies["end"] - copies["launch"])[killed].sum()),
    }


def _copies(question: Replay, plays: Sequence[Replication]) -> list[Item]:
    """Compare copies, those that won and the time killed, if there were any or there should be."""
    recorded = recorded_copies(question.model, question.kept)
    words = {"copies": "second copies", "won": "copies that won", "killed_time": "slot-seconds killed"}
    found = []
    for name, words_of in words.items():
        values = np.array([play.figures[name] for play in plays])
        if not recorded[name] and not values.any():
            continue
        middle, spread = float(values.mean()), max(float(values.std(ddof=1)), 0.5)
        away = abs(recorded[name] - middle) / spread
        grade = GOOD if away <= 1.96 else POOR if away > 3.29 else FAIR
        model = f"{short(middle)} ± {short(spread, 2)} in the model"
        sentence = f"{words_of}: {short(recorded[name])} recorded, {model}"
        found.append(Item(name, recorded[name], middle, grade, sentence))
    return found


def _ranks(question: Replay, plays: Sequence[Replication]) -> Item | None:
    """See whether recorded stage times lie high or low among the simulated ones."""
    below = ranks(question, plays)
    if below.size < 3:
        return None
    middle = float(below.mean())
    away = abs(middle - 0.5) * math.sqrt(12 * below.size)
    grade = GOOD if away <= 2.58 else POOR if abs(middle - 0.5) > 0.25 else FAIR
    sentence = (
        f"recorded stage times are on average at rank {100 * middle:.0f} of 100 among the simulated ones"
    )
    return Item("ranks of stage times", middle, 0.5, grade, sentence)


def recorded_figures(question: Replay) -> dict[str, float]:
    """Return what the history shows of the jobs in the figures."""
    times = question.model.job_times[question.kept]
    times = times[np.isfinite(times)]
    if not times.size:
        return {}
    found = {"mean": float(times.mean()), "p50": quantile(times, 0.5), "p95": quantile(times, 0.95)}
    return found | recorded_copies(question.model, question.kept)


# The model fitted to a history, and checked on it, by a player.

#: Tasks that could be played in the time that a copy in a log takes of a fit, about.
FIT = 15


def fitted(history: History, **options: Any) -> Model:
    """Fit the model to a history, for any process."""
    return fit(history)


def check_model(
    question: Replay, policy: SlotPolicy, replications: int, player: Player = HERE
) -> tuple[Check, Pictures]:
    """Check the model at the recorded rate and slots.

    Parameters
    ----------
    question : Replay
    policy : SlotPolicy
        Of the history.
    replications : int
    player : Player, optional
    """
    asked = replace(question, doubted=False, rate=1.0, slots=0)
    found = in_parts(player, plays, asked, policy, range(replications))
    checked: tuple[Check, Pictures] = player(_judged, asked, found)
    return checked


def _judged(question: Replay, found: Sequence[Replication], **options: Any) -> tuple[Check, Pictures]:
    """Compare replications with the history, for any process."""
    return check(question, found), pictures(question, found)
