r"""Durations split into work, machine, first wave, place and luck: one hierarchical fit with its uncertainty.

The log duration of a copy of task *i* of stage *s*, on host *h* and executor *e*, is

.. math:: \log t = a_s + b_g \cdot x_i + z_{gi} + u_h + v_e + w_{he} + c \cdot \text{cold}
    + \kappa_g \varepsilon,

where :math:`x_i` are logs of what the task read and wrote over the median of the stage (`work_counted`), *g*
is the kind of the stage (its name and number of tasks; a large stage is a kind of its own), :math:`z_{gi}` an
effect of a task index that recurs in stages of one kind (work that no count shows), and
:math:`w` what a host adds for a time (`spells`), and
:math:`\varepsilon` luck with Student's t law, so that stragglers do not bend the other parts.
Slopes, hosts, executors and recurring tasks come from normal laws whose spread is estimated too: effects with
little evidence are drawn towards their mean and none is cut to zero.

The posterior is sampled by Gibbs steps (Gelman et al., *Bayesian Data Analysis*, 3rd ed., ch. 11 and 17); a
killed copy is a lower bound and its value is drawn beyond it. Everything after the fit takes its uncertainty
from these draws.

Of libraries, the mixed model of statsmodels was tried: it has normal luck and no lower bounds, and takes 13 s
for the 1,347 copies of a log for which these steps take 0.2 s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy import special

from sim.advice.diagnosis.costs import FEWEST
from sim.advice.diagnosis.spells import Spell, recurrence, spell_codes
from sim.model.statistics import inner

# First waves: copies on a slot that nothing has warmed yet.


def first_waves(copies: pd.DataFrame) -> np.ndarray:
    """Say of each copy whether it is the first of its stage on its slot, and whether of all.

    A holder of several slots (an executor) is cold for a copy launched before any other of its copies
    has ended.

    Returns
    -------
    ndarray of float, shape (n, 2)
    """
    slot = copies["slot"].astype(str)
    holder = slot.where(slot != "", copies["host"].astype(str))
    frame = pd.DataFrame({"holder": holder, "stage": copies["stage"], "end": copies["end"]})
    columns = []
    for by in (["holder", "stage"], ["holder"]):
        warm = frame.groupby(by)["end"].transform("min")
        columns.append(copies["launch"].to_numpy(float) < warm.to_numpy(float))
    return np.column_stack(columns).astype(float)


#: Tasks from which a stage is a kind of its own.
LARGE = 30
#: Copies that the sampler looks at: whole stages, drawn at random from larger histories.
MOST = 20_000
_BURN, _STEPS, _KEEP = 150, 450, 5
#: Degrees of freedom of Student's t from which luck's are drawn.
_FREEDOM = np.array([2.0, 3.0, 4.0, 6.0, 10.0, 30.0])
#: Prior of the slopes of work: durations grow with bytes and records, at most in proportion.
_SLOPE, _SLOPE_SD = np.array([0.6, 0.3, 0.3, 0.1]), 0.5
#: What is counted of a task.
COUNTS = len(_SLOPE)
#: Share of the usual count that stands for none: a task that reads nothing still has its overhead. Where
#: durations tell the share, the least.
_EMPTY, _LEAST = 0.05, 1e-4
#: Scale of the spread that slopes of kinds, hosts, executors and recurring tasks have before data are seen.
_SPREAD = {"kinds": 0.15, "host": 0.1, "executor": 0.05, "spell": 1.0, "place": 0.1}
#: Groups of copies that have an effect of their own.
_KEYS = ("host", "executor", "spell", "place")
#: How many copies the common spread of luck may count for in the spread of a kind: the more alike kinds are,
#: the more. A fixed 10 gave stages of one law powers of 0.6 to 2, and with them slower copies than it has;
#: of kinds of eight tasks of which half are five times as noisy it found 1.6 times.
_COMMON = 2.0 ** np.arange(10)
#: Length of a stage, over the one up to which half of the time is spent, below which hosts are not compared.
SHORT = 0.2
#: Runs of a task from which it begins with what they share: of fewer all are slow by luck now and then, so
#: then only if tasks are slow again as often as luck hardly ever is.
_RUNS, _BEYOND = 4, 100.0
#: Luck from which a task is slow, and spreads of its kind that it must be beyond.
SLOW, SPREADS = 1.5, 3.0
#: Columns of copies that count their work.
COUNTED = ("bytes", "records", "written", "records_written")
#: Smallest standard deviation of luck, and units in seconds that a clock may count in.
_CLOCK, _UNITS = 1e-3, (60.0, 30.0, 10.0, 5.0, 1.0, 0.1, 0.01)


@dataclass(frozen=True, eq=False)
class Columns:
    """What the fit looks at: arrays over copies, codes are -1 where something is unknown.

    Parameters
    ----------
    y : ndarray
        Log durations, lower bounds where not complete.
    complete : ndarray of bool
    stage, kind, host, executor, spell, place : ndarray of int
        Codes. `spell` is a time in which a host was slow, `place` a task index of a kind that recurs.
    x : ndarray, shape (n, 4)
        What tasks read and wrote, see `work_counted`; 0 where unknown.
    cold : ndarray, shape (n, 2)
        First copy of the stage, and of all, on its slot.
    clock : ndarray
        Of each kind the least spread of luck that the clock of the log can tell.
    names : mapping of str to list of str
        What the codes of host, executor, spell, kind and place stand for.
    counted : bool
        Whether the log counts what most copies read or wrote.
    """

    y: np.ndarray
    complete: np.ndarray
    stage: np.ndarray
    kind: np.ndarray
    host: np.ndarray
    executor: np.ndarray
    spell: np.ndarray
    place: np.ndarray
    x: np.ndarray
    cold: np.ndarray
    clock: np.ndarray
    names: dict[str, list[object]]
    counted: bool = False

    def rows(self, chosen: np.ndarray) -> Columns:
        """Return some of the copies."""
        arrays = {
            name: getattr(self, name)[chosen]
            for name in ("y", "complete", "stage", "kind", "host", "executor", "spell", "place", "x", "cold")
        }
        return Columns(**arrays, clock=self.clock, names=self.names, counted=self.counted)


def counts_work(copies: pd.DataFrame) -> bool:
    """Say whether a log counts what any task reads or writes."""
    return bool(copies.reindex(columns=[*COUNTED]).notna().any(axis=None))


def work_counted(copies: pd.DataFrame) -> np.ndarray:
    """Return what tasks read and wrote, each as a log over the median of the stage: four columns.

    First bytes read, second records over bytes read; where bytes do not differ, records alone in the first.
    Third what was written over what was read, bytes or else records, fourth records over bytes written.
    A column is zero where the log does not know it of all copies of a stage. Tasks that count nothing beside
    others that do are small ones: their size is what their duration is of the others', if there are any.

    Examples
    --------
    >>> copies = pd.DataFrame({"stage": [0, 0, 0], "bytes": [1.0, 1.0, np.e], "records": [np.e, 1.0, np.e]})
    >>> work_counted(copies)[:, :2]
    array([[ 0.,  0.],
           [ 0., -1.],
           [ 1., -1.]])
    """
    read, both = _pair(copies, "bytes", "records")
    wrote, other = _pair(copies, "written", "records_written")
    differ = pd.Series(np.abs(wrote)).groupby(copies["stage"].to_numpy()).transform("max").to_numpy() > 1e-9
    return np.column_stack([read, both, (wrote - read) * differ, other])


def _pair(copies: pd.DataFrame, name: str, second: str) -> tuple[np.ndarray, np.ndarray]:
    """Return logs of a count, or of the second where it does not differ, and of the second over the first."""
    (first, differ), (more, too) = (count_logs(copies, column) for column in (name, second))
    return np.where(differ, first, more * too), (more - first) * (differ & too)


def count_logs(copies: pd.DataFrame, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the log of a count over the median of the stage, and whether it differs in the stage."""
    stage, nothing = copies["stage"].to_numpy(), np.zeros(len(copies))
    if name not in copies:
        return nothing, np.zeros(len(copies), bool)
    values = copies[name].astype(float)
    some = values.where(values > 0)
    usual = values.groupby(stage).transform("median").to_numpy()
    usual = np.where(usual > 0, usual, some.groupby(stage).transform("median").fillna(0).to_numpy())
    known = values.ge(0).groupby(stage).transform("all").to_numpy(bool) & (usual > 0)
    least = np.full(len(copies), _EMPTY)
    if "duration" in copies and (values == 0).any():
        lasted = copies["duration"].astype(float)
        none = values.eq(0)
        empty, full = (lasted.where(one).groupby(stage).transform("median") for one in (none, ~none))
        typical = some.groupby(stage).transform("median")
        least = (empty / full * typical / usual).clip(_LEAST, 1.0).fillna(_EMPTY).to_numpy()
    ratio = np.maximum(values.to_numpy(), least * usual) / np.where(known, usual, 1.0)
    log = np.where(known, np.log(ratio, where=known, out=nothing.copy()), 0.0)
    spread = pd.Series(np.abs(log)).groupby(stage).transform("max").to_numpy()
    return log, spread > 1e-9


