"""Texts of the Decentralised page: cards and tables, what to notice, what the paper reports."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import pandas as pd

from pages.decentralised.charts import STATISTICS
from pages.decentralised.question import CENTRAL, Axis, Points, Setting
from pages.shared.live.cards import DOTS, Card, judged
from pages.shared.words.foreign import bold, bolds
from pages.shared.words.lead import FLOWTIME, are_stable, is_stable, why_unknown
from pages.shared.words.notice import too_few_jobs
from sim.model.result import Comparison, log_ratios
from sim.model.statistics import Estimate, shares, student
from sim.papers import chosen
from sim.papers.claim import typeset
from sim.papers.record import recorded
from sim.telling.words import (
    changed,
    fixed,
    headline,
    listed,
    measured,
    number,
    percent,
    percent_unsigned,
    plain,
)

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
            "control": axis.field,
            "value": value,
            "policy": result.policy.text,
            "statistic": statistic,
            "ratio_to_central": ratio.value,
            "low": ratio.low,
            "high": ratio.high,
            "messages_per_task": result.estimate("messages_per_task").value,
            "replications": comparison.replications,
        }
        for value, comparison in sorted(points.items())
        for name, result in list(comparison.policies.items())[1:]
        for statistic in STATISTICS
        for ratio in (comparison.ratio(name, "flowtime", statistic),)
    ]
    return pd.DataFrame(rows)


def losses(comparison: Comparison, statistic: str) -> str:
    """Return in a sentence or two what each policy loses against Central; what it sends is on its card.

    Parameters
    ----------
    comparison : Comparison
        Its policies called as on the screen.
    statistic : str
        Of the flowtime: 'mean', 'p50' or 'p95'.
    """
    stable = [name for name in list(comparison.policies)[1:] if are_stable(comparison, name, CENTRAL)]
    told = _losses(comparison, stable, statistic) if stable else []
    if growing := [name for name in comparison.policies if not is_stable(comparison, name)]:
        there = " there" if stable else ""
        told.append(
            f"Under {bolds(growing)} the queue grew, so no loss is stated{there}: choose a lower load."
        )
    return " ".join(told)


def _losses(comparison: Comparison, stable: list[str], statistic: str) -> list[str]:
    """Return the sentences on the policies under which no queue grew."""
    if comparison.replications == 1:
        return ["One replication gives no interval: any ratio may be luck."]
    ratios = {name: comparison.ratio(name, "flowtime", statistic) for name in stable}
    known = {name: one for name, one in ratios.items() if one.value is not None}
    if not known:
        return ["Too many jobs are unfinished to compare the policies; take another statistic or less load."]
    return [*_sure(comparison, known, statistic), *_unsure(comparison, known, statistic)]


def _sure(comparison: Comparison, known: dict[str, Estimate], statistic: str) -> list[str]:
    """Return the largest sure loss in a sentence, and the others in another."""
    surely = sorted((-abs(math.log(one.value or 1)), name) for name, one in known.items() if sign_of(one))
    if not surely:
        return []
    (_, most), *others = surely
    what = "95th percentile" if statistic == "p95" else FLOWTIME[statistic]
    than = f"than under {bold(CENTRAL)}, which knows everything"
    first = f"{bold(most)}: the {what} is {_loss(known[most])} {than}."
    rest = [f"{_loss(known[name])} under {bold(name)}" for _, name in others]
    return [first, *([f"It is {listed(rest)}."] if rest else [])]


def _loss(ratio: Estimate) -> str:
    return f"{percent_unsigned(loss(ratio))} {'longer' if sign_of(ratio) > 0 else 'shorter'}"


def _unsure(comparison: Comparison, known: dict[str, Estimate], statistic: str) -> list[str]:
    unsure = [name for name, one in known.items() if not sign_of(one)]
    if not unsure:
        return []
    if all(known[name].reliable for name in unsure):
        return [f"For {bolds(unsure)} the loss is not sure after {comparison.replications} replications."]
    return [f"For {bolds(unsure)} no loss is stated: {why_unknown(comparison.scenario, statistic)}."]


MOST = 4
#: From this ratio on, one policy is told to send more messages than another: 1.1 when rounded.
CLEARLY_MORE = 1.05


def phases_told(setting: Setting) -> str:
    """Return in a sentence what the phases of the jobs are like; empty if they have one.

    Examples
    --------
    >>> phases_told(Setting(phases=3, transfer=0.5))
    'Jobs have 3 phases in a chain; an output takes 0.5 × its task’s size to reach the next phase.'
    """
    if setting.phases == 1:
        return ""
    count = f"1 to {setting.phases}" if setting.phases_law == "uniform" else plain(setting.phases)
    form = "in a chain" if setting.shape == "chain" else "in a tree"
    mean = "" if setting.transfer_law == "constant" else " on average"
    told = (
        f"Jobs have {count} phases {form}; an output takes {plain(setting.transfer)} × its task’s size{mean} "
    )
    told += "to reach the next phase"
    if setting.barrier > 0:
        told += f", which waits for {percent(setting.barrier)} of each input"
    return told + "."


def notices(
    comparison: Comparison, points: Points, axis: Axis, setting: Setting, statistic: str
) -> list[str]:
    """Return two to four remarks in Markdown, the most important first; each is true of these numbers.

    Parameters
    ----------
    comparison : Comparison
        Of the chosen setting, its policies called as on the screen.
    points : mapping
        Along the probes per task, as far as they are known.
    axis : Axis
        That of the probes.
    setting : Setting
    statistic : str
        Of the flowtime.
    """
    return list(islice(_remarks(comparison, points, axis, setting, statistic), MOST))


def _remarks(
    comparison: Comparison, points: Points, axis: Axis, setting: Setting, statistic: str
) -> Iterator[str]:
    yield from _overload(comparison)
    yield from _weighted(comparison, statistic)
    yield from _flat(points, axis, setting, statistic)
    yield from _messages(comparison)
    yield from _stale(comparison)
    yield from too_few_jobs(comparison.scenario)


def _overload(comparison: Comparison) -> Iterator[str]:
    growing = [name for name, one in comparison.policies.items() if one.unstable(comparison.scenario.slots)]
    if growing:
        yield (
            f"Under {bolds(growing)} the queue grew through the whole run: a longer run would show longer "
            "flowtimes, and another ratio."
        )


def _weighted(comparison: Comparison, statistic: str) -> Iterator[str]:
    """Say how less knowledge can be faster: central's targets are not the fastest where jobs have phases."""
    faster = [
        name
        for name in list(comparison.policies)[1:]
        if sign_of(comparison.ratio(name, "flowtime", statistic)) < 0
    ]
    if faster and comparison.scenario.phases > 1:
        yield (
            f"Under {bolds(faster)} jobs take less time than under {bold(CENTRAL)}, which knows more: where "
            "they have phases it follows Hopper’s DAG weights exactly, and these are not the fastest."
        )


