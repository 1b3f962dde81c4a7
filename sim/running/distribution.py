"""The distribution of a measure over jobs: its CDF, or its tail on logarithmic axes; dots for a handful.

A curve is drawn through quantiles: at each share of the jobs, the mean of the replications' quantiles
with the 95 % interval of that mean, so that bands lie sideways. Where an interval would not keep its promise
there is no band. Where unfinished jobs censor a quantile away, or a replication has too few jobs to tell it,
the curve ends. Policies that did the same share a curve.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.model.result import FEW, LEVELS, Comparison, PolicyResult, Sample
from sim.telling.figure import figure
from sim.telling.palette import faded
from sim.telling.plot import DASHES, LINE, WIDTH, Part, Plot, lying_on
from sim.telling.scales import linear_axis, log_axis, named_ticks
from sim.telling.words import counted, in_percent, listed, number, percent, plain, spread

if TYPE_CHECKING:
    from sim.telling.figure import Figure


# Policies that did the same in every replication: they are one line of a chart, with one label.


def together(comparison: Comparison) -> dict[str, list[str]]:
    """Return the policies that did the same as each, by the first of them, itself included.

    They did the same if the distributions of every measure, the slots over time and those that jobs held
    are equal in every replication.
    """
    groups: dict[str, list[str]] = {}
    for name, result in comparison.policies.items():
        first = next((one for one in groups if _same(comparison.policies[one], result)), name)
        groups.setdefault(first, []).append(name)
    return groups


def labels(comparison: Comparison) -> dict[str, str]:
    """Return what each line of a chart is called, by its first policy."""
    return {first: equal(names) for first, names in together(comparison).items()}


def equal(names: list[str]) -> str:
    """Return the label of policies that did the same.

    Examples
    --------
    >>> equal(["Fair shares + LATE", "Fair shares + no copies"]), equal(["Hopper", "SRPT + LATE"])
    ('Fair shares + LATE = no copies', 'Hopper = SRPT + LATE')
    """
    first, *others = names
    turn, _, copied = first.partition(" + ")
    return " = ".join([first, *(one.removeprefix(f"{turn} + ") if copied else one for one in others)])


def _same(one: PolicyResult, other: PolicyResult) -> bool:
    return all(_alike(*pair) for pair in zip(one.samples, other.samples, strict=True))


def _alike(one: Sample, other: Sample) -> bool:
    if one.values != other.values:
        return False
    pairs = [(one.curves[name], other.curves[name]) for name in one.curves]
    pairs += [(one.single[name], other.single[name]) for name in one.single]
    pairs += [(one.series, other.series), (one.holding, other.holding)]
    return all(np.array_equal(*pair, equal_nan=True) for pair in pairs)


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is spoken of: its name, what a job does with at most that much of it, its unit."""

    title: str
    verb: str
    unit: str


MEASURES = {
    "flowtime": Measure("flowtime, arrival to finish", "finish within", "{time}"),
    "resource": Measure("slot-time of all copies of a job", "use at most", "slot·{time}"),
    "slowdown": Measure("slowdown, arrival to finish", "finish within", "× ideal"),
}
#: The CDF is shown up to this share of the jobs; the tail has a view of its own.
MOST = 0.995
#: Shares that are read out.
READ = (0.5, 0.95)
#: Numbers of curves in words.
COUNTS = {2: "two", 3: "three", 4: "four", 5: "five"}
#: Caption of a chart of dots.
DOTS = f"A dot is a job of a replication: fewer than {FEW} jobs have no distribution to draw."
#: Labelled shares, in percent.
TICKS = (0, 25, 50, 75, 95)


@dataclass(frozen=True, slots=True)
class Curve:
    """The known part of one policy's distribution: quantiles `x` at `levels`, half widths (NaN: none)."""

    x: np.ndarray
    half: np.ndarray
    levels: np.ndarray

    def at(self, level: float) -> tuple[float, float] | None:
        """Return the quantile at a level with its half width, None where it is not known."""
        near = np.flatnonzero(np.isclose(self.levels, level, atol=1e-9))
        return (float(self.x[near[0]]), float(self.half[near[0]])) if near.size else None

    def up_to(self, most: float) -> Curve:
        """Return the part up to the share `most` of the jobs."""
        kept = self.levels <= most
        return Curve(self.x[kept], self.half[kept], self.levels[kept])


def curve(result: PolicyResult, measure: str) -> Curve:
    """Return what is known of a policy's distribution."""
    x, half = result.curve(measure)
    known = np.isfinite(x) & (x > 0)
    return Curve(x[known], half[known], LEVELS[known])


