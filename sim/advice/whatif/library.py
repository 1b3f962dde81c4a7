"""`sim.whatif`: which setting gains how much on the jobs of a log, as objects, a table and a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.costs import Counts, counts
from sim.advice.whatif import document, report
from sim.advice.whatif.answer import Answer
from sim.advice.whatif.charts import front
from sim.advice.whatif.model import Model, fit
from sim.advice.whatif.pieces import tasks_to_play
from sim.advice.whatif.price import FREE, Price
from sim.advice.whatif.runs import Replay, at_load
from sim.advice.whatif.setting_effect import CHANGES
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import options_of, papers, system_of, today
from sim.logs.foreign import refusing
from sim.logs.formats import read_each, read_history
from sim.logs.history import History
from sim.logs.leaving_out import KEPT, check_left_out
from sim.logs.source import Upload
from sim.logs.tabled import Tabled, given
from sim.model.fields import About, BadInput, canonical
from sim.telling.figure import figure
from theory.quoting import quoted

if TYPE_CHECKING:
    from sim.telling.figure import Figure


# Reads a log and fits the model to it, in a separate process; or says why there is no model.


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


_NUMBERS = {
    "rate": (About("arrival rate over the recorded one", low=0.001, high=1000), float, 1.0),
    "slots": (About("slots, in place of the recorded ones", low=1, high=1_000_000), int, 0),
    "load": (About("offered load", low=0.01, high=100), float, None),
    "replications": (About("replications", low=2, high=100_000), int, 100),
    "seed": (About("random seed", low=0, high=2**53 - 1), int, 1),
    "threads": (About("replications played at a time", low=1, high=1024), int, None),
}
_BUDGET = About("most extra slot-time, as a share", low=0, high=10)
#: Columns of the table beside the changes: figures of a setting.
_FIGURES = ("mean", "p50", "p95", "small_jobs", "large_jobs", "makespan", "slot_time", "copies", "won")


@dataclass(frozen=True, eq=False)
class WhatIfResult(Answer, Tabled):
    """An answer with its headline, its table and its figure."""

    @property
    def headline(self) -> str:
        """What to do, in a sentence."""
        return report.headline(self)

    @property
    def table(self) -> pd.DataFrame:
        """The settings, a row each, in their order.

        Its columns are `policy`, `name`, and `standing`: 'today', 'recommended', 'to try', 'not in your
        system' or nothing; figures under the setting in seconds (`mean`, `p50`, `p95` of the job time, of
        `small_jobs` and `large_jobs`, `makespan`, `slot_time`), `copies` and how many of these `won`; and
        their changes against today's setting as shares (`change_mean`, ...), with paired 95 % intervals
        (`change_mean_low`, `change_mean_high`).
        """
        rows = []
        for text, option in self.options.items():
            note = self.note(text).strip(" ()")
            row: dict[str, Any] = {
                "policy": text,
                "name": option.policy.name,
                "standing": note or self.standing(text),
            }
            row |= {name: self.figure(text, name) for name in _FIGURES if name in option.plays[0].figures}
            for name in CHANGES:
                if (one := option.change.get(name)) is not None:
                    row |= {f"change_{name}": one.value}
                    row |= {f"change_{name}_low": one.low, f"change_{name}_high": one.high}
            rows.append(row)
        return pd.DataFrame(rows)

    def plot(self, *, dark: bool = False) -> Figure:
        """Return the job time against the slot-time of each setting, as a figure of Plotly.

        Parameters
        ----------
        dark : bool, optional
            Whether it is drawn on a dark background.
        """
        return figure(front.draw(document.front_of(self), dark))


def whatif(
    *paths: str | Path | Upload,
    policies: Sequence[str] = (),
    papers: bool = False,
    budget: float = 0.05,
    objective: str = "mean",
    replications: int = 100,
    seed: int = 1,
    earlier: Sequence[str | Path | Upload] = (),
    leave_out: str = "",
    left_out: str = KEPT,
    system: str = "",
    rate: float = 1.0,
    load: float | None = None,
    slots: int = 0,
    threads: int | None = None,
) -> WhatIfResult:
    """Say which setting of copies, or which other remedy, makes the jobs of a log shorter, and at what cost.

    Parameters
    ----------
    *paths : str, Path or Upload
        A log, several files of one, or a folder of its parts. Applications of Spark that ran one after
        another under different settings are a log each: the last is played, and all are learned from.
    policies : sequence of str, optional
        Policies to compare, in place of the options of the system.
    papers : bool, optional
        Whether rules of the papers are compared, too, which no system has.
    budget : float, optional
        Most extra slot-time of what is advised, as a share of today's.
    objective : str, optional
        What is to become small: 'mean' or 'p95' of the job time.
    replications : int, optional
        How often the jobs are played again.
    seed : int, optional
    earlier : sequence of str, Path or Upload, optional
        Logs of the same cluster before, of any format, each in one file or folder: learned from, too.
    leave_out, left_out : str, optional
        As of `sim.diagnose`.
    system : str, optional
        Whose settings: 'spark', 'hadoop', 'tez' or 'flink'; that of the log unless given.
    rate : float, optional
        Arrival rate of the jobs over the recorded one.
    load : float, optional
        Offered load that the rate is to give, in place of `rate`.
    slots : int, optional
        A fixed number of slots; 0: the recorded ones.
    threads : int, optional
        Replications played at a time; as many as there are cores unless given.

    Returns
    -------
    WhatIfResult
        `headline`, `check`, `advice`, `options`, `remedies` and the other fields of an answer; `table`,
        `to_csv()` and `plot()`.

    Raises
    ------
    BadInput
        Naming the file or the argument, and the reason.

    Examples
    --------
    >>> import sim
    >>> from sim.logs.samples import slurm
    >>> found = sim.whatif(slurm(arrays=6, tasks=16), replications=4)
    >>> found.check.verdict, found.table.policy.tolist()
    ('fair', ['fifo+none', 'fifo+spark', 'fifo+late', 'fifo+mantri'])
    """
    if isinstance(policies, str):
        raise BadInput(f"policies: {quoted(policies)} is not accepted; give a list of policies")
    found = answer_of(
        paths,
        policies=policies,
        with_papers=papers,
        budget=canonical("budget", budget, float, _BUDGET),
        objective=objective,
        earlier=earlier,
        leave_out=leave_out,
        left_out=left_out,
        system=system,
        numbers={
            "rate": None if rate == 1.0 else rate,
            "load": load,
            "slots": slots or None,
            "replications": replications,
            "seed": seed,
            "threads": threads,
        },
    )
    return WhatIfResult.of(found)


@contextmanager
def silent(tasks: int) -> Iterator[Callable[[int], object]]:
    """Tell nobody of the tasks that have been played."""
    yield lambda number: None


def answer_of(
    paths: Sequence[str | Path | Upload],
    *,
    policies: Sequence[str],
    with_papers: bool,
    budget: float,
    objective: str,
    earlier: Sequence[str | Path | Upload],
    leave_out: str,
    left_out: str,
    system: str,
    numbers: Mapping[str, Any],
    price: Price = FREE,
    bar: Callable[[int], AbstractContextManager[Callable[[int], object]]] = silent,
) -> Answer:
    """Read a log and answer, for Python, the shell and other programs.

    Parameters
    ----------
    paths, policies, budget, objective, earlier, leave_out, left_out, system
        As of `whatif`.
    with_papers : bool
        Whether rules of the papers are compared, too.
    numbers : mapping of str to object
        rate, load, slots, replications, seed and threads as numbers or texts; None is the usual one.
    price : Price, optional
    bar : callable, optional
        Makes of the number of tasks that are to be played what is told of those that have been.

    Raises
    ------
    BadInput
        Naming the option or the file, and the reason.
    """
    asked = {name: _number(name, numbers[name]) for name in _NUMBERS}
    if numbers["load"] is not None and numbers["rate"] is not None:
        raise BadInput("load: not accepted together with rate, which it would change; give one of them")
    check_left_out(left_out)
    if objective not in ("mean", "p95"):
        raise BadInput(f"objective: {quoted(objective)} is not accepted; give mean or p95")
    if isinstance(earlier, (str, Path)):
        raise BadInput(f"earlier: {quoted(str(earlier))} is not accepted; give a list of logs")
    *before, history = read_logs(*given("paths", paths))
    before = [*map(read_history, earlier), *before]
    whose = system_of(history, system)
    try:
        model = fit(history, leave_out=leave_out, left_out=left_out, earlier=before)
    except BadInput as error:
        first = said_of(history, leave_out)
        raise BadInput(f"{error}. {report.LOG} {first}" if first else str(error)) from None
    not_counted = leave_out if left_out == KEPT else ""
    question = Replay(model, asked["rate"], asked["slots"], not_counted, asked["seed"])
    if asked["load"] is not None:
        question = at_load(question, asked["load"])
    compared = (*(policies or options_of(whose, history)), *(papers(history) if with_papers else ()))
    count = asked["replications"]
    with bar(tasks_to_play(question, len(compared), count)) as progress:
        return answer(
            question,
            whose,
            policies=compared,
            replications=count,
            budget=budget,
            objective=objective,
            price=price,
            threads=asked["threads"],
            progress=progress,
        )


def _number(name: str, value: Any) -> Any:
    """Check a number; the usual one if none is given."""
    about, kind, default = _NUMBERS[name]
    return default if value is None else canonical(name, value, kind, about)
