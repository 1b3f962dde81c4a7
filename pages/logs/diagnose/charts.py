"""The charts of the Diagnose page.

Each has a `TITLE`, `draw(part, dark)` for the part of a diagnosis it shows, `alt(part)`, which says the
same in words, and `about(part)`, which stands below it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.logs.words import FROM
from pages.shared.charts.on_page import Chart, figure
from pages.shared.words.foreign import literal
from sim.advice.diagnosis.causes import CAUSES, Causes
from sim.advice.diagnosis.charts import split, title_of
from sim.advice.diagnosis.costs import STRAGGLER, Cause, Spread, weighted_quantile
from sim.advice.diagnosis.findings import SLOW, slowest
from sim.advice.diagnosis.luck import Luck, Tail
from sim.advice.diagnosis.replay import Lost
from sim.advice.diagnosis.shares import Shares
from sim.advice.diagnosis.speculation import FEWEST_PAIRS, Speculation
from sim.logs.history import FAILED, KILLED, History
from sim.telling.palette import faded
from sim.telling.plot import DASHED, DOTTED, Part, Plot, around, in_chart, rows
from sim.telling.scales import linear_axis, log_axis, named_ticks, shares, span
from sim.telling.words import (
    BESIDE,
    begun,
    clipped,
    counted,
    listed,
    number,
    percent,
    spell,
    unit_for,
    within,
)

# Time lost by cause: what jobs would have saved without it, with its interval.


def ranked(costs: Causes) -> list[str]:
    """Return the causes, the dearest first; those that cannot be told come last."""
    return sorted(CAUSES, key=lambda name: -costs.told[name].seconds if name in costs.told else np.inf)


def draw_causes(costs: Causes, dark: bool) -> go.Figure:
    """Draw what each cause cost."""
    plot, order = Plot("causes", dark, bargap=0.4), ranked(costs)
    known = [name for name in order if name in costs.told]
    value, low, high = np.array([_values(costs.told[name]) for name in known]).T
    unit = unit_for(float(value.max()))
    value, low, high = value / unit.seconds, low / unit.seconds, high / unit.seconds
    plot.bars(
        value,
        list(range(len(known))),
        None,
        [plot.colors.series[0 if name == "luck" else 1] for name in known],
        [f"{CAUSES[name].title}: {within(*_values(costs.told[name]), spell)}" for name in known],
        across=True,
        error_x=around(value, low, high, plot.colors.ink),
        showlegend=False,
    )
    for place, name in enumerate(order):
        if name not in costs.told:
            plot.note("not known", x=0, y=place, xanchor="left", xshift=4)
    ends = min(float(low.min()), 0.0), max(float(high.max()), 0.0) or 1.0
    room = 0.03 * (ends[1] - ends[0])
    across = span(ends[0] - room * (ends[0] < 0), ends[1] + room, zeroline=True)
    plot.axis("x", f"job time saved without it ({unit.sign})", across)
    plot.axis("y", scale=rows([CAUSES[name].title for name in order]))
    return figure(plot)


def _values(one: Cause) -> tuple[float, float, float]:
    return one.seconds, one.low, one.high


def alt_causes(costs: Causes) -> str:
    """Say in words what `draw` shows."""
    known = [
        f"{CAUSES[name].title} {within(*_values(costs.told[name]), spell)}"
        for name in ranked(costs)
        if name in costs.told
    ]
    return f"Job time that would have been saved without each cause: {listed(known)}."


def about_causes(costs: Causes) -> str:
    """Return what stands below the chart: what each cause is, and what this log cannot tell."""
    known = "; ".join(
        f"{CAUSES[name].title}: {CAUSES[name].meaning}" for name in ranked(costs) if name in costs.told
    )
    unknown = "; ".join(f"{CAUSES[name].title}, since {reason}" for name, reason in costs.untold.items())
    luck = any(name not in ("failures", "idle") for name in costs.untold)
    return " ".join(
        [
            f"Replays without one cause at a time, with 95 % intervals. {begun(known)}.",
            *[f"Not known: {unknown}."] * bool(unknown),
            *["What is not known counts as luck."] * luck,
        ]
    )


# The Gantt chart: the copies of one job or stage as bars on slots, as the log recorded them.

#: Bars of one picture; of more the first are shown, by launch.
MOST_JOBS = 5_000
#: Pixels of a slot, where there is room, and of the picture at least and at most.
LANE, LEAST_HEIGHT, MOST_HEIGHT = 16, 300, 800
#: Height of a bar, in slots.
WIDTH = 0.88
#: Bars from which their outlines are left out: they would cover short ones.
CROWDED = 400
KINDS = ("task", f"straggler (> {STRAGGLER:g} × median)", "second copy")
ENDED = "killed or failed"


def gantt_chart(bars: pd.DataFrame, stages: list[str], dark: bool) -> go.Figure:
    """Draw bars of `sim.advice.diagnosis.charts` slot by slot; `stages` names the stages by row."""
    shown = bars.head(MOST_JOBS)
    first = float(shown["launch"].min())
    last = float(shown["end"].max())
    unit = unit_for(last - first)
    lanes = int(shown["lane"].max()) + 1
    height = int(np.clip(120 + LANE * lanes, LEAST_HEIGHT, MOST_HEIGHT))
    plot = Plot("gantt of a log", dark, height, barmode="overlay", showlegend=True)
    colors, kinds = plot.colors, kinds_of(shown)
    edge = {"width": 0 if len(shown) > CROWDED else 0.5, "color": colors.paper}
    for kind, color in enumerate((faded(colors.series[0], 0.55), colors.series[1], colors.series[2])):
        if (chosen := kinds == kind).any():
            some = shown[chosen]
            plot.bars(
                ((some["end"] - some["launch"]) / unit.seconds).to_numpy(float),
                some["lane"].to_numpy(),
                KINDS[kind],
                color,
                stories(some, stages),
                across=True,
                base=((some["launch"] - first) / unit.seconds).to_numpy(float),
                width=WIDTH,
                marker={"line": edge} | ({"pattern": plot.hatch} if kind == 2 else {}),
            )
    ended = shown[shown["fate"].isin([KILLED, FAILED])]
    if len(ended):
        x = ((ended["end"] - first) / unit.seconds).to_numpy(float)
        plot.crosses(x, ended["lane"].to_numpy(), ENDED, size=6)
    whole = span(0, (last - first) / unit.seconds or 1, nticks=8)
    plot.axis("x", f"time since the first launch ({unit.sign})", whole, zoom=True)
    lanes_shown = {"range": [lanes - 0.5, -0.5], "showgrid": False}
    plot.axis("y", scale=_hosts(shown, lanes) | lanes_shown, zoom=True)
    return figure(plot)


def kinds_of(bars: pd.DataFrame) -> np.ndarray:
    """Return the place in `KINDS` of each bar."""
    return np.select([bars["speculative"].to_numpy(bool), bars["straggler"].to_numpy(bool)], [2, 1], 0)


def stories(bars: pd.DataFrame, stages: list[str]) -> list[str]:
    """Return what is told of each bar when it is pointed at."""
    told = bars[["stage", "task", "copy", "speculative", "host", "fate", "ratio"]].itertuples(index=False)
    return [
        f"stage {in_chart(clipped(stages[stage]))}, task {task}, "
        f"{'second copy' if speculative else f'copy {copy + 1}'} on "
        f"{in_chart(clipped(host)) or 'a host without a name'}<br>{spell(seconds)}, {fate}"
        + (f"; {number(ratio)} times the median" if ratio == ratio else "")
        for (stage, task, copy, speculative, host, fate, ratio), seconds in zip(
            told, bars["end"] - bars["launch"], strict=True
        )
    ]


def _hosts(bars: pd.DataFrame, lanes: int) -> Part:
    """Return an axis that names each host once, in the middle of its slots, as far as there is room."""
    middle = bars.groupby("host")["lane"].agg(["min", "max"]).mean(axis=1).sort_values()
    most_names = max(1, int(MOST_HEIGHT / 20))
    named = middle.iloc[:: int(np.ceil(len(middle) / most_names))] if len(middle) else middle
    if list(middle.index) == [""]:
        return named_ticks([0, lanes - 1], ["slot 1", f"slot {lanes}"])
    return named_ticks(
        named.to_numpy(float), [in_chart(clipped(host, BESIDE)) or "?" for host in named.index]
    )


def gantt_alt(bars: pd.DataFrame, what: str) -> str:
    """Say in words what `gantt_chart` shows; `what` is the job or stage."""
    return f"Bars of {clipped(what, 60)}: {about_gantt(bars)}"


def about_gantt(bars: pd.DataFrame) -> str:
    """Return what stands below the chart."""
    shown = bars.head(MOST_JOBS)
    part = (
        f"the first {MOST_JOBS:,} of {len(bars):,} copies, by launch"
        if len(bars) > MOST_JOBS
        else counted(len(bars), "copy", "copies")
    )
    lanes, hosts = shown["lane"].nunique(), shown["host"].nunique()
    where = counted(lanes, "slot") + (f" of {counted(hosts, 'host')}" if set(shown["host"]) != {""} else "")
    stragglers, second = int(shown["straggler"].sum()), int(shown["speculative"].sum())
    return (
        f"{part} on {where} within {spell(float(shown['end'].max() - shown['launch'].min()))}; "
        f"{counted(stragglers, 'straggler')}, {counted(second, 'second copy', 'second copies')}. A slot is a "
        "line on which copies of one host follow each other: logs do not number the slots of a host."
    )


# The hosts ranked by how much longer a copy takes on each.

#: Hosts shown.
MOST_MACHINES = 15


def draw_hosts(shares: Shares, dark: bool) -> go.Figure:
    """Draw how much longer a copy takes on each host than on the median host."""
    plot, hosts = Plot("hosts", dark), shares.hosts.head(MOST_MACHINES)
    factor, low, high = (hosts[column].to_numpy(float) for column in ("factor", "low", "high"))
    slow = (factor > SLOW) & (low > 1)
    told = [
        f"{in_chart(clipped(host))}: {within(one, least, most)}, {copies:,} copies"
        for host, copies, one, least, most in hosts.itertuples(index=False)
    ]
    plot.dots(
        factor,
        list(range(len(hosts))),
        "hosts",
        plot.colors.series[0],
        told,
        showlegend=False,
        marker={"color": [plot.colors.series[1 if one else 0] for one in slow], "size": 9},
        error_x=around(factor, low, high, plot.colors.ink),
    )
    plot.up(1.0, dash="dot")
    ends = min(float(low.min()), 0.9), max(float(high.max()), 1.1)
    plot.axis("x", "duration against the median host (×)", span(ends[0] - 0.05, ends[1] + 0.05))
    plot.axis("y", scale=rows(hosts["host"].tolist()))
    return figure(plot)


def alt_hosts(shares: Shares) -> str:
    """Say in words what `draw` shows."""
    slowest = [
        f"{clipped(host)} takes {number(factor)} times as long (95 %: {number(low)} to {number(high)})"
        for host, _, factor, low, high in shares.hosts.head(3).itertuples(index=False)
    ]
    count = min(MOST_MACHINES, len(shares.hosts))
    return f"The {count} slowest hosts against the median host: {listed(slowest)}."


def about_hosts(shares: Shares) -> str:
    """Return what stands below the ranking."""
    slow = slowest(shares.hosts)["host"]
    named = [literal(clipped(host)) for host in slow.head(5)]
    more = [f"{len(slow) - len(named):,} more"] if len(slow) > len(named) else []
    found = (
        f"Slow beyond doubt, by more than {percent(SLOW - 1)}: {listed([*named, *more])}."
        if named
        else "No host is slow beyond doubt."
    )
    return f"{found} Work and first waves are taken out; 95 % intervals; {len(shares.hosts):,} hosts in all."


# The jobs that lost most to stragglers: their recorded time, and their time without stragglers.

#: Jobs shown.
MOST_LOST = 10


def draw_lost(lost: Lost, dark: bool) -> go.Figure:
    """Draw the recorded time of the worst jobs, split into what remains and what stragglers cost."""
    worst = lost.jobs.head(MOST_LOST)
    unit = unit_for(float(worst["recorded"].max()))
    names = [title_of("job", job, name, BESIDE) for job, name in worst[["job", "name"]].to_numpy()]
    plot = Plot("jobs that lost most", dark, barmode="stack", bargap=0.25)
    without, gone = ((worst[part] / unit.seconds).to_numpy(float) for part in ("without", "lost"))
    split(plot, names, without, gone, unit)
    longest = float(worst["recorded"].max()) / unit.seconds
    plot.axis("x", f"time from submission to end ({unit.sign})", linear_axis(longest))
    return figure(plot)


def alt_lost(lost: Lost) -> str:
    """Say in words what `draw` shows."""
    worst = lost.jobs.head(3)[["job", "name", "recorded", "lost"]]
    told = [
        f"{title_of('job', job, name)} lost {spell(gone)} of {spell(recorded)}"
        for job, name, recorded, gone in worst.itertuples(index=False)
    ]
    count = min(MOST_LOST, len(lost.jobs))
    return f"Bars of the {count} jobs that lost most time to stragglers: {listed(told)}."


def about_lost(lost: Lost) -> str:
    """Return what stands below the chart."""
    jobs = counted(min(MOST_LOST, len(lost.jobs)), "job")
    of = f" that lost most of {len(lost.jobs):,}" if len(lost.jobs) > MOST_LOST else ""
    return (
        f"Recorded time of the {jobs}{of}, and what it would be with every task at the median of its stage."
    )


# Originals and their second copies, and whether a copy of a slow task is slow, too.

#: Pairs drawn at most, those with the slowest originals.
MOST_PAIRS = 1_000


def draw_pairs(one: Speculation, dark: bool) -> go.Figure:
    """Draw the ratio of each second copy against that of its original; killed copies would have run on."""
    plot = Plot("pairs", dark)
    pairs = one.pairs.nlargest(MOST_PAIRS, "original")
    pairs = pairs[(pairs["original"] > 0) & (pairs["copy"] > 0)]
    for name, won, color, symbol in (
        ("copy won, original killed", pairs["copy_won"], plot.colors.series[2], "triangle-right"),
        ("original won, copy killed", ~pairs["copy_won"], plot.colors.series[1], "triangle-up"),
    ):
        if won.any():
            x, y = (pairs[part][won].to_numpy(float) for part in ("original", "copy"))
            hover = f"{name}<br>original %{{x:.3~r}}, copy %{{y:.3~r}} times the median"
            look = {"size": 7, "symbol": symbol}
            plot.dots(x, y, name, faded(color, 0.75), hover, marker=look)
    first, second = (pairs[one].to_numpy(float) for one in ("original", "copy"))
    across = log_axis(max(first.min(), 1e-3), max(first.max(), 2.0))
    upwards = log_axis(max(second.min(), 1e-3), max(first.max(), second.max(), 2.0))
    ends = 10 ** np.array([max(axis["range"][end] for axis in (across, upwards)) for end in (0, 1)])
    ink = faded(plot.colors.ink, 0.7)
    plot.line(ends, ends, "as slow as its original", ink, line=DOTTED | {"width": 1.5})
    plot.axis("x", "original ÷ median of its stage", across, zoom=True)
    plot.axis("y", "second copy ÷ median of its stage", upwards, zoom=True)
    return figure(plot)


def alt_pairs(one: Speculation) -> str:
    """Say in words what `draw` shows."""
    return (
        f"{counted(len(one.pairs), 'pair')} of an original and its second copy as ratios to the median of "
        f"their stage, on logarithmic axes; {counted(int(one.pairs['copy_won'].sum()), 'copy', 'copies')} "
        f"won. {about_kept(one)}"
    )


def about_kept(one: Speculation) -> str:
    """Say how much of the slowness of an original its copy shares."""
    if one.kept is None:
        return (
            f"Whether a copy is as slow as its original is not known: that takes {FEWEST_PAIRS} pairs, and "
            "some originals and copies that were not killed."
        )
    return (
        f"A copy shares {within(*one.kept, percent)} of its original's "
        "slowness: at 0 % it is as fast as others, at 100 % it is as slow."
    )


def about_pairs(one: Speculation) -> str:
    """Return what stands below the chart."""
    launched = ""
    if one.launched is not None:
        first, middle, last = (number(value) for value in one.launched)
        launched = (
            f" Copies were launched {middle} times the median after their originals (80 %: {first} to "
            f"{last})."
        )
    return f"{about_kept(one)}{launched} A killed copy would have gone on: upwards, or to the right."


# Slots over time, and how many of them copies held.

#: Stretches of time over which busy slots are averaged.
BINS = 240


def occupied(history: History) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of equal stretches of time (s), and the mean number of copies that ran in each."""
    first, last = history.limits
    edges = np.linspace(first, max(last, first + 1e-9), BINS + 1)
    copies = history.frame("copies").dropna(subset=["launch", "end"])
    busy = np.zeros(edges.size)  # slot-seconds before each edge
    for column, sign in (("launch", 1.0), ("end", -1.0)):
        times = np.sort(copies[column].to_numpy(float))
        before = np.searchsorted(times, edges)
        total = np.concatenate([[0.0], np.cumsum(times)])
        busy += sign * (before * edges - total[before])
    return edges, np.diff(busy) / np.diff(edges)


