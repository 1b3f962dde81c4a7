"""The Standard Workload Format: a job on each line, 18 numbers between blanks, -1 where one is not known.

A job has one run time for all its processors. It is read as a job of so many tasks, each of which lasts as
long. Jobs that never ran, and the parts of a job that was stopped and went on, are left out; the
summary of those parts counts.

Reference: Chapin, Cirne, Feitelson, Jones, Leutenegger, Schwiegelshohn, Smith and Talby (1999), JSSPP,
version 2.2 of the Parallel Workloads Archive.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import numpy as np

from sim.logs.workload_table import MOST_ROWS, numbers, repeated
from sim.model.fields import About, BadInput
from sim.model.trace import Trace, in_order
from theory.quoting import quoted

CELLS = 18
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_PARTS = (2, 3, 4)
_SUBMIT = About("submit time", unit="s", low=0, high=1e16)
_TASKS = About("processors of the job", unit="tasks", low=1, high=1_000_000_000)
_SIZE = About("run time of the job", unit="s", low=0, high=1e12, open_low=True)
AS_TASKS = "processors are taken as tasks, each as long as its job: the format has no times of theirs"


class Job(NamedTuple):
    """A job as its line tells it; -1 where it does not."""

    name: str
    submit: float
    wait: float
    run: float
    processors: int
    status: int
    user: str
    queue: str


def recognises(row: str) -> bool:
    """Say whether a file that begins with this line is such a workload.

    Examples
    --------
    >>> recognises("; Version: 2.2"), recognises("1 0 10 600 4 -1 -1 4 600 -1 1 1 1 1 1 -1 -1 -1")
    (True, True)
    >>> recognises("0.5 2 3.0 2 4"), recognises(";;;")
    (False, False)
    """
    cells = row.split()
    comment = re.match(r";\s*\w", row) is not None
    return comment or (len(cells) == CELLS and "-1" in cells and all(map(_NUMBER.fullmatch, cells)))


def job(line: str) -> Job:
    """Return the job of a line.

    Raises
    ------
    ValueError
        If the line is not 18 numbers.

    Examples
    --------
    >>> job("1 0 10 600 4 -1 -1 4 600 -1 1 1 1 1 1 -1 -1 -1")[:5]
    ('1', 0.0, 10.0, 600.0, 4)
    """
    cells = line.split()
    if len(cells) != CELLS:
        raise ValueError(f"{len(cells)} cells; give {CELLS} numbers, -1 for those that are not known")
    for cell in cells:
        if _NUMBER.fullmatch(cell) is None or len(cell) > 30:
            raise ValueError(f"{quoted(cell)} is no number; give {CELLS} numbers, -1 for those not known")
    submit, wait, run, allocated, asked, status = (float(cells[place]) for place in (1, 2, 3, 4, 7, 10))
    processors = allocated if allocated > 0 else asked
    user, queue = ("" if cells[place] == "-1" else cells[place] for place in (11, 14))
    return Job(cells[0], submit, wait, run, int(processors), int(status), user, queue)


def lack(one: Job) -> str:
    """Say why a job is left out; empty if it is not.

    Examples
    --------
    >>> lack(job("1 0 10 -1 4 -1 -1 4 600 -1 5 1 1 1 1 -1 -1 -1"))
    'jobs without a run time, as they never ran: left out'
    """
    if one.status in _PARTS:
        return "parts of jobs that were stopped and went on: left out, their summary counts"
    if one.submit < 0:
        return "jobs without a submit time: left out"
    if one.run <= 0:
        return "jobs without a run time, as they never ran: left out"
    return "" if one.processors >= 1 else "jobs without a number of processors: left out"


def read(text: str, name: str, digest: str = "") -> Trace:
    r"""Read the jobs of a workload.

    Parameters
    ----------
    text : str
        Content of the file.
    name : str
        Name of the file in messages.
    digest : str, optional
        Digest of its bytes.

    Returns
    -------
    Trace
        With the processors of a job as its tasks, and its run time as the size of each.

    Raises
    ------
    BadInput
        Naming the file, the line and the reason.

    Examples
    --------
    >>> found = read("; Version: 2.2\n1 0 10 600 4 -1 -1 4 600 -1 1 1 1 1 1 -1 -1 -1\n", "one.swf")
    >>> found.tasks, found.size
    (array([4]), array([600.]))
    """
    lines: list[int] = []
    kept: list[Job] = []
    left_out: Counter[str] = Counter()
    first: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith(";"):
            continue
        try:
            one = job(line)
        except ValueError as error:
            raise BadInput(f"{name}, line {number}: {error}") from None
        if reason := lack(one):
            left_out[reason] += 1
            first.setdefault(reason, number)
            continue
        if len(kept) == MOST_ROWS:
            raise BadInput(f"{name}, line {number}: too many rows; give at most {MOST_ROWS:,} jobs")
        lines.append(number)
        kept.append(one)
    notes = [f"{reason} ({count:,}, first: line {first[reason]})" for reason, count in left_out.items()]
    if not kept:
        why = f": {notes[0]}" if notes else ""
        raise BadInput(f"{name}: no job in it{why}; give a workload in which jobs ran")
    names = [one.name for one in kept]
    repeated(names, lines, "job number", name)
    columns = (("submit", _SUBMIT), ("processors", _TASKS), ("run", _SIZE))
    submit, tasks, size = (
        numbers(column, [str(getattr(one, column)) for one in kept], lines, kind, about, name)
        for (column, about), kind in zip(columns, (float, int, float), strict=True)
    )
    return in_order(np.asarray(submit), tasks, size, names, name, digest, [AS_TASKS, *notes])
