"""The functions of `import sim`: the words of the shell, and answers as tables and arrays.

The names of presets, fields and policies are those of ``python -m sim presets | fields | policies``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.engines.registry import engine as engine_of_key
from sim.engines.registry import preset, with_trace
from sim.logs import read
from sim.logs.tabled import Tabled
from sim.model.fields import BadInput, in_full, settable
from sim.model.result import ByPolicy, Comparison
from sim.model.scenario import Scenario
from sim.model.statistics import Estimate
from sim.running.distribution import distribution
from sim.running.execution import Effort, Keeper
from sim.running.experiment import Experiment
from sim.running.experiment import compare as compare_runs
from sim.running.experiment import sweep as sweep_runs
from theory.quoting import quoted

if TYPE_CHECKING:
    import pandas as pd

    from sim.telling.figure import Figure


def scenario(start: str = "light", **changes: Any) -> Scenario:
    """Return the scenario of a preset, with some fields changed.

    Parameters
    ----------
    start : str, optional
        Name of the preset (``python -m sim presets``).
    **changes
        Field -> value (``python -m sim fields``); `beta` and `alpha` are `straggle_tail`.

    Raises
    ------
    BadInput
        Naming the preset or the field, the value and what is accepted.

    Examples
    --------
    >>> import sim
    >>> sim.scenario("light", load=0.6).load
    0.6
    """
    return preset(start).scenario.replace(**changes)


@dataclass(frozen=True)
class ComparisonResult(Comparison, Tabled):
    """A comparison with its numbers by policy, its table and its figure."""

    def numbers(self, measure: str = "flowtime", statistic: str = "mean") -> ByPolicy[Estimate]:
        """Return a number of each policy, with its 95 % interval.

        Parameters
        ----------
        measure, statistic : str, optional
            As of `PolicyResult.estimate`; a measure that is one number has the statistic ''.

        Returns
        -------
        mapping of str to Estimate
            Policy -> `value`, `low` and `high`; None is unknown.
        """
        return ByPolicy({name: one.estimate(measure, statistic) for name, one in self.policies.items()})

    @property
    def mean(self) -> ByPolicy[Estimate]:
        """Mean flowtime of each policy."""
        return self.numbers()

    @property
    def p50(self) -> ByPolicy[Estimate]:
        """Median flowtime of each policy."""
        return self.numbers(statistic="p50")

    @property
    def p80(self) -> ByPolicy[Estimate]:
        """Flowtime within which 80 % of the jobs are, of each policy."""
        return self.numbers(statistic="p80")

    @property
    def p90(self) -> ByPolicy[Estimate]:
        """Flowtime within which 90 % of the jobs are, of each policy."""
        return self.numbers(statistic="p90")

    @property
    def p95(self) -> ByPolicy[Estimate]:
        """Flowtime within which 95 % of the jobs are, of each policy."""
        return self.numbers(statistic="p95")

    @property
    def p99(self) -> ByPolicy[Estimate]:
        """Flowtime within which 99 % of the jobs are, of each policy."""
        return self.numbers(statistic="p99")

    @property
    def table(self) -> pd.DataFrame:
        """All that was found (`to_frame`)."""
        return self.to_frame()

    def plot(self, *, measure: str = "flowtime", tail: bool = False, dark: bool = False) -> Figure:
        """Return how a measure is spread over the jobs, as a figure of Plotly.

        Parameters
        ----------
        measure : str, optional
            'flowtime', 'resource' or, where the engine keeps its distribution, 'slowdown'.
        tail : bool, optional
            The share of jobs that need more, on logarithmic axes, instead of the share that need less.
        dark : bool, optional
            Whether it is drawn on a dark background.
        """
        self.distribution(measure)  # refused by name, if it is not kept
        return distribution(self, dark, measure=measure, tail=tail)


def compare(
    start: str | Scenario = "light",
    policies: Sequence[str] = (),
    *,
    workload: str | Path | bytes | None = None,
    baseline: str = "",
    replications: int | None = None,
    precision: float | None = None,
    threads: int | None = None,
    progress: Callable[[int], object] = lambda tasks: None,
    executor: Executor | None = None,
    keep: str | Path | Keeper | None = None,
) -> ComparisonResult:
    """Compare policies on the same jobs with the same luck.

    Parameters
    ----------
    start : str or Scenario, optional
        A scenario, or the name of a preset, whose policies are compared unless others are given.
    policies : sequence of str, optional
        Policies as the shell writes them; what is found is known by these texts.
    workload : str, Path or bytes, optional
        A file with recorded jobs (SWIM, SWF, CSV or a log), or what is in it.
    baseline : str, optional
        The policy with which the others are compared; the first unless given.
    replications, precision, threads, progress, executor, keep : optional
        How precisely, and where, as of `Effort`.

    Returns
    -------
    ComparisonResult
        `mean`, `p50`, ... are flowtimes by policy, `numbers()` all others; `to_frame()` is all of it as a
        table, `distribution()` how a measure is spread over the jobs, `plot()` the same drawn.

    Raises
    ------
    BadInput
        Naming what cannot be used, and what is accepted.

    Examples
    --------
    >>> import sim
    >>> few = sim.scenario("small", jobs=20)
    >>> found = sim.compare(few, ["fair+none", "fair+late"], replications=2)
    >>> found.to_frame().query("measure == 'flowtime' and statistic == 'p50'").policy.tolist()
    ['fair+none', 'fair+late']
    >>> found.p50["fair+late"].low < found.p50["fair+late"].value < found.p50["fair+late"].high
    True
    """
    experiment, names = _experiment(start, policies, workload, baseline)
    asked = Effort(
        replications=replications,
        precision=precision,
        threads=threads,
        progress=progress,
        executor=executor,
        keep=keep,
    )
    with asked.opened(experiment) as effort:
        return ComparisonResult.of(compare_runs(experiment, effort)).called(names)


@dataclass(frozen=True)
class Sweep:
    """What was found at each value of a field.

    Parameters
    ----------
    field : str
        The field of the scenario that varies.
    points : tuple of (value, ComparisonResult)
        In the order of the values.
    """

    field: str
    points: tuple[tuple[Any, ComparisonResult], ...]

    def __iter__(self) -> Iterator[tuple[Any, ComparisonResult]]:
        return iter(self.points)

    def _repr_html_(self) -> str:
        """Return the points as a notebook shows them."""
        return str(self.summary().to_html(index=False))

    def summary(self) -> pd.DataFrame:
        """Return the most of it to be read (`Comparison.summary`), the value of the field first."""
        return self._joined([found.summary() for _, found in self.points])

    def to_frame(self, *, each: bool = False) -> pd.DataFrame:
        """Return the tables of all points as one (`Comparison.to_frame`), the value of the field first.

        Parameters
        ----------
        each : bool, optional
            Whether every replication has its rows.
        """
        return self._joined([found.to_frame(each=each) for _, found in self.points])

    def _joined(self, tables: list[pd.DataFrame]) -> pd.DataFrame:
        """Return the tables of the points as one, the value of the field first."""
        import pandas as pd

        for (value, _), table in zip(self.points, tables, strict=True):
            table.insert(0, self.field, value)
        return pd.concat(tables, ignore_index=True)


def sweep(
    start: str | Scenario,
    field: str,
    values: Sequence[Any],
    policies: Sequence[str] = (),
    *,
    workload: str | Path | bytes | None = None,
    baseline: str = "",
    replications: int | None = None,
    precision: float | None = None,
    threads: int | None = None,
    progress: Callable[[int], object] = lambda tasks: None,
    executor: Executor | None = None,
    keep: str | Path | Keeper | None = None,
) -> Sweep:
    """Compare policies at several values of a field.

    Parameters
    ----------
    start : str or Scenario
        As in `compare`.
    field : str
        A field of the scenario.
    values : sequence
        What it becomes, one after the other.
    policies, workload, baseline, replications, precision, threads, progress, executor, keep : optional
        As in `compare`, at each value.

    Returns
    -------
    Sweep
        `to_frame()` is all of it as a table.

    Raises
    ------
    BadInput
        Before the first run, naming what cannot be used and what is accepted.

    Examples
    --------
    >>> import sim
    >>> found = sim.sweep(sim.scenario("small", jobs=20), "load", [0.2, 0.4], ["fair+none"], replications=2)
    >>> [load for load, comparison in found]
    [0.2, 0.4]
    """
    if not len(values):
        raise BadInput("values: none is given; give at least one")
    experiment, names = _experiment(start, policies, workload, baseline)
    field = in_full(field, settable(type(experiment.scenario)))
    asked = Effort(
        replications=replications,
        precision=precision,
        threads=threads,
        progress=progress,
        executor=executor,
        keep=keep,
    )
    with asked.opened(experiment, **{field: list(values)}) as effort:
        points = sweep_runs(experiment, field, values, effort)
        return Sweep(
            field, tuple((value, ComparisonResult.of(found).called(names)) for value, found in points)
        )


def policies(engine: str = "slots") -> pd.DataFrame:
    """Return the rules that policies of an engine are made of, a row each.

    Parameters
    ----------
    engine : str, optional
        'slots', 'probes' or 'gang'.

    Raises
    ------
    BadInput
        If there is no such engine.

    Examples
    --------
    >>> import sim
    >>> sim.policies().query("kind == 'sharing'").key.tolist()[:3]
    ['fifo', 'fair', 'srpt']
    """
    import pandas as pd

    rows = [
        (kind, key, rule.title, rule.summary, {p.name: p.default for p in rule.parameters}, rule.reference)
        for kind, registry in engine_of_key(engine).implementation.policy.registries().items()
        for key, rule in registry.items()
    ]
    return pd.DataFrame(rows, columns=["kind", "key", "title", "summary", "parameters", "reference"])


def _experiment(
    start: str | Scenario, policies: Sequence[str], workload: str | Path | bytes | None, baseline: str
) -> tuple[Experiment, list[str]]:
    """Return what is to be run, and the policies as they were written."""
    if isinstance(policies, str):
        raise BadInput(f"policies: {quoted(policies)} is not accepted; give a list of policies")
    if isinstance(start, Scenario):
        chosen, texts = start, list(policies)
    else:
        chosen, texts = preset(start).scenario, list(policies or preset(start).policies)
    trace = None if workload is None else read(workload)
    if trace is not None:
        chosen = with_trace(chosen, trace)
    return Experiment.of_texts(chosen, texts, trace, baseline), [text.strip() for text in texts]
