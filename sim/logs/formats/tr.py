"""Lines of durations, as simulators of schedulers read them (``.tr``): one job per line.

A line is the arrival, the number of tasks n, their mean duration, and the n durations, between spaces.
Nothing is known of launches: every task is taken to start when its job arrives.

Reference: the traces of Hawk (Delgado et al., USENIX ATC 2015) and Eagle (SoCC 2016).
"""

from __future__ import annotations

from collections.abc import Sequence

from sim.logs.history import FINISHED, History
from sim.logs.knows import ALONE, NO, UNKNOWN, YES, Knows
from sim.logs.records import Records
from sim.logs.source import Member
from sim.model.fields import BadInput

KEY = "tr"
TITLE = "file of lines: arrival, n, mean, n durations"
KNOWS = Knows(
    system="the system of this file",
    order=ALONE,
    submission=YES,
    launch=NO,
    start=NO,
    read=NO,
    written=NO,
    hosts=NO,
    slots=NO,
    copies=UNKNOWN,
    again=UNKNOWN,
)


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this has such lines.

    Examples
    --------
    >>> recognises(b"0.5 2 3.0 2 4", "jobs.tr"), recognises(b"0.5 3 3.0 2 4", "jobs.tr")
    (True, False)
    """
    cells = head.split(b"\n", 1)[0].split()
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        return False
    complete = b"\n" in head or len(head) < 2**15
    return len(numbers) >= 4 and numbers[1] >= 1 and (not complete or numbers[1] == len(numbers) - 3)


def read(members: Sequence[Member]) -> History:
    """Read the jobs."""
    records = Records(per_second=1)
    for member in members:
        for number, line in member.lines():
            where = f"{member.name}, line {number}"
            if not line.strip():
                continue
            try:
                _job(records, [float(cell) for cell in line.split()], where)
            except BadInput as error:
                records.note("lines that are no job: left out", f"{where}: {error}")
            except ValueError:
                records.note("lines that are no job: left out", f"{where}: not all cells are numbers")
    records.note("jobs whose launches are not recorded: lost time cannot be told", count=len(records.jobs))
    return records.history(KEY, tuple(member.name for member in members), origin=0.0)


def _job(records: Records, numbers: list[float], where: str) -> None:
    if len(numbers) < 4 or numbers[1] != len(numbers) - 3:
        raise BadInput("the second number is not the number of durations")
    arrival, _, _, *durations = numbers
    if not 0 <= arrival < 1e16 or not all(0 <= duration < 1e16 for duration in durations):
        raise BadInput("a time is negative or too large")
    name = f"{len(records.jobs)}"
    stage = records.stage_row(name)
    told, job = records.stages[stage], records.jobs[records.job(name)]
    told.job, told.tasks, told.submit = records.job(name), len(durations), arrival
    job.submit, job.fate = arrival, FINISHED
    for index, duration in enumerate(durations):
        records.copy(stage, index, launch=arrival, end=arrival + duration, fate=FINISHED)
