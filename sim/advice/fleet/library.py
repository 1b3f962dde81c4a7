"""`sim.fleet`: which of many logs lost most, and what to do first, as objects, a table and a figure."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.advice.fleet import COMPUTED, charts, report
from sim.advice.fleet.first_look import Look
from sim.advice.fleet.report import Summed
from sim.advice.fleet.survey import (
    Kept,
    advise_on_most,
    items_of,
    look_at_all,
    most_first,
    most_lost,
    of_the_user,
)
from sim.logs.tabled import Tabled
from sim.model.fields import About, BadInput, canonical
from theory.quoting import quoted

if TYPE_CHECKING:
    from sim.telling.figure import Figure

_NUMBERS = {
    "compute": (About("logs for which the remedy is computed", low=0, high=10_000), COMPUTED),
    "processes": (About("logs read at a time", low=1, high=256), None),
}


@dataclass(frozen=True, eq=False)
class FleetResult(Tabled):
    """What was found in a fleet.

    Parameters
    ----------
    looks : tuple of Look
        What is known of each log, in the order of what can be won.
    """

    looks: tuple[Look, ...]

    @property
    def sentence(self) -> str:
        """What to do first over the fleet, and what stragglers cost it."""
        return report.sentence(self.looks)

    @property
    def findings(self) -> list[Summed]:
        """What to do over the fleet, the most first: causes added up."""
        return report.findings(self.looks)

    @property
    def account(self) -> dict[str, float]:
        """Seconds of all jobs in each state."""
        return report.account(self.looks)

    @property
    def totals(self) -> report.Totals:
        """Sums over the fleet."""
        return report.totals(self.looks)

    @property
    def table(self) -> pd.DataFrame:
        """The logs, a row each, as the shell writes them as CSV."""
        return report.table(self.looks)

    def plot(self, *, dark: bool = False) -> Figure:
        """Return the logs that lost most, as a figure of Plotly.

        Parameters
        ----------
        dark : bool, optional
            Whether it is drawn on a dark background.

        Raises
        ------
        BadInput
            If no log tells what was lost.
        """
        if not charts.worst(self.looks):
            raise BadInput("plot: no log tells what it lost; the column `told` of `table` says why")
        return charts.draw(self.looks, dark)


def fleet(
    *sources: str | Path,
    compute: int = 5,
    processes: int | None = None,
    keep: str | Path | None = None,
    again: bool = False,
) -> FleetResult:
    """Say which of many logs lost most to stragglers, and what to do first about those.

    Parameters
    ----------
    *sources : str or Path
        Folders or zips of logs, logs, or addresses of History Servers.
    compute : int, optional
        Logs for which the remedy is computed, by simulation: those that lost most.
    processes : int, optional
        Logs read at a time; as many as there are cores unless given.
    keep : str or Path, optional
        File in which what was found is kept; one in your cache folder unless given.
    again : bool, optional
        Whether all logs are read again, and nothing is kept.

    Returns
    -------
    FleetResult
        `looks`, `sentence`, `findings`, `account`, `totals`, `table`, `to_csv()` and `plot()`.

    Raises
    ------
    BadInput
        Naming the source or the argument, and the reason.

    Examples
    --------
    >>> import sim
    >>> found = sim.fleet("sim/logs/samples/spark_with_speculation.zstd", compute=0, again=True)
    >>> found.table.log.tolist(), found.totals.jobs == found.looks[0].jobs > 0
    (['spark_with_speculation.zstd'], True)
    """
    for one in sources:
        if not isinstance(one, (str, Path)):
            raise BadInput(f"sources: {quoted(one)} is not accepted; give a folder or an address")
    if not sources:
        raise BadInput("sources: none is given; give a folder or an address")
    found = looks_of(
        [str(one) for one in sources], compute=compute, processes=processes, keep=keep, again=again
    )
    return FleetResult(tuple(found))


@contextmanager
def _silent(what: str, total: int) -> Iterator[Callable[[float], object]]:
    """Tell nobody of the logs that are done."""
    yield lambda logs: None


def looks_of(
    sources: Sequence[str],
    *,
    compute: Any,
    processes: Any,
    keep: str | Path | None,
    again: bool,
    bar: Callable[[str, int], AbstractContextManager[Callable[[float], object]]] = _silent,
) -> list[Look]:
    """Look at the logs of a fleet, for Python and the shell.

    Parameters
    ----------
    sources, keep, again
        As of `fleet`.
    compute, processes : int or str or None
        As of `fleet`; None is the usual number.
    bar : callable, optional
        Makes of what is done, and for how many logs, what is told how much more is, where 1 is a log.

    Raises
    ------
    BadInput
        Naming the source or the option, and the reason.
    """
    many, at_once = _number("compute", compute), _number("processes", processes)
    if again and keep:
        raise BadInput("again: not accepted together with keep; give one of them")
    items = items_of(sources)
    at = None if again else Path(keep) if keep else of_the_user()
    kept = Kept(at, sources if keep else ())  # no log is looked for in the cache
    with bar("looked at", len(items)) as told:
        looks = look_at_all(items, kept, processes=at_once or os.cpu_count() or 1, told=told)
    with bar("remedies computed", len(most_lost(looks, many))) as told:
        looks = advise_on_most(items, looks, kept, many, told=told)
    return most_first(looks)


def _number(name: str, value: Any) -> Any:
    about, default = _NUMBERS[name]
    return default if value is None else canonical(name, value, int, about)
