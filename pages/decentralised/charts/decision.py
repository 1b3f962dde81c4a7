"""One decision as a sequence of messages between a worker and schedulers, and each step in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from sim.telling.palette import faded
from sim.telling.plot import FONT, Part, Plot
from sim.telling.words import counted, fixed, number, percent, plain

if TYPE_CHECKING:  # which imports the engine: the page is to be seen before that is loaded
    from sim.engines.probes.network import Decision, Exchange

#: Numbers of messages and the arrow they belong to, largest first in time: to the worker, to a scheduler.
FADED = 0.45


@dataclass(frozen=True, slots=True)
class Step:
    """A message: whether it goes to the worker, its other end, a few words, and a sentence."""

    to_worker: bool
    scheduler: int
    label: str
    sentence: str


def steps(decision: Decision, unit: str) -> list[Step]:
    """Return the messages of a decision in order: the probe, then each question and its answer."""
    last = decision.exchanges[-1]
    found = [_probe(decision, last, unit)]
    for exchange in decision.exchanges:
        found += [_question(decision, exchange), _answer(decision, exchange, unit)]
    return found


def _name(job: int) -> str:
    return f"job {job + 1}"


def _probe(decision: Decision, last: Exchange, unit: str) -> Step:
    sent, workers = len(decision.probed), len(set(decision.probed))
    reached = (
        "this worker among them" if decision.worker in decision.probed else "this worker is not among them"
    )
    ahead = decision.free - decision.arrival
    ago = f"{fixed(abs(ahead), 2)} {unit} {'after' if ahead < 0 else 'before'} the slot becomes free"
    return Step(
        decision.worker in decision.probed,
        last.scheduler,
        f"{sent} probes",
        f"**Probes out.** {_name(last.job).capitalize()} with {counted(decision.tasks, 'task')} arrives at "
        f"scheduler {last.scheduler + 1}, {ago}. It sends {counted(sent, 'probe')} to "
        f"{counted(workers, 'worker')}, {reached}. Each becomes a reservation in a queue, with the job’s "
        "virtual size as it is now.",
    )


def _question(decision: Decision, one: Exchange) -> Step:
    if one.hinted:
        why = "which a scheduler that refused has named as its smallest job that needs a slot"
    elif one.firm:
        why = "drawn from its queue with its virtual size as weight, since there is nobody else to ask"
    else:
        why = (
            "the smallest virtual size in its queue among schedulers it has not asked yet, as far as it knows"
        )
    return Step(
        False,
        one.scheduler,
        f"{_name(one.job)}?" + (" (must accept)" if one.firm else ""),
        f"**Question.** Worker {decision.worker + 1} offers its slot to {_name(one.job)}, {why}. The job "
        f"{'may not refuse' if one.firm else 'may refuse'}.",
    )


def _answer(decision: Decision, one: Exchange, unit: str) -> Step:
    share = f"it holds {counted(one.held, 'slot')}, its virtual size is {number(one.size)}"
    if one.verdict == "takes":
        what = "a copy of a slow task" if decision.is_copy else "its next task"
        because = "it may not refuse" if one.firm else share
        sentence = (
            f"**Acceptance.** {_name(one.job).capitalize()} takes the slot for {what}: {because}. The slot "
            f"has idled for {_idle(decision.start - decision.free, unit)}, one delay for each message."
        )
        return Step(True, one.scheduler, "takes it", sentence)
    if one.verdict == "refuses":
        sentence = (
            f"**Refusal.** {_name(one.job).capitalize()} has something to run, but enough slots: {share}."
        )
        label = "no"
    else:
        sentence = f"**Nothing to run.** No task of {_name(one.job)} waits: the reservation is spent."
        label = "nothing to run"
    if one.hint is not None:
        sentence += (
            f" The answer names {_name(one.hint)} (virtual size {number(one.hint_size)}), the smallest "
            "unsatisfied job of this scheduler."
        )
        label += f", try {_name(one.hint)}"
    return Step(True, one.scheduler, label, sentence)


def _idle(time: float, unit: str) -> str:
    """Return for how long a slot has idled: in thousandths below 1.

    Examples
    --------
    >>> _idle(6.0, "s"), _idle(0.0125, "s"), _idle(0.002, "min")
    ('6 s', '12.5 ms', '2 thousandths of min')
    """
    if time >= 1:
        return f"{plain(round(time, 2))} {unit}"
    return f"{plain(round(1000 * time, 1))} {'ms' if unit == 's' else f'thousandths of {unit}'}"


def sequence(decision: Decision, unit: str, at: int, dark: bool) -> go.Figure:
    """Draw the messages up to step `at` (from 1): time runs down, not to scale."""
    told = steps(decision, unit)
    height = max(300, min(400, 90 + 40 * len(told)))
    plot = Plot("decision", dark, height, showlegend=False)
    lanes, bottom = _lanes(decision), len(told) + 0.6
    for x, name in enumerate(lanes.values()):
        plot.shapes.append(
            {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": bottom}
            | {"line": {"color": plot.colors.grid, "width": 2}}
        )
        plot.note(f"<b>{name}</b>", x=x, y=0, yanchor="bottom", yshift=4)
    places = {scheduler: x for x, scheduler in enumerate(lanes)}
    for row, step in enumerate(told[:at], start=1):
        ends = places[step.scheduler], places[-1]
        tail, head = ends if step.to_worker else ends[::-1]
        color = plot.colors.series[0 if step.to_worker else 1]
        if row < at:
            color = faded(color, FADED)
        if row == 1 and not step.to_worker:
            head = tail = ends[0]
        plot.notes.append(_arrow(tail, head, row, color, 3 if row == at else 2))
        text = f"<b>{row}: {step.label}</b>" if row == at else f"{row}: {step.label}"
        plot.note(text, x=(ends[0] + ends[1]) / 2, y=row - 0.1, yanchor="bottom")
    unseen = {"type": "scatter", "x": [0], "y": [0], "mode": "markers", "opacity": 0, "hoverinfo": "skip"}
    plot.traces.append(unseen)  # no axis is drawn without one
    plot.axis("x", scale={"range": [-0.5, len(lanes) - 0.5], "visible": False})
    plot.axis("y", scale={"range": [bottom, -0.6], "visible": False})
    return figure(plot)


def _lanes(decision: Decision) -> dict[int, str]:
    """Return the schedulers that take part, by number, and the worker (-1) in their middle."""
    schedulers = list(dict.fromkeys(one.scheduler for one in decision.exchanges))
    half = (len(schedulers) + 1) // 2
    named = {one: f"scheduler {one + 1}" for one in schedulers}
    left, right = schedulers[:half], schedulers[half:]
    return (
        {one: named[one] for one in left}
        | {-1: f"worker {decision.worker + 1}"}
        | {one: named[one] for one in right}
    )


def _arrow(tail: float, head: float, row: int, color: str, width: int) -> Part:
    return {
        "x": head,
        "y": row,
        "ax": tail,
        "ay": row,
        "xref": "x",
        "yref": "y",
        "axref": "x",
        "ayref": "y",
        "showarrow": True,
        "arrowhead": 2,
        "arrowwidth": width,
        "arrowcolor": color,
        "text": "",
        "font": {"color": color, "size": FONT},
    }


def sequence_alt(decision: Decision, unit: str, at: int) -> str:
    """Say in words what `sequence` shows."""
    told = steps(decision, unit)[:at]
    parts = [
        f"{row}. {'from' if step.to_worker else 'to'} scheduler {step.scheduler + 1}: {step.label}"
        for row, step in enumerate(told, start=1)
    ]
    return f"Messages of worker {decision.worker + 1} in order, {at} so far. {'; '.join(parts)}."


def queue_table(decision: Decision, unit: str) -> pd.DataFrame:
    """Return the worker's queue when its slot becomes free: what it knows, and what is true."""
    rows = [
        {
            "reservation of": f"{_name(one.job)}, scheduler {one.scheduler + 1}",
            "virtual size, as the worker knows it": number(one.believed),
            f"that is old ({unit})": number(one.age, 2),
            "virtual size now": number(one.true),
            "too large by": percent(1 - one.true / one.believed) if one.true < one.believed else "–",
        }
        for one in decision.queue
    ]
    return pd.DataFrame(rows).set_index("reservation of")
