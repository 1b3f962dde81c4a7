"""The cells of a map as a table, on the screen and as a file."""

from __future__ import annotations

import pandas as pd

from pages.map.words.cells import numbers
from pages.map.words.names import names
from sim.map.picture import Picture
from sim.map.plane import LETTERS, Cell
from sim.map.report import table


def of_cell(found: Picture, cell: Cell) -> pd.DataFrame:
    """Return a row for each policy of a cell that is simulated."""
    plane, standing = found.plane, found.squares[cell].standing
    rows = {f"{LETTERS[i]} {names(plane)[i]}": text.split("; ") for i, text in numbers(plane, standing)}
    return pd.DataFrame(
        {
            plane.by.title: [parts[0] for parts in rows.values()],
            "above the best": [parts[1] if len(parts) > 2 else "–" for parts in rows.values()],
            "runs": [parts[-1] for parts in rows.values()],
        },
        index=pd.Index(list(rows), name="policy"),
    )


def csv(found: Picture) -> bytes:
    """Return all cells as a file."""
    return table(found).to_csv(index=False).encode()