def busy_share(history: History) -> float | None:
    """Return the share of the slot-time that copies held; None if the log had no slots."""
    first, last = history.limits
    changes = history.frame("slots")
    times = np.append(changes["time"].to_numpy(float).clip(first, last), last)
    offered = float(np.diff(times) @ changes["slots"].to_numpy(float))
    edges, busy = occupied(history)
    return float(np.diff(edges) @ busy) / offered if offered > 0 else None


def draw_slots(history: History, dark: bool) -> go.Figure:
    """Draw the number of slots and the mean number that were busy, over time."""
    edges, busy = occupied(history)
    first, last = history.limits
    unit = unit_for(last - first)
    changes = history.frame("slots")
    times = np.append(np.maximum(changes["time"].to_numpy(float), first), last)
    slots = np.append(changes["slots"].to_numpy(float), changes["slots"].to_numpy(float)[-1:])
    if slots.size < times.size:  # nothing is known of slots
        times = times[:0]
    scale = 1 / unit.seconds
    plot = Plot("slots over time", dark)
    color = plot.colors.series[0]
    hover = f"%{{y:,}} slots from %{{x:.3~r}} {unit.sign}"
    look = {"shape": "hv", "width": 1.5}
    plot.line((times - first) * scale, slots, "slots", plot.colors.ink, hover, line=look)
    plot.line(
        (np.repeat(edges, 2)[1:-1] - first) * scale,
        np.repeat(busy, 2),
        "busy with copies",
        color,
        f"%{{y:.3~r}} busy at %{{x:.3~r}} {unit.sign}",
        line={"width": 1},
        fill="tozeroy",
        fillcolor=faded(color, 0.4),
    )
    plot.axis("x", f"time since the log begins ({unit.sign})", span(0, (last - first) * scale or 1))
    plot.axis("y", "slots", linear_axis(float(max(slots.max(initial=0), busy.max(initial=0)))))
    return figure(plot)


