"""Charts of the Fleet page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pages.shared.charts.on_page import Chart, figure
from sim.advice.diagnosis import charts
from sim.advice.diagnosis.account import STATES
from sim.advice.fleet.charts import worst
from sim.advice.fleet.first_look import Look
from sim.advice.fleet.report import account
from sim.telling.plot import ROW, WIDTH, Plot, legend_rows
from sim.telling.scales import span
from sim.telling.words import clipped, counted, listed, percent, spell

# Where the time of a fleet went: a bar for all logs and one for each that lost most, state by state.

#: Share of the time of all logs, and of any one, below which a state is not drawn.
LEAST = 0.001
#: Pixels of the chart at least, of a row, and of all but rows and legend: a phone has a legend of more lines.
LOWEST, LANE, AROUND = 280, 22, 82


def draw_account(looks: Sequence[Look], dark: bool) -> go.Figure:
    """Draw the share of each state in the time of all logs, and in that of each of the worst."""
    shown, accounts = worst(looks), _accounts(looks)
    names = ["all logs", *(clipped(one.application) for one in shown)]
    legend = ROW * legend_rows([STATES[key].title for key in charts.occurring(accounts)], WIDTH)
    height = max(LOWEST, AROUND + legend + LANE * len(names))
    plot = Plot("account of a fleet", dark, height, barmode="stack", bargap=0.25)
    charts.stacked(plot, names, accounts, [100 / (sum(one.values()) or 1.0) for one in accounts])
    plot.axis("x", "share of the job time (%)", span(0, 100))
    return figure(plot)


def alt_account(looks: Sequence[Look]) -> str:
    """Say in words what `draw` shows."""
    shown, (whole, *each) = worst(looks), _accounts(looks)
    told = []
    for key, seconds in whole.items():
        most = max(_share(one, key) for one in each)
        share = percent(seconds / sum(whole.values()))
        told.append(f"{STATES[key].title} {share} (at most {percent(most)} in one)")
    return (
        f"Where {spell(sum(whole.values()))} of all logs went, and the time of the "
        f"{counted(len(shown), 'log')} that lost most: {listed(told)}."
    )


def _accounts(looks: Sequence[Look]) -> list[dict[str, float]]:
    """Return the time of all logs and of each of the worst, state by state, without what nobody could see."""
    found = [account(looks), *(one.account for one in worst(looks))]
    seen = {key for key in found[0] if max(_share(one, key) for one in found) >= LEAST}
    return [{key: seconds for key, seconds in one.items() if key in seen} for one in found]


def _share(account: Mapping[str, float], key: str) -> float:
    return account.get(key, 0.0) / (sum(account.values()) or 1.0)


def about_account(looks: Sequence[Look]) -> str:
    """Return what stands below the chart."""
    return charts.explained(account(looks))


ACCOUNT = Chart("Where the time went", draw_account, alt_account, about_account)
