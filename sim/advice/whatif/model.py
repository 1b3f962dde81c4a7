"""The model of a cluster, fitted to its history: work of tasks, factors of machines, law of luck.

A copy of a task lasts *work of the task x factor of the machine x luck to the power of its kind*. Work is
the scale of the stage (`sim.advice.whatif.model`), times what bytes or records, a task index that is slow in
every run of its stage and a cold first wave explain (`sim.advice.diagnosis.hierarchy`), and stays with the
task; factors stay with the machine; luck is drawn anew for every copy. No part is cut to zero, and what the
history leaves open is drawn for each replication (`sim.advice.whatif.doubt`).

A stage starts as long after its parents, or after its job was submitted, as it did in the log, and a job
ends as long after its last stage: time of the driver. An attempt that failed, or whose output was lost, takes
its time again in every run, before the first copy of its task; waits for blocks and slow starts beyond the
usual are met again by every copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from sim.advice.diagnosis.costs import ratios
from sim.advice.diagnosis.effects import met_again
from sim.advice.diagnosis.hierarchy import Columns, Posterior, columns
from sim.advice.diagnosis.repeatable_slowness import hidden
from sim.advice.diagnosis.shares import Shares, shares
from sim.advice.whatif.cluster import Cluster, cluster_of
from sim.advice.whatif.doubt import LARGEST, Drawn, Evidence, Law, law_of
from sim.logs.history import FAILED, SCHEMAS, History, joined, table_of
from sim.logs.leaving_out import GONE, KEPT, checked, named, without_jobs
from sim.logs.loops import Loops, closed_loop
from sim.model.cached import cached_property
from sim.model.fields import BadInput
from sim.telling.words import counted

# The scale of each stage: how long its tasks take at median luck.
#
# The median of a stage of few tasks says little of it: with six tasks of a Pareto law of index 1.5 it
# varies by 27 %, and is on average 8 % too large. The fastest tasks say far more where luck has a sharp
# lower end, as luck in clusters does. So the logarithm of the scale is the best linear unbiased estimate
# (Lloyd, 1952) from the faster half of the stage,
#
# .. math:: \log \hat s = \sum_k w_k (\log x_{(k)} - E \log z_{(k)}), \qquad w \propto C^{-1} 1,
#
# with mean and covariance C of the ordered logarithms under the law of luck. Law and scales are found in
# turn: at first the scale is the median, in stages of ten tasks or more. Killed originals count as slow
# ones, which they were; second copies tell of the law only.

#: Tasks from which a stage tells of luck when its scale is the median, and when it is estimated.
ENOUGH, SOME = 10, 5
#: Finished copies without which nothing can be told of luck: where too few are in stages of `SOME` tasks,
#: smaller stages tell of it, too.
FEWEST = 30
_ROUNDS = 3
_DRAWS = 4000
#: Ordered tasks that are looked at: the fastest of a large stage.
_MOST = 40
#: Variance added to each logarithm, so that the fastest task alone, of which clocks are unsure, never rules.
_RIDGE = 0.002


def law_and_scales(copies: pd.DataFrame) -> tuple[Law, pd.Series, pd.Series]:
    """Find the law of luck, the scale of each stage, and how well it is known.

    Parameters
    ----------
    copies : DataFrame
        stage, task, copy, duration (> 0, without what is not luck), complete, and tells: whether the copy
        may tell of luck. Failed copies are left out.

    Returns
    -------
    Law
        Its median is 1.
    Series
        Scale by stage.
    Series
        Standard error of the log of the scale, by stage.
    """
    first = copies[copies["copy"].eq(copies.groupby(["stage", "task"])["copy"].transform("min"))]
    ordered = {int(stage): np.sort(group.to_numpy()) for stage, group in first.groupby("stage")["duration"]}
    tasks = copies["stage"].map({stage: values.size for stage, values in ordered.items()})
    scale = pd.Series({stage: float(np.median(values)) for stage, values in ordered.items()})
    large = copies["tells"] & (tasks >= ENOUGH)
    law = _law(copies[large if copies.loc[large, "complete"].any() else copies["complete"]], scale)
    telling = copies["tells"] & (tasks >= SOME)
    if copies.loc[telling, "complete"].sum() < FEWEST:
        telling = copies["tells"]
    for _ in range(_ROUNDS):
        scale = _scales(ordered, law)
        law = _law(copies[telling], scale)
    scale = _scales(ordered, law)
    error = {size: _estimator(size, law)[2] for size in {values.size for values in ordered.values()}}
    return law, scale, pd.Series({stage: error[values.size] for stage, values in ordered.items()})


def _law(copies: pd.DataFrame, scale: pd.Series) -> Law:
    """Estimate the law of durations over scales, with its median at 1."""
    values = copies["duration"].to_numpy(float) / scale[copies["stage"]].to_numpy(float)
    law = law_of(values, copies["complete"].to_numpy(bool))
    middle = float(law.draw(np.array(0.5)))
    return Law(tuple(value / middle for value in law.samples))


def _scales(ordered: dict[int, np.ndarray], law: Law) -> pd.Series:
    """Estimate the scale of each stage under a law."""
    sizes = {values.size for values in ordered.values()}
    estimators = {size: _estimator(size, law) for size in sizes}
    found = {}
    for stage, values in ordered.items():
        weight, shift, _ = estimators[values.size]
        found[stage] = float(np.exp(weight @ np.log(values[: weight.size]) - shift))
    return pd.Series(found)


def _estimator(size: int, law: Law) -> tuple[np.ndarray, float, float]:
    """Return weights of the ordered logarithms, what to take off to be right on average, and the error."""
    fastest = min(size // 2 + 1, _MOST)
    draws = np.random.default_rng([size, 18]).random((max(200, min(_DRAWS, 400_000 // size)), size))
    draws.sort(axis=1)  # the law's luck grows with its quantile, and only that of the fastest is asked for
    logs = np.log(np.maximum(law.draw(draws[:, :fastest]), 1e-9))
    spread = np.atleast_2d(np.cov(logs.T)) + _RIDGE * np.eye(fastest)
    weight = np.linalg.solve(spread, np.ones(fastest))
    weight /= weight.sum()
    estimate = logs @ weight
    return weight, float(np.log(np.exp(estimate).mean())), float(estimate.std())


# Jobs and stages of a history that can be played again, and the dependencies between stages.


def jobs_and_stages(history: History) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the jobs that can be run again, by time of submission, and their stages that ran."""
    jobs, stages, copies = history.frame("jobs"), history.frame("stages"), history.frame("copies")
    copies = copies.dropna(subset=["launch"])
    launched, ended = copies.groupby("stage")["launch"].min(), copies.groupby("stage")["end"].max()
    stages = stages[stages.index.isin(launched.index) & (stages["job"] >= 0)].copy()
    stages["submit"] = stages["submit"].fillna(launched).clip(upper=launched.reindex(stages.index))
    stages["end"] = stages["end"].fillna(ended)
    submit = jobs["submit"].fillna(stages.groupby("job")["submit"].min())
    jobs = jobs.assign(submit=submit)[jobs.index.isin(stages["job"]) & submit.notna()]
    if jobs.empty:
        raise BadInput("history: no job with a submit time and a task that ran; give a history with one")
    jobs = jobs.sort_values("submit", kind="stable")
    stages = stages[stages["job"].isin(jobs.index)]
    place = pd.Index(jobs.index).get_indexer(stages["job"])
    return jobs, stages.iloc[np.lexsort((stages.index.to_numpy(), place))]


