"""The cost of each cause of stragglers: the history replayed without it, and nothing else changed.

A replay without luck gives every task the duration it would have had if its luck had been the median of its
stage; one without slow machines takes the factors of hosts out, one without slow executors those of executors
against the others of their host, one without unequal work gives all tasks of a stage the same work, one
without first waves warms every slot (`cold`). Without locality no task is longer away from its input, without
garbage collection and waiting for blocks none has more of it than is usual in its kind of stage (`effects`).
Without failures no attempt fails, and without lost outputs nothing that finished runs again (`failures`). A
replay launches tasks as soon as a slot is free: what recorded waiting adds to it is the cost of idle slots
(`idle`). No task is made longer than it was (`replay`).

What jobs would have saved is what the cause cost. Causes add up only roughly, since a stage that waits for
two slow tasks waits for the slower. What is measured belongs to its own cause, neither to luck nor to a
machine.

The time without luck and without what is measured of it is the most that second copies could mend: they draw
it anew and nothing else. Waiting for blocks and starting are no part of it: a copy asks the same host, and
starts itself.

The intervals hold what the fit leaves open (`hierarchy`), and by how much the replay misses the log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from sim.advice.diagnosis.costs import NOTHING, Cause, cause_of
from sim.advice.diagnosis.effects import MEASURED, MET_AGAIN, Effect, away_from_input, beyond_usual, locality
from sim.advice.diagnosis.hierarchy import Posterior, counts_work, usual_of
from sim.advice.diagnosis.repeatable_slowness import Hidden
from sim.advice.diagnosis.replay import Replay
from sim.advice.diagnosis.shares import Shares
from sim.logs.formats import knows_of
from sim.logs.history import FAILED, FINISHED, History
from sim.model.cached import cached_property

# What a cold slot costs: seconds, which do not grow with the luck of a copy and hardly with its stage.
#
# The fit takes a cold slot as a factor, alike for all stages. To load code takes as long for a short task
# as for a long one, and for a lucky one as for an unlucky one. So the ratio of the duration of a copy to
# its usual warm one, *m*, is regressed within stages on
#
# .. math:: a \cdot (M/m)^{1-\gamma} \cdot \text{cold for the stage} + b \cdot \text{cold for all},
#
# M the usual *m*; :math:`\gamma = 0` stands for equal seconds and 1 for an equal factor, and how well each
# fits says how likely it is. Slow copies weigh less, by Student's t law: luck that is skewed alike for cold
# and warm slots moves no slope. The draws are of a bootstrap over stages.

_GROWTH = (0.0, 0.5, 1.0)
_FREEDOM, _STEPS = 3.0, 8


def cold_seconds(ratios: pd.DataFrame, shares: Shares, draws: int, seed: int) -> Effect:
    """Return draws of the seconds that a cold slot adds to each copy.

    Parameters
    ----------
    ratios : DataFrame
        From `durations.ratios`.
    shares : Shares
        From them.
    draws, seed : int
    """
    one, random = shares.fit.columns, np.random.default_rng([seed, 83])
    warm = np.exp(one.y - shares.residual - shares.fit.first_wave())
    done, stage = one.complete, one.stage
    away = np.nan_to_num(away_from_input(ratios))
    fitted = []
    for growth in _GROWTH:
        more = (float(np.median(warm)) / warm) ** (1 - growth)
        columns = np.column_stack([one.cold[:, 0] * more, one.cold[:, 1], away])
        fitted.append((columns, *_robust(np.exp(one.y) / warm, columns, done, stage)))
    misfit = np.array([one[-1] for one in fitted])
    share = np.exp((misfit.min() - misfit).clip(-500))
    found = []
    for place in random.choice(len(_GROWTH), size=draws, p=share / share.sum()):
        columns, square, product, _ = fitted[place]
        often = random.poisson(1.0, len(square))
        left = np.tensordot(often, square, 1) + 1e-9 * np.eye(columns.shape[1])
        slopes = np.linalg.solve(left, often @ product)
        found.append(warm * (columns[:, :2] @ slopes[:2]))
    return Effect(np.array(found))


def _robust(
    ratio: np.ndarray, columns: np.ndarray, done: np.ndarray, stage: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the normal equations of each stage at the robust fit, and its misfit (minus log likelihood)."""
    code = np.unique(stage[done], return_inverse=True)[1]
    count = int(code.max(initial=-1)) + 1
    y, x = ratio[done], columns[done]
    weight, slopes = np.ones(y.size), np.zeros(x.shape[1])
    for _ in range(_STEPS):
        total = np.bincount(code, weight, count)
        both = np.column_stack([y, x])
        mean = np.column_stack([np.bincount(code, weight * one, count) / total for one in both.T])
        both = both - mean[code]
        own, other = both[:, 0], both[:, 1:]
        square = (weight[:, None, None] * other[:, :, None] * other[:, None, :]).sum(axis=0)
        slopes = np.linalg.solve(square + 1e-9 * np.eye(len(slopes)), (weight * own) @ other)
        left = own - other @ slopes
        scale = 1.5 * float(np.median(np.abs(left))) + 1e-6
        weight = (_FREEDOM + 1) / (_FREEDOM + (left / scale) ** 2)
    squares = np.zeros((count, x.shape[1], x.shape[1]))
    np.add.at(squares, code, weight[:, None, None] * other[:, :, None] * other[:, None, :])
    products = np.zeros((count, x.shape[1]))
    np.add.at(products, code, (weight * own)[:, None] * other)
    misfit = (_FREEDOM + 1) / 2 * np.log1p((left / scale) ** 2 / _FREEDOM) + np.log(scale)
    return squares, products, float(misfit.sum())


