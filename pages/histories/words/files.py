"""Tables with names of a log, as files."""

from __future__ import annotations

import pandas as pd


def as_csv(table: pd.DataFrame) -> str:
    """Return a table as a file; names that a spreadsheet would run as formulas begin with an apostrophe."""
    safe = table.copy()
    for column in safe.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in safe.dtypes]]:
        text = safe[column].astype(str)
        safe[column] = text.where(~text.str.match(r"[=+\-@\t\r]"), "'" + text)
    return safe.to_csv(index=False)