def waits(jobs: pd.DataFrame, stages: pd.DataFrame) -> tuple[tuple[tuple[int, ...], ...], np.ndarray]:
    """Say which stages each stage waits for, and how long after them it starts."""
    place = {row: number for number, row in enumerate(stages.index)}
    job, submit, end = (stages[name].to_numpy() for name in ("job", "submit", "end"))
    depth_first = np.argsort(submit, kind="stable")
    rank = np.empty(len(place), int)
    rank[depth_first] = np.arange(len(place))
    found: list[tuple[int, ...]] = []
    gap = submit - jobs["submit"].reindex(job).to_numpy(float)
    for number, listed in enumerate(stages["parents"]):
        parents = {place[one] for one in listed if one in place}
        # one submitted later, or still running then, cannot have been waited for: nor can a circle arise
        parents = {
            one
            for one in parents
            if job[one] == job[number] and rank[one] < rank[number] and not end[one] > submit[number] + 1.0
        }
        found.append(tuple(sorted(parents)))
        if parents:
            gap[number] = submit[number] - max(end[one] for one in parents)
    return tuple(found), np.maximum(gap, 0.0)


@dataclass(frozen=True, eq=False)
class Model:
    """A cluster and its jobs, ready to be run again.

    Parameters
    ----------
    jobs : DataFrame
        job, name, group, submit (s after the first), end (NaN if unknown), and tail: time from the end of
        its last stage to its own. The index is the row in the history's table.
    stage_job : ndarray of int
        For each stage the place of its job in `jobs`; stages are ordered by job.
    parents : tuple of tuple of int
        Stages that each stage waits for.
    gap : ndarray of float
        Time from the end of the parents, or the submission of the job, to the start of a stage.
    recorded : ndarray of float
        Recorded time of each stage, NaN if unknown.
    tasks : ndarray of int
        Tasks of each stage.
    work : ndarray of float
        Work of every task, stage after stage.
    power : ndarray of float
        Of the law's luck, for every task.
    cluster : Cluster
        Slots over time and machines.
    law : Law
        Of luck.
    evidence : Evidence
        What the law and the scales rest on.
    stages : ndarray of int
        Row of each stage in the history's table.
    origin : ndarray of int
        Row of each task among those of the evidence.
    failed, waits : ndarray of float
        Seconds that each task takes beside its work: its first copy for attempts that failed, or whose output
        was lost; every copy for waits that a second one meets again.
    after : ndarray of int
        For each job the place of the job whose end it was submitted after; -1 if it came by itself.
    think : ndarray of float
        How long after that.
    history : History
        The log of the jobs.
    notes : tuple of str
        What the model leaves out or could not tell.
    earlier : tuple of History, optional
        Logs before that one, from which the model is learned, too.
    """

    jobs: pd.DataFrame
    stage_job: np.ndarray
    parents: tuple[tuple[int, ...], ...]
    gap: np.ndarray
    recorded: np.ndarray
    tasks: np.ndarray
    work: np.ndarray
    power: np.ndarray
    cluster: Cluster
    law: Law
    evidence: Evidence
    stages: np.ndarray
    origin: np.ndarray
    failed: np.ndarray
    waits: np.ndarray
    after: np.ndarray
    think: np.ndarray
    history: History = field(repr=False)
    notes: tuple[str, ...] = ()
    earlier: tuple[History, ...] = field(default=(), repr=False)

    @cached_property
    def learned(self) -> History:
        """The history of all copies that the evidence rests on."""
        return joined([*self.earlier, self.history])

    @property
    def drawn(self) -> Drawn:
        """The model itself, as it is played where nothing is doubted."""
        host = dict(zip(self.cluster.hosts, self.cluster.factors, strict=True)) if self.cluster.hosts else {}
        return Drawn(self.law, self.work, self.power, host, self.cluster.executors, self.cluster.spells)

    def draw(self, number: int) -> Drawn:
        """Return another model that the history allows, for the tasks of this one."""
        drawn = self.evidence.draw(number)
        return replace(drawn, work=drawn.work[self.origin], power=drawn.power[self.origin])

    @property
    def job_times(self) -> np.ndarray:
        """Recorded time of each job, NaN if unknown."""
        return (self.jobs["end"] - self.jobs["submit"]).to_numpy(float)

    def counted(self, leave_out: str = "") -> np.ndarray:
        """Say of each job whether it is in the figures: not if its group or name contains a text."""
        if not leave_out:
            return np.ones(len(self.jobs), dtype=bool)
        return ~checked(self.jobs, leave_out)


