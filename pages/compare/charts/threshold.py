r"""The value of another slot to a job, and how many slots each policy lets a job have.

Above: the service rate :math:`\mu(S)` of a job with T remaining tasks, with the threshold
:math:`\theta T` beyond which another slot is worth less. Below, on the same axis: how the jobs of each
policy were spread over the slots held per remaining task, counted at 200 instants of every replication.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from pages.compare.charts.row import BESIDE, HEIGHT
from pages.shared.charts.chart import figure
from sim.model.result import Comparison, PolicyResult
from sim.model.scenario import Scenario
from sim.running.distribution import labels
from sim.telling.plot import CLEAR, DASHED, NAME, Plot, panels
from sim.telling.scales import linear_axis, named_ticks
from sim.telling.words import clipped, counted, number, percent, plain
from theory.service_rate import service_rate, threshold

#: Slots held per remaining task are counted in classes of this width; the last class is open.
STEP = 0.1
#: Steps of the curve, about.
POINTS = 80
#: Height of the curve at least, and of a policy's row with its name above it at most, in pixels.
CURVE, ROW = 120, 44
#: Height of the axis below the rows and the space above the curve, in pixels.
AROUND = 72


def typical_tasks(comparison: Comparison) -> int:
    """Return the mean number of tasks of the jobs that arrived, rounded."""
    samples = next(iter(comparison.policies.values())).samples
    return max(1, round(sum(s.tasks_arrived for s in samples) / sum(s.jobs for s in samples)))


@dataclass(frozen=True, slots=True)
class Threshold:
    r"""The threshold of a scenario, and what is known of the curve around it.

    Attributes
    ----------
    theta : float
        Slots per remaining task at which another slot begins to be worth less: max(1, 2 / `tail`).
    tail : float
        Tail index of the straggle factor, ``inf`` where the law has none.
    remark : str
        What the reader must know of the curve under this law.
    """

    theta: float
    tail: float
    remark: str

    @classmethod
    def of(cls, scenario: Scenario) -> Threshold:
        """Return the threshold of a scenario.

        Examples
        --------
        >>> from sim.engines.slots.scenario import SlotScenario
        >>> Threshold.of(SlotScenario(straggle_tail=1.25)).theta  # 2 / 1.25
        1.6
        >>> Threshold.of(SlotScenario(straggle="exponential")).theta
        1.0
        """
        tail = scenario.straggle_law.tail
        theta = float(threshold(tail)) if math.isfinite(tail) else 1.0
        return cls(theta, tail, _remark(scenario, tail, theta))

    def rate(self, slots: np.ndarray, tasks: int) -> np.ndarray:
        """Return the service rate of a job, NaN where no formula is known."""
        if math.isfinite(self.tail):
            return np.asarray(service_rate(slots, tasks, self.tail))
        return np.where(slots <= tasks, slots, np.nan)


def _remark(scenario: Scenario, tail: float, theta: float) -> str:
    """Say where theta comes from, and what the curve assumes that the scenario does not."""
    if math.isinf(tail):
        return (
            f"{scenario.straggle_law.kind.capitalize()} straggle factors have no power-law tail, as if β were"
            f" infinite: θ = max(1, 2/β) = 1, one slot per task. Beyond it the papers have no formula for "
            f"this law."
        )
    told = f"θ = max(1, 2/β) = {number(theta)}"
    if scenario.straggle == "bounded-pareto":
        limit = plain(scenario.straggle_max)
        return f"{told} for unbounded factors; here they end at {limit}, and copies gain less."
    if scenario.straggle == "outlier":
        share = percent(scenario.outlier_share)
        return f"{told} for copies that may all straggle; here {share} of them do."
    return f"{told}."


def threshold_plot(comparison: Comparison, dark: bool) -> go.Figure:
    """Draw the service rate against slots, the threshold, and where each policy holds its jobs."""
    tasks, at = typical_tasks(comparison), Threshold.of(comparison.scenario)
    called = labels(comparison)
    plot = Plot("threshold", dark, HEIGHT, bargap=0, barmode="overlay", showlegend=False)
    colors, inner = plot.colors.of(comparison.policies), HEIGHT - AROUND
    row = min(ROW, (inner - CURVE) / len(called)) - NAME
    top, *rows = panels([inner - (row + NAME) * len(called) - NAME, *[row] * len(called)], inner)
    most = next(iter(comparison.policies.values())).samples[0].holding.size * STEP
    high = _curve(plot, at, tasks, most)
    plot.panel("theory: tasks done per mean copy time", top)
    for domain, (first, name) in zip(rows, called.items(), strict=True):
        held = holding(comparison.policies[first])
        _held(plot, name, held, tasks, domain, colors[first])
        beyond = f"{percent(share_beyond(held, at.theta))} ≥ θT" if held.any() else "no job observed"
        plot.panel(f"<b>{clipped(name, BESIDE)}</b>: {beyond}", domain)
    slots = at.theta * tasks
    for low, end in (top, *rows):  # in every panel, but not through the words between them
        plot.up(slots, dash="dot", width=1.5, y0=low, y1=end)
    where = {"y": 0, "yref": "y", "xanchor": "left", "yanchor": "bottom", "xshift": 4}
    plot.note(f"θT = {number(slots)} slots", x=slots, bgcolor=CLEAR, **where)  # where the curve leaves room
    whole = range(int(most) + 1)
    multiples = [f"{k * tasks:,}<br>{_multiple(k)}" for k in whole]
    plot.axis(
        "x",
        f"slots of a job with T = {counted(tasks, 'task')} left",
        named_ticks([k * tasks for k in whole], multiples),
        anchor="y2",
        range=[0, most * tasks],
        zoom=True,
    )
    plot.axis("y", scale=linear_axis(high), domain=top, nticks=4, zoom=True)
    # of all rows, from the lowest to the top of the highest: a browser draws each further axis anew
    plot.axis("y2", domain=[0, rows[0][1]], range=[0, rows[0][1]], visible=False, zoom=True)
    return figure(plot)


def holding(result: PolicyResult) -> np.ndarray:
    """Return the share of the jobs in each class of slots held per remaining task; 0 if none was seen."""
    counts = np.sum([sample.holding for sample in result.samples], axis=0)
    return np.asarray(counts / max(counts.sum(), 1))


def share_beyond(held: np.ndarray, theta: float) -> float:
    """Return the share of the jobs in the classes that lie at or beyond the threshold.

    Examples
    --------
    >>> share_beyond(np.array([0.25] * 4), theta=0.15)  # classes from 0, 0.1, 0.2 and 0.3 on
    0.5
    """
    return float(held[edges(held) >= theta - 1e-9].sum())


def edges(held: np.ndarray) -> np.ndarray:
    """Return the smallest slots per remaining task of each class."""
    return np.arange(held.size) * STEP


def median(held: np.ndarray) -> float:
    """Return the class, by its smallest slots per remaining task, that holds the median job.

    Examples
    --------
    >>> round(median(np.array([0.3, 0.1, 0.6])), 1)
    0.2
    """
    return float(edges(held)[np.searchsorted(np.cumsum(held), 0.5 - 1e-9).clip(max=held.size - 1)])


def _multiple(k: int) -> str:
    return ("0", "T")[k] if k < 2 else f"{k}T"


def _curve(plot: Plot, at: Threshold, tasks: int, most: float) -> float:
    """Draw the service rate, dashed like all theory, in equal steps of which one is the threshold.

    Return the highest.
    """
    parts = max(round(at.theta / most * POINTS), 1)  # of the threshold
    slots = np.arange(math.ceil(most / at.theta * parts - 1e-9) + 1) * at.theta / parts * tasks
    rate = at.rate(slots, tasks)
    known = rate[np.isfinite(rate)]
    hover = "%{x:,.3~r} slots: μ = %{y:,.3~r} tasks<br>per mean copy time"
    steps = {"x0": 0, "dx": float(slots[1])}
    plot.line(None, known, "theory: service rate μ(S)", plot.colors.ink, hover, line=DASHED, **steps)
    return float(known.max())


def _held(plot: Plot, name: str, held: np.ndarray, tasks: int, row: list[float], color: str) -> None:
    """Draw one policy's row: the higher the bar, the more jobs; the highest fills the row.

    Where no job is there is no bar.
    """
    seen = np.flatnonzero(held)
    low = edges(held)[seen]
    classes = [f"{one:.1f} to {one + STEP:.1f}" for one in low]
    if held[-1]:
        classes[-1] = f"{low[-1]:.1f} or more"
    plot.bars(
        (low + STEP / 2) * tasks,
        held[seen] / (held.max() or 1) * (row[1] - row[0]),
        name,
        color,
        f"<b>{name}</b><br>%{{customdata:.3~%}} of jobs hold %{{hovertext}}<br>slots for each task left",
        base=row[0],
        width=STEP * tasks,
        yaxis="y2",
        marker={"line": {"width": 0}},
        customdata=held[seen],
        hovertext=classes,
    )


def threshold_alt(comparison: Comparison) -> str:
    """Say in words what `threshold_plot` shows, with its numbers."""
    tasks, at = typical_tasks(comparison), Threshold.of(comparison.scenario)
    point = number(at.theta * tasks)
    rate = number(float(at.rate(np.array([at.theta * tasks]), tasks)[0]))
    told = []
    for name, result in comparison.policies.items():
        held = holding(result)
        if not held.any():
            told.append(f"{name}: no job was observed.")
            continue
        told.append(
            f"{name}: the median job holds {median(held):.1f} slots for each task left, "
            f"{percent(float(held[0]))} hold hardly any, {percent(share_beyond(held, at.theta))} are at θT "
            f"or beyond."
        )
    return (
        f"Service rate of a job with {counted(tasks, 'task')} left against the slots it holds: {rate} tasks "
        f"per mean copy "
        f"time at θT = {point} slots; beyond, another slot is worth less. {at.remark} " + " ".join(told)
    )
