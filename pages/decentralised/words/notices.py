"""What to notice on the Decentralised page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pages.decentralised.answer import Points
from pages.decentralised.question import Axis
from pages.decentralised.setting import CENTRAL, Setting
from pages.decentralised.words.cards import sign_of
from pages.shared.words.notice import too_few_jobs
from pages.shared.words.numbers import bold, bolds, number, percent, percent_unsigned, plain
from sim.paired import log_ratios
from sim.result import Comparison
from sim.statistics import Estimate, shares, student

MOST = 4


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
    """Say what the shorter flowtime costs in messages."""
    sent = {
        name: value
        for name in list(comparison.policies)[1:]
        for value in (comparison.policies[name].estimate("messages_per_task").value,)
        if value is not None
    }
    if len(sent) < 2:
        return
    most, least = (choose(sent, key=sent.__getitem__) for choose in (max, min))
    yield (
        f"Knowing more has a price: {bold(most)} sends {number(sent[most])} messages per task, "
        f"{number(sent[most] / sent[least], 2)} times as many as {bold(least)}."
    )


def _stale(comparison: Comparison) -> Iterator[str]:
    """Say how old the knowledge is on which workers act."""
    unit = comparison.scenario.time_unit
    for name in list(comparison.policies)[1:]:
        age = comparison.policies[name].estimate("staleness").value
        above = comparison.policies[name].estimate("overstatement").value
        if name.startswith("Hopper") and age is not None and above is not None:
            yield (
                f"Under {bold(name)} a worker acts on sizes that are {number(age)} {unit} old on average and "
                f"{percent(above)} too large: tasks have finished since."
            )
            return