def alt_slots(history: History) -> str:
    """Say in words what `draw` shows."""
    most = max(history.slots["slots"].to_pylist(), default=0)
    _, busy = occupied(history)
    return (
        f"Slots and how many were busy over {spell(history.span)}: at most {most:,} slots, on average "
        f"{number(float(busy.mean()))} busy."
    )


def about_slots(history: History) -> str:
    """Return what stands below the chart."""
    edges, _ = occupied(history)
    most = max(history.slots["slots"].to_pylist(), default=0)
    held = busy_share(history)
    share = f"; copies held {percent(held)} of the slot-time" if held is not None else ""
    return (
        f"At most {most:,} slots ({FROM[history.slots_from]}){share}. Busy slots are means over "
        f"{spell(float(edges[1] - edges[0]))}."
    )


# How unequal the tasks of a stage are: the slowest task over the median, by share of the stages.

#: Shares of the stages at which the curve is worked out.
_SHARES = np.unique(np.concatenate([np.linspace(0, 1, 101), [0.99, 0.995]]))


#: Sizes of stages that are drawn apart, by the number of their tasks, and how many stages make a curve.
_SIZES = {"fewer than 100 tasks": (0, 100), "100 to 999 tasks": (100, 1000), "1,000 or more": (1000, np.inf)}
_STAGES = 10


