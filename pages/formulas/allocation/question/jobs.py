r"""The jobs of the Allocation page: rows of a table, as a link writes them, and as the theory takes them.

A row may leave its DAG weight :math:`\alpha` and its downstream work :math:`T'` open. Each follows from
the other by :math:`\alpha = T'/T`; without either, the weight is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np
import pandas as pd

from pages.shared.controls.links import as_text
from sim.model.fields import About, BadInput, canonical
from theory.shown import quoted

MOST_JOBS = 12
#: The least number but 0 that is accepted: between a cell and another of its row there are 12 digits at most,
#: and a share of a slot can still be told from rounding.
LEAST = 1e-6
#: Columns of the table, and what they accept.
TASKS = About("tasks left", low=0, high=1000)
WEIGHT = About("DAG weight", low=0, high=1000, open_low=True)
DOWNSTREAM = About("downstream work", low=0, high=1e6)
COLUMNS = {"T": TASKS, "α": WEIGHT, "T'": DOWNSTREAM}


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it was typed: None for a cell left empty, and perhaps what cannot be used."""

    name: str
    T: float | None
    weight: float | None = None
    downstream: float | None = None

    @property
    def cells(self) -> dict[str, float | None]:
        """Return the cells by column."""
        return dict(zip(COLUMNS, (self.T, self.weight, self.downstream), strict=True))


Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs as the theory takes them, arrays of one length."""

    names: tuple[str, ...]
    T: np.ndarray
    weight: np.ndarray
    downstream: np.ndarray

    @property
    def weighted(self) -> bool:
        """Tell whether the weights differ."""
        return bool(np.any(self.weight != self.weight[0]))


def read_rows(text: str) -> Rows:
    """Read the jobs of a link: ``T[:weight[:downstream]]``, separated by commas.

    Examples
    --------
    >>> read_rows("30,52.5:2")
    (Row(name='A', T=30.0, weight=None, downstream=None), Row(name='B', T=52.5, weight=2.0, downstream=None))
    >>> read_rows("30,x")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: jobs: 'x' is not accepted; give T[:weight[:downstream]], e.g. 30,52.5:2
    """
    parts = text.split(",")
    if len(parts) > MOST_JOBS:
        raise BadInput(f"jobs: {len(parts)} jobs are not accepted; give at most {MOST_JOBS}")
    rows = tuple(_read_row(name, part) for name, part in zip(ascii_uppercase, parts, strict=False))
    _, complaints = checked(rows)
    if complaints:
        raise BadInput(f"jobs: {complaints[0]}")
    return rows


def _read_row(place: str, text: str) -> Row:
    name, _, numbers = text.rpartition("=")
    cells = numbers.split(":")
    try:
        values = [float(cell) if cell.strip() else None for cell in cells]
    except ValueError:
        values = []
    if not 1 <= len(values) <= len(COLUMNS) or values[0] is None or name not in ("", *ascii_uppercase):
        raise BadInput(f"jobs: {quoted(text)} is not accepted; give T[:weight[:downstream]], e.g. 30,52.5:2")
    return Row(name or place, *values)


def write_rows(rows: Rows) -> str:
    """Write the rows that can be used as `read_rows` reads them.

    Examples
    --------
    >>> write_rows(read_rows("30,52.5:2,7::14"))
    '30,52.5:2,7::14'
    >>> write_rows((Row("A", 3.0), Row("C", 5.0)))  # where B was deleted
    '3,C=5'
    """
    usable = [row for row in rows if _is_filled(row) and not _complaints(row)][:MOST_JOBS]
    written = []
    for place, row in zip(ascii_uppercase, usable, strict=False):
        cells = ":".join("" if cell is None else as_text(cell) for cell in row.cells.values())
        written.append((f"{row.name}=" if row.name != place else "") + cells.rstrip(":"))
    return ",".join(written)


def as_frame(rows: Rows) -> pd.DataFrame:
    """Return the rows as a table to be edited."""
    cells = {column: [row.cells[column] for row in rows] for column in COLUMNS}
    return pd.DataFrame({"Job": [row.name for row in rows], **cells}).astype(dict.fromkeys(COLUMNS, float))


def from_frame(frame: pd.DataFrame) -> Rows:
    """Return an edited table as rows, those without a name named by the first free letters.

    Examples
    --------
    >>> frame = as_frame((Row("A", 3.0), Row("C", None)))
    >>> frame.loc[2] = [None, 8.0, None, 4.0]
    >>> [(row.name, row.T, row.downstream) for row in from_frame(frame)]
    [('A', 3.0, None), ('C', None, None), ('B', 8.0, 4.0)]
    """
    names = ["" if pd.isna(name) else str(name) for name in frame["Job"]]
    free = (letter for letter in ascii_uppercase if letter not in names)
    cells = [[None if pd.isna(cell) else float(cell) for cell in row] for row in frame[[*COLUMNS]].to_numpy()]
    return tuple(Row(name or next(free, "?"), *row) for name, row in zip(names, cells, strict=True))


def checked(rows: Rows) -> tuple[Jobs | None, list[str]]:
    """Return the jobs of the rows that can be used, and what is wrong with the others, cell by cell.

    There are no jobs where none has a task left.

    Examples
    --------
    >>> jobs, complaints = checked((Row("A", 10.0, None, 20.0), Row("B", -3.0), Row("C", None)))
    >>> jobs.names, jobs.weight, complaints
    (('A',), array([2.]), ['job B, T: -3.0 is not accepted; give a number from 0 to 1000'])
    """
    filled = [row for row in rows if _is_filled(row)]
    complaints = [complaint for row in filled for complaint in _complaints(row)]
    usable = [row for row in filled if not _complaints(row)]
    if len(usable) > MOST_JOBS:
        complaints.append(f"{len(usable)} jobs are more than the {MOST_JOBS} that can be told apart")
        usable = usable[:MOST_JOBS]
    return (_jobs(usable) if any(row.T for row in usable) else None), complaints


def _is_filled(row: Row) -> bool:
    """Tell whether anything was typed: a row just added is not wrong, only empty."""
    return any(cell is not None for cell in row.cells.values())


def _complaints(row: Row) -> list[str]:
    found = []
    for column, about in COLUMNS.items():
        cell = row.cells[column]
        if cell is None and column != "T":
            continue
        try:
            canonical(f"job {row.name}, {column}", "an empty cell" if cell is None else cell, float, about)
        except BadInput as error:
            found.append(str(error))
            continue
        if cell is not None and 0 < cell < LEAST:
            found.append(
                f"job {row.name}, {column}: {cell!r} is not accepted; give {'0, or ' * (not about.open_low)}"
                f"at least {as_text(LEAST)}: less is lost in rounding"
            )
    if not found and row.weight is None and row.downstream == 0:
        found.append(f"job {row.name}, α: T' = 0 makes it 0; give a weight above 0")
    return found


def _jobs(rows: Sequence[Row]) -> Jobs:
    T = np.array([row.T for row in rows], dtype=float)
    weight = np.array([_weight(row) for row in rows])
    downstream = [
        w * t if row.downstream is None else row.downstream for row, w, t in zip(rows, weight, T, strict=True)
    ]
    return Jobs(tuple(row.name for row in rows), T, weight, np.array(downstream, dtype=float))


def _weight(row: Row) -> float:
    if row.weight is not None:
        return row.weight
    return row.downstream / row.T if row.downstream and row.T else 1.0
