"""Rows of a text table with their line numbers, and columns of checked numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

import numpy as np

from sim.model.fields import About, BadInput, canonical
from theory.quoting import quoted

#: Rows that are read before a file is refused: at this size one run takes minutes and gigabytes.
MOST_ROWS = 5_000_000


def first_row(text: str) -> tuple[int, str]:
    """Return the number of the first line that is not blank, which must exist, and how it begins."""
    lines = enumerate(io.StringIO(text, newline=""), start=1)
    return next((line, row.rstrip("\r\n")[:10_000]) for line, row in lines if row.strip())


def rows(
    text: str, name: str, delimiter: str, *, quotes: bool, header: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the line on which a row begins, 1 for the first, and the row's cells.

    Blank rows are passed over. With `quotes`, a quoted cell may hold the delimiter and line breaks.

    Raises
    ------
    BadInput
        If a quotation does not end, or there are more than `MOST_ROWS` rows below the `header`, if any.
    """
    lines = io.StringIO(text, newline="")
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        strict=True,
        skipinitialspace=True,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
    )
    jobs = -1 if header else 0
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise BadInput(f"{name}, line {line}: the row cannot be split into cells ({error})") from None
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        jobs += 1
        if jobs > MOST_ROWS:
            raise BadInput(f"{name}, line {line}: too many rows; give at most {MOST_ROWS:,} jobs")
        yield line, cells


def numbers(
    column: str, cells: Sequence[str], lines: Sequence[int], kind: type, about: About, name: str
) -> np.ndarray:
    """Return a column of cells as numbers, `int64` if `kind` is int.

    Raises
    ------
    BadInput
        For the first cell that is not accepted, naming file, line, column, cell and what is accepted.

    Examples
    --------
    >>> numbers("tasks", ["3", "x"], [2, 3], int, About("tasks", low=1, high=9), "a.csv")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: a.csv, line 3: tasks: 'x' is not accepted; give a whole number from 1 to 9
    """
    dtype = np.int64 if kind is int else np.float64
    values = _fast(cells)
    if values is not None:
        above = about.low < values if about.open_low else about.low <= values
        whole = values == np.floor(values) if kind is int else True
        if np.all(above & (values <= about.high) & whole):
            return values.astype(dtype)
    checked = [_checked(column, *where, kind, about, name) for where in zip(cells, lines, strict=True)]
    return np.array(checked, dtype=dtype)


def repeated(names: Sequence[str], lines: Sequence[int], column: str, name: str) -> None:
    """Refuse a name that stands in two rows, or is blank."""
    seen: dict[str, int] = {}
    for job, line in zip(names, lines, strict=True):
        if not job:
            raise BadInput(f"{name}, line {line}: {column}: '' is not accepted; give each job a name")
        first = seen.setdefault(job, line)
        if first != line:
            raise BadInput(
                f"{name}, line {line}: {column}: {quoted(job)} is on line {first} too; give each job its own"
            )


def _fast(cells: Sequence[str]) -> np.ndarray | None:
    """Convert all cells at once, or not at all: which one is wrong is found cell by cell."""
    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        return None


def _checked(column: str, cell: str, line: int, kind: type, about: About, name: str) -> float:
    try:
        value: float = canonical(column, cell.strip(), kind, about)
    except BadInput as error:
        raise BadInput(f"{name}, line {line}: {error}") from None
    return value