def distribution(
    comparison: Comparison,
    dark: bool = False,
    *,
    measure: str = "flowtime",
    tail: bool = False,
    log: bool = True,
    height: float = 340,
    wide: float = WIDTH,
) -> Figure:
    """Draw the distribution of a measure over jobs, one curve a policy.

    Parameters
    ----------
    comparison : Comparison
    dark : bool
        Whether the reader's theme is the dark one.
    measure : str
        'flowtime', 'resource' or, where the engine keeps its distribution, 'slowdown'.
    tail : bool
        The share of jobs that need more, with both axes logarithmic, instead of the share that need less.
    log : bool
        A logarithmic x axis for the CDF.
    height, wide : float
        As of `Plot`.
    """
    about = MEASURES[measure]
    unit = about.unit.format(time=comparison.scenario.time_unit)
    if few(comparison):
        return dots(comparison, dark, measure, about.title, unit, height, wide)
    called = labels(comparison)
    whole = {name: curve(comparison.policies[name], measure) for name in called}
    shown = whole if tail else {name: one.up_to(MOST) for name, one in whole.items()}
    across = _across(list(shown.values()), log=log or tail)
    left = 10 ** across["range"][0] if across["type"] == "log" else 0.0
    lying, hover = _lying(shown, across), _hover(about, unit, tail)
    kind = "tail" if tail else "body"
    plot = Plot(f"distribution of {measure}, {kind}", dark, height, wide=wide, showlegend=True)
    colors = plot.colors.of(comparison.policies)
    for name, label in called.items():
        one, color, group = shown[name], colors[name], {"legendgroup": name}
        share = 100 * (1 - one.levels if tail else one.levels)  # in percent: fewer letters
        sure = np.isfinite(one.half)
        if sure.any():  # the band, no farther left than the axis goes
            x, half = one.x[sure], one.half[sure]
            ends = np.concatenate([np.maximum(x - half, left), (x + half)[::-1]])
            both = np.concatenate([share[sure], share[sure][::-1]])
            plot.area(ends, both, f"{label}, 95 % band", faded(color), **group)
        dash = {"dash": DASHES[len(lying[name])]}
        told = [f" ± {number(half, 2)}" if math.isfinite(half) else "" for half in one.half.tolist()]
        plot.line(one.x, share, label, color, hover, line=dash, text=told, **group)
        unfinished = comparison.policies[name].unfinished
        if unfinished and whole[name].x.size == one.x.size > 0:
            plot.dots(
                [float(one.x[-1])],
                [float(share[-1])],
                f"{label}, unfinished jobs",
                color,
                f"<b>{label}</b><br>the curve ends here: {counted(unfinished, 'job')} unfinished",
                showlegend=False,
                cliponaxis=False,
                marker={"symbol": "circle-open", "size": 9, "line": {"width": LINE}},
                **group,
            )
    if not tail:
        plot.read_across("by" if measure == "flowtime" else "up to", unit, "%", first="0 %", last=True)
    plot.axis("x", f"{about.title} ({unit})", across, zoom=True)
    if tail:
        plot.axis("y", "share of jobs that need more", _tail_axis(list(shown.values())), zoom=True)
    else:
        ticks = named_ticks(TICKS, [f"{tick} %" for tick in TICKS])
        plot.axis("y", "share of jobs", ticks, range=[0, 100], zoom=True)
    return figure(plot)


def _across(curves: list[Curve], *, log: bool) -> Part:
    """Return the axis on which all curves have room."""
    ends = [float(x) for one in curves for x in (*one.x[:1], *one.x[-1:])] or [1.0, 10.0]
    return log_axis(min(ends), max(ends)) if log else linear_axis(max(ends))