def columns(copies: pd.DataFrame, stages: pd.DataFrame, spells: tuple[Spell, ...] = ()) -> Columns:
    """Return the columns of the fit.

    Parameters
    ----------
    copies : DataFrame
        Copies with a duration > 0 that did not fail: stage, task, duration, complete, host, slot, launch,
        end, bytes, and records if there are any.
    stages : DataFrame
        The stages of the history, with name and tasks.
    spells : tuple of Spell, optional
        When hosts were slow for a time.
    """
    stage = copies["stage"].to_numpy(int)
    recurring = (stages["name"] + "/" + stages["tasks"].astype(str)).to_numpy()
    large = (stages["tasks"] >= LARGE).to_numpy()
    kind, kind_names = pd.factorize(np.where(large, stages.index.astype(str), recurring)[stage])
    recurs = pd.factorize(recurring[stage])[0]
    host, host_names = _coded(copies["host"])
    executor, executor_names = _coded(copies["slot"])
    if pd.DataFrame({"host": host, "executor": executor}).drop_duplicates().groupby("host").size().max() < 2:
        executor, executor_names = np.full(stage.size, -1), []
    place, place_names = _places(stage, recurs, copies["task"].to_numpy())
    return Columns(
        y=np.log(copies["duration"].to_numpy(float)),
        complete=copies["complete"].to_numpy(bool),
        stage=np.unique(stage, return_inverse=True)[1],
        kind=kind,
        host=host,
        executor=executor,
        spell=spell_codes(copies, spells),
        place=place,
        x=work_counted(copies),
        cold=first_waves(copies),
        clock=clock_spread(copies, kind),
        names={
            "kind": list(kind_names),
            "host": host_names,
            "executor": executor_names,
            "spell": list(spells),
            "place": place_names,
        },
        counted=any(name in copies and copies[name].gt(0).mean() > 0.5 for name in COUNTED),
    )


