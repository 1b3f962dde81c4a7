"""What answers of `import sim` have in common: a table, a file with it, and a figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.model.files import Output, checked_path
from theory.quoting import quoted, visible

if TYPE_CHECKING:
    import pandas as pd

    from sim.telling.figure import Figure

# CSV in which no cell can be run as a formula.

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


_GIVE = "give a log, several files of one, or a folder of its parts"


class Tabled(ABC):
    """An answer that has a table and a figure."""

    @classmethod
    def of(cls, found: Any) -> Self:
        """Return an answer as the shell has it, a dataclass, with its table and figure."""
        return cls(**{one.name: getattr(found, one.name) for one in fields(found)})

    @property
    @abstractmethod
    def table(self) -> pd.DataFrame:
        """The answer as a table of plain numbers; NaN is unknown."""

    @abstractmethod
    def plot(self, *, dark: bool = False) -> Figure:
        """Return the first chart of the page, as a figure of Plotly.

        Parameters
        ----------
        dark : bool, optional
            Whether it is drawn on a dark background.
        """

    def to_csv(self, path: str | Path) -> None:
        """Write the table into a file; names that a spreadsheet would run begin with an apostrophe.

        Parameters
        ----------
        path : str or Path
            The file, which is there whole or not at all.

        Raises
        ------
        BadInput
            If it cannot be written.
        """
        if str(path) == "-":
            raise BadInput("path: '-' is not accepted; give the name of a file")
        with Output("path", checked_path(path)) as target:
            target.write(as_csv(self.table).encode())

    def _repr_html_(self) -> str:
        """Return the table as a notebook shows it."""
        return str(self.table.to_html(index=False))


def given(name: str, paths: Any) -> list[str | Path | Upload]:
    """Return the logs of an argument, one or a list of them; raises `BadInput` if there is none.

    Examples
    --------
    >>> given("before", "run.zstd"), given("paths", ("a", "b"))
    (['run.zstd'], ['a', 'b'])
    """
    listed = list(paths) if isinstance(paths, (list, tuple)) else [paths]
    if not listed:
        raise BadInput(f"{name}: none is given; {_GIVE}")
    for one in listed:
        if not isinstance(one, (str, Path, Upload)):
            raise BadInput(f"{name}: {quoted(one)} is not accepted; {_GIVE}")
    return listed
