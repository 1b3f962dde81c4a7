"""Workload files: one importer per format, each of which returns a `Trace`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sim.logs import csv_jobs, swf, swim
from sim.logs.foreign import HEAD, refusal_of, refusing
from sim.logs.jobs_file import text_of, trace_of
from sim.logs.workload_table import first_row
from sim.model.fields import BadInput
from sim.model.files import opened
from sim.model.trace import Trace
from theory.quoting import quoted, shortened

if TYPE_CHECKING:
    from sim.logs.source import Upload  # which needs Arrow; the shell need not wait for it

__all__ = ["Trace", "read", "read_upload"]

#: A larger file is refused: at this size it has more rows than are accepted, or they are of something else.
MOST_BYTES = 2**30
FORMATS = (
    "a CSV with the header job_id,submit,tasks[,size], "
    "SWIM rows of six tab-separated columns (name, submit, gap, map input, shuffle, output), "
    "lines of the Standard Workload Format, or a log that python -m sim trace reads"
)


def read(source: str | Path | bytes, name: str = "", block: int = swim.BLOCK) -> Trace:
    r"""Read a workload file, whose format is recognised by what is in it.

    Parameters
    ----------
    source : str, Path or bytes
        Where the file is, or its content.
    name : str, optional
        Name of the file in messages; the last part of its path unless given.
    block : int, optional
        Bytes of map input that make one task of a SWIM job, at least 1; 128 MiB as in Hadoop.

    Returns
    -------
    Trace

    Raises
    ------
    BadInput
        Naming the file, the line and the reason.

    Examples
    --------
    >>> trace = read(b"job_id,submit,tasks\nfirst,0,10\nsecond,2.5,3\n", "two.csv")
    >>> trace.arrival, trace.tasks
    (array([0. , 2.5]), array([10,  3]))
    """
    name = name or ("workload" if isinstance(source, bytes) else Path(source).name)
    with refusing([name]):
        return _read(source if isinstance(source, bytes) else _content(Path(source)), name, block)


def _read(data: bytes, name: str, block: int) -> Trace:
    """Read the content of a file of this name."""
    told = shortened(name)
    digest = hashlib.sha256(data).hexdigest()
    try:
        text = text_of(data, told)
    except BadInput:
        if trace := _of_log(data, told):
            return replace(trace, source=name, digest=digest)
        raise
    if not text.strip():
        raise BadInput(f"{told}: the file is empty; give {FORMATS}")
    if refusal := refusal_of(data[:HEAD]):
        raise BadInput(f"{told}: {refusal}")
    line, row = first_row(text)
    if not _surely_jobs(row) and (trace := _of_log(data, told)):
        return replace(trace, source=name, digest=digest)
    if trace := trace_of(text, told, digest, block):
        return replace(trace, source=name)
    raise BadInput(f"{told}, line {line}: {quoted(row[:60])} is not the start of a workload; give {FORMATS}")


def _surely_jobs(row: str) -> bool:
    """Say whether a file that begins with this row is a workload; logs have some of the columns, too."""
    cells = [cell.strip(' "').lower() for cell in re.split(r"[,;\t]", row)]
    numbers = swim.recognises(row) and cells[1].isdecimal()
    return numbers or set(csv_jobs.NEEDED) <= set(cells) or swf.recognises(row)


def _of_log(data: bytes, name: str) -> Trace | None:
    """Return the jobs of a log with tasks; None if this is no such log."""
    from sim.logs.formats import log_of  # which needs Arrow

    if (history := log_of(data, name)) is None:
        return None
    trace = history.trace()
    if not trace.arrival.size:
        why = f" ({trace.notes[0]})" if trace.notes else ""
        raise BadInput(f"{name}: no job with a submit time and tasks in it{why}; give {FORMATS}")
    return trace


def read_upload(upload: Upload, *, progress: Callable[[int], None] = lambda number: None) -> Trace:
    """Read an uploaded workload file, as `read`, without the names of the jobs, which no page shows.

    Millions of them would have to be sent from the process that reads them.
    """
    trace = read(upload.data, upload.name)
    progress(len(upload.data))
    return replace(trace, names=())


def _content(path: Path) -> bytes:
    try:
        with opened(path) as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise BadInput(
            f"workload: {quoted(str(path))} is not accepted ({reason}); give the path of a file"
        ) from None
    if len(data) > MOST_BYTES:
        raise BadInput(
            f"workload: {quoted(str(path))} is not accepted; give a file of at most {MOST_BYTES >> 20:,} MiB"
        )
    return data