def fit(
    history: History,
    seed: int = 1,
    leave_out: str = "",
    left_out: str = KEPT,
    earlier: Sequence[History] = (),
) -> Model:
    """Fit the model to a history, and learn from earlier ones of the same cluster.

    Parameters
    ----------
    history : History
        A log that has been read: its jobs are those of the model, on its slots.
    seed : int, optional
        Of the bootstrap by which the parts of durations are told apart.
    leave_out : str, optional
        Jobs whose group or name contains it tell nothing of luck, unless there are no others with enough
        tasks: warm-up runs are cold in a way that others are not.

    left_out : str, optional
        What becomes of them: kept, they take slots as they did and are in no figure; gone, the jobs that are
        left have the slots alone, and arrivals and load are theirs.
    earlier : sequence of History, optional
        Logs of the same cluster in order of time, perhaps under other settings: their copies tell of luck,
        hosts and work, too.

    Raises
    ------
    BadInput
        If the history holds too little.
    """
    if left_out == GONE:
        history = without_jobs(history, leave_out)
        has = [named(one.frame("jobs"), leave_out).any() for one in earlier]
        earlier = [
            without_jobs(one, leave_out) if some else one for one, some in zip(earlier, has, strict=True)
        ]
    learned = joined([*earlier, history])
    waited = met_again(learned)
    copies = learned.frame("copies")
    copies["began"] += waited
    learned = replace(learned, copies=table_of(copies, SCHEMAS["copies"]))
    jobs, stages = jobs_and_stages(learned)
    found, telling = ratios(learned), _telling(learned, stages, leave_out)
    done = int(found["complete"].sum()) if len(found) else 0
    if done < FEWEST:
        raise BadInput(
            f"history: {done} finished copies in stages of two tasks or more are not enough to tell luck "
            f"from work; give a history with at least {FEWEST}"
        )
    if found.loc[found["stage"].isin(telling), "complete"].sum() < FEWEST:
        telling = stages.index
    found = found[found["stage"].isin(telling)]
    parts = shares(found, learned.frame("stages"), seed)
    counts, evidence = _evidence(learned, stages, found, parts, telling)
    drawn = evidence.model
    if earlier:
        jobs, stages = jobs_and_stages(history)
    tasks = counts[counts.size - len(stages) :]
    origin = np.arange(drawn.work.size - tasks.sum(), drawn.work.size)
    parents, gap = waits(jobs, stages)
    tail = (jobs["end"] - stages.groupby("job")["end"].max().reindex(jobs.index)).clip(lower=0).fillna(0.0)
    first = float(jobs["submit"].min())
    failed, waits_of_tasks = _beside(history, stages, tasks, waited[-history.copies.num_rows :])
    loops = closed_loop(history)
    after, think = _after(loops, jobs.index)
    return Model(
        jobs=jobs.assign(submit=jobs["submit"] - first, end=jobs["end"] - first, tail=tail),
        stage_job=pd.Index(jobs.index).get_indexer(stages["job"]),
        parents=parents,
        gap=gap,
        recorded=(stages["end"] - stages["submit"]).to_numpy(float),
        tasks=tasks,
        work=drawn.work[origin],
        power=drawn.power[origin],
        cluster=cluster_of(history, parts, first),
        law=drawn.law,
        evidence=evidence,
        stages=stages.index.to_numpy(),
        origin=origin,
        failed=failed,
        waits=waits_of_tasks,
        after=after,
        think=think,
        history=history,
        notes=(
            *([f"learned from {1 + len(earlier)} logs, of which the last is played"] if earlier else []),
            *_notes(history, jobs, parts),
            *([loops.sentence] if (after >= 0).any() else []),
        ),
        earlier=tuple(earlier),
    )


