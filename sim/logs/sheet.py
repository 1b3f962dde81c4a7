"""Tables with names of a log, as files for spreadsheets."""

from __future__ import annotations

import pandas as pd

from theory.shown import visible

#: Characters that begin a formula, in its usual and its full-width form, perhaps behind spaces.
_FORMULA = r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]"


def as_csv(table: pd.DataFrame) -> str:
    """Return a table as a file; names that a spreadsheet would run as formulas begin with an apostrophe.

    Line breaks and other control characters in names are written as escapes: a CR would end the row.
    """
    safe = table.copy()
    for column in safe.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in safe.dtypes]]:
        text = safe[column].astype(str).map(visible)
        safe[column] = text.where(~text.str.match(_FORMULA), "'" + text)
    return safe.to_csv(index=False)