def clock_spread(copies: pd.DataFrame, kind: np.ndarray) -> np.ndarray:
    """Return of each kind the spread that log durations have from the clock of the log alone.

    Both ends of a copy are cut to whole units, so a duration is off by the difference of two uniform numbers.

    Parameters
    ----------
    copies : DataFrame
        With launch, end and duration.
    kind : ndarray of int
        Code of the kind of each copy.

    Examples
    --------
    >>> copies = pd.DataFrame({"launch": [0.0, 1.0, 5.0], "end": [3.0, 5.0, 9.0]})
    >>> copies["duration"] = copies["end"] - copies["launch"]
    >>> clock_spread(copies, np.zeros(3, int)).round(3)  # 1 s / sqrt(6) of 4 s
    array([0.102])
    """
    times = copies[["launch", "end"]].to_numpy(float)
    away = times - np.nanmin(times, initial=np.inf)
    unit = next((unit for unit in _UNITS if _whole(away / unit)), 0.0)
    usual = copies["duration"].groupby(kind).median().to_numpy(float)
    return np.maximum(unit / math.sqrt(6) / usual, _CLOCK)


def _whole(values: np.ndarray) -> bool:
    """Tell whether all are whole numbers, but for what a float cannot hold; the unknown are left out."""
    return bool(np.nanmax(np.abs(values - np.round(values)), initial=0.0) < 1e-3)


