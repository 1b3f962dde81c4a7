r"""Luck, machine and work measured from tasks that ran several times: a two-way layout of log durations.

The log duration of task *i* of stage *s* in run *r*, on host *h*, is

.. math:: \log t_{sir} = a_{sr} + w_{si} + m_{rh} + \varepsilon_{sir}.

:math:`a` is the level of a stage in a run, :math:`w` the work of a task (what it takes longer in every run),
:math:`m` the machine (a host in a run; a host in all runs where few tasks ran on each), and
:math:`\varepsilon` luck. Levels, tasks and hosts are fixed effects, fitted by least squares; no law of luck
or of effects is assumed. A part is its variance within stages, over the tasks that are there, without what
the error of the fit adds to it (Searle, Casella and McCulloch, *Variance Components*, 1992, ch. 5). So a part
that is not there is 0 on average, and may come out a little below.

Intervals are of a jackknife over blocks of tasks that were launched one after the other in the first run,
with Student's t of one degree of freedom less than blocks: neighbours may depend on each other, blocks on the
whole do not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse, special

from sim.advice.diagnosis.shares import Share
from sim.advice.several.matching import PairedTasks

PARTS = ("luck", "machine", "work")
#: Blocks of the jackknife at most, and fewest from which there is an interval.
BLOCKS, FEWEST_BLOCKS = 20, 5
#: Tasks that are looked at, at most; whole stages, the first ones.
MOST = 20_000
#: Copies that ran on the usual host, and share of the degrees of freedom of luck that hosts leave at least.
COPIES, LEFT = 4.0, 0.5
#: Hosts, counted in each run, at most.
MOST_HOSTS = 600
#: Share of the tasks that are named which are not slow by themselves, on average; where none is, the chance
#: that any is named. Factor from which a task is named.
FALSE_ALARM, SLOW = 0.05, 1.2
_TOLERANCE = 1e-8


class Freedom(NamedTuple):
    """Degrees of freedom of luck, machine and work."""

    luck: int
    machine: int
    work: int


@dataclass(frozen=True, eq=False)
class Measured:
    """What repeated runs measure.

    Parameters
    ----------
    shares : mapping of str to Share
        Part of `PARTS` -> its share of the variance of log durations within stages; those that can be told.
    reasons : mapping of str to str
        Why the others cannot be told.
    variance : mapping of str to float
        The same as variances.
    freedom : Freedom
    blocks : int
        Of the jackknife.
    hosts_by_run : bool
        Whether a host counts as another machine in every run.
    hosts : DataFrame
        host, copies, factor: how long copies take on it against the usual host; slowest first.
    correlation : float
        Of the log duration of a task between two runs, within stages: the mean over pairs of runs.
    slow : DataFrame
        stage, task, factor, p of the tasks that are always slow; slowest first.
    looked_at : int
        How many tasks could have been named.
    """

    shares: dict[str, Share]
    reasons: dict[str, str]
    variance: dict[str, float]
    freedom: Freedom
    blocks: int
    hosts_by_run: bool
    hosts: pd.DataFrame = field(repr=False)
    correlation: float = 0.0
    slow: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    looked_at: int = 0


class _Fit(NamedTuple):
    """Variances of parts, and what the fit found."""

    luck: float
    machine: float
    work: float
    freedom: Freedom
    host: np.ndarray
    task: np.ndarray
    confounded: bool
    total: float

    def shares(self) -> np.ndarray:
        """Return the parts as shares, in the order of `PARTS`; those of machine and work may mean nothing."""
        parts = np.array([self.luck, self.machine, self.work])
        whole = self.total if self.confounded else float(parts.sum())
        return parts / max(whole, 1e-300)


def measure(tasks: PairedTasks) -> Measured:
    """Measure luck, machine and work.

    Parameters
    ----------
    tasks : PairedTasks

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> work, stage = random.normal(0, 1, 200), np.zeros(200, int)
    >>> log = work[:, None] + random.normal(0, 1, (200, 3))
    >>> one = PairedTasks(log, np.full((200, 3), ""), stage, np.arange(200), ("s",), "", stage[:1], 0, 0)
    >>> found = measure(one)
    >>> found.reasons["machine"], found.freedom.luck, 0.3 < found.shares["work"].value < 0.7
    ('the logs name no hosts', 398, True)
    """
    if len(tasks.log) > MOST:
        last = tasks.stage[MOST]
        tasks = tasks.only(tasks.stage < max(last, 1)) if last else tasks.only(np.arange(MOST))
    code, names, by_run, fit, reasons = _fitted(tasks)
    shares, blocks = _intervals(tasks, code, fit)
    if not blocks:
        few = f"fewer than {2 * FEWEST_BLOCKS} tasks are paired"
        reasons = dict.fromkeys(PARTS, few) | reasons
    slow, looked_at = _slow(tasks, code, fit)
    return Measured(
        shares={name: share for name, share in zip(PARTS, shares, strict=True) if name not in reasons},
        reasons=reasons,
        variance={
            name: float(value)
            for name, value in zip(PARTS, (fit.luck, fit.machine, fit.work), strict=True)
            if name not in reasons
        },
        freedom=fit.freedom,
        blocks=blocks,
        hosts_by_run=by_run,
        hosts=_ranked(names, code, fit) if "machine" not in reasons else _ranked([], code, fit),
        correlation=_correlation(tasks),
        slow=slow,
        looked_at=looked_at,
    )


def _fitted(tasks: PairedTasks) -> tuple[np.ndarray, list[str], bool, _Fit, dict[str, str]]:
    """Return code of the machine of each copy, names, whether by run, the fit, and what is untold.

    A host is another machine in every run where that can be told from work, else it is the same one.
    """
    nothing = np.full(tasks.log.shape, -1)
    alone = _fit(tasks.log, tasks.stage, nothing)
    named = np.unique(tasks.host[tasks.host != ""])
    if named.size < 2 or (tasks.host == "").any():
        why = "the logs name no hosts" if not named.size else "all copies ran on one host"
        why = why if named.size < 2 else "the logs name the hosts of some copies only"
        return nothing, [], False, alone, {"machine": why}
    free = alone.freedom.luck
    run = np.broadcast_to(np.arange(tasks.runs), tasks.host.shape)
    untold: tuple[np.ndarray, list[str], bool, _Fit, dict[str, str]] | None = None
    for by_run in (True, False):
        keys = np.char.add(np.char.add(run.astype(str), "\n"), tasks.host) if by_run else tasks.host
        found, code = np.unique(keys, return_inverse=True)
        code = code.reshape(tasks.host.shape)
        usual = float(np.median(np.bincount(code.ravel())))
        if found.size > MOST_HOSTS or usual < COPIES or free - found.size < LEFT * free:
            continue
        fit = _fit(tasks.log, tasks.stage, code)
        hosts = [str(name).rpartition("\n")[2] for name in found]
        if not fit.confounded:
            return code, hosts, by_run, fit, {}
        why = "the same tasks ran on the same hosts in every run: a slow host looks like work"
        untold = untold or (code, hosts, by_run, fit, dict.fromkeys(("machine", "work"), why))
    few = {"machine": "too few of the paired tasks ran on each host"}
    return untold or (nothing, [], False, alone, few)


def _fit(log: np.ndarray, stage: np.ndarray, code: np.ndarray) -> _Fit:
    """Fit levels, tasks and hosts; every task is there in every run, so all projections are sums."""
    stage = np.unique(stage, return_inverse=True)[1]
    tasks, runs = log.shape
    size = np.bincount(stage).astype(float)
    within = int(size.sum() - size.size)
    level = np.column_stack([np.bincount(stage, log[:, run]) / size for run in range(runs)])
    centred = log - level[stage]
    mean = centred.mean(axis=1)
    left = centred - mean[:, None]
    free = within * (runs - 1)
    total = within * runs
    hosts = int(code.max(initial=-1)) + 1
    effect, gain, taken, spent_host, spent_task = np.zeros(hosts), 0.0, 0, 0.0, 0.0
    of_task, centred_gram, confounded = np.zeros(tasks), np.zeros((hosts, hosts)), False
    if hosts:
        count = _Counts(code, stage, size, hosts)
        values, vectors = np.linalg.eigh(count.left)
        real = values > _TOLERANCE * max(float(values.max()), 1.0)
        taken = int(real.sum())
        inverse = (vectors[:, real] / values[real]) @ vectors[:, real].T
        right = np.bincount(code.ravel(), left.ravel(), hosts)
        effect = inverse @ right
        gain = float(right @ effect)
        centred_gram = count.centred
        null = vectors[:, ~real]
        unseen = float(np.trace(null.T @ centred_gram @ null))
        confounded = unseen > 1e-6 * max(float(np.trace(centred_gram)), 1e-300)
        spent_host = float(np.sum(centred_gram * inverse))
        spent_task = float(np.sum(count.of_tasks * inverse))
        of_task = effect[code].mean(axis=1)
        of_task = of_task - (np.bincount(stage, of_task) / size)[stage]
    luck = max(float((left**2).sum()) - gain, 0.0) / max(free - taken, 1)
    machine = (float(effect @ centred_gram @ effect) - luck * spent_host) / max(total, 1)
    task = mean - of_task
    work = (float((task**2).sum()) - luck * (within / runs + spent_task)) / max(within, 1)
    whole = float((centred**2).sum()) / max(total, 1)
    return _Fit(luck, machine, work, Freedom(free - taken, taken, within), effect, task, confounded, whole)


class _Counts:
    """How often hosts meet tasks, levels and stages: the squares of columns of hosts, without columns."""

    def __init__(self, code: np.ndarray, stage: np.ndarray, size: np.ndarray, hosts: int) -> None:
        tasks, runs = code.shape
        task = np.repeat(np.arange(tasks), runs)
        run = np.tile(np.arange(runs), tasks)

        def met(column: np.ndarray, columns: int) -> sparse.csr_array:
            one = (np.ones(code.size), (code.ravel(), column))
            return sparse.coo_array(one, shape=(hosts, columns)).tocsr()

        by_task = met(task, tasks)
        by_level = met(stage[task] * runs + run, size.size * runs)
        by_stage = met(stage[task], size.size)
        squares = np.diag(np.bincount(code.ravel(), minlength=hosts).astype(float))
        of_task = (by_task @ by_task.T).toarray()
        of_stage = ((by_stage * (1 / size)) @ by_stage.T).toarray()
        #: Of hosts within the levels.
        self.centred = squares - ((by_level * (1 / np.repeat(size, runs))) @ by_level.T).toarray()
        #: Of the mean over runs of each task, within stages.
        self.of_tasks = (of_task - of_stage) / runs**2
        #: Of what neither levels nor tasks explain.
        self.left = self.centred - self.of_tasks * runs


def _intervals(tasks: PairedTasks, code: np.ndarray, fit: _Fit) -> tuple[list[Share], int]:
    """Return the shares with their intervals, and how many blocks these are of."""
    values = fit.shares()
    count = len(tasks.log)
    blocks = min(BLOCKS, count // 2)
    if blocks < FEWEST_BLOCKS:
        return [Share(float(value), 0.0, 1.0) for value in np.clip(values, 0, 1)], 0
    block = np.arange(count) * blocks // count
    found = []
    for number in range(blocks):
        kept = block != number
        found.append(_fit(tasks.log[kept], tasks.stage[kept], code[kept]).shares())
    drawn = np.array(found)
    error = np.sqrt((blocks - 1) / blocks * ((drawn - drawn.mean(axis=0)) ** 2).sum(axis=0))
    half = special.stdtrit(blocks - 1, 0.975) * error
    ends = np.clip([values, values - half, values + half], 0, 1).T
    return [Share(*map(float, row)) for row in ends], blocks


def _ranked(names: list[str], code: np.ndarray, fit: _Fit) -> pd.DataFrame:
    """Return how long copies take on each host against the usual one, over all runs."""
    if not names:
        return pd.DataFrame({"host": [], "copies": [], "factor": []})
    copies = np.bincount(code.ravel(), minlength=len(names))
    table = pd.DataFrame({"host": names, "copies": copies, "sum": fit.host * copies})
    table = table.groupby("host", as_index=False).sum()
    effect = table["sum"] / table["copies"]
    table["factor"] = np.exp(effect - effect.median())
    return table.drop(columns="sum").sort_values("factor", ascending=False, ignore_index=True)


def _correlation(tasks: PairedTasks) -> float:
    """Return the mean correlation of a task's log duration between two runs, within stages."""
    size = np.bincount(tasks.stage)
    centred = np.column_stack(
        [column - (np.bincount(tasks.stage, column) / size)[tasks.stage] for column in tasks.log.T]
    )
    if not (centred**2).sum(axis=0).all():
        return 0.0
    found = np.corrcoef(centred.T)
    return float(found[np.triu_indices(tasks.runs, 1)].mean())


