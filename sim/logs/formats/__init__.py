"""The formats of logs: one module each, and the registry that recognises them by content.

A format has a `KEY`, a `TITLE`, what it `KNOWS`, `recognises(head, name)` for the first unpacked bytes of a
file, and `read(members)`, which returns a `History`. Files that are known and not read are in
`sim.logs.foreign`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from sim.logs.foreign import refusal_of, refusing
from sim.logs.formats import (
    alibaba,
    dask,
    flink,
    google,
    jhist,
    kubernetes,
    lsf,
    nextflow,
    pbs,
    ray,
    rumen,
    sge,
    slurm,
    spark,
    swf,
    table,
    tez,
    tr,
    wfformat,
    workload,
)
from sim.logs.formats.spark_files import applications
from sim.logs.history import History, with_order
from sim.logs.knows import Knows
from sim.logs.source import MOST_BYTES, Member, Upload, members
from sim.model.fields import BadInput
from theory.quoting import quoted


class NoLog(BadInput):
    """A file that begins like no log, alone."""


#: In this order: the first that recognises a file reads it.
FORMATS: tuple[ModuleType, ...] = (
    *(spark, jhist, rumen, ray, flink, tez, kubernetes, dask, table, slurm),
    *(pbs, sge, lsf, alibaba, google, nextflow, wfformat, swf),
    *(tr, workload),
)


def read_history(
    *sources: str | Path | Upload | History,
    most_bytes: int = MOST_BYTES,
    progress: Callable[[int], None] = lambda number: None,
) -> History:
    r"""Read the log of a cluster, whose format is recognised by what is in it.

    Parameters
    ----------
    *sources : str, Path or Upload
        Files or folders, or uploads, which together are one log; or one that has been read already.
    most_bytes : int, optional
        Bytes accepted after unpacking.
    progress : callable, optional
        Called with the number of stored bytes read since the last call.

    Returns
    -------
    History

    Raises
    ------
    BadInput
        Naming the file, the line where there is one, and the reason; `NoLog` where the file is none.

    Examples
    --------
    >>> log = b"job_id,stage_id,task_id,start_s,end_s\nnightly,map,0,0,4\nnightly,map,1,0,9\n"
    >>> history = read_history(Upload("two.csv", log))
    >>> history.format, history.copies.num_rows, history.span
    ('table', 2, 9.0)
    """
    if len(sources) == 1 and isinstance(sources[0], History):
        return sources[0]
    files = [one for one in sources if not isinstance(one, History)]
    with refusing(files):
        return _read(members(files, most_bytes=most_bytes, progress=progress))


def read_each(
    *sources: str | Path | Upload,
    most_bytes: int = MOST_BYTES,
    progress: Callable[[int], None] = lambda number: None,
) -> list[History]:
    r"""Read the applications of Spark among some files each by itself; files of other formats are one log.

    Parameters and errors are those of `read_history`.

    Examples
    --------
    >>> log = b"job_id,stage_id,task_id,start_s,end_s\nnightly,map,0,0,4\nnightly,map,1,0,9\n"
    >>> len(read_each(Upload("one.csv", log), Upload("two.csv", log)))
    1
    """
    with refusing(sources):
        files = members(sources, most_bytes=most_bytes, progress=progress)
        if any(_recognised(member, alone=len(files) == 1) is not spark for member in files):
            return [_read(files)]
        return [_read(group) for group in applications(files)]


def _read(files: list[Member]) -> History:
    formats = [_recognised(member, alone=len(files) == 1) for member in files]
    for member, one in zip(files, formats, strict=True):
        if one is not formats[0]:
            raise BadInput(
                f"{member.name}: a {one.TITLE}, but {files[0].name} is a {formats[0].TITLE}; "
                "give files of one format"
            )
    history: History = formats[0].read(files)
    return with_order(history, knows_of(history.format).order)


def log_of(data: bytes, name: str) -> History | None:
    r"""Return the history of a file if it is a log with tasks, and no workload; None if it is not.

    Examples
    --------
    >>> log_of(b"job_id,submit,tasks\na,0,3\n", "jobs.csv") is None
    True
    >>> log_of(b"0.5 2 3.0 2 4\n", "jobs.tr").copies.num_rows
    2
    """
    try:
        heads = [member.head() for member in members([Upload(name, data)])]
    except BadInput:
        return None
    if not heads or refusal_of(heads[0]):
        return None
    first = next((one for one in FORMATS if one.recognises(heads[0], name)), workload)
    return None if first in (workload, swf) else read_history(Upload(name, data))


def format_of(source: str | Path | Upload) -> str:
    r"""Return the key of the format of a file, by how it begins; empty if none is known.

    Examples
    --------
    >>> format_of(Upload("jobs.tr", b"0.5 2 3.0 2 4\n")), format_of(Upload("notes.txt", b"no log"))
    ('tr', '')
    """
    try:
        key: str = _recognised(members([source])[0], alone=True).KEY
    except BadInput:
        return ""
    return key


def title_of_format(key: str) -> str:
    """Return what a format is called, by the key that a history has; that of tables if it is not known.

    Examples
    --------
    >>> title_of_format("spark")
    'Spark event log'
    """
    return next((one.TITLE for one in FORMATS if key == one.KEY), table.TITLE)


def knows_of(key: str) -> Knows:
    """Return what a format tells, by the key that a history has; what a table does if it is not known.

    Examples
    --------
    >>> knows_of("slurm").no_copies, knows_of("spark").how
    ('Slurm never runs a second copy of a task', 'spark.speculation')
    """
    found: Knows = next((one for one in FORMATS if key == one.KEY), table).KNOWS
    return found


def _recognised(member: Member, *, alone: bool) -> ModuleType:
    head = member.head()
    if not head:
        raise BadInput(f"{member.name}: nothing can be unpacked; it is damaged, or not packed as it begins")
    if refusal := refusal_of(head):
        raise BadInput(f"{member.name}: {refusal}")
    for one in FORMATS:
        if one.recognises(head, member.name):
            return one
    begin = head[:40].decode("ascii", "replace")
    known = ", ".join(one.TITLE for one in FORMATS)
    raise (NoLog if alone else BadInput)(
        f"{member.name}, line 1: {quoted(begin)} is not the start of a known log; give one of: {known}"
    )