def _coded(column: pd.Series) -> tuple[np.ndarray, list[object]]:
    """Return codes by frequency, -1 for the empty text, and the names."""
    text = column.astype(str)
    names = [name for name in text.value_counts().index if name]
    return pd.Index(names).get_indexer(text) if names else np.full(len(text), -1), names


def _places(stage: np.ndarray, kind: np.ndarray, task: np.ndarray) -> tuple[np.ndarray, list[object]]:
    """Return a code of each task index of the kinds that occur in at least two stages."""
    frame = pd.DataFrame({"stage": stage, "kind": kind, "task": task})
    recurs = frame.groupby("kind")["stage"].transform("nunique").to_numpy() >= 2
    code = np.full(stage.size, -1)
    both = pd.MultiIndex.from_arrays([kind[recurs], task[recurs]])
    code[recurs], names = pd.factorize(both)
    return code, list(names)


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws of the posterior; the first axis of every array has the draw.

    Parameters
    ----------
    slope : ndarray, shape (draws, kinds, 4)
        Powers of what is counted, by which durations of a kind grow.
    common_slope : ndarray, shape (draws, 4)
        Mean slopes of kinds.
    host, executor, spell, place : ndarray
        Effects on log durations.
    cold : ndarray, shape (draws, 2)
    spread : ndarray, shape (draws, kinds)
        Scale of luck of a kind over that of the median copy.
    scale : ndarray, shape (draws,)
        Scale of luck, of Student's t law.
    """

    slope: np.ndarray
    common_slope: np.ndarray
    host: np.ndarray
    executor: np.ndarray
    spell: np.ndarray
    place: np.ndarray
    cold: np.ndarray
    spread: np.ndarray
    scale: np.ndarray

    def __len__(self) -> int:
        """Return how many draws there are."""
        return len(self.scale)


@dataclass(frozen=True, eq=False)
class Posterior:
    """A fit: columns of all copies, and draws of what is not luck.

    `draw=None` stands for the mean over the draws.
    """

    columns: Columns
    draws: Draws = field(repr=False)

    def _of(self, name: str, draw: int | None) -> np.ndarray:
        values = getattr(self.draws, name)
        return np.asarray(values.mean(axis=0) if draw is None else values[draw])

    def on(self, other: Columns) -> Posterior:
        """Return the same draws for other copies; codes are found by their names, -1 where unknown."""
        codes = {}
        for name in ("kind", "host", "executor", "spell", "place"):
            places = {value: code for code, value in enumerate(self.columns.names[name])}
            table = np.array([places.get(value, -1) for value in other.names[name]] + [-1], int)
            codes[name] = table[getattr(other, name)]
        return Posterior(replace(other, **codes, names=self.columns.names), self.draws)

    def work(self, draw: int | None = None) -> np.ndarray:
        """Return what work adds to each log duration: bytes or records, and what recurs by index."""
        return self.seen_work(draw) + self.hidden_work(draw)

    def seen_work(self, draw: int | None = None) -> np.ndarray:
        """Return what is counted adds."""
        return np.asarray(self.counted_work(draw).sum(axis=1))

    def counted_work(self, draw: int | None = None) -> np.ndarray:
        """Return what each of the counts adds, column by column of `work_counted`."""
        slopes = np.vstack([self._of("slope", draw), self._of("common_slope", draw)])[self.columns.kind]
        return np.asarray(slopes * self.columns.x)

    def hidden_work(self, draw: int | None = None) -> np.ndarray:
        """Return what recurs by task index and no byte count shows."""
        return _taken(self._of("place", draw), self.columns.place)

    def machine(self, draw: int | None = None) -> np.ndarray:
        """Return what host and executor add, at the time of the copy."""
        return self.holder(draw) + self.spell(draw)

    def holder(self, draw: int | None = None) -> np.ndarray:
        """Return what host and executor add at any time."""
        one = self.columns
        return _taken(self._of("host", draw), one.host) + _taken(self._of("executor", draw), one.executor)

    def spell(self, draw: int | None = None) -> np.ndarray:
        """Return what a host adds that is slow for a time."""
        return _taken(self._of("spell", draw), self.columns.spell)

    def spells(self, draw: int | None = None) -> dict[Spell, float]:
        """Return the factor of each time in which a host was slow."""
        effects = np.exp(self._of("spell", draw)).tolist()
        named = zip(self.columns.names["spell"], effects, strict=True)
        return {one: effect for one, effect in named if isinstance(one, Spell)}

    def factors(self, name: str, draw: int | None = None) -> dict[str, float]:
        """Return the factor of each host or executor by its name."""
        values = np.exp(self._of(name, draw)).tolist()
        return dict(zip(map(str, self.columns.names[name]), values, strict=True))

    def first_wave(self, draw: int | None = None) -> np.ndarray:
        """Return what a cold slot adds."""
        return self.columns.cold @ self._of("cold", draw)

    def first_waves(self, draw: int | None = None) -> np.ndarray:
        """Return what a slot that is cold for the stage adds, and what one that is cold for all: (n, 2)."""
        return np.asarray(self.columns.cold * self._of("cold", draw))

    def growth(self, draw: int | None = None) -> np.ndarray:
        """Return the power by which the duration of each copy grows with the bytes that it reads."""
        slopes = np.vstack([self._of("slope", draw), self._of("common_slope", draw)])
        return np.asarray(slopes[self.columns.kind, 0])

    def spread(self, draw: int | None = None) -> np.ndarray:
        """Return the scale of luck of each copy's kind over the usual one."""
        return _taken(self._of("spread", draw), self.columns.kind, 1.0)

    def not_luck(self, draw: int | None = None) -> np.ndarray:
        """Return what all parts but stage and luck add."""
        return self.work(draw) + self.machine(draw) + self.first_wave(draw)