# Failed attempts, and work that runs again: what each task would have taken without.
#
# A task whose first attempts failed, or were lost with their executor, would have begun at its first
# launch, and taken as long as the attempt that lasted: the luck of that is the same in both replays.
#
# A finished task runs again where its output is lost with its host. A later attempt of a Spark stage is a
# stage of its own. Without lost outputs each task runs once, where it ran first, for as long as the copy
# took that finished first; later attempts have nothing to do and start at once.

#: Seconds by which the end of a copy that lost may be before that of the winner: clocks tell milliseconds.
_CLOCK = 2e-3
_ATTEMPT = re.compile(r"(.*?)\.(\d+)")


class Failures:
    """What failed of some tasks.

    Parameters
    ----------
    history : History
    tasks : DataFrame
        Of the replay: stage, task, launch, end, recorded, row, again.

    Attributes
    ----------
    unfailed : ndarray
        What each task takes had no attempt failed.
    once : ndarray
        What each takes had no output been lost; 0 where it had run before.
    again : ndarray of bool
        Of all stages of the history, which are later attempts.
    """

    def __init__(self, history: History, tasks: pd.DataFrame) -> None:
        recorded, repeated = (tasks[name].to_numpy(float) for name in ("recorded", "again"))
        delay = _delays(history, tasks)
        self.unfailed = np.maximum(recorded - delay, 0.0)
        self.once = np.maximum(recorded - repeated, 0.0)
        origin = _origins(history)
        self.again = origin != np.arange(origin.size)
        self.failed, self.repeated = bool(delay.any()), bool(repeated.any() or self.again.any())
        if self.again.any():
            self._once(history, tasks, origin)

    def _once(self, history: History, tasks: pd.DataFrame, origin: np.ndarray) -> None:
        """Let each task of a stage run once, where it ran first."""
        stage = tasks["stage"].to_numpy(int)
        fate = history.copies["fate"].to_pandas().to_numpy()[tasks["row"].to_numpy(int)]
        # in each task those that finished come first, and by their end
        order = np.lexsort((tasks["end"].to_numpy(float), fate != FINISHED, tasks["task"], origin[stage]))
        keys = np.column_stack([origin[stage], tasks["task"].to_numpy()])[order]
        new = np.append(True, (np.diff(keys, axis=0) != 0).any(axis=1))
        group = np.cumsum(new) - 1
        kept = self.once[order[new]][group]
        first = pd.Series(stage[order]).groupby(group).transform("min").to_numpy() == stage[order]
        repeated = np.bincount(group)[group] > 1
        self.once[order] = np.where(repeated, np.where(first, kept, 0.0), self.once[order])