def _flat(points: Points, axis: Axis, setting: Setting, statistic: str) -> Iterator[str]:
    """Say from how many probes on Hopper gains no more, once all points are there."""
    hoppers = [name for name in setting.policies if name.startswith("Hopper")]
    tried = [value for value in axis.tried(setting) if value in points]
    if not hoppers or len(tried) < len(axis.tried(setting)):
        return
    name = hoppers[0]
    first, last = tried[0], tried[-1]
    gain = _change_along(points, name, first, last, statistic)
    if gain.value is None or gain.low is None:
        return
    if not gain.sign:
        yield (
            f"The number of probes matters little here: between d = {plain(first)} and d = {plain(last)} "
            f"{bold(name)} shows no sure difference."
        )
        return
    enough = next(
        value
        for value in tried
        if value == last or not _change_along(points, name, value, last, statistic).sign
    )
    helps, change = ("help", "less") if gain.sign < 0 else ("hurt", "more")
    told = (
        f"More probes {helps}: under {bold(name)} jobs take {percent_unsigned(gain)} {change} time with d = "
    )
    told += f"{plain(last)} than with d = {plain(first)}, each compared with {bold(CENTRAL)}."
    if enough != last and gain.sign < 0:
        told += f" From d = {plain(enough)} on no further gain is sure."
    yield told