def usual_of(effects: np.ndarray) -> np.ndarray:
    """Return the effect of the usual host, along the last axis: the median; of two in the middle the faster.

    Where half of the hosts are slow, a host between both groups would be neither.

    Examples
    --------
    >>> usual_of(np.array([0.7, 0.0, 0.7, 0.0])).tolist(), usual_of(np.array([0.1, 0.0, 0.2])).tolist()
    ([0.0], [0.1])
    """
    return np.asarray(np.quantile(effects, 0.5, axis=-1, keepdims=True, method="lower"))


def _by_time(log: np.ndarray) -> np.ndarray:
    """Return how much each copy tells of hosts, at most 1, from the log of the usual duration of its stage.

    A thousand tasks of half a second, most of it overhead, do not outvote a hundred that take the time: one
    tells less, by the cube, the shorter its stage is than half the one up to which half of the time is
    spent, and nothing if it is shorter than `SHORT` times that.

    Examples
    --------
    >>> _by_time(np.log([1.0] * 10 + [5.0] * 10 + [20.0] * 10))[::10].round(2).tolist()
    [0.0, 0.12, 1.0]
    """
    if not log.size:
        return log
    order = np.argsort(log, kind="stable")
    spent = np.cumsum(np.exp(log[order] - log.max()))
    share = np.exp(log - log[order][np.searchsorted(spent, spent[-1] / 2)])
    return np.where(share < SHORT, 0.0, np.minimum(2 * share, 1.0) ** 3)


def _taken(effects: np.ndarray, code: np.ndarray, unknown: float = 0.0) -> np.ndarray:
    return np.append(effects, unknown)[code]


def posterior(one: Columns, seed: int = 1) -> Posterior:
    """Sample the posterior; the same seed gives the same draws."""
    random = np.random.default_rng([seed, 16])
    sizes = np.bincount(one.stage, weights=one.complete) if one.stage.size else np.empty(0)
    chosen = np.flatnonzero(sizes[one.stage] >= FEWEST) if one.stage.size else np.empty(0, int)
    if chosen.size > MOST:
        first = random.permutation(sizes.size)[one.stage[chosen]]
        chosen = chosen[np.argsort(first, kind="stable")[:MOST]]
    looked_at = one.rows(np.sort(chosen))
    return Posterior(one, _Gibbs(looked_at, random).sampled())


