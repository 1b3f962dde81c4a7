"""Reads a log before and a log after and says what both tell, in a separate process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sim.advice.several.after import After, compared
from sim.advice.several.library import read_runs
from sim.advice.several.repeated import Repeated, repeated
from sim.logs.history import History
from sim.logs.refusing import refusing
from sim.logs.source import Upload
from sim.model.fields import BadInput


@dataclass(frozen=True, eq=False)
class Both:
    """What two logs tell.

    Parameters
    ----------
    before, after : History
        The last run of each.
    change : After
        Without what was promised.
    repeated : Repeated or None
        Of all runs; None where no tasks are in all of them.
    reason : str
        Why not.
    """

    before: History
    after: History
    change: After
    repeated: Repeated | None
    reason: str = ""

    @property
    def repeated_runs(self) -> Repeated | None:
        """What all runs measure where the logs name no setting that differs; else None."""
        return None if self.change.settings else self.repeated


def read_both(
    *files: Upload | History,
    first: int,
    apart: bool = False,
    leave_out: str = "",
    progress: Callable[[int], None] = lambda number: None,
) -> Both:
    """Read logs before and after.

    Parameters
    ----------
    *files : Upload
        Of both.
    first : int
        How many of them are from before.
    apart : bool, optional
        Whether each file is a run by itself; else those before are the parts of one log, as are those after.
    leave_out : str, optional
        As of `sim.advice.several.after.compared`.
    progress : callable, optional
        Told how many bytes more are read.

    Raises
    ------
    BadInput
        If one is no log, or given twice, or no job is so named.
    """
    with refusing(files):
        sides = files[:first], files[first:]
        runs = [[[one] for one in side] if apart else [side] for side in sides]
        before, after = (read_runs(side, lambda run: run, progress) for side in runs)
        change = compared(before, after, leave_out=leave_out)
        try:
            return Both(before[-1], after[-1], change, repeated([*before, *after]))
        except BadInput as error:
            return Both(before[-1], after[-1], change, None, str(error))
