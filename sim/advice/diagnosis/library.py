"""`sim.diagnose`: what stragglers cost the jobs of a log, as objects, a table and a figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.advice.diagnosis import CAUSES, Diagnosis, charts
from sim.advice.diagnosis import diagnose as diagnose_history
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.leaving_out import KEPT, check_left_out
from sim.logs.source import MOST_BYTES, Upload
from sim.logs.tabled import Tabled, given
from sim.model.fields import BadInput

if TYPE_CHECKING:
    from sim.telling.figure import Figure

_COLUMNS = ("key", "title", "seconds", "low", "high", "share", "action", "untold")


@dataclass(frozen=True, eq=False)
class DiagnosisResult(Diagnosis, Tabled):
    """A diagnosis with its table and its figure."""

    @property
    def table(self) -> pd.DataFrame:
        """What is to be done, the most first, then the other causes: a row each.

        Its columns are `key`, `title`; `seconds` of job time with `low` and `high`, the 95 % interval, and
        `share` of the job time; `action`, what to do, empty where it is not worth it; and `untold`, why the
        log cannot tell a cause.
        """
        whole = float(self.lost.jobs["recorded"].sum())
        named = {one.key for one in self.findings}
        rows: list[tuple[Any, ...]] = [
            (one.key, one.title, one.seconds, one.low, one.high, one.share, one.action, "")
            for one in self.findings
        ]
        for key, one in self.costs.items():
            if key not in named:
                share = one.seconds / whole if whole else None
                rows.append((key, CAUSES[key].title, one.seconds, one.low, one.high, share, "", ""))
        rows += [(key, CAUSES[key].title, *[None] * 4, "", why) for key, why in self.untold.items()]
        table = pd.DataFrame(rows, columns=list(_COLUMNS))
        return table.astype(dict.fromkeys(("seconds", "low", "high", "share"), float))

    def plot(self, *, dark: bool = False) -> Figure:
        """Return where the time of jobs went, state by state, as a figure of Plotly.

        Parameters
        ----------
        dark : bool, optional
            Whether it is drawn on a dark background.

        Raises
        ------
        BadInput
            If the log does not tell where the time went.
        """
        if not self.account.states:
            raise BadInput("plot: the log does not tell where the time of its jobs went; see `table`")
        return charts.draw(self, dark)


def diagnose(*paths: str | Path | Upload, leave_out: str = "", left_out: str = KEPT) -> DiagnosisResult:
    """Say what stragglers cost the jobs of a log, and what to do first.

    Parameters
    ----------
    *paths : str, Path or Upload
        A log, several files of one, or a folder of its parts.
    leave_out : str, optional
        Jobs whose group or name contains it do not count.
    left_out : str, optional
        What becomes of them: "kept", they take slots as they did, or "gone".

    Returns
    -------
    DiagnosisResult
        `first`, `cost`, `sentence`, `findings`, `account`, `causes` and the other fields of a diagnosis;
        `table`, `to_csv()` and `plot()`.

    Raises
    ------
    BadInput
        Naming the file or the argument, and the reason.

    Examples
    --------
    >>> import sim
    >>> from sim.logs.samples import slurm
    >>> found = sim.diagnose(slurm())
    >>> found.table.title[0], found.findings[0].seconds > found.findings[0].low > 0
    ('machine', True)
    """
    return DiagnosisResult.of(diagnosis_of(paths, leave_out=leave_out, left_out=left_out)[1])


def diagnosis_of(
    paths: Sequence[str | Path | Upload],
    *,
    leave_out: str,
    left_out: str,
    most_bytes: int = MOST_BYTES,
    progress: Callable[[int], None] = lambda number: None,
) -> tuple[History, Diagnosis]:
    """Read a log and diagnose it, for Python, the shell and other programs.

    Parameters
    ----------
    paths, leave_out, left_out
        As of `diagnose`.
    most_bytes, progress
        As of `sim.logs.formats.read_history`.

    Raises
    ------
    BadInput
        Naming the file or the option, and the reason.
    """
    check_left_out(left_out)
    history = read_history(*given("paths", paths), most_bytes=most_bytes, progress=progress)
    return history, diagnose_history(history, leave_out=leave_out, left_out=left_out)
