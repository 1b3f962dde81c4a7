"""Reads a log before and a log after and says what both tell, in a separate process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sim.fields import BadInput
from sim.several.after import After, compared
from sim.several.repeated import Repeated, repeated
from sim.traces.formats import read_history
from sim.traces.history import History
from sim.traces.refusing import refusing
from sim.traces.source import Upload


@dataclass(frozen=True, eq=False)
class Both:
    """What two logs tell.

    Parameters
    ----------
    before, after : History
    change : After
        Without what was promised.
    repeated : Repeated or None
        None where no tasks are in both.
    reason : str
        Why not.
    """

    before: History
    after: History
    change: After
    repeated: Repeated | None
    reason: str = ""


def read_both(*files: Upload, first: int, progress: Callable[[int], None] = lambda number: None) -> Both:
    """Read two logs.

    Parameters
    ----------
    *files : Upload
        Of both.
    first : int
        How many of them are of the log before.
    progress : callable, optional
        Told how many bytes more are read.

    Raises
    ------
    BadInput
        If either is no log.
    """
    with refusing(files):
        before = read_history(*files[:first], progress=progress)
        after = read_history(*files[first:], progress=progress)
        change = compared([before], [after])
        try:
            return Both(before, after, change, repeated([before, after]))
        except BadInput as error:
            return Both(before, after, change, None, str(error))
