"""A file of jobs, read by the importer that recognises its first row: a CSV, SWIM rows, or SWF lines."""

from __future__ import annotations

from sim.logs import csv_jobs, swf, swim
from sim.logs.workload_table import first_row
from sim.model.fields import BadInput
from sim.model.trace import Trace


def text_of(data: bytes, name: str) -> str:
    """Return the content of a file as text.

    Raises
    ------
    BadInput
        Naming the file and the line that is no UTF-8.

    Examples
    --------
    >>> text_of(b"job_id,submit,tasks", "jobs.csv")
    'job_id,submit,tasks'
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{name}, line {line}: the file is not UTF-8 text; save it as CSV in UTF-8") from None


def trace_of(text: str, name: str, digest: str, block: int = swim.BLOCK) -> Trace | None:
    r"""Return the jobs of a file; None if no importer recognises it. Arguments as of `sim.logs.read`.

    Raises
    ------
    BadInput
        Naming the file, the line and the reason.

    Examples
    --------
    >>> trace_of("job_id,submit,tasks\nfirst,0,10\n", "one.csv", "").tasks
    array([10])
    >>> trace_of("hello", "letter", "") is None
    True
    """
    row = first_row(text)[1]
    if csv_jobs.recognises(row):
        return csv_jobs.read(text, name, digest)
    if swim.recognises(row):
        return swim.read(text, name, digest, block)
    if swf.recognises(row):
        return swf.read(text, name, digest)
    return None
