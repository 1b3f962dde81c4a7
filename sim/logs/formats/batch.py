"""What the accounting of batch systems has in common: a record is a job, or a task of an array of jobs.

An array is a job of one stage, its indices are the tasks; a job that is no array has one task. A job
that was stopped from outside (limit of time, deletion, preemption) is killed, that is censored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED
from sim.logs.knows import ALONE, NO, SOME, YES, Knows
from sim.logs.records import NAN, Records
from sim.logs.source import Member
from theory.quoting import quoted

# Lines of a text file as rows: decoded, counted where they are odd, left out where they make no sense.

#: Bytes of a line: rows stay far below, and text of another kind is not searched for cells.
_LONGEST = 2**20
#: What a row may raise that is left out with this as its reason.
ERRORS = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError)


def texts(member: Member, records: Records) -> Iterator[tuple[str, str]]:
    """Yield where each line stands that is not blank, and its text without its end."""
    for number, raw in member.lines():
        where = f"{member.name}, line {number}"
        if len(raw) > _LONGEST:
            records.note(f"lines of more than {_LONGEST:,} bytes: passed over", where)
            continue
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            records.note("lines not in UTF-8: read as Latin-1", where)
            text = raw.decode("latin-1")
        if text.strip():
            yield where, text.rstrip("\r\n")
    if member.truncated:
        records.note("packed files cut off: read as far as they go", member.name)


def read_each(members: Sequence[Member], records: Records, row: Callable[[str, str], None]) -> None:
    """Read every line of some files; those that raise are counted, with the first reason."""
    for member in members:
        for where, text in texts(member, records):
            try:
                row(text, where)
            except ERRORS as error:
                records.note("rows that cannot be read: left out", f"{where}: {error}")


def first_line(head: bytes, comments: tuple[bytes, ...] = ()) -> str:
    r"""Return the first line that is neither blank nor a comment.

    Examples
    --------
    >>> first_line(b"\n# Version: 1\nall.q:n1\n", (b"#",))
    'all.q:n1'
    """
    lines = (line for line in head.split(b"\n") if line.strip() and not line.startswith(comments))
    return next(lines, b"").decode("utf-8", "replace").rstrip("\r")


#: Signals by which batch systems and their users stop a job: HUP, INT, KILL, USR1, USR2, TERM, XCPU.
_STOPPED = frozenset({1, 2, 9, 10, 12, 15, 24})


def knows(system: str) -> Knows:
    """Return what the accounting of a batch system tells."""
    return Knows(
        system=system,
        order=ALONE,
        submission=SOME,
        launch=YES,
        start=NO,
        read=NO,
        written=NO,
        hosts=SOME,
        slots=NO,
        copies=NO,
        again=NO,
    )


class Accounting:
    """Jobs and array tasks of any number of files, in seconds."""

    def __init__(self) -> None:
        self.records = Records(per_second=1)
        self._seen: set[tuple[str, int, float]] = set()

    def run(
        self,
        job: str,
        index: int,
        where: str,
        *,
        launch: float,
        end: float,
        fate: str,
        submit: float = NAN,
        eligible: float = NAN,
        name: str = "",
        group: str = "",
        pool: str = "",
        host: str = "",
    ) -> int:
        """Record a run of a task and return its row; of one that is told twice -1."""
        if (job, index, launch) in self._seen:
            self.records.note("copies told twice: counted once", where)
            return -1
        self._seen.add((job, index, launch))
        place, row = self.records.stage_row(job), self.records.job(job)
        stage, told = self.records.stages[place], self.records.jobs[row]
        stage.job = row
        told.name = stage.name = name
        told.group, told.pool = group, pool
        told.submit = least(told.submit, submit)
        stage.submit = least(stage.submit, eligible if eligible >= submit else submit)
        told.end = stage.end = -least(-told.end, -end)
        told.fate = FINISHED if fate == FINISHED and told.fate in (UNFINISHED, FINISHED) else fate
        return self.records.copy(place, index, launch=launch, end=end, fate=fate, host=host)


def fate_of_exit(status: int) -> str:
    """Return how a job ended by its exit status, which is 128 or 256 and the signal if one ended it.

    Examples
    --------
    >>> fate_of_exit(0), fate_of_exit(1), fate_of_exit(137), fate_of_exit(271), fate_of_exit(139)
    ('finished', 'failed', 'killed', 'killed', 'failed')
    """
    if status == 0:
        return FINISHED
    return KILLED if status - 128 in _STOPPED or status - 256 in _STOPPED else FAILED


def seconds(text: str, what: str) -> float:
    """Return a time in seconds since 1970; NaN if it is missing or 0.

    Examples
    --------
    >>> seconds("1261426010", "start"), seconds("0", "start")
    (1261426010.0, nan)
    """
    if text in ("", "0"):
        return NAN
    try:
        time = float(text)
    except ValueError:
        time = NAN
    if not 0 <= time < 1e16:
        raise ValueError(f"{what}: {quoted(text)} is no time in seconds since 1970")
    return time


def least(one: float, other: float) -> float:
    """Return the smaller of two times, either of which may be unknown."""
    return other if one != one or other < one else one
