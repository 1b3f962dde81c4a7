"""Reads a log before and a log after and says what both tell, in a separate process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.advice.several import charts
from sim.advice.several.after import After, compared
from sim.advice.several.change import TITLES
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.leaving_out import GONE, KEPT, check_left_out, named_in, without_jobs
from sim.logs.source import Upload
from sim.logs.tabled import Tabled, given
from sim.model.fields import About, BadInput, canonical
from theory.shown import quoted

if TYPE_CHECKING:
    from sim.telling.figure import Figure
from sim.advice.several.reruns import Repeated, repeated
from sim.logs.foreign import refusing

# `sim.after`: what a change did to the same jobs, as objects, a table and a figure.

#: A run: a log or a folder of its parts, or one that has been read.
Run = str | Path | Upload | History
_REPLICATIONS = About("how often runs are played again; 0: not at all", low=0, high=100_000)
_NUMBERS = (
    *("before", "after", "change", "change_low", "change_high"),
    *("promised", "promised_low", "promised_high"),
)
_COLUMNS = ("figure", "title", *_NUMBERS, "over", "reason")


@dataclass(frozen=True, eq=False)
class AfterResult(After, Tabled):
    """What a change did, with its table and its figure."""

    @property
    def table(self) -> pd.DataFrame:
        """The figures of the jobs that are in all runs, a row each.

        Its columns are `figure` and `title`; `before` and `after` in seconds; `change` as a share with
        `change_low` and `change_high`, its 95 % interval; `promised`, `promised_low` and `promised_high`, in
        seconds what What-if had promised, which 90 % of runs keep; `over`, what the interval is over, and
        `reason`, why there is none.
        """
        bands = self.promise.bands if self.promise else {}
        rows = []
        for name, one in self.found.change.items():
            share, band = one.share, bands.get(name)
            promised = (band.middle, band.low, band.high) if band else (None, None, None)
            numbers = (one.before, one.after, share.value, share.low, share.high, *promised)
            rows.append((name, TITLES[name], *numbers, one.over, one.reason))
        return pd.DataFrame(rows, columns=list(_COLUMNS)).astype(dict.fromkeys(_NUMBERS, float))

    def plot(self, *, dark: bool = False) -> Figure:
        """Return by what each figure changed, as a figure of Plotly.

        Parameters
        ----------
        dark : bool, optional
            Whether it is drawn on a dark background.

        Raises
        ------
        BadInput
            If no job is in all runs.
        """
        if not self.found.change:
            raise BadInput("plot: no job is in all runs by its name, so that no change can be drawn")
        return charts.draw(self, dark)


def after(
    before: Run | Sequence[Run],
    after: Run | Sequence[Run],
    *,
    replications: int = 200,
    leave_out: str = "",
    left_out: str = KEPT,
) -> AfterResult:
    """Say what a change did to the jobs that ran before and after it; two runs of each tell much more.

    Parameters
    ----------
    before, after : str, Path or Upload, or a list of them
        The runs before and after the change, each a log or a folder of its parts.
    replications : int, optional
        How often runs are played again, for what was promised and for intervals that need it; 0: not at all.
    leave_out : str, optional
        Jobs whose group or name contains it, such as warm-up runs, are not compared.
    left_out : str, optional
        What becomes of them where runs are diagnosed and played again: kept, they take slots as they did;
        gone, the slots they had are free.

    Returns
    -------
    AfterResult
        `sentence`, `assumed`, `settings`, `promise` and the other fields of the answer; `table`, `to_csv()`
        and `plot()`.

    Raises
    ------
    BadInput
        Naming the run or the argument, and the reason.

    Examples
    --------
    >>> import sim
    >>> from sim.logs.samples import nightly
    >>> found = sim.after([nightly(1), nightly(2)], [nightly(3), nightly(4)], replications=0)
    >>> found.table.figure.tolist()
    ['mean', 'p50', 'p95', 'p99', 'slot-time']
    """
    early, late = given("before", before), given("after", after)
    return AfterResult.of(after_of(early, late, replications, leave_out=leave_out, left_out=left_out))


def after_of(
    before: Sequence[Run],
    after: Sequence[Run],
    replications: object,
    files: Callable[[Any], Sequence[Run]] = lambda run: [run],
    leave_out: str = "",
    left_out: str = KEPT,
) -> After:
    """Read runs and compare them, for Python, the shell and other programs.

    Parameters
    ----------
    before, after : sequence of str, Path or Upload
    replications : int or str
        As of `sim.after`.
    files : callable, optional
        Returns the files of a run.
    leave_out, left_out : str, optional
        As of `sim.after`.

    Raises
    ------
    BadInput
        Naming the run or the option, and the reason.
    """
    count = canonical("replications", replications, int, _REPLICATIONS)
    if count == 1:
        raise BadInput(f"replications: {quoted(replications)} is not accepted; give 0, or 2 and more")
    early, late, still = read_sides(before, after, files, leave_out, left_out)
    return compared(early, late, count, leave_out=still)


def read_sides(
    before: Sequence[Run],
    after: Sequence[Run],
    files: Callable[[Any], Sequence[Run]] = lambda run: [run],
    leave_out: str = "",
    left_out: str = KEPT,
) -> tuple[list[History], list[History], str]:
    """Return the runs of both sides, and the text of what is still to be left out: none where it is gone.

    Raises
    ------
    BadInput
        As `after_of`.
    """
    check_left_out(left_out)
    early, late = read_runs(before, files), read_runs(after, files)
    if left_out != GONE or not leave_out:
        return early, late, leave_out
    runs = [*early, *late]
    left = [without_jobs(*one) for one in zip(runs, named_in(runs, leave_out), strict=True)]
    return left[: len(early)], left[len(early) :], ""


def read_runs(
    runs: Sequence[Any],
    files: Callable[[Any], Sequence[Run]] = lambda run: [run],
    progress: Callable[[int], None] = lambda number: None,
) -> list[History]:
    """Read runs; raises `BadInput` for one that is given twice."""
    known: dict[str, str] = {}
    found = [read_history(*files(run), progress=progress) for run in runs]
    for one in found:
        name = ", ".join(one.files)
        if one.digest in known:
            raise BadInput(
                f"runs: {quoted(name)} is the run of {quoted(known[one.digest])}; give another run"
            )
        known[one.digest] = name
    return found


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
