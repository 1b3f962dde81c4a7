"""The model of a cluster, fitted to its history: work of tasks, factors of machines, law of luck.

A copy of a task lasts *work of the task x factor of the machine x luck*. Work is the scale of the stage
(`sim.whatif.scales`), times what the bytes read and a cold first wave explain
(`sim.traces.diagnosis.shares`), and stays with the task; factors stay with the machine; luck is drawn anew
for every copy. Only parts that the diagnosis finds clearly are taken out of the luck.

A stage starts as long after its parents, or after its job was submitted, as it did in the log, and a job
ends as long after its last stage: time of the driver. Failed copies are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sim.fields import BadInput
from sim.traces.diagnosis.design import first_waves
from sim.traces.diagnosis.durations import ratios
from sim.traces.diagnosis.shares import Shares, shares
from sim.traces.history import FAILED, History
from sim.traces.trace import counted
from sim.whatif.cluster import CLEAR, Cluster, cluster_of
from sim.whatif.doubt import Evidence
from sim.whatif.law import Law
from sim.whatif.scales import law_and_scales
from sim.whatif.stages import jobs_and_stages, waits
from theory.shown import quoted

#: Finished copies in stages of ten tasks or more, without which nothing can be told of luck.
FEWEST = 30


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
    cluster : Cluster
        Slots over time and machines.
    law : Law
        Of luck.
    evidence : Evidence
        What the law and the scales rest on.
    stages : ndarray of int
        Row of each stage in the history's table.
    notes : tuple of str
        What the model leaves out or could not tell.
    """

    jobs: pd.DataFrame
    stage_job: np.ndarray
    parents: tuple[tuple[int, ...], ...]
    gap: np.ndarray
    recorded: np.ndarray
    tasks: np.ndarray
    work: np.ndarray
    cluster: Cluster
    law: Law
    evidence: Evidence
    stages: np.ndarray
    history: History = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def job_times(self) -> np.ndarray:
        """Recorded time of each job, NaN if unknown."""
        return (self.jobs["end"] - self.jobs["submit"]).to_numpy(float)

    def counted(self, leave_out: str = "") -> np.ndarray:
        """Say of each job whether it is in the figures: not if its group or name contains a text."""
        if not leave_out:
            return np.ones(len(self.jobs), dtype=bool)
        held = named(self.jobs, leave_out)
        if held.all():
            raise BadInput(f"leave-out: {quoted(leave_out)} leaves out every job; give another text")
        return ~held


def named(jobs: pd.DataFrame, text: str) -> np.ndarray:
    """Say of each job whether its group or name contains a text."""
    held = jobs["group"].str.contains(text, regex=False) | jobs["name"].str.contains(text, regex=False)
    return held.to_numpy(bool)


def fit(history: History, seed: int = 1, leave_out: str = "") -> Model:
    """Fit the model to a history.

    Parameters
    ----------
    history : History
        A log that has been read.
    seed : int, optional
        Of the bootstrap by which the parts of durations are told apart.
    leave_out : str, optional
        Jobs whose group or name contains it tell nothing of luck, unless there are no others with enough
        tasks: warm-up runs are cold in a way that others are not.

    Raises
    ------
    BadInput
        If the history holds too little.
    """
    jobs, stages = jobs_and_stages(history)
    found, telling = ratios(history), _telling(history, stages, leave_out)
    done = int(found["complete"].sum()) if len(found) else 0
    if done < FEWEST:
        raise BadInput(
            f"history: {done} finished copies in stages of ten tasks or more are not enough to tell luck "
            f"from work; give a history with at least {FEWEST}"
        )
    if found.loc[found["stage"].isin(telling), "complete"].sum() < FEWEST:
        telling = stages.index
    found = found[found["stage"].isin(telling)]
    parts = shares(found, seed)
    law, work, evidence = _law_and_work(history, stages, parts, telling)
    order = np.concatenate([work[row] for row in stages.index])
    parents, gap = waits(jobs, stages)
    tail = (jobs["end"] - stages.groupby("job")["end"].max().reindex(jobs.index)).clip(lower=0).fillna(0.0)
    first = float(jobs["submit"].min())
    return Model(
        jobs=jobs.assign(submit=jobs["submit"] - first, end=jobs["end"] - first, tail=tail),
        stage_job=pd.Index(jobs.index).get_indexer(stages["job"]),
        parents=parents,
        gap=gap,
        recorded=(stages["end"] - stages["submit"]).to_numpy(float),
        tasks=np.array([work[row].size for row in stages.index]),
        work=order,
        cluster=cluster_of(history, parts, first),
        law=law,
        evidence=evidence,
        stages=stages.index.to_numpy(),
        history=history,
        notes=tuple(_notes(history, jobs, parts)),
    )