def _beside(
    history: History, stages: pd.DataFrame, tasks: np.ndarray, waited: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the seconds of each task beside its work: of attempts before the last, and of its waits."""
    copies = history.frame("copies").assign(waited=waited).dropna(subset=["launch", "end"])
    place = stages.index.get_indexer(copies["stage"])
    copies, place = (one[(place >= 0) & ~copies["speculative"]] for one in (copies, place))
    number = (np.cumsum(tasks) - tasks)[place] + copies["task"].to_numpy()
    launch, end = copies["launch"].to_numpy(float), copies["end"].to_numpy(float)
    last = np.full(tasks.sum(), -np.inf)
    np.maximum.at(last, number, launch)
    lost = end <= last[number]
    seconds = np.where(lost, end - launch, 0.0), np.where(lost, 0.0, copies["waited"])
    failed, waits = (np.bincount(number, one, tasks.sum()) for one in seconds)
    return failed, waits


def _after(loops: Loops, rows: pd.Index) -> tuple[np.ndarray, np.ndarray]:
    """Return which job each job waited for, by place, and how long after its end it was submitted."""
    before = loops.after[rows.to_numpy()]
    after = np.where(before >= 0, rows.get_indexer(before), -1)
    return after, np.where(after >= 0, np.nan_to_num(loops.think[rows.to_numpy()]), 0.0)


def _telling(history: History, stages: pd.DataFrame, leave_out: str) -> np.ndarray:
    """Return rows of the stages that tell of luck: not those of jobs that are left out."""
    jobs = history.frame("jobs")
    held = stages["job"].isin(jobs.index[named(jobs, leave_out)])
    return stages.index[~held] if leave_out else stages.index


def _evidence(
    history: History, stages: pd.DataFrame, found: pd.DataFrame, parts: Shares, telling: pd.Index
) -> tuple[np.ndarray, Evidence]:
    """Return the number of tasks of each stage, and what the model is learned from.

    Only the `telling` stages tell of luck; the fit of the others takes what is known of hosts and kinds.
    """
    copies = history.frame("copies")
    copies["duration"] = copies["end"] - copies["began"]
    last = copies.groupby("stage")["task"].max()
    copies = copies[copies["fate"].ne(FAILED) & (copies["duration"] > 0) & copies["stage"].isin(stages.index)]
    copies = copies.assign(tells=copies["stage"].isin(telling))
    table = history.frame("stages")
    fit = parts.fit.on(columns(copies, table, tuple(parts.fit.spells())))
    power = fit.spread()
    level = np.log(copies["duration"].to_numpy(float)) - fit.not_luck()
    usual = pd.Series(level).groupby(copies["stage"].to_numpy()).median()
    about = usual.reindex(copies["stage"]).to_numpy(float)
    _, scale, error = law_and_scales(
        copies.assign(duration=np.exp(np.clip((level - about) / power, -LARGEST, LARGEST)))
    )
    of_stage = pd.Series(power).groupby(copies["stage"].to_numpy()).first()
    log_scale = (usual + of_stage * np.log(scale)).reindex(stages.index)
    log_scale = log_scale.fillna(float(log_scale.median()) if log_scale.notna().any() else 0.0)
    error = (error * of_stage).reindex(stages.index).fillna(0.0)
    counts = np.array(
        [
            max(1, int(declared) if declared > 0 else 0, int(last.get(row, 0)) + 1)
            for row, declared in stages["tasks"].items()
        ]
    )
    rows = np.repeat(stages.index.to_numpy(), counts)
    index = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    key = pd.MultiIndex.from_arrays([copies["stage"], copies["task"]])
    place = pd.Series(np.arange(key.size), index=key)
    place = place[copies["copy"].eq(copies.groupby(["stage", "task"])["copy"].transform("min")).to_numpy()]
    tasks = pd.MultiIndex.from_arrays([rows, index])
    row_of_task = pd.Series(np.arange(rows.size), index=tasks)
    beside = pd.Series(np.arange(key.size), index=copies["stage"].to_numpy()).groupby(level=0).first()
    of_task = _of_tasks(
        fit.columns,
        place.reindex(tasks).fillna(-1).to_numpy(int),
        beside.reindex(rows).fillna(-1).to_numpy(int),
    )
    enough = copies["tells"] & (
        copies[copies["tells"]].groupby("stage")["task"].nunique().reindex(copies["stage"]).to_numpy() >= SOME
    )
    told = (enough if copies.loc[enough, "complete"].sum() >= FEWEST else copies["tells"]).to_numpy()
    luck = level - log_scale.reindex(copies["stage"]).to_numpy(float)
    task_of = np.where(copies["copy"].to_numpy() == 0, row_of_task.reindex(key).fillna(-1).to_numpy(int), -1)
    return counts, Evidence(
        copies=Posterior(fit.columns.rows(told), fit.draws),
        luck=luck[told],
        complete=copies["complete"].to_numpy(bool)[told],
        stage=copies["stage"].to_numpy(int)[told],
        task_of=task_of[told],
        tasks=Posterior(of_task, fit.draws),
        log_scale=log_scale.reindex(rows).to_numpy(float),
        error=error.reindex(rows).to_numpy(float),
        task_stage=rows.astype(int),
        hidden=hidden(found, parts),
        rows=copies.index.to_numpy()[told],
    )


def _of_tasks(copies: Columns, place: np.ndarray, beside: np.ndarray) -> Columns:
    """Return the columns of tasks: of the copies at some places, or, of tasks that never ran, usual ones.

    `beside` is the place of a copy of the same stage.
    """
    found = copies.rows(np.where(place >= 0, place, beside))
    never = place < 0
    return replace(
        found,
        host=np.where(never, -1, found.host),
        executor=np.where(never, -1, found.executor),
        spell=np.where(never, -1, found.spell),
        place=np.where(never, -1, found.place),
        x=np.where(never[:, None], 0.0, found.x),
        cold=np.where(never[:, None], 0.0, found.cold),
    )


def _notes(history: History, jobs: pd.DataFrame, parts: Shares) -> list[str]:
    notes = list(history.notes)
    if left_out := history.jobs.num_rows - len(jobs):
        notes.append(f"{counted(left_out, 'job')} without a submit time or a task that ran left out")
    if failed := int(history.frame("copies")["fate"].eq(FAILED).sum()):
        notes.append(f"attempts that failed, and take their time in every run: {failed:,}")
    if len(history.hosts) == 1:
        notes.append("one machine: systems that copy tasks to other machines only will copy none")
    if history.settings.get("spark.dynamicAllocation.enabled", "").lower() == "true":
        notes.append(
            "executors came and went by demand (spark.dynamicAllocation) and are played as recorded: copies "
            "that would hold executors for longer, or ask for more, do not"
        )
    untold = ((name.replace("_", " "), reason) for name, reason in parts.reasons.items())
    return notes + [f"the share of {name} cannot be told: {reason}" for name, reason in untold]
