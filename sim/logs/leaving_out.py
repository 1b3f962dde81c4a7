"""A history without some of its jobs: warm-up runs, or another team's.

A job that is left out tells nothing of luck, and nothing is counted of it. What it did to the others is a
choice: kept, it takes slots as it did; gone, the slots it had are free.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from sim.logs.history import SCHEMAS, History, table_of
from sim.model.fields import BadInput
from sim.telling.words import counted
from theory.quoting import quoted

# What happens to jobs that are left out, in words; loads nothing, so that the shell can use it.

#: Treatments of jobs that are left out, in words; the first is the default.
KEPT, GONE = "kept", "gone"
LEFT_OUT = {KEPT: "they take slots as they did", GONE: "the slots they had are free"}


def add_leaving_out(parser: argparse.ArgumentParser) -> None:
    """Add the options that name jobs to leave out and say what becomes of them."""
    parser.add_argument(
        "--leave-out", metavar="TEXT", default="", help="jobs whose group or name contains it do not count"
    )
    told = "; ".join(f"{name}: {what}" for name, what in LEFT_OUT.items())
    parser.add_argument(
        "--left-out",
        metavar="HOW",
        default=KEPT,
        help=f"what becomes of them: {told} (default: %(default)s)",
    )


def check_left_out(text: str) -> None:
    """Refuse what is none of `LEFT_OUT`."""
    if text not in LEFT_OUT:
        raise BadInput(f"left-out: {quoted(text)} is not accepted; give {' or '.join(LEFT_OUT)}")


def named(jobs: pd.DataFrame, text: str) -> np.ndarray:
    """Say of each job whether its group or name contains a text.

    Examples
    --------
    >>> named(pd.DataFrame({"group": ["warmup", ""], "name": ["", "Report"]}), "warm")
    array([ True, False])
    """
    held = jobs["group"].str.contains(text, regex=False) | jobs["name"].str.contains(text, regex=False)
    return held.to_numpy(bool)


def left_out_of(history: History, text: str) -> np.ndarray:
    """Say of each job of a history whether it is left out; none is without a text.

    Raises
    ------
    BadInput
        If it names no job, or no job would be left.
    """
    jobs = history.frame("jobs")
    return checked(jobs, text) if text and len(jobs) else np.zeros(len(jobs), bool)


def named_in(histories: Sequence[History], text: str) -> list[str]:
    """Return for each run the text, or nothing where that run has no such job.

    Raises
    ------
    BadInput
        If it names no job of any run, or all jobs of one.
    """
    frames = [one.frame("jobs") for one in histories]
    if text:
        checked(pd.concat(frames), text)
    found = [text if text and named(one, text).any() else "" for one in frames]
    for frame, one in zip(frames, found, strict=True):
        if one:
            checked(frame, one)
    return found


def checked(jobs: pd.DataFrame, text: str) -> np.ndarray:
    """Return `named` of a text that names some of the jobs; raises `BadInput` if it names none, or all."""
    held = named(jobs, text)
    if not held.any():
        raise BadInput(
            f"leave-out: {quoted(text)} is in no job's group or name; give a part of one, or leave it empty"
        )
    if held.all():
        raise BadInput(f"leave-out: {quoted(text)} leaves out every job; give another text")
    return held


def without_jobs(history: History, text: str) -> History:
    r"""Return a history without the jobs whose group or name contains a text.

    Their stages and copies are gone, too; stages of no known job stay. Slots and hosts are as they were.

    Parameters
    ----------
    history : History
        Stays as it is.
    text : str
        Nothing is left out if it is empty.

    Raises
    ------
    BadInput
        If the text names no job, or no job would be left.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.source import Upload
    >>> log = b"record,job_id,task_id,start_s,end_s,name\njob,a,,,4,warm-up\njob,b,,,9,report\n"
    >>> without_jobs(read_history(Upload("t.csv", log)), "warm").jobs["name"].to_pylist()
    ['report']
    """
    held = left_out_of(history, text)
    if not text:
        return history
    jobs, stages, copies = (history.frame(name) for name in ("jobs", "stages", "copies"))
    job_row = _rows(~held)
    # Row -1 stands for no job: the last place of what is looked up.
    stays = np.append(~held, True)[stages["job"].to_numpy()]
    stage_row = _rows(stays)
    jobs, stages = jobs[~held], stages[stays].copy()
    stages["job"] = np.append(job_row, -1)[stages["job"].to_numpy()]
    stages["parents"] = [
        [int(stage_row[one]) for one in listed if stays[one]] for listed in stages["parents"]
    ]
    copies = copies[stays[copies["stage"].to_numpy()]].copy()
    copies["stage"] = stage_row[copies["stage"].to_numpy()]
    frames = {"jobs": jobs, "stages": stages, "copies": copies}
    return replace(
        history,
        **{name: table_of(frame, SCHEMAS[name]) for name, frame in frames.items()},
        notes=(*history.notes, f"{counted(int(held.sum()), 'job')} named {quoted(text)} left out"),
    )


def _rows(stays: np.ndarray) -> np.ndarray:
    return np.cumsum(stays) - 1
