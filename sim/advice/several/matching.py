"""Tasks and jobs of several histories, paired by their names.

A job is known by its name (its group where it has none) and by how many jobs of that name came before it; a
stage by its job, its name, its number of tasks, and how many such stages came before it. Where too few match
so, stages are matched by name and number of tasks alone, and then by names in which every number is alike,
such as dates. How they were matched is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.logs.history import FAILED, History
from sim.logs.leaving_out import named, named_in
from sim.model.fields import BadInput
from theory.quoting import quoted, shortened

#: Share of the tasks of the smallest run that a way of matching has to pair.
ENOUGH = 0.5


@dataclass(frozen=True, eq=False)
class PairedTasks:
    """Tasks with a complete duration in every run.

    Parameters
    ----------
    log : ndarray, shape (tasks, runs)
        Log durations in seconds.
    host : ndarray of str, shape (tasks, runs)
        Where each ran; empty if the log does not tell.
    stage : ndarray of int
        Number of the stage of each task, from 0.
    task : ndarray of int
        Its index in the stage.
    names : tuple of str
        What each stage is called.
    how : str
        How stages were matched.
    rows : ndarray of int
        Rows of the matched stages in the first history.
    unpaired : int
        Tasks of the first history, in stages of two or more, that are not among them.
    replaced : int
        Paired tasks one of whose originals did not end, so that the winner's time stands for it.
    """

    log: np.ndarray
    host: np.ndarray
    stage: np.ndarray
    task: np.ndarray
    names: tuple[str, ...]
    how: str
    rows: np.ndarray
    unpaired: int
    replaced: int

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return int(self.log.shape[1])

    def only(self, chosen: np.ndarray) -> PairedTasks:
        """Return some of the tasks."""
        parts = {name: getattr(self, name)[chosen] for name in ("log", "host", "stage", "task")}
        return PairedTasks(
            **parts,
            names=self.names,
            how=self.how,
            rows=self.rows,
            unpaired=self.unpaired,
            replaced=self.replaced,
        )


def _alike(names: pd.Series) -> pd.Series:
    """Return names in which every number is the same."""
    return names.str.replace(r"\d+", "#", regex=True)


def _as_it_is(names: pd.Series) -> pd.Series:
    return names


def job_keys(jobs: pd.DataFrame, spelled: Callable[[pd.Series], pd.Series] = _as_it_is) -> pd.Series:
    """Return what each job is known by: its name, and how many of that name came before it.

    Examples
    --------
    >>> jobs = pd.DataFrame({"name": ["a", "b", "a"], "group": "", "submit": [0.0, 1.0, 2.0]})
    >>> job_keys(jobs).tolist()
    ['a, 1', 'b, 1', 'a, 2']
    """
    names = spelled(jobs["name"].where(jobs["name"] != "", jobs["group"]).astype(str))
    order = jobs["submit"].argsort(kind="stable")
    turn = names.iloc[order].groupby(names.iloc[order]).cumcount().sort_index() + 1
    return names + ", " + turn.astype(str)


def _stage_keys(
    history: History, by_job: bool, spelled: Callable[[pd.Series], pd.Series] = _as_it_is
) -> pd.Series:
    stages, jobs = history.frame("stages"), history.frame("jobs")
    parts = [spelled(stages["name"].astype(str)), stages["tasks"].astype(str)]
    if by_job:
        parts.insert(0, stages["job"].map(job_keys(jobs, spelled)).fillna("no job"))
    kind = parts[0].str.cat(parts[1:], sep=" / ")
    order = stages["submit"].argsort(kind="stable")
    turn = kind.iloc[order].groupby(kind.iloc[order]).cumcount().sort_index() + 1
    return kind + " / " + turn.astype(str)


_WAYS: tuple[tuple[str, Callable[[History], pd.Series]], ...] = (
    ("names of jobs and stages, and numbers of tasks", lambda one: _stage_keys(one, True)),
    ("names of stages and numbers of tasks, not by job", lambda one: _stage_keys(one, False)),
    (
        "names of stages in which all numbers are taken for the same, and numbers of tasks",
        lambda one: _stage_keys(one, False, _alike),
    ),
)


def _tasks(history: History, keys: pd.Series) -> pd.DataFrame:
    """Return a row for each task of stages of two tasks or more: its first copy that is complete."""
    copies = history.frame("copies")
    copies["duration"] = copies["end"] - copies["began"]
    first = ~copies.duplicated(["stage", "task"])
    copies = copies.assign(original=first)
    done = copies[copies["complete"] & (copies["duration"] > 0) & copies["fate"].ne(FAILED)]
    done = done.drop_duplicates(["stage", "task"])
    done = done[done.groupby("stage")["task"].transform("size") >= 2]
    return pd.DataFrame(
        {
            "key": keys.reindex(done["stage"]).to_numpy(),
            "task": done["task"].to_numpy(),
            "row": done["stage"].to_numpy(),
            "log": np.log(done["duration"].to_numpy(float)),
            "host": done["host"].astype(str).to_numpy(),
            "original": done["original"].to_numpy(bool),
            "launch": done["launch"].to_numpy(float),
        }
    )


def paired_tasks(histories: Sequence[History]) -> PairedTasks:
    """Pair the tasks of two or more histories.

    Parameters
    ----------
    histories : sequence of History
        At least two.

    Raises
    ------
    BadInput
        If no stage of two tasks or more is in all of them.
    """
    if len(histories) < 2:
        raise BadInput("runs: one history is no repetition; give two or more")
    best: tuple[int, str, list[pd.DataFrame]] = (-1, "", [])
    for how, keyed in _WAYS:
        tables = [_tasks(one, keyed(one)).set_index(["key", "task"]) for one in histories]
        common = tables[0].index
        for table in tables[1:]:
            common = common.intersection(table.index)
        if len(common) > best[0]:
            best = len(common), how, [table.loc[common] for table in tables]
        if len(common) and len(common) >= ENOUGH * min(map(len, tables)):
            break
    count, how, tables = best
    frame = tables[0].reset_index() if tables else pd.DataFrame({"key": []})
    keep = frame.groupby("key")["key"].transform("size").ge(2).to_numpy(bool) if count > 0 else np.empty(0)
    if not keep.any():
        raise BadInput(_nothing_paired(histories))
    order = np.flatnonzero(keep)
    order = order[np.lexsort((frame["launch"].to_numpy()[order], frame["row"].to_numpy()[order]))]
    frame = frame.iloc[order]
    stage = pd.factorize(frame["key"])[0]
    columns = [table.iloc[order] for table in tables]
    originals = np.column_stack([column["original"].to_numpy(bool) for column in columns])
    return PairedTasks(
        log=np.column_stack([column["log"].to_numpy(float) for column in columns]),
        host=np.column_stack([column["host"].to_numpy(str) for column in columns]),
        stage=stage,
        task=frame["task"].to_numpy(np.int64),
        names=_called(histories[0], frame["row"].to_numpy()[np.unique(stage, return_index=True)[1]]),
        how=how,
        rows=np.unique(frame["row"].to_numpy()),
        unpaired=len(_tasks(histories[0], _WAYS[0][1](histories[0]))) - len(frame),
        replaced=int((~originals).any(axis=1).sum()),
    )


def _called(history: History, rows: np.ndarray) -> tuple[str, ...]:
    """Return what stages are called: their job and name, and their identifier where others are called so."""
    stages, jobs = history.frame("stages").iloc[rows], history.frame("jobs")
    names = jobs["name"].where(jobs["name"] != "", jobs["group"])
    job = stages["job"].map(names).fillna("")
    whole = stages["name"].where((job == "") | (job == stages["name"]), job + ": " + stages["name"])
    twice = whole.duplicated(keep=False) | (whole == "")
    return tuple(map(str, whole.where(~twice, whole + " (" + stages["stage"] + ")")))


def _nothing_paired(histories: Sequence[History]) -> str:
    first, other = (
        next((name for name in one.stages["name"].to_pylist() if name), "") for one in histories[:2]
    )
    named = f" ({quoted(first)} against {quoted(other)})" if first or other else ""
    files = shortened(", ".join(histories[1].files))
    return (
        f"{files}: no stage of two finished tasks or more is in all runs by its name and number of tasks"
        f"{named}; give histories of the same job"
    )


@dataclass(frozen=True, eq=False)
class PairedJobs:
    """Jobs with both their times in every run.

    Parameters
    ----------
    time, slot_time : ndarray, shape (jobs, runs)
        Seconds from submission to end, and of slots.
    submit, end : ndarray, shape (jobs, runs)
    names : tuple of str
        What each is known by.
    rows : ndarray of int, shape (jobs, runs)
        Its row in each history.
    how : str
        How jobs were matched.
    unpaired : tuple of int
        Jobs with both times of each history that are not among them.
    """

    time: np.ndarray
    slot_time: np.ndarray
    submit: np.ndarray
    end: np.ndarray
    names: tuple[str, ...]
    rows: np.ndarray
    how: str
    unpaired: tuple[int, ...]


_JOB_WAYS = (("names", _as_it_is), ("names in which all numbers are taken for the same", _alike))


def paired_jobs(histories: Sequence[History], leave_out: str = "") -> PairedJobs:
    """Pair the jobs of two or more histories, in the order in which the first submitted them.

    None may match: then there are none in the answer. Jobs whose group or name contains `leave_out` are not
    looked at.
    """
    tables: list[pd.DataFrame] = []
    texts = named_in(histories, leave_out)
    how, common = "", pd.Index([])
    for way, spelled in _JOB_WAYS:
        how = way
        tables = [_jobs(one, spelled, text) for one, text in zip(histories, texts, strict=True)]
        common = tables[0].index
        for table in tables[1:]:
            common = common.intersection(table.index)
        if len(common) and len(common) >= ENOUGH * min(map(len, tables)):
            break
    matched = [table.loc[common] for table in tables]
    order = np.argsort(matched[0]["submit"].to_numpy(), kind="stable")

    def column(name: str) -> np.ndarray:
        return np.column_stack([table[name].to_numpy()[order] for table in matched])

    submit, end = column("submit"), column("end")
    return PairedJobs(
        time=end - submit,
        slot_time=column("slot_time"),
        submit=submit,
        end=end,
        names=tuple(str(common[place]) for place in order),
        rows=column("row").astype(int),
        how=how + (f", without those named {quoted(leave_out)}" if leave_out else ""),
        unpaired=tuple(len(table) - len(common) for table in tables),
    )


def are_runs_of_one(one: History, other: History) -> bool:
    """Whether two logs are of the same application: most jobs of the smaller are in the other by their names.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.samples import nightly, slurm
    >>> logs = [read_history(log) for log in (nightly(1), nightly(2), slurm())]
    >>> are_runs_of_one(*logs[:2]), are_runs_of_one(*logs[1:])
    (True, False)
    """
    keys = []
    for jobs in (one.frame("jobs"), other.frame("jobs")):
        keys.append({*job_keys(jobs[(jobs["name"] != "") | (jobs["group"] != "")])})
    return len(keys[0] & keys[1]) >= max(ENOUGH * min(map(len, keys)), 1)


def _jobs(history: History, spelled: Callable[[pd.Series], pd.Series], leave_out: str) -> pd.DataFrame:
    """Return the jobs with both times, with their slot-time."""
    jobs, copies = history.frame("jobs"), history.frame("copies")
    held = (copies["end"] - copies["launch"]).fillna(0.0)
    of = history.stages["job"].to_numpy()[copies["stage"].to_numpy()] if len(copies) else np.empty(0, int)
    slot_time = np.bincount(of[of >= 0], held.to_numpy()[of >= 0], len(jobs)) if len(jobs) else np.empty(0)
    known = (jobs["end"] > jobs["submit"]).to_numpy(bool)
    if leave_out:
        known = known & ~named(jobs, leave_out)
    return pd.DataFrame(
        {
            "submit": jobs["submit"].to_numpy(float),
            "end": jobs["end"].to_numpy(float),
            "slot_time": slot_time,
            "row": np.arange(len(jobs)),
        },
        index=job_keys(jobs, spelled) if len(jobs) else [],
    )[known]