def _delays(history: History, tasks: pd.DataFrame) -> np.ndarray:
    """Return how long after the first launch of a task the first of its copies began that lasted."""
    copies = history.frame("copies").dropna(subset=["launch", "end"])
    ends = tasks[["stage", "task"]].assign(end=tasks["end"] - tasks["again"])
    both = copies.merge(ends, on=["stage", "task"], suffixes=("", "_task"))
    lasted = both[both["fate"].ne(FAILED) & (both["end"] >= both["end_task"] - _CLOCK)]
    begun = lasted.groupby(["stage", "task"])["launch"].min()
    begun = begun.reindex(pd.MultiIndex.from_frame(tasks[["stage", "task"]])).to_numpy(float)
    launch = tasks["launch"].to_numpy(float)
    return np.where(np.isfinite(begun), np.maximum(begun - launch, 0.0), 0.0)


def _origins(history: History) -> np.ndarray:
    """Return the row of the first attempt of each stage: the stage itself but in logs of Spark."""
    rows = np.arange(history.stages.num_rows)
    if history.format != "spark":
        return rows
    names = history.stages["stage"].to_pylist()
    first = {name: row for row, name in enumerate(names)}
    told = (_ATTEMPT.fullmatch(name) for name in names)
    found = [first.get(one[1], row) if one else row for row, one in enumerate(told)]
    return np.array(found, int) if found else rows


# Hosts and executors told apart: what a host adds, and what an executor adds to that of its host.
#
# The fit has an effect of each. Where one of two executors of a host is slow it may give half of that to
# the host. So a host is as slow as the usual one of its executors: of two the one that is nearer to the
# usual executor of all. How a host and its executors share a factor is not known well, but their product
# is.


