"""The charts of the Decentralised page: its curves, and one decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go

from pages.decentralised.question import CENTRAL, Axis, Points, Setting
from pages.shared.charts.on_page import figure
from pages.shared.live.cards import SHORT
from pages.shared.words.lead import are_stable
from sim.model.result import Comparison
from sim.model.statistics import Estimate
from sim.telling.palette import Palette, faded
from sim.telling.plot import ABOVE, CLEAR, FONT, LINE, Part, Plot
from sim.telling.scales import linear_axis, named_ticks, ticked_log
from sim.telling.words import counted, fixed, listed, measured, number, percent, plain, spread

if TYPE_CHECKING:  # which imports the engine: the page is to be seen before that is loaded
    from sim.engines.probes.network import Decision, Exchange

# The curves of the page: the ratio to the centralised run against a control, and against its price.

#: Statistics of the flowtimes that are compared, and their names.
STATISTICS = SHORT
#: Ends and ticks of the axis of ratios, which is logarithmic: twice as long is as far everywhere. The wider
#: the axis, the fewer of the ticks have room.
ENDS = (0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
TICKS = {
    3: (0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3),
    10: (0.5, 0.7, 1, 1.2, 1.5, 2, 3, 5, 10),
    ENDS[-1]: (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
}
SYMBOLS = ("circle", "square", "diamond", "cross", "x")
#: What Hopper, Fig. 5, reports of decentralised Hopper with enough probes and refusals.
REPORTED = 1.15


def ratio_chart(
    points: Points, axis: Axis, setting: Setting, dark: bool, statistic: str = "mean"
) -> go.Figure:
    """Draw the ratio to the centralised run against a control, one curve a protocol, as far as it is known.

    Parameters
    ----------
    points : mapping
        In any order; those that are missing leave a gap.
    axis : Axis
    setting : Setting
        Its value on this axis is marked.
    dark : bool
        Whether the reader's theme is the dark one.
    statistic : str
        One of `STATISTICS`.
    """
    plot = Plot(f"ratio against {axis.field}", dark, 280, above=1.1, showlegend=True)  # above the note
    tried = axis.tried(setting)
    place = {value: value if axis.even else float(i) for i, value in enumerate(tried)}
    for name, color, symbol in _styled(setting, plot.colors):
        found = [(place[v], _ratio(points[v], name, statistic), v) for v in tried if _has(points, v, name)]
        _curve(plot, name, [one for one in found if one[1].value is not None], axis, color, symbol)
    here = place[getattr(setting, axis.field)]
    plot.across(1, width=1)
    plot.up(here, dash="dot")
    if ratio_remark(axis, statistic):
        plot.across(REPORTED, dash="dot", width=1)
    plot.note(f"chosen: {plain(getattr(setting, axis.field))}", x=here, bgcolor=CLEAR, **ABOVE)
    ends = list(place.values())
    margin = (ends[-1] - ends[0]) * 0.04
    ticks = named_ticks(ends, [plain(value) for value in tried])
    plot.axis("x", axis.title, ticks, range=[ends[0] - margin, ends[-1] + margin], zoom=True)
    plot.axis("y", *ratio_axis(points, setting, statistic), zoom=True)
    return figure(plot)


def ratio_remark(axis: Axis, statistic: str) -> str:
    """Say what the dotted level of the chart is, where it has one; below it, for curves may lie upon it.

    Examples
    --------
    >>> from pages.decentralised.question import AXES
    >>> ratio_remark(AXES["refusals"], "mean")
    'Dotted: at most 1.15, which the paper reports for Hopper.'
    """
    if axis.field not in ("probes", "refusals") or statistic != "mean":
        return ""
    return f"Dotted: at most {REPORTED}, which the paper reports for Hopper."


def not_drawn(points: Points, axis: Axis, setting: Setting, statistic: str) -> str:
    """Say which of the known points have no ratio to be drawn, and why; empty if all have one."""
    told, tried = [], axis.tried(setting)
    for stable, why in ((False, "a queue grows there"), (True, "jobs are unfinished there")):
        places: dict[str, list[str]] = {}  # values -> the policies without a ratio there
        for name in list(setting.policies)[1:]:
            gone = [
                axis.in_words(value)
                for value in tried
                if _has(points, value, name)
                and _ratio(points[value], name, statistic).value is None
                and are_stable(points[value], name, CENTRAL) == stable
            ]
            if gone:
                where = listed(gone) if len(gone) < len(tried) else "all values"
                places.setdefault(where, []).append(name)
        if places:
            parts = [f"{listed(names)} at {where}" for where, names in places.items()]
            told.append(f"Not drawn, since {why}: {'; '.join(parts)}.")
    return " ".join(told)


def _styled(setting: Setting, colors: Palette) -> list[tuple[str, str, str]]:
    """Return the decentralised policies with the colour and the mark they have on all charts."""
    return [
        (name, color, SYMBOLS[place % len(SYMBOLS)])
        for place, (name, color) in enumerate(colors.of(setting.policies).items())
        if name != CENTRAL
    ]


def _has(points: Points, value: float, name: str) -> bool:
    return value in points and name in points[value].policies


def _ratio(comparison: Comparison, name: str, statistic: str) -> Estimate:
    """Return a ratio; none where a queue grows, under the policy or the reference."""
    if not are_stable(comparison, name, CENTRAL):
        return Estimate(None)
    return comparison.ratio(name, "flowtime", statistic)


def _curve(
    plot: Plot,
    name: str,
    found: list[tuple[float, Estimate, float]],
    axis: Axis,
    color: str,
    symbol: str,
) -> None:
    """Draw a curve with its 95 % band; it is there before it has points, so that the legend stays."""
    sure = [(x, e.low, e.high) for x, e, _ in found if e.low is not None and e.high is not None]
    if len(sure) > 1:
        x, low, high = map(list, zip(*sure, strict=True))
        y = [max(end, ENDS[0]) for end in low] + high[::-1]
        plot.area(x + x[::-1], y, f"{name}, 95 % band", faded(color), legendgroup=name)
    plot.line(
        [x for x, _, _ in found],
        [ratio.value or 0.0 for _, ratio, _ in found],
        name,
        color,
        [f"<b>{name}</b><br>{axis.in_words(v)}: {spread(e.value or 0, e.half)}" for _, e, v in found],
        mode="lines+markers",
        legendgroup=name,
        marker={"color": color, "size": 8, "symbol": symbol},
    )


def ratio_axis(points: Points, setting: Setting, statistic: str) -> tuple[str, Part]:
    """Return the title and a logarithmic axis of ratios from about 0.9, with room for all points.

    Examples
    --------
    >>> ratio_axis({}, Setting(), "mean")[1]["ticktext"]
    ['1', '1.1', '1.2', '1.5', '2', '3']
    """
    known = [
        value
        for comparison in points.values()
        for name in comparison.policies
        if name != CENTRAL
        for value in (_ratio(comparison, name, statistic).value,)
        if value is not None
    ]
    high = next((end for end in ENDS if end >= 1.1 * max([2.1, *known])), ENDS[-1])
    low = next((end for end in ENDS[::-1] if end <= min([0.95, *known])), ENDS[0])
    dense = next(most for most in TICKS if most >= high)
    ticks = [tick for tick in TICKS[dense] if low < tick <= high]
    return f"{STATISTICS[statistic]} ÷ {CENTRAL}’s", ticked_log(low, high, ticks)


def price_chart(points: Points, setting: Setting, dark: bool, statistic: str = "mean") -> go.Figure:
    """Draw the ratio to the centralised run against the messages per task, along the probes per task."""
    plot = Plot("ratio against messages", dark, 280, showlegend=True)
    most = 10.0
    for name, color, symbol in _styled(setting, plot.colors):
        found = _priced(points, name, statistic)
        x = [messages.value or 0.0 for _, messages, _ in found]
        most = max([most, *x])
        plot.line(
            x,
            [ratio.value or 0.0 for _, _, ratio in found],
            name,
            color,
            [
                f"<b>{name}</b>, d = {plain(value)}<br>{measured(messages)} messages per task<br>"
                f"ratio {measured(ratio)}"
                for value, messages, ratio in found
            ],
            mode="lines+markers+text",
            text=[plain(value) for value, _, _ in found],
            textposition="top center",
            textfont=plot.font,
            line={"width": LINE / 2},
            marker={"color": color, "size": 8, "symbol": symbol},
            cliponaxis=False,
        )
    plot.across(1, width=1)
    title = "messages per task (numbers: probes per task, d)"
    plot.axis("x", title, linear_axis(most), zoom=True)
    plot.axis("y", *ratio_axis(points, setting, statistic), zoom=True)
    return figure(plot)


def _priced(points: Points, name: str, statistic: str) -> list[tuple[float, Estimate, Estimate]]:
    """Return probes per task, messages per task and the ratio, where they are known."""
    found = []
    for value in sorted(points):
        if _has(points, value, name):
            messages = points[value].policies[name].estimate("messages_per_task")
            ratio = _ratio(points[value], name, statistic)
            if messages.value is not None and ratio.value is not None:
                found.append((value, messages, ratio))
    return found


def ratio_alt(points: Points, axis: Axis, setting: Setting, statistic: str = "mean") -> str:
    """Say in words what `ratio_chart` shows, with its numbers."""
    told = []
    for name in list(setting.policies)[1:]:
        values = [
            f"{measured(_ratio(points[v], name, statistic))} at {axis.in_words(v)}"
            for v in axis.tried(setting)
            if _has(points, v, name) and _ratio(points[v], name, statistic).value is not None
        ]
        if values:
            told.append(f"{name}: {listed(values)}.")
    known = f"{len(points)} of {len(axis.tried(setting))} points are known."
    what = f"Ratio of the {STATISTICS[statistic]} to that of {CENTRAL} against {axis.title}."
    return " ".join([what, *told, known])


def price_alt(points: Points, setting: Setting, statistic: str = "mean") -> str:
    """Say in words what `price_chart` shows, with its numbers."""
    told = []
    for name in list(setting.policies)[1:]:
        values = [
            f"{measured(one.policies[name].estimate('messages_per_task'))} messages and ratio "
            f"{measured(_ratio(one, name, statistic))} at d = {plain(value)}"
            for value, one in sorted(points.items())
            if name in one.policies and _ratio(one, name, statistic).value is not None
        ]
        if values:
            told.append(f"{name}: {listed(values)}.")
    what = f"Ratio of the {STATISTICS[statistic]} to that of {CENTRAL} against messages per task."
    return " ".join([what, *told, f"{len(points)} values of d are known."])


# One decision as a sequence of messages between a worker and schedulers, and each step in a sentence.

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
