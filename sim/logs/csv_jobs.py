"""The minimal CSV of jobs: a header with job_id, submit, tasks and perhaps size; one job per row.

Columns may stand in any order and others are passed over. Commas, semicolons and tabs separate
cells; cells may be quoted. Times are in the unit of the scenario.
"""

from __future__ import annotations

import csv

from sim.logs.workload_table import first_row, numbers, repeated, rows
from sim.model.fields import About, BadInput
from sim.model.trace import Trace, in_order
from theory.quoting import shortened

NEEDED = ("job_id", "submit", "tasks")
KNOWN = (*NEEDED, "size")
_SUBMIT = About("submit time", unit="time_unit", low=0, high=1e16)
_TASKS = About("tasks of the job", unit="tasks", low=1, high=1_000_000_000)
_SIZE = About("size of each task", unit="time_unit", low=0, high=1e12, open_low=True)


def template() -> str:
    """Return a small valid file to start from.

    Examples
    --------
    >>> print(template().splitlines()[0])
    job_id,submit,tasks,size
    """
    jobs = ("job_id,submit,tasks,size", "nightly-report,0,120,30", "query-1,12.5,8,4", "backfill,60,2000,45")
    return "\n".join(jobs) + "\n"


def recognises(row: str) -> bool:
    """Say whether a file that begins with this row is meant as a CSV of jobs.

    Examples
    --------
    >>> recognises("submit;tasks;job_id"), recognises("job0 49 49")
    (True, False)
    """
    return any(column in NEEDED for column in _split(row, _delimiter(row)))


def read(text: str, name: str, digest: str = "") -> Trace:
    r"""Read the jobs of a minimal CSV.

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
        With sizes if the file has a column `size`.

    Raises
    ------
    BadInput
        Naming the file, the line and the reason.

    Examples
    --------
    >>> read("tasks;job_id;submit\n3;a;0\n", "one.csv").tasks
    array([3])
    """
    lines, cells, header = _cells(text, name)
    # Not zip(*cells): that would need an iterator for each of perhaps millions of rows.
    columns = {
        column: [row[place] for row in cells] for place, column in enumerate(header) if column in KNOWN
    }
    names = [job.strip() for job in columns["job_id"]]
    repeated(names, lines, "job_id", name)
    submit = numbers("submit", columns["submit"], lines, float, _SUBMIT, name)
    tasks = numbers("tasks", columns["tasks"], lines, int, _TASKS, name)
    size = numbers("size", columns["size"], lines, float, _SIZE, name) if "size" in columns else None
    ignored = [column for column in header if column not in KNOWN]
    notes = [f"columns ignored: {shortened(', '.join(ignored))}"] if ignored else []
    return in_order(submit, tasks, size, names, name, digest, notes)


def _cells(text: str, name: str) -> tuple[list[int], list[list[str]], list[str]]:
    """Line numbers and cells of the jobs, and the names of the columns."""
    table = rows(text, name, _delimiter(first_row(text)[1]), quotes=True, header=True)
    first, header = next(table)
    header = _header(header, first, name)
    lines, cells = [], []
    for line, row in table:
        if len(row) != len(header):
            raise BadInput(f"{name}, line {line}: {len(row)} cells; give {len(header)} as in the header")
        lines.append(line)
        cells.append(row)
    if not cells:
        raise BadInput(f"{name}, line {first}: no job below the header; give a row per job")
    return lines, cells, header


def _header(cells: list[str], line: int, name: str) -> list[str]:
    header = [cell.strip().lower() for cell in cells]
    for column in NEEDED:
        if column not in header:
            raise BadInput(
                f"{name}, line {line}: {column}: missing among the columns {shortened(', '.join(header))}; "
                f"give {', '.join(NEEDED)} and, if known, size"
            )
    for column in KNOWN:
        if header.count(column) > 1:
            raise BadInput(f"{name}, line {line}: {column}: two columns have this name; give one")
    return header


def _delimiter(header: str) -> str:
    """Delimiter under which the header shows the most columns that are needed."""
    return max(",;\t", key=lambda delimiter: sum(column in NEEDED for column in _split(header, delimiter)))


def _split(row: str, delimiter: str) -> list[str]:
    return [cell.strip().lower() for cell in next(csv.reader([row], delimiter=delimiter), [])]
