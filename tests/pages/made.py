"""Comparisons made to order: chosen flowtimes, read by the project's own statistics, without a simulation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from sim.engines.slots.run import HOLDING, Outcome
from sim.engines.slots.scenario import SlotScenario
from sim.kernel.records import COPY, records
from sim.model.result import Comparison, PolicyResult, Sample, sample
from tests.samples import policy_of

SCENARIO = SlotScenario(slots=100, straggle="exponential", warm_up=0, drain=0.5, time_unit="s")
POINTS = 8


def made(
    policies: Mapping[str, Sequence[Sample]], scenario: SlotScenario = SCENARIO, baseline: str = ""
) -> Comparison:
    """Return a comparison of these samples."""
    results = {
        name: PolicyResult(name, tuple(samples), policy_of(name, scenario))
        for name, samples in policies.items()
    }
    return Comparison(scenario, results, baseline or next(iter(results)))


def one(
    flowtime: Sequence[float] | np.ndarray,
    *,
    tasks: Sequence[int] | None = None,
    resource: float | Sequence[float] = 1.0,
    extra: float = 0.0,
    busy: float = 50.0,
    waiting: Sequence[float] | float = 0.0,
    holding: Mapping[int, float] | None = None,
    scenario: SlotScenario = SCENARIO,
) -> Sample:
    """Return one replication: an infinite flowtime is a job that was not done.

    `extra` is the share of the copies, and of the slot-time, that is extra; `holding` counts jobs by class.
    """
    flowtime = np.asarray(flowtime, dtype=float)
    n = flowtime.size
    arrival = np.linspace(0, 80, n)
    resources = np.broadcast_to(np.asarray(resource, dtype=float), n).copy()
    counts = np.zeros(HOLDING)
    for place, jobs in (holding or {10: 1.0}).items():
        counts[place] = jobs
    copies = np.full(n, 1000)
    outcome = Outcome(
        arrival=arrival,
        start=arrival,
        finish=arrival + flowtime,
        tasks=np.full(n, 5) if tasks is None else np.asarray(tasks),
        copies=copies,
        extra=np.round(copies * extra).astype(int),
        killed=np.zeros(n, int),
        resource=resources,
        extra_time=resources * extra,
        tasks_done=int(np.isfinite(flowtime).sum()),
        utilisation=busy / scenario.slots,
        series=series(busy, extra, waiting),
        holding=counts,
        end=1e6,
        last_arrival=80.0,
        log=records(0, COPY),
        events=n,
        seconds=0.0,
    )
    return sample(scenario, outcome, np.ones(n))


def series(busy: float, extra: float, waiting: Sequence[float] | float) -> np.ndarray:
    """Return a time series of constant busy slots and the given queue."""
    queue = np.broadcast_to(np.asarray(waiting, dtype=float), POINTS)
    return np.column_stack([np.full(POINTS, busy), np.full(POINTS, busy * extra), queue, queue])


def luck(seed: int, jobs: int = 200) -> np.ndarray:
    """Return flowtimes of some jobs, above 1."""
    return 1 + np.random.default_rng(seed).exponential(size=jobs)


def traces(figure: go.Figure, **wanted: Any) -> list[Any]:
    """Return the traces that have these properties."""
    return [trace for trace in figure.data if all(trace[key] == value for key, value in wanted.items())]


def checked(figure: go.Figure) -> go.Figure:
    """Return the figure once Plotly has checked every property, which charts leave out for speed."""
    go.Figure(figure.to_dict())
    return figure


def words(thing: Any) -> list[str]:
    """Return every string in a figure, or in what it is made of, except packed numbers."""
    if isinstance(thing, go.Figure):
        return words(thing.to_dict())
    if isinstance(thing, dict):
        return [
            text for key, value in thing.items() if key not in ("bdata", "template") for text in words(value)
        ]
    if isinstance(thing, (list, tuple)):
        return [text for part in thing for text in words(part)]
    return [thing] if isinstance(thing, str) else []


#: What only a programmer should see, and one thing in the plural (a list may end so: 3, 2, 1 tasks).
UNFIT = re.compile(
    r"\b(nan|NaN|None|inf)\b"
    r"|(?<![\d.,])(?<!k = )(?<!, )1 (copies|hosts|jobs|logs|policies|replications|runs|slots|tasks|workers)\b"
)


def trouble(texts: Sequence[str]) -> list[str]:
    """Return the texts that are not fit to be seen by a reader."""
    return [text for text in texts if UNFIT.search(text)]
