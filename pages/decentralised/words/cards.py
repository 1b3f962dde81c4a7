"""The numbers of the Decentralised page: its cards, the cost of asking, and the curves as a table."""

from __future__ import annotations

import pandas as pd

from pages.decentralised.answer import Points
from pages.decentralised.charts.curves import STATISTICS
from pages.decentralised.question import Axis
from pages.decentralised.setting import CENTRAL
from pages.shared.live.cards import DOTS, Card, judged
from pages.shared.words.numbers import changed, headline, measured
from pages.shared.words.winner import are_stable
from sim.result import Comparison
from sim.statistics import Estimate

UNKNOWN = "–"
#: Statistics of the flowtime, as a card has room for: it stands beside the flowtime with its interval.
BRIEF = {"mean": "mean", "p50": "median", "p95": "p95"}


def cards_of(comparison: Comparison, statistic: str) -> list[Card]:
    """Return the card of each policy: how many times as long as the centralised one it takes."""
    return [
        _card(comparison, name, DOTS[place % len(DOTS)], statistic)
        for place, name in enumerate(comparison.policies)
    ]


def _card(comparison: Comparison, name: str, dot: str, statistic: str) -> Card:
    result, unit = comparison.policies[name], comparison.scenario.time_unit
    code = result.policy.text
    unstable = result.unstable(comparison.scenario.slots)
    flowtime = measured(result.estimate("flowtime", statistic), unit)
    if name == CENTRAL:
        value = headline(result.estimate("flowtime", statistic), unit)
        told = (f"{BRIEF[statistic]} {flowtime}",)
        return Card(name, value, "the reference", "gray", "off", dot, told, unstable, code=code)
    ratio = comparison.ratio(name, "flowtime", statistic)
    messages = f"{headline(result.estimate('messages_per_task'))} messages per task"
    details = (f"{BRIEF[statistic]} {flowtime}",)
    if ratio.value is None:
        return Card(name, "unknown", "unfinished jobs", "gray", "off", dot, details, unstable, messages, code)
    if not are_stable(comparison, name, CENTRAL):
        grows = "its queue grows" if unstable else "unstable reference"
        return Card(name, "no ratio", grows, "gray", "off", dot, details, unstable, messages, code)
    color, arrow = judged(sign_of(ratio))
    return Card(
        name, headline(ratio, "×"), changed(loss(ratio)), color, arrow, dot, details, unstable, messages, code
    )


def loss(ratio: Estimate) -> Estimate:
    """Return by what share a ratio lies above 1."""
    value, low, high = (None if x is None else x - 1 for x in (ratio.value, ratio.low, ratio.high))
    return Estimate(value, low, high, reliable=ratio.reliable)


def sign_of(ratio: Estimate) -> int:
    """-1 or 1 where the interval of the ratio excludes 1, else 0: nothing can be told."""
    return loss(ratio).sign


#: What it costs to ask: key of the measure, its heading, factor, whether it is in the unit of time.
COSTS = (
    ("messages_per_task", "messages per task", 1, False),
    ("refusals_per_decision", "refusals per decision", 1, False),
    ("queue_length", "reservations in a queue", 1, False),
    ("staleness", "age of the sizes used", 1, True),
    ("overstatement", "sizes too large by (%)", 100, False),
    ("handover", "slot free to task started", 1, True),
    ("utilisation", "busy slots (%)", 100, False),
)


def costs(comparison: Comparison) -> pd.DataFrame:
    """Return what each policy needs to be told, one row a policy, with intervals."""
    unit = comparison.scenario.time_unit
    rows = {}
    for name, result in comparison.policies.items():
        row = {}
        for key, title, scale, is_time in COSTS:
            estimate = result.estimate(key)
            told = UNKNOWN if estimate.value is None else measured(estimate, scale=scale)
            row[f"{title} ({unit})" if is_time else title] = told
        rows[name] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("policy")


def table(points: Points, axis: Axis) -> pd.DataFrame:
    """Return the points of a curve as rows for download: value, policy, statistic, ratio and messages."""
    rows = [
        {
            "control": axis.field, "value": value, "policy": result.policy.text, "statistic": statistic,
            "ratio_to_central": ratio.value, "low": ratio.low, "high": ratio.high,
            "messages_per_task": result.estimate("messages_per_task").value,
            "replications": comparison.replications,
        }
        for value, comparison in sorted(points.items())
        for name, result in list(comparison.policies.items())[1:]
        for statistic in STATISTICS
        for ratio in (comparison.ratio(name, "flowtime", statistic),)
    ]  # fmt: skip
    return pd.DataFrame(rows)
