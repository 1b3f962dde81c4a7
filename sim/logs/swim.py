"""SWIM workload files: one job per row, six tab-separated columns without a header.

The columns are the job's name, its submit time (s), the gap since the job before (s), and the bytes
of map input, shuffle and reduce output. A job has a map task for each block of its input and at
least one. The file tells nothing of durations: task sizes come from the scenario.

Reference: Chen, Ganapathi, Griffith and Katz (2011), MASCOTS, and the files of SWIMProjectUCB/SWIM.
"""

from __future__ import annotations

import numpy as np

from sim.logs.workload_table import numbers, repeated, rows
from sim.model.fields import About, BadInput, canonical
from sim.model.trace import Trace, in_order
from sim.telling.words import counted

#: Bytes of a block of Hadoop's file system (dfs.blocksize): 128 MiB.
BLOCK = 128 * 2**20

COLUMNS = ("name", "submit", "gap", "map input", "shuffle", "reduce output")
_TIME = About("submit time", unit="s", low=0, high=1e16)
_BYTES = About("bytes", unit="bytes", low=0, high=2**53 - 1)


def recognises(row: str) -> bool:
    r"""Say whether a file that begins with this row may be a SWIM file.

    Examples
    --------
    >>> recognises("job0\t49\t49\t740773\t2339561\t627471"), recognises("job_id,submit,tasks")
    (True, False)
    """
    return row.count("\t") >= len(COLUMNS) - 1


def read(text: str, name: str, digest: str = "", block: int = BLOCK) -> Trace:
    r"""Read the jobs of a SWIM file.

    Parameters
    ----------
    text : str
        Content of the file.
    name : str
        Name of the file in messages.
    digest : str, optional
        Digest of its bytes.
    block : int, optional
        Bytes of map input to a task, at least 1.

    Returns
    -------
    Trace
        With :math:`\max(1, \lceil \text{map input} / \text{block} \rceil)` tasks a job and no sizes.

    Raises
    ------
    BadInput
        Naming the file, the line and the reason.

    Examples
    --------
    >>> read("a\t0\t0\t5\t0\t0\nb\t9\t9\t6\t0\t0\n", "two.tsv", block=5).tasks
    array([1, 2])
    """
    block = canonical("block", block, int, About("bytes to a task", unit="bytes", low=1, high=2**53 - 1))
    lines, cells = [], []
    for line, row in rows(text, name, "\t", quotes=False, header=False):
        if len(row) < len(COLUMNS):
            raise BadInput(f"{name}, line {line}: {len(row)} columns; give six: {', '.join(COLUMNS)}")
        lines.append(line)
        cells.append(row)
    names = [row[0].strip() for row in cells]
    repeated(names, lines, "name", name)
    arrival = numbers("submit", [row[1] for row in cells], lines, float, _TIME, name)
    # Shuffle and output are not used, but a row with a hole in it is not trusted.
    map_input, _, _ = (
        numbers(COLUMNS[place], [row[place] for row in cells], lines, int, _BYTES, name)
        for place in (3, 4, 5)
    )
    tasks = np.maximum(1, -(-map_input // block))
    wider = sum(len(row) > len(COLUMNS) for row in cells)
    return in_order(arrival, tasks, None, names, name, digest, _notes(int(np.sum(map_input == 0)), wider))


def _notes(empty: int, wider: int) -> list[str]:
    notes = []
    if empty:
        notes.append(f"{counted(empty, 'job')} without map input: one task each")
    if wider:
        notes.append(f"{counted(wider, 'row')} with more than six columns: the others are ignored")
    return notes