def stages_by_size(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the stages of each size that has enough, if there are two such sizes (Dolly, Fig. 3)."""
    groups = {
        name: table[table["tasks"].ge(low) & table["tasks"].lt(high)] for name, (low, high) in _SIZES.items()
    }
    groups = {name: group for name, group in groups.items() if len(group) >= _STAGES}
    return groups if len(groups) > 1 else {}


def _slowest(table: pd.DataFrame, shares: np.ndarray | float) -> np.ndarray:
    """Return the ratios that these shares of the stages do not exceed, each job weighing alike."""
    weight = 1 / table.groupby("job")["stage"].transform("size").to_numpy(float)
    slowest = table["slowest"].to_numpy(float)
    return np.array([weighted_quantile(slowest, weight, share) for share in np.atleast_1d(shares)])


def draw_spread(spread: Spread, dark: bool) -> go.Figure:
    """Draw the share of stages whose slowest finished task took more than so many times the median."""
    plot, table = Plot("slowest against median", dark), spread.table
    ratios = _slowest(table, _SHARES)
    marks = np.array([spread.p50, spread.p90, spread.p99], float)
    first, second, *others = plot.colors.series
    hover = "%{y:.3~%} of the stages: more than %{x:.3~r} times the median"
    for (name, group), color in zip(stages_by_size(table).items(), others, strict=False):
        plot.line(_slowest(group, _SHARES), 1 - _SHARES, name, color, f"{name}<br>{hover}", line=DASHED)
    plot.line(ratios, 1 - _SHARES, "stages", first, hover)
    plot.dots(marks, [0.5, 0.1, 0.01], "half, a tenth, a hundredth of the stages", second, hover)
    plot.up(STRAGGLER, dash="dot")
    across = log_axis(1.0, max(float(ratios[-1]), 2.0))
    plot.axis("x", "slowest task ÷ median of its stage", across)
    plot.axis("y", "share of stages with more", shares())
    return figure(plot)


def alt_spread(spread: Spread) -> str:
    """Say in words what `draw` shows."""
    p50, p90, p99 = (number(value or 0.0) for value in (spread.p50, spread.p90, spread.p99))
    return (
        f"Share of {spread.stages:,} stages against the ratio of their slowest task to their median: half "
        f"are above {p50}, a tenth above {p90}, a hundredth above {p99}."
    )


def about_spread(spread: Spread) -> str:
    """Return what stands below the chart."""
    sizes = [
        f"{number(float(_slowest(group, 0.5)[0]))} in stages of {name}"
        for name, group in stages_by_size(spread.table).items()
    ]
    medians = f"The median is {listed(sizes)}. " if sizes else ""
    return (
        f"{spread.stages:,} stages with ten finished tasks or more, each job weighing alike. {medians}"
        f"Dotted: {STRAGGLER:g} times the median, from which a task is called a straggler: "
        f"{percent(spread.over_1_5 or 0.0)} of the copies."
    )


# The law of luck on logarithmic axes: the share of copies beyond so many medians, and the fit.

#: Points of a curve, and marks of killed copies, that are sent at most.
MOST_POINTS, MARKS = 400, 300
#: Lowest probability drawn.
LEAST = 1e-5


def draw_tail(luck: Luck, dark: bool) -> go.Figure:
    """Draw the survival of the ratios, the Pareto fit if there is one, and where copies were killed."""
    plot = Plot("law of luck", dark)
    first, second, third, *_ = plot.colors.series
    x, survival = _seen(luck)
    last = float(max(x[-1], 2.0))
    low = max(float(survival[survival > 0].min()), LEAST)
    hover = "%{y:.3~%} take more than %{x:.3~r} times the median"
    plot.line(x, survival, "copies (Kaplan–Meier)", first, hover, line={"shape": "hv"})
    if (tail := luck.tail) is not None:
        _fit(plot, tail, luck, last, second)
        plot.up(tail.x_min, dash="dot")
        where = {"y": 0, "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
        plot.note(f"tail from {number(tail.x_min)}", x=np.log10(tail.x_min), **where)
    _exponential(plot, luck, low, last)
    _killed(plot, luck, third)
    plot.axis("x", "duration ÷ median of its stage", log_axis(1.0, last), zoom=True)
    plot.axis("y", "share of copies that take more", log_axis(low, 1.0), zoom=True)
    return figure(plot)


def _seen(luck: Luck) -> tuple[np.ndarray, np.ndarray]:
    """Return the estimate above the median, thinned to as many points as a screen can show."""
    kept = (luck.x >= 1) & (luck.survival > LEAST)
    x, survival = luck.x[kept], luck.survival[kept]
    if not x.size:
        return np.array([1.0, 2.0]), np.array([0.5, 0.5])
    if x.size > MOST_POINTS:
        wanted = np.linspace(np.log(survival[0]), np.log(survival[-1]), MOST_POINTS)
        chosen = np.unique(np.searchsorted(-np.log(survival), -wanted).clip(0, x.size - 1))
        x, survival = x[chosen], survival[chosen]
    return x, survival


def survival_at(luck: Luck, ratios: np.ndarray) -> np.ndarray:
    """Return the estimated chance of at least each of some ratios."""
    place = np.searchsorted(luck.x, ratios, side="left")
    return np.concatenate([[1.0], luck.survival])[place]


def _fit(plot: Plot, tail: Tail, luck: Luck, last: float, color: str) -> None:
    """Draw the fitted law, which begins on the estimate, with the band of its index."""
    begin = float(survival_at(luck, np.array([tail.x_min]))[0])
    x = np.geomspace(tail.x_min, max(last, tail.x_min * 1.01), 40)
    fitted, light, heavy = (begin * (x / tail.x_min) ** -index for index in (tail.index, tail.high, tail.low))
    band: Part = {"type": "scatter", "mode": "lines", "line": {"width": 0}}
    band |= {"showlegend": False, "hoverinfo": "skip", "x": x}
    plot.traces += [
        band | {"y": light},
        band | {"y": heavy, "fill": "tonexty", "fillcolor": faded(color)},
    ]
    hover = "fit: %{y:.3~%} take more than %{x:.3~r} times the median"
    plot.line(x, fitted, f"Pareto, index {number(tail.index)}", color, hover, line=DASHED)


def _exponential(plot: Plot, luck: Luck, low: float, last: float) -> None:
    """Draw the exponential law that is likeliest above x_min, or above the median if there is no tail."""
    begin = luck.tail.x_min if luck.tail else 1.0
    above = luck.points[luck.points["ratio"] > begin]
    mean = float((above["ratio"] - begin).sum()) / max(int(above["complete"].sum()), 1)
    height = float(survival_at(luck, np.array([begin]))[0])
    if mean > 0 and height > low:
        last = min(last, begin + mean * np.log(height / low))
    x = np.linspace(begin, max(last, begin * 1.01), 60)
    survival = height * np.exp(-(x - begin) / mean) if mean > 0 else np.full(x.size, height)
    ink = faded(plot.colors.ink, 0.7)
    plot.line(x, survival, "exponential law", ink, line=DOTTED | {"width": 1.5})


def _killed(plot: Plot, luck: Luck, color: str) -> None:
    """Mark where copies were killed, which would have run longer."""
    points_of = luck.points
    killed = np.sort(points_of["ratio"][~points_of["complete"] & (points_of["ratio"] >= 1)].to_numpy(float))
    if not killed.size:
        return
    if killed.size > MARKS:
        killed = killed[np.linspace(0, killed.size - 1, MARKS).astype(int)]
    height = np.maximum(survival_at(luck, killed), LEAST)
    look = {"symbol": "line-ns-open", "size": 9, "line": {"width": 1.5, "color": color}}
    hover = "ended by force at %{x:.3~r} times the median"
    plot.dots(killed, height, "did not end: would have taken longer", color, hover, marker=look)


def alt_tail(luck: Luck) -> str:
    """Say in words what `draw` shows."""
    chances = survival_at(luck, np.array([1.5, 3.0]))
    return (
        f"Share of copies that take more than a ratio to the median, on logarithmic axes: "
        f"{percent(float(chances[0]))} more than 1.5, {percent(float(chances[1]))} more than 3. "
        f"{luck.verdict}"
    )


def about_tail(luck: Luck) -> str:
    """Return what stands below the chart: the fit with its range, its quality, and what fits as well."""
    if (tail := luck.tail) is None:
        return luck.verdict
    better = (
        f"A {tail.better} law fits better (5 % test): read the index as a slope within this range"
        if tail.better
        else "No alternative fits better (lognormal, exponential, truncated Pareto; 5 % tests)"
    )
    killed = (
        f" {tail.censored:,} of them did not end and count as longer; without them the index would be "
        f"{number(tail.naive)}."
        if tail.censored
        else ""
    )
    return (
        f"Pareto above {number(tail.x_min)} times the median: index {number(tail.index)}, 95 % interval "
        f"{number(tail.low)} to {number(tail.high)}, n = {tail.n:,} copies, Kolmogorov–Smirnov distance "
        f"{number(tail.ks, 2)}.{killed} {better}."
    )


LOST_BY_CAUSE = Chart("Time lost by cause", draw_causes, alt_causes, about_causes)
HOSTS = Chart("Hosts, the slowest first", draw_hosts, alt_hosts, about_hosts)
LOST = Chart("Jobs that lost most", draw_lost, alt_lost, about_lost)
PAIRS = Chart("Originals and their second copies", draw_pairs, alt_pairs, about_pairs)
SLOTS = Chart("Slots over time", draw_slots, alt_slots, about_slots)
SPREAD = Chart("Slowest task against the median of its stage", draw_spread, alt_spread, about_spread)
TAIL = Chart("Luck: how likely is a slow copy?", draw_tail, alt_tail, about_tail)
