"""The functions of `import sim`: the words of the shell, and answers as tables and arrays.

The names of presets, fields and policies are those of ``python -m sim presets | fields | policies``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.effort import Effort as Effort
from sim.engines import engine as engine_of_key
from sim.experiment import Experiment
from sim.experiment import compare as compare_runs
from sim.fields import BadInput
from sim.plugins import register as register
from sim.presets import preset, with_trace
from sim.result import Comparison
from sim.scenario import Scenario
from sim.sweep import sweep as sweep_runs
from sim.traces import read
from theory.shown import quoted

if TYPE_CHECKING:
    import pandas as pd


def scenario(start: str = "light", **changes: Any) -> Scenario:
    """Return the scenario of a preset, with some fields changed.

    Parameters
    ----------
    start : str, optional
        Name of the preset (``python -m sim presets``).
    **changes
        Field -> value (``python -m sim fields``).

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


def compare(
    start: str | Scenario = "light",
    policies: Sequence[str] = (),
    *,
    workload: str | Path | bytes | None = None,
    baseline: str = "",
    **options: Any,
) -> Comparison:
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
    **options
        Fields of `Effort`: replications, precision, threads, progress, executor, keep.

    Returns
    -------
    Comparison
        `to_frame()` is all of it as a table, `distribution()` how a measure is spread over the jobs.

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
    """
    experiment, names = _experiment(start, policies, workload, baseline)
    with Effort(**options).opened(experiment) as effort:
        return compare_runs(experiment, effort).called(names)


@dataclass(frozen=True)
class Sweep:
    """What was found at each value of a field.

    Parameters
    ----------
    field : str
        The field of the scenario that varies.
    points : tuple of (value, Comparison)
        In the order of the values.
    """

    field: str
    points: tuple[tuple[Any, Comparison], ...]

    def __iter__(self) -> Iterator[tuple[Any, Comparison]]:
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
    **options: Any,
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
    policies, workload, baseline, **options
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
    with Effort(**options).opened(experiment, **{field: list(values)}) as effort:
        points = sweep_runs(experiment, field, values, effort)
        return Sweep(field, tuple((value, found.called(names)) for value, found in points))


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