def _change_along(points: Points, name: str, start: float, end: float, statistic: str) -> Estimate:
    """Return by what share the ratio changes from one value to another: paired, on the same jobs and luck."""
    pairs = [(name, CENTRAL)]
    before, after = (log_ratios(points[at], pairs, "flowtime", statistic) for at in (start, end))
    if before is None or after is None or len(before) != len(after):
        return Estimate(None)
    reliable = all(points[value].knows(name, CENTRAL, "flowtime", statistic) for value in (start, end))
    return shares(student([b - a for a, b in zip(before, after, strict=True)], reliable=reliable))


def _messages(comparison: Comparison) -> Iterator[str]:
    """Say who sends the most messages; it is the price of knowing more if that is Hopper."""
    sent = {
        name: value
        for name in list(comparison.policies)[1:]
        for value in (comparison.policies[name].estimate("messages_per_task").value,)
        if value is not None
    }
    if len(sent) < 2:
        return
    most, least = (choose(sent, key=sent.__getitem__) for choose in (max, min))
    if sent[most] < CLEARLY_MORE * sent[least]:
        return
    price = "Knowing more has a price: " if most.startswith("Hopper") else ""
    yield (
        f"{price}{bold(most)} sends {number(sent[most])} messages per task, "
        f"{number(sent[most] / sent[least], 2)} times as many as {bold(least)}."
    )


def _stale(comparison: Comparison) -> Iterator[str]:
    """Say how old the knowledge is on which workers act."""
    unit = comparison.scenario.time_unit
    for name in list(comparison.policies)[1:]:
        age = comparison.policies[name].estimate("staleness").value
        above = comparison.policies[name].estimate("overstatement").value
        if name.startswith("Hopper") and age is not None and above is not None:
            larger = f" and {percent(above)} too large: tasks have finished since" if above > 0 else ""
            old = f"{number(age)} {unit} old on average{larger}"
            yield f"Under {bold(name)} a worker acts on sizes that are {old}."
            return


#: Claims about decentralised schedulers, and how the shell repeats them.
CLAIMS = "hopper-fig5a", "hopper-fig5b"
#: Claims of which every other choice was tried, and what they measure.
TRIED = {
    "hopper-fig5a-four-probes": "Hopper, d = 4",
    "hopper-fig5a-plateau": "its fall to d = 10",
    "hopper-fig5a-sparrow": "Sparrow + LATE, d = 2",
}
SHELL = "python -m sim reproduce " + " ".join(CLAIMS)


def reported() -> Iterator[str]:
    """Yield each claim in Markdown: what is reported, what was found at the paper's scale, and why."""
    outcomes = recorded()
    for claim in chosen(list(CLAIMS)):
        said = f"{claim.statement} *Reported: {plain(claim.reported)} {claim.unit}.*"
        told = f"**{claim.place}.** {typeset(said)} "
        found = outcomes.get(claim.key)
        if found is None:
            yield told + "Not computed yet."
            continue
        ours = measured(Estimate(found["value"], found["low"], found["high"]))
        yield told + f"**Ours: {ours}, {found['verdict']}.** {typeset(found['reason'])}"


def _rounded(estimate: Estimate) -> str:
    """Return a ratio in hundredths: some are known much better than they matter."""
    return f"{fixed(estimate.value or 0.0, 2)} ± {fixed(estimate.half, 2)}"


def dependence() -> pd.DataFrame:
    """Return the ratios to central under each choice that the paper leaves open, one row a choice."""
    outcomes = recorded()
    columns = {
        title: {
            typeset(choice): _rounded(Estimate(found["value"], found["low"], found["high"]))
            for choice, found in outcomes[key]["choices"].items()
        }
        for key, title in TRIED.items()
        if key in outcomes
    }
    return pd.DataFrame(columns).rename_axis("choice")
