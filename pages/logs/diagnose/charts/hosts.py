"""The hosts ranked by how much longer a copy takes on each."""

from __future__ import annotations

import plotly.graph_objects as go

from pages.shared.charts.chart import figure
from pages.shared.words.foreign import literal
from sim.advice.diagnosis.findings import SLOW, slowest
from sim.advice.diagnosis.shares import Shares
from sim.telling.plot import Plot, around, in_chart, rows
from sim.telling.scales import span
from sim.telling.words import clipped, listed, number, percent, within

TITLE = "Hosts, the slowest first"
#: Hosts shown.
MOST = 15


def draw(shares: Shares, dark: bool) -> go.Figure:
    """Draw how much longer a copy takes on each host than on the median host."""
    plot, hosts = Plot("hosts", dark), shares.hosts.head(MOST)
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


def alt(shares: Shares) -> str:
    """Say in words what `draw` shows."""
    slowest = [
        f"{clipped(host)} takes {number(factor)} times as long (95 %: {number(low)} to {number(high)})"
        for host, _, factor, low, high in shares.hosts.head(3).itertuples(index=False)
    ]
    return f"The {min(MOST, len(shares.hosts))} slowest hosts against the median host: {listed(slowest)}."


def about(shares: Shares) -> str:
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
