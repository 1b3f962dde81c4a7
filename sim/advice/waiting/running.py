"""The stages of a history in which a task still runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from sim.advice.waiting.siblings import Siblings
from sim.logs.formats import read_history
from sim.logs.history import FINISHED, UNFINISHED, History
from sim.logs.source import Upload
from sim.model.fields import BadInput
from theory.quoting import quoted, shortened


def running_in(*files: Upload, progress: Callable[[int], None] = lambda number: None) -> tuple[Siblings, ...]:
    r"""Return the stages of a log in which a task still runs, as `running_stages`.

    Examples
    --------
    >>> log = b"job_id,stage_id,task_id,start_s,end_s\nnightly,map,0,0,4\nnightly,map,1,0,\n"
    >>> [one.ages.tolist() for one in running_in(Upload("log.csv", log))]
    [[4.0]]
    """
    return tuple(running_stages(read_history(*files, progress=progress)))


def running_stages(history: History, now: float | None = None) -> Iterator[Siblings]:
    """Yield the stages in which a task still runs, the one with the oldest task first.

    A log may tell only of tasks that are done when their own work began, as Ray and MapReduce do. Durations
    are then counted from the launch, as ages are.

    Parameters
    ----------
    history : History
    now : float, optional
        Seconds since 1970; without it ages are counted up to the last time in the log.

    Raises
    ------
    BadInput
        If `now` is before the last time in the log, or the log has no dates.
    """
    copies, stages = history.frame("copies"), history.frame("stages")
    last = _last(history)
    at = last if now is None else now - history.origin
    if at < last - 1:
        raise BadInput(f"at: the log goes on for {last - at:.0f} s after that; give a later time, or now")
    took, held = ((copies["end"] - copies[name]).to_numpy(float) for name in ("began", "launch"))
    told = (copies["launch"] < copies["began"]).to_numpy()
    ended = (copies["fate"] == FINISHED).to_numpy() & (took > 0)
    runs = (copies["fate"] == UNFINISHED).to_numpy() & copies["began"].notna().to_numpy()
    stage, task = copies["stage"].to_numpy(), copies["task"].to_numpy()
    finished = {*zip(stage[ended].tolist(), task[ended].tolist(), strict=True)}
    left = np.array([one not in finished for one in zip(stage.tolist(), task.tolist(), strict=True)], bool)
    runs &= left & stages["end"].isna().to_numpy()[stage]
    ages = at - copies["began"].to_numpy(float)
    unit, work = _work(copies, ended)
    host = copies["host"].astype(str).to_numpy()
    rows = sorted({*stage[runs].tolist()}, key=lambda one: -ages[runs & (stage == one)].max())
    called = _called(stages.loc[rows])
    for row in rows:
        mine, theirs = runs & (stage == row) & (ages > 0), ended & (stage == row)
        if not mine.any():
            continue
        copied = {*task[mine][pd.Series(task[mine]).duplicated()].tolist()}
        mine = _first_copies(mine, task, ages)
        yield Siblings(
            (took if told[mine].any() else np.fmax(took, held))[theirs],
            ages[mine],
            name=called[row],
            tasks=tuple(f"task {number}" for number in task[mine].tolist()),
            copied=tuple(number in copied for number in task[mine].tolist()),
            done_work=work[theirs],
            work=work[mine],
            done_hosts=tuple(host[theirs]),
            hosts=tuple(host[mine]),
            unit=unit,
        )


def _first_copies(mine: np.ndarray, task: np.ndarray, ages: np.ndarray) -> np.ndarray:
    """Return of each task the place of the copy that runs longest: with a second one it is still one task."""
    places = np.flatnonzero(mine)
    places = places[np.argsort(-ages[places], kind="stable")]
    return np.sort(places[np.unique(task[places], return_index=True)[1]])


def _called(stages: pd.DataFrame) -> dict[int, str]:
    """Return what stages are called, by row: their names, with their numbers where these are not enough."""
    shared = stages["name"].duplicated(keep=False)
    return {
        row: shortened(f"{one['name']} (stage {one['stage']})" if shared[row] else one["name"])
        if one["name"]
        else shortened(f"stage {one['stage']}")
        for row, one in stages.iterrows()
    }


def _work(copies: pd.DataFrame, ended: np.ndarray) -> tuple[str, np.ndarray]:
    """Return the measure of work that most of the ended tasks have, and its values."""
    found = {}
    for name in ("bytes", "records"):
        values = copies[name].to_numpy(float)
        found[name] = np.where(values > 0, values, np.nan)
    name = max(found, key=lambda one: np.isfinite(found[one][ended]).sum())
    return name, found[name]


def _last(history: History) -> float:
    times = [history.frame("copies")[name].max() for name in ("launch", "began", "end")]
    times += [history.frame(table)[name].max() for table in ("jobs", "stages") for name in ("submit", "end")]
    return float(np.nanmax([*times, 0.0]))


def one_of(stages: Sequence[Siblings], name: str) -> Siblings:
    """Return the stage of this name; the first one without a name.

    Raises
    ------
    BadInput
        If there is none, or no task runs.
    """
    if not stages:
        raise BadInput(
            "file: no task of this log still runs; give one that is written while tasks run, such as "
            "the event log of an application in progress"
        )
    for one in stages:
        if not name or one.name == name:
            return one
    raise BadInput(
        f"stage: {quoted(name)} has no running task; give one of {', '.join(x.name for x in stages[:5])}"
    )