def _lying(curves: Mapping[str, Curve], across: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return on which curves before it each lies."""
    low, high = across["range"]
    log = across["type"] == "log"
    return lying_on(
        {name: (np.log10(one.x) if log else one.x) / (high - low) for name, one in curves.items()}
    )


def told_alike(comparison: Comparison, *, measure: str = "flowtime", tail: bool = False) -> str:
    """Say which curves lie on each other although their policies differ; empty if none do."""
    if few(comparison):
        return ""
    called = labels(comparison)
    whole = {name: curve(comparison.policies[name], measure) for name in called}
    shown = whole if tail else {name: one.up_to(MOST) for name, one in whole.items()}
    lying = _lying(shown, _across(list(shown.values()), log=True))
    groups: dict[str, list[str]] = {}
    for name, others in lying.items():
        groups.setdefault(next((one for one in groups if one in others), name), []).append(called[name])
    return " ".join(_coincide(names) for names in groups.values() if len(names) > 1)


def _coincide(names: list[str]) -> str:
    """Say that curves lie on each other.

    Examples
    --------
    >>> _coincide(["Fair", "SRPT"]), _coincide(["A", "B", "C"])
    ('These two coincide: Fair and SRPT.', 'These three coincide: A, B and C.')
    """
    return f"These {COUNTS.get(len(names), len(names))} coincide: {listed(names)}."


def _hover(about: Measure, unit: str, tail: bool) -> str:
    """Return how a point of a curve is told."""
    value = f"%{{x:,.3~r}}%{{text}} {unit}"
    told = f"need more than {value}" if tail else f"{about.verb} {value}"
    return "<b>%{fullData.name}</b><br>%{y:.3~f} % of the jobs " + told


def _tail_axis(curves: list[Curve]) -> Part:
    """Return the axis of the share of jobs that need more, by powers of ten, to the next half of one."""
    least = min((1 - one.levels[-1] for one in curves if one.levels.size), default=0.01)
    decades = float(np.ceil(-2 * np.log10(least) - 1e-9)) / 2
    ticks = [100 * 10.0**-k for k in range(int(decades) + 1)]
    log = {"type": "log", "range": [2 - decades, 2]}
    return log | named_ticks(ticks, [f"{plain(tick)} %" for tick in ticks])


def distribution_alt(comparison: Comparison, *, measure: str = "flowtime", tail: bool = False) -> str:
    """Say in words what `distribution` shows, with its numbers."""
    about = MEASURES[measure]
    unit = about.unit.format(time=comparison.scenario.time_unit)
    if few(comparison):
        return dots_alt(comparison, measure, about.title, unit)
    kind = "Share of jobs that need more, on logarithmic axes," if tail else "Cumulative share of jobs"
    told = []
    for name, result in comparison.policies.items():
        shown = curve(result, measure)
        points = ((level, shown.at(level)) for level in ((*READ, 0.99) if tail else READ))
        parts = [
            f"{in_percent(level)} {about.verb} {spread(*point)} {unit}"
            if point
            else f"what {in_percent(level)} need is not known"
            for level, point in points
        ]
        told.append(f"{name}: {listed(parts)}.")
    return f"{kind} against {about.title}, in {unit}. {' '.join(told)}"


def ends_early(comparison: Comparison, measure: str = "flowtime") -> str:
    """Say which curves end early because jobs are unfinished, or that jobs are dots; empty if neither.

    Every curve ends where few jobs are left in a replication; only unfinished jobs are worth a remark.
    """
    if few(comparison):
        return DOTS
    parts = []
    for name, result in comparison.policies.items():
        if result.unfinished:
            last = curve(result, measure).levels[-1:]
            where = f"at {percent(float(last[0]))} of the jobs" if last.size else "before its first point"
            parts.append(f"{name} {where} ({result.unfinished:,} unfinished)")
    told = "Curves end early where jobs are unfinished (Kaplan–Meier)"
    return f"{told}: {listed(parts)}." if parts else ""


def few(comparison: Comparison) -> bool:
    """Return whether the replications have so few jobs that each is a dot."""
    return all(result.single("flowtime") is not None for result in comparison.policies.values())


def dots(
    comparison: Comparison, dark: bool, measure: str, title: str, unit: str, height: float, wide: float
) -> Figure:
    """Draw a measure of the jobs of all replications, the first policy in the highest row."""
    found = dict(_dotted(comparison, measure))
    ends = [end for one in found.values() if one.size for end in (one.min(), one.max())] or [1.0, 10.0]
    plot = Plot(f"distribution of {measure}, dots", dark, height, wide=wide, showlegend=True)
    for row, (name, color) in enumerate(plot.colors.of(found).items()):
        one, edge = found[name], {"size": 9, "line": {"color": color, "width": 1}}
        hover = f"<b>%{{fullData.name}}</b><br>a job: %{{x:,.3~r}} {unit}"
        plot.dots(one, np.full(one.size, -float(row)), name, faded(color, 0.6), hover, marker=edge)
    plot.axis("x", f"{title} ({unit})", log_axis(min(ends), max(ends)), zoom=True)
    plot.axis("y", scale={"visible": False, "range": [0.5 - len(found), 0.5]}, zoom=True)
    return figure(plot)


def dots_alt(comparison: Comparison, measure: str, title: str, unit: str) -> str:
    """Say in words what `dots` shows, with its numbers."""
    told = [
        f"{name}: {counted(one.size, 'job')} from {number(one.min())} to {number(one.max())} {unit}, "
        f"median {number(float(np.median(one)))} {unit}."
        if one.size
        else f"{name}: no job is done."
        for name, one in _dotted(comparison, measure)
    ]
    return f"A dot for each job by {title}, in {unit}. {' '.join(told)}"


def _dotted(comparison: Comparison, measure: str) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the values of each policy above 0, which have a place on the axis."""
    for name, result in comparison.policies.items():
        one = result.single(measure)
        assert one is not None
        yield name, one[one > 0]
