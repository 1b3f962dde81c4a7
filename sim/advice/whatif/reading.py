"""Reads a log and fits the model to it, in a separate process; or says why there is no model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.counts import Counts, counts
from sim.advice.whatif.model import Model, fit
from sim.advice.whatif.systems import today
from sim.logs.formats import read_each, read_history
from sim.logs.history import History
from sim.logs.left_out import KEPT
from sim.logs.refusing import refusing
from sim.logs.source import Upload
from sim.model.fields import BadInput


@dataclass(frozen=True, eq=False)
class Reading:
    """What was read of a log.

    Parameters
    ----------
    history : History
    counts : Counts
    model : Model or None
        None where the history holds too little.
    reason : str
        Why there is no model.
    first : str
        What the diagnosis says, where there is none.
    """

    history: History
    counts: Counts
    model: Model | None
    reason: str = ""
    first: str = ""


def read_and_fit(
    *files: str | Path | Upload | History,
    leave_out: str = "",
    left_out: str = KEPT,
    progress: Callable[[int], None] = lambda number: None,
) -> Reading:
    """Read a log and fit the model.

    Parameters
    ----------
    *files : str, Path or Upload
        As of `sim.logs.formats.read_history`; or logs that have been read, of which the last is played.
    leave_out, left_out : str, optional
        As of `sim.advice.whatif.model.fit`.
    progress : callable, optional
        Told how many bytes more are read.

    Raises
    ------
    BadInput
        If the files are no log.
    """
    with refusing(files):
        *earlier, history = read_logs(*files, progress=progress)
        found = counts(history)
        try:
            model = fit(history, leave_out=leave_out, left_out=left_out, earlier=earlier)
            return Reading(history, found, model)
        except BadInput as error:
            return Reading(history, found, None, str(error), said_of(history, leave_out))


def read_logs(
    *sources: str | Path | Upload | History, progress: Callable[[int], None] = lambda number: None
) -> list[History]:
    """Read one log; or several, where applications of Spark ran one after another under different settings.

    Of logs that have been read, those before the last one are left out where they did not.

    Parameters
    ----------
    *sources : str, Path or Upload
        As of `sim.logs.formats.read_history`.
    progress : callable, optional
        Told how many bytes more are read.

    Returns
    -------
    list of History
        In order of time.
    """
    if len(sources) == 1:
        return [read_history(*sources, progress=progress)]
    known = [one for one in sources if isinstance(one, History)]
    files = [one for one in sources if not isinstance(one, History)]
    found = sorted(known or read_each(*files, progress=progress), key=lambda one: one.begin)
    ends = (one.origin + one.limits[1] for one in found)
    in_turn = all(end <= after.begin for end, after in zip(ends, found[1:], strict=False))
    if len(found) == 1 or (in_turn and len({today(one) for one in found}) > 1):
        return found
    # parts of one log, or applications side by side
    return known[-1:] or [read_history(*files, progress=progress)]


def said_of(history: History, leave_out: str) -> str:
    """Return what the diagnosis says of a log without a model; empty if it has no such jobs."""
    try:
        return diagnose(history, leave_out=leave_out).answer
    except BadInput:
        return ""