class Machines:
    """Holders of slots, as far as the fit tells them apart.

    Parameters
    ----------
    fit : Posterior

    Attributes
    ----------
    holder : ndarray of int
        Code of the host and executor of each copy.
    apart : bool
        Whether some host has several executors.
    """

    def __init__(self, fit: Posterior) -> None:
        one = fit.columns
        self._fit = fit
        pairs = np.column_stack([one.host, one.executor])
        _, first, self.holder = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        self.holder = self.holder.reshape(-1)
        self._first, self._host = first, one.host[first]
        self.apart = bool((one.executor >= 0).any())

    def of_holder(self, values: np.ndarray) -> np.ndarray:
        """Return by how much the mean of each copy's holder is above that of the usual holder."""
        if not self._first.size:
            return values
        mean = np.bincount(self.holder, values) / np.bincount(self.holder)
        return np.asarray((mean - usual_of(mean))[self.holder])

    def parts(self, draw: int | None, measured: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what host, and what executor, adds to each copy, without what is measured.

        Parameters
        ----------
        draw : int or None
            Of the fit.
        measured : ndarray
            What is measured of each copy, and is another cause.
        """
        if not self._first.size:
            return measured, measured
        total = (self._fit.holder(draw) - self.of_holder(measured))[self._first]
        total = total - usual_of(total)  # whether all are slow is not known
        spell = self._fit.spell(draw)
        if not self.apart:
            return total[self.holder] + spell, np.zeros(self.holder.size)
        host = _of_hosts(total, self._host)
        return host[self.holder] + spell, (total - host)[self.holder]


def _of_hosts(total: np.ndarray, host: np.ndarray) -> np.ndarray:
    """Return the effect of the host of each executor: that of its usual executor.

    Examples
    --------
    >>> _of_hosts(np.array([0.0, 0.5, 0.0, 0.0, 0.4, 0.4]), np.array([0, 0, 1, 1, 2, 2])).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.4, 0.4]
    """
    away = np.abs(total - np.median(total))
    order = np.lexsort((away, host))
    _, begin, size = np.unique(host[order], return_index=True, return_counts=True)
    usual = total[order][begin + (size - 1) // 2]
    return np.asarray(usual[np.unique(host, return_inverse=True)[1]])


@dataclass(frozen=True)
class Named:
    """How a cause is called.

    Parameters
    ----------
    title : str
        In charts and tables.
    phrase : str
        In a sentence: what jobs would have been without, or time was lost to.
    meaning : str
        What counts as it.
    """

    title: str
    phrase: str
    meaning: str


CAUSES = {
    "luck": Named("luck", "luck", "what a second copy does not repeat"),
    "machine": Named("machine", "hosts of unequal speed", "hosts of unequal speed"),
    "executor": Named("executor", "executors of unequal speed", "executors slower than others of their host"),
    "work": Named(
        "work", "unequal work", "tasks that read or write unequal amounts, or are slow in every run"
    ),
    "first_wave": Named("first wave", "slow first waves", "cold slots"),
    "locality": Named(
        "locality", "tasks that ran away from their input", "tasks that ran away from their input"
    ),
    "gc": Named("garbage collection", "unusual garbage collection", "more of it than is usual in a stage"),
    "fetch_wait": Named(
        "fetch wait",
        "unusual waiting for shuffle blocks",
        "more waiting for shuffle blocks than is usual in a stage",
    ),
    "start": Named(
        "start-up", "tasks that were slow to start", "more deserialising than is usual in a stage"
    ),
    "failures": Named(
        "failures",
        "attempts that ended early and ran again",
        "attempts that failed or were killed and ran again",
    ),
    "again": Named(
        "work done twice",
        "finished tasks that ran again",
        "tasks, and stages, that had finished and ran again, since their output was lost",
    ),
    "idle": Named("idle slots", "slots idle while tasks wait", "tasks that waited while slots were free"),
    "no executor": Named(
        "no executor",
        "waiting until an executor existed",
        "waiting while not one slot existed, and behind the jobs that had waited for it",
    ),
}
#: Causes that are measured, or fitted, copy by copy beside the hierarchical fit.
_BESIDE = ("locality", *MEASURED)
#: Tasks that are replayed in all, about, and replays of a cause, at most and at least.
_TASKS, _MOST, _FEWEST = 300_000, 8, 3
#: Share of the time of all tasks below which what a cause takes off them bounds what it costs.
_LITTLE = 0.002
#: Seconds of waiting beside a free slot from which the order of launches may hang on it.
_BRIEF = 0.05
#: Share of a cost that a replay misses in worlds of known causes: it holds the slot of a task that waits to
#: run again, knows no wave that a whole stage shares, and launches tasks as soon as a slot is free.
_MISSED = {"failures": 0.2, "again": 0.25, "first_wave": 0.45, "idle": 0.45}
#: Draws in which the doubt about an effect is replayed alone.
_DOUBTS = 2
#: Share of a duration that a warm slot leaves at least.
_LEFT = 0.2


@dataclass(frozen=True)
class Causes:
    """What causes cost.

    Parameters
    ----------
    told : mapping of str to Cause
        In the order of `CAUSES`.
    untold : mapping of str to str
        Why the others cannot be told.
    anew : Cause or None
        What a second copy draws anew.
    """

    told: Mapping[str, Cause]
    untold: Mapping[str, str]
    anew: Cause | None


def causes(replay: Replay, ratios: pd.DataFrame, shares: Shares, seed: int = 1) -> Causes:
    """Return what each cause cost, of those that the log can tell.

    Parameters
    ----------
    replay : Replay
        Of the history.
    ratios : DataFrame
        From `durations.ratios`.
    shares : Shares
        From them.
    seed : int, optional
        Of the draws.
    """
    if replay.tasks.empty:
        return Causes({}, dict.fromkeys(CAUSES, "nothing can be replayed"), None)
    found = _Replayed(replay, ratios, shares, seed)
    told: dict[str, Cause] = {}
    untold: dict[str, str] = {}
    for name in CAUSES:
        cost = found.cost(name)
        if isinstance(cost, str):
            untold[name] = cost
        else:
            told[name] = cost
    return Causes(told, untold, found.anew(told.get("luck")))


def carried(causes: Causes, hidden: Hidden, recorded: float) -> Causes:
    """Count slow tasks that would be as slow again as work, as far as the log tells, and no longer as luck.

    A cause cost no less than nothing, and no more than all.

    Parameters
    ----------
    causes : Causes
        As they were fitted: what no count shows, of tasks that came once, is luck.
    hidden : Hidden
    recorded : float
        Seconds of all jobs.

    Examples
    --------
    >>> told = {"luck": Cause(10.0, 8.0, 12.0), "work": Cause(1.0, -1.0, 3.0)}
    >>> half = Hidden(1.0, *np.eye(11)[[5, 0]], 1.0, 0, (0.25, 0.75), False, ())
    >>> found = carried(Causes(told, {}, None), half, 100.0).told
    >>> found["luck"], found["work"]
    (Cause(seconds=5.0, low=2.0, high=9.0), Cause(seconds=6.0, low=1.0, high=12.0))
    """
    told = dict(causes.told)
    if (luck := told.get("luck")) is not None:
        (low, high), again = hidden.between, hidden.again
        told["luck"] = luck.part(1 - again, 1 - high, 1 - low)
        if (work := told.get("work")) is not None:
            more = luck.part(again, low, high)
            told["work"] = Cause(work.seconds + more.seconds, work.low + more.low, work.high + more.high)
    limit = {name: one.within(recorded) for name, one in told.items()}
    return replace(causes, told=limit)


class _Replayed:
    """Replays of a history without one cause."""

    def __init__(self, replay: Replay, ratios: pd.DataFrame, shares: Shares, seed: int) -> None:
        self.replay, self.ratios, self.shares, self.seed = replay, ratios, shares, seed
        self.recorded = replay.tasks["recorded"].to_numpy(float)
        self.rows = pd.Index(ratios.index).get_indexer(replay.tasks["row"].to_numpy())
        fit = shares.fit
        count = int(np.clip(_TASKS // (len(replay.tasks) * len(CAUSES)), _FEWEST, _MOST))
        self.draws = np.linspace(0, len(fit.draws) - 1, min(count, len(fit.draws))).astype(int).tolist()
        self.machines = Machines(fit)
        nothing = shares.reasons.get("luck", "")
        self.beside: dict[str, Effect | str] = dict.fromkeys(_BESIDE, nothing)
        if not nothing:
            holder, many = self.machines.holder, len(self.draws)
            self.beside = {
                "locality": locality(ratios, shares, holder, many, seed),
            }
            self.beside |= {
                name: beyond_usual(ratios, name, fit.columns.kind, many, seed) for name in MEASURED
            }

    def cost(self, name: str) -> Cause | str:
        """Return what a cause cost, or why that is not known."""
        if name in ("failures", "again"):
            return self.failures(name)
        if name == "idle":
            return self.idle()
        if name == "no executor":
            return self.late()
        if name in _BESIDE:
            effect = self.beside[name]
            if isinstance(effect, str):
                return effect
            if not effect.draws.any():
                return NOTHING
            return self.locality(effect) if name == "locality" else self.without(lambda k, _: effect(k))
        if reason := self.reason(name):
            return reason
        if name == "first_wave":
            return self.first_wave()
        if name == "luck":
            return self.without(lambda number, draw: self.effects(name, number, draw), self.lucky)

        def doubt(number: int, draw: int) -> np.ndarray:
            return self.effects(name, number, draw) - self.effects(name, number, None)

        found = self.without(lambda number, draw: self.effects(name, number, draw), doubt=doubt)
        if name == "work" and found.low <= 0 and not counts_work(self.ratios):
            return "the log counts no bytes or records, and no task is slow in every run of its stage"
        return found

    def first_wave(self) -> Cause:
        """Return what cold slots cost, in seconds that do not grow with the luck of a copy."""
        added = cold_seconds(self.ratios, self.shares, len(self.draws), self.seed)
        saved = []
        for number in range(len(self.draws)):
            warm = self.recorded - np.append(added(number), 0.0)[self.rows]
            saved.append(self.replay.seconds(np.maximum(warm, _LEFT * self.recorded)))
        noise = [
            self.recorded - np.append(added(number) - added(), 0.0)[self.rows] for number in range(_DOUBTS)
        ]
        return self.beyond_doubt(saved, noise, "first_wave")

    def missed(self, name: str) -> float:
        """Return the share of a cost that a replay may miss."""
        return max(self.replay.error, _MISSED.get(name, 0.0))

    def beyond_doubt(self, saved: Sequence[float], noise: Sequence[np.ndarray], name: str = "") -> Cause:
        """Return a cost less than what the doubt about it would cost alone.

        No task is made longer, so that an effect that is not there, and is drawn around nothing, would save
        time in every draw.
        """
        alone = float(np.mean([self.replay.seconds(np.maximum(one, _LEFT * self.recorded)) for one in noise]))
        found = cause_of([one - alone for one in saved], self.missed(name))
        return replace(found, seconds=max(found.seconds, 0.0), high=max(found.high, 0.0))

    def reason(self, name: str) -> str:
        """Say why a part of the fit is not known; empty if it is."""
        reasons = self.shares.reasons
        if name == "executor":
            return reasons.get("luck", "") or (
                "" if self.machines.apart else "no host had several executors: they are as their hosts"
            )
        return reasons.get("luck", "") or reasons.get(name, "")

    def measured(self, number: int, names: Sequence[str] = MEASURED) -> np.ndarray:
        """Return what is measured adds to each copy in a draw."""
        effects = (self.beside[name] for name in names)
        found = np.zeros(len(self.ratios))
        for effect in effects:
            if isinstance(effect, Effect):
                found += effect(number % len(effect.draws))
        return found

    def effects(self, name: str, number: int, draw: int | None) -> np.ndarray:
        """Return what a part of the fit adds to the log duration of each copy, over its usual value.

        Without a draw, its mean over all of them.
        """
        fit = self.shares.fit
        if name in ("machine", "executor"):
            return self.machines.parts(draw, self.measured(number))[name == "executor"]
        if name in ("luck", "anew"):
            values = self.shares.residual + fit.not_luck() - fit.not_luck(draw)
            if name == "luck":
                measured = self.measured(number)
                values = values - measured + self.machines.of_holder(measured)
                if isinstance(away := self.beside["locality"], Effect):
                    values -= away(number % len(away.draws))
            else:
                again = self.measured(number, MET_AGAIN)
                values = values - again + self.machines.of_holder(again)
        else:
            values = getattr(fit, name)(draw)
        stage = fit.columns.stage
        return np.asarray(values - pd.Series(values).groupby(stage).transform("median").to_numpy())

    def durations(self, effects: np.ndarray) -> np.ndarray:
        """Return the durations of tasks without some effects on the copies that ended them."""
        return self.recorded * np.exp(-np.append(effects, 0.0)[self.rows])  # -1: a copy outside the fit

    def lucky(self, effects: np.ndarray) -> np.ndarray:
        """Return the durations of tasks without luck: one that a second copy ended would have needed none."""
        row, held = self.originals
        return held * np.exp(-np.append(effects, 0.0)[row])

    @cached_property
    def originals(self) -> tuple[np.ndarray, np.ndarray]:
        """For each task the row of the copy whose luck counts, its original, and for how long that ran.

        An attempt that had ended when the next began, as one that was preempted, is no original: that the
        task ran again is another cause (`failures`).
        """
        keys, tasks = ["stage", "task"], self.replay.tasks
        first = self.ratios[[*keys, "launch", "end", "duration"]].assign(row=np.arange(len(self.ratios)))
        first = first.sort_values("launch", kind="stable")
        ran_again = first.groupby(keys)["launch"].shift(-1) >= first["end"]
        first = first[~ran_again].drop(columns="end").drop_duplicates(keys)
        found = tasks[[*keys, "launch"]].merge(first, "left", keys, suffixes=("", "_first"))
        told = found["row"].notna() & found["launch"].eq(found["launch_first"]) & (self.rows >= 0)
        other = (told & found["row"].ne(self.rows)).to_numpy()
        row, held = self.rows.copy(), self.recorded.copy()
        row[other] = found["row"].to_numpy()[other].astype(int)
        held[other] = found["duration"].to_numpy()[other]
        return row, held

    def without(
        self,
        effects: Callable[[int, int], np.ndarray],
        play: Callable[[np.ndarray], np.ndarray] | None = None,
        doubt: Callable[[int, int], np.ndarray] | None = None,
    ) -> Cause:
        """Return the cost of a cause in each posterior draw: (number of the draw, draw of the fit).

        `doubt` returns by what a draw is off the mean of all.
        """
        play = play or self.durations
        every = [play(effects(number, draw)) for number, draw in enumerate(self.draws)]
        removed = max(float(np.abs(self.recorded - one).sum()) for one in every)
        if len(every) <= _FEWEST and removed < _LITTLE * self.recorded.sum():
            seconds = self.replay.seconds(every[0])  # large, and so little: one replay is enough
            return Cause(seconds, seconds - removed, seconds + removed)
        saved = [self.replay.seconds(one) for one in every]
        if doubt is None:
            return cause_of(saved, self.replay.error)
        draws = list(enumerate(self.draws))[:_DOUBTS]
        return self.beyond_doubt(saved, [play(doubt(number, draw)) for number, draw in draws])

    def locality(self, effect: Effect) -> Cause:
        """Return what running away from the input cost."""
        both = np.append(np.isfinite(away_from_input(self.ratios)), False)[self.rows]
        saved = [
            self.replay.seconds(self.in_any_order(self.durations(effect(number)), both, number), either=True)
            for number in range(len(effect.draws))
        ]
        return cause_of(saved, self.replay.error, self.replay.seconds(self.durations(effect())))

    def in_any_order(self, durations: np.ndarray, chosen: np.ndarray, number: int) -> np.ndarray:
        """Return durations with those of chosen tasks shuffled within their stages.

        Where a scheduler looks at homes, the order in which a stage launches its tasks hangs on the cause.
        """
        random, rows = np.random.default_rng([self.seed, 73, number]), np.flatnonzero(chosen)
        stage = self.replay.tasks["stage"].to_numpy(int)[rows]
        shuffled = durations.copy()
        shuffled[rows] = durations[rows[np.lexsort((random.random(rows.size), stage))]]
        return shuffled

    @cached_property
    def failed(self) -> Failures:
        """What failed, and what ran again."""
        return Failures(self.replay.history, self.replay.every)

    def failures(self, name: str) -> Cause:
        """Return what failed attempts, or finished work that ran again, cost."""
        one, failures = self.failed, name == "failures"
        if not (one.failed if failures else one.repeated):
            return NOTHING
        if failures:
            seconds = self.replay.seconds(one.unfailed[self.replay.counted])
        else:
            seconds = self.replay.seconds(one.once[self.replay.counted], one.again)
        return cause_of([seconds], self.missed(name))

    def idle(self) -> Cause | str:
        """Return what waiting beside free slots cost."""
        if self.replay.history.slots_from != "log":
            return knows_of(self.replay.history.format).untold("slots")
        if not self.replay.idle.any():
            return NOTHING
        cost = -self.replay.seconds(self.recorded + self.replay.idle, either=True)
        waited = pd.Series(self.replay.idle > _BRIEF).groupby(self.replay.tasks["stage"]).transform("any")
        other = [
            cost
            + self.replay.seconds(self.in_any_order(self.recorded, waited.to_numpy(), number), either=True)
            for number in range(len(self.draws) if waited.any() else 1)
        ]
        return cause_of(other, self.missed("idle"))

    def late(self) -> Cause | str:
        """Return what it cost that no slot existed at first, or between."""
        if self.replay.history.slots_from != "log":
            return knows_of(self.replay.history.format).untold("slots")
        return cause_of([self.replay.warm()], self.missed("no executor"))

    def anew(self, luck: Cause | None) -> Cause | None:
        """Return what a second copy draws anew: luck, and what is measured of it."""
        beside = (effect for effect in self.beside.values() if isinstance(effect, Effect))
        if luck is None or not any(effect.draws.any() for effect in beside):
            return luck
        return self.without(lambda number, draw: self.effects("anew", number, draw), self.lucky)