def _slow(tasks: PairedTasks, code: np.ndarray, fit: _Fit) -> tuple[pd.DataFrame, int]:
    r"""Return the tasks that are slow in every run, and how many tasks were looked at.

    Where tasks are alike, a task is among the *q* slowest of *n* in each of *R* runs with probability
    :math:`(q / n)^R`, whatever the law of luck. Of all tasks those are named whose chance is small enough by
    the rule of Benjamini and Hochberg (1995).
    """
    host = fit.host[code] if fit.host.size else 0.0
    value = pd.DataFrame(tasks.log - host)
    ranks = value.groupby(tasks.stage).rank(ascending=False, method="max").to_numpy()
    size = np.bincount(tasks.stage)[tasks.stage]
    p = (ranks.max(axis=1) / size) ** tasks.runs
    typical = pd.Series(fit.task).groupby(tasks.stage).transform("median").to_numpy()
    factor = np.exp(fit.task - typical)
    ordered = np.sort(p)
    enough = np.flatnonzero(ordered <= FALSE_ALARM * np.arange(1, p.size + 1) / p.size)
    named = (p <= (ordered[enough[-1]] if enough.size else -1.0)) & (factor >= SLOW)
    table = pd.DataFrame(
        {
            "stage": [tasks.names[place] for place in tasks.stage[named]],
            "task": tasks.task[named],
            "factor": factor[named],
            "p": p[named],
        }
    )
    return table.sort_values("factor", ascending=False, ignore_index=True), len(p)