def _telling(history: History, stages: pd.DataFrame, leave_out: str) -> np.ndarray:
    """Return rows of the stages that tell of luck: not those of jobs that are left out."""
    held = stages["job"].isin(history.frame("jobs").index[named(history.frame("jobs"), leave_out)])
    return stages.index[~held] if leave_out else stages.index


def _law_and_work(
    history: History, stages: pd.DataFrame, parts: Shares, telling: pd.Index
) -> tuple[Law, dict[int, np.ndarray], Evidence]:
    """Return the law of luck, and the work of the tasks of each stage: what is not luck or the machine.

    Only the `telling` stages tell of luck.
    """
    copies = history.frame("copies")
    copies["duration"] = copies["end"] - copies["began"]
    copies = copies[copies["fate"].ne(FAILED) & (copies["duration"] > 0)]
    machine = _machine(copies, parts)
    not_luck = machine + _work(copies, parts)
    copies["tells"] = copies["stage"].isin(telling)
    law, scale, evidence = law_and_scales(copies.assign(duration=copies["duration"] / np.exp(not_luck)))
    usual = float(scale.median())
    own = copies.assign(factor=np.exp(not_luck - machine)).sort_values("copy")
    own = own.drop_duplicates(["stage", "task"]).set_index("task").groupby("stage")["factor"]
    factors = {int(stage): group for stage, group in own}
    last = history.frame("copies").groupby("stage")["task"].max()
    work = {}
    for row, declared in stages["tasks"].items():
        tasks = np.arange(max(1, int(declared) if declared > 0 else 0, int(last.get(row, 0)) + 1))
        known = factors[row].reindex(tasks) if row in factors else pd.Series(1.0, index=tasks)
        usually = float(known.median()) if known.notna().any() else 1.0
        work[row] = max(scale.get(row, usual), 1e-6) * known.fillna(usually).to_numpy(float)
    return law, work, evidence


def _machine(copies: pd.DataFrame, parts: Shares) -> pd.Series:
    """Return the logarithm of the factor of the machine of each copy, 0 where machines do not differ."""
    if parts.machine is None or parts.machine.low <= CLEAR:
        return pd.Series(0.0, index=copies.index)
    factor = parts.hosts.set_index("host")["factor"].reindex(copies["host"].astype(str)).fillna(1.0)
    return pd.Series(np.log(factor.to_numpy(float)), index=copies.index)


def _work(copies: pd.DataFrame, parts: Shares) -> pd.Series:
    """Return what bytes, against the usual ones of the stage, and a cold slot add to log durations."""
    known = (copies["bytes"] > 0).groupby(copies["stage"]).transform("all")
    read = np.log(copies["bytes"].where(known, 1.0))
    usual = read.groupby(copies["stage"]).transform("median")
    return parts.exponent * (read - usual) + first_waves(copies) @ np.array(parts.cold)


def _notes(history: History, jobs: pd.DataFrame, parts: Shares) -> list[str]:
    notes = list(history.notes)
    if left_out := history.jobs.num_rows - len(jobs):
        notes.append(f"{counted(left_out, 'job')} without a submit time or a task that ran left out")
    failed = int(history.frame("copies")["fate"].eq("failed").sum())
    if failed:
        notes.append(f"failed copies left out, since the model knows no failures: {failed:,}")
    if len(history.hosts) == 1:
        notes.append("one machine: systems that copy tasks to other machines only will copy none")
    untold = ((name.replace("_", " "), reason) for name, reason in parts.reasons.items())
    return notes + [f"the share of {name} cannot be told: {reason}" for name, reason in untold]