class _Gibbs:
    """The sampler: one value of everything, renewed part by part."""

    def __init__(self, one: Columns, random: np.random.Generator) -> None:
        self.random = random
        self.one = one
        self.stage = np.unique(one.stage, return_inverse=True)[1] if one.stage.size else one.stage
        self.stages = int(self.stage.max(initial=-1)) + 1
        self.sizes = {name: len(one.names[name]) for name in (*_KEYS, "kind")}
        self.y = one.y.copy()
        self.level = np.zeros(self.stages)
        self.slope = np.tile(_SLOPE, (self.sizes["kind"], 1))
        self.common = _SLOPE.copy()
        self.effect = {name: np.zeros(self.sizes[name]) for name in _KEYS}
        self.code: dict[str, np.ndarray] = {name: getattr(one, name) for name in _KEYS}
        self.tau = {name: _SPREAD[name] for name in self.effect}
        self.kinds = [_SPREAD["kinds"]] * COUNTS
        self.cold = np.zeros(2)
        self.varied = [place for place in range(2) if one.y.size and self._varies(one.cold[:, place])]
        self.varied_x = [
            place for place in range(one.x.shape[1]) if one.y.size and self._varies(one.x[:, place])
        ]
        median = self._stage_median(one.y)
        spread = float(np.median(np.abs(one.y - median[self.stage]))) if one.y.size else 1.0
        self.level = median
        self.square = max(1.5 * spread, 1e-2) ** 2
        self.kind_square = np.full(self.sizes["kind"], self.square)
        self.freedom = 4.0
        self.weight = np.ones(one.y.size)
        self.time = _by_time(median[self.stage])
        self.spent = np.bincount(one.kind, np.exp(median[self.stage]), self.sizes["kind"])
        self._begin_places()

    def _begin_places(self) -> None:
        """Begin with what all runs of a recurring task have in common.

        From 0 the sampler may never find few large effects: to it they are luck with a heavy tail. What is
        common to most copies of a host is the host's: where each index has its own host both would fit.
        """
        known = self.one.place >= 0
        left = pd.Series(self.y - self.level[self.stage])
        if self.varied_x and left.size:  # nor do places begin with what is counted
            x = self.one.x[:, self.varied_x]
            x = x - np.column_stack([self._mean(np.ones(len(x)), one)[self.stage] for one in x.T])
            slope = np.linalg.lstsq(x, left.to_numpy(), rcond=None)[0]
            left -= x @ np.maximum(slope, 0.0)
        for name in _KEYS[:-1]:  # tasks may be in the same place in every run
            left -= left.groupby(self.code[name]).transform("median")
        one, slow = self.one, left - left.groupby(self.stage).transform("median")
        noise = SPREADS * slow.abs().groupby(one.kind).transform("median")
        slow = slow > np.maximum(math.log(SLOW), noise)
        found = recurrence(one.place, self.stage, one.kind, one.host, one.cold, slow.to_numpy(bool))
        least = 2 if found.likelihood.max() > _BEYOND else _RUNS
        runs = left[known].groupby(self.one.place[known])
        low, high = (one.reindex(range(self.sizes["place"])).fillna(0.0) for one in (runs.min(), runs.max()))
        both = np.maximum(low, 0) + np.minimum(high, 0)
        effect = np.where(runs.size().reindex(both.index) >= least, both, 0.0)
        self.effect["place"] = effect
        if effect.size:
            self.tau["place"] = float(np.sqrt(_SPREAD["place"] ** 2 + np.mean(effect**2)))

    def _varies(self, column: np.ndarray) -> bool:
        mean = self._mean(np.ones(column.size), column)
        return bool(np.abs(column - mean[self.stage]).max() > 1e-9)

    def _mean(self, weight: np.ndarray, values: np.ndarray) -> np.ndarray:
        total = np.bincount(self.stage, weight, self.stages)
        return np.bincount(self.stage, weight * values, self.stages) / np.maximum(total, 1e-300)

    def _stage_median(self, values: np.ndarray) -> np.ndarray:
        return pd.Series(values).groupby(self.stage).median().to_numpy() if values.size else np.empty(0)

    def sampled(self) -> Draws:
        """Run the sampler and return the draws that are kept."""
        if not self.one.y.size:
            return self._draws([self._state()])
        kept = []
        for step in range(_STEPS):
            self._step(step)
            if step >= _BURN and step % _KEEP == 0:
                kept.append(self._state())
        return self._draws(kept)

    def _fitted(self) -> np.ndarray:
        one = self.one
        total = self.level[self.stage] + (self.slope[one.kind] * one.x).sum(axis=1) + one.cold @ self.cold
        for name, effect in self.effect.items():
            if effect.size:
                total += _taken(effect, self.code[name])
        return total

    def _step(self, step: int) -> None:
        one, random = self.one, self.random
        fitted = self._fitted()
        square = self.kind_square[one.kind]
        left = self.y - fitted
        self.weight = random.gamma((self.freedom + 1) / 2, 2 / (self.freedom + left**2 / square))
        precision = self.weight / square
        if not one.complete.all():
            self._beyond(fitted, precision)
            left = self.y - fitted
        left = self._levels(left, precision)
        for place in self.varied_x:
            left = self._slopes(place, left, precision)
        for name in self.effect:
            if self.effect[name].size > (name != "spell"):  # one host alone is like all
                left = self._effects(name, left, precision)
        for place in self.varied:
            left = self._cold(place, left, precision)
        self._spreads(left)
        if step % 5 == 0:
            self._freedom(left)

    def _beyond(self, fitted: np.ndarray, precision: np.ndarray) -> None:
        """Draw the values of lower bounds beyond them."""
        rows = np.flatnonzero(~self.one.complete)
        sd = 1 / np.sqrt(precision[rows])
        below = special.ndtr(-(self.one.y[rows] - fitted[rows]) / sd)  # chance of more than the bound
        share = below * self.random.random(rows.size)
        drawn = fitted[rows] - sd * special.ndtri(np.clip(share, 1e-300, 1))
        self.y[rows] = np.maximum(np.minimum(drawn, self.one.y[rows] + 3.0), self.one.y[rows])

    def _levels(self, left: np.ndarray, precision: np.ndarray) -> np.ndarray:
        left = left + self.level[self.stage]
        total = np.bincount(self.stage, precision, self.stages)
        mean = np.bincount(self.stage, precision * left, self.stages) / total
        self.level = mean + self.random.standard_normal(self.stages) / np.sqrt(total)
        return left - self.level[self.stage]

    def _slopes(self, place: int, left: np.ndarray, precision: np.ndarray) -> np.ndarray:
        kind, kinds, x = self.one.kind, self.sizes["kind"], self.one.x[:, place]
        slope, common = self.slope[:, place], self.common[place]
        left = left + slope[kind] * x
        spread = 1 / self.kinds[place] ** 2
        total = spread + np.bincount(kind, precision * x**2, kinds)
        mean = (spread * common + np.bincount(kind, precision * x * left, kinds)) / total
        slope = mean + self.random.standard_normal(kinds) / np.sqrt(total)
        counts = spread * kinds + 1 / _SLOPE_SD**2
        middle = (spread * slope.sum() + _SLOPE[place] / _SLOPE_SD**2) / counts
        common = middle + self.random.standard_normal() / np.sqrt(counts)
        self.kinds[place] = self._spread_of(slope - common, _SPREAD["kinds"])
        self.slope[:, place], self.common[place] = slope, common
        return left - slope[kind] * x

    def _effects(self, name: str, left: np.ndarray, precision: np.ndarray) -> np.ndarray:
        code, size = self.code[name], self.sizes[name]
        known = code >= 0
        left = left + _taken(self.effect[name], code)
        if name in ("host", "executor"):
            precision = np.minimum(precision, self.weight / self._usual_square()) * self.time
        total = 1 / self.tau[name] ** 2 + np.bincount(code[known], precision[known], size)
        mean = np.bincount(code[known], (precision * left)[known], size) / total
        self.effect[name] = mean + self.random.standard_normal(size) / np.sqrt(total)
        self.tau[name] = self._spread_of(self.effect[name], _SPREAD[name])
        return left - _taken(self.effect[name], code)

    def _usual_square(self) -> float:
        """Return the square of the scale of luck in half of the time.

        Tasks that hardly vary, as those that are overhead alone, tell no more of hosts than others.
        """
        order = np.argsort(self.kind_square)
        spent = np.cumsum(self.spent[order])
        return float(self.kind_square[order][np.searchsorted(spent, spent[-1] / 2)])

    def _cold(self, place: int, left: np.ndarray, precision: np.ndarray) -> np.ndarray:
        column = self.one.cold[:, place]
        left = left + self.cold[place] * column
        total = 1 / 0.5**2 + inner(precision, column**2)
        mean = inner(precision, column * left) / total
        self.cold[place] = mean + self.random.standard_normal() / np.sqrt(total)
        return left - self.cold[place] * column

    def _spread_of(self, effects: np.ndarray, usual: float) -> float:
        """Draw the standard deviation of effects; before them it is about `usual`."""
        shape, rate = 0.5 * (1 + effects.size), 0.5 * (usual**2 + float(effects @ effects))
        return float(np.sqrt(rate / self.random.gamma(shape)))

    def _spreads(self, left: np.ndarray) -> None:
        """Draw the scale of luck of each kind, and the common one."""
        kinds = self.sizes["kind"]
        count = np.bincount(self.one.kind, minlength=kinds)
        squares = np.bincount(self.one.kind, self.weight * left**2, kinds)
        common = self._common(count, squares)
        rate = (common * self.square + squares) / 2
        self.kind_square = np.maximum(rate / self.random.gamma((common + count) / 2), self.one.clock**2)
        shape, inverse = 0.5 * common * kinds + 0.5, 0.5 * common * float(np.sum(1 / self.kind_square))
        self.square = max(self.random.gamma(shape) / inverse, _CLOCK**2)

    def _common(self, count: np.ndarray, squares: np.ndarray) -> float:
        """Draw for how many copies the common spread counts; the spreads of kinds are integrated out."""
        prior = _COMMON[:, None] / 2
        both, total = prior + count / 2, _COMMON[:, None] * self.square
        log = special.gammaln(both) - special.gammaln(prior)
        log = log + prior * np.log(total) - both * np.log(total + squares)
        share = np.exp(log.sum(axis=1) - log.sum(axis=1).max())
        return float(self.random.choice(_COMMON, p=share / share.sum()))

    def _freedom(self, left: np.ndarray) -> None:
        """Draw the degrees of freedom given the residuals, whose scales are integrated out."""
        z = left**2 / self.kind_square[self.one.kind]
        nu = _FREEDOM
        log = left.size * (special.gammaln((nu + 1) / 2) - special.gammaln(nu / 2) - 0.5 * np.log(nu)) - (
            nu + 1
        ) / 2 * np.log1p(z[:, None] / nu).sum(axis=0)
        share = np.exp(log - log.max())
        self.freedom = float(self.random.choice(nu, p=share / share.sum()))

    def _state(self) -> dict[str, np.ndarray]:
        host = self.effect["host"]
        spread = np.sqrt(self.kind_square)
        usual = float(np.median(spread[self.one.kind])) if self.one.y.size else 1.0
        return {
            "slope": self.slope.copy(),
            "common_slope": self.common.copy(),
            "host": host - usual_of(host) if host.size else host.copy(),
            "executor": self.effect["executor"].copy(),
            "spell": self.effect["spell"].copy(),
            "place": self.effect["place"].copy(),
            "cold": self.cold.copy(),
            "spread": spread / usual,
            "scale": np.array(usual),
        }

    def _draws(self, states: list[dict[str, np.ndarray]]) -> Draws:
        return Draws(**{name: np.array([state[name] for state in states]) for name in states[0]})
