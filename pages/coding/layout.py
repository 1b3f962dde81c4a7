"""The layout of the Coding page, redrawn as loads finish and their answers get better."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pages.coding import words
from pages.coding.answer.loads import Step, see
from pages.coding.charts.cost import cost_alt, cost_chart
from pages.coding.charts.maps import learned_alt, learned_chart, step_alt, step_chart
from pages.coding.charts.response import response_alt, response_chart
from pages.coding.charts.rule import rule_alt, rule_chart
from pages.coding.question import Request
from pages.coding.words import answer, cards, notices
from pages.shared.app.placeholders import body_and_foot
from pages.shared.app.runs import made_once
from pages.shared.charts.on_page import Chart
from pages.shared.live.drawing import Drawing, Screen
from pages.shared.live.follow import Snapshots, follow, is_final
from pages.shared.live.layout import Layout
from sim.running.distribution import distribution, distribution_alt
from sim.running.live import Snapshot
from sim.telling.words import counted, percent, plain


def show(asked: Request, dark: bool, tail: bool) -> tuple[Step, Snapshots, Screen] | None:
    """Follow a question, draw every answer, and return the last one."""
    layout, last = Layout(), None
    body, foot = body_and_foot()
    for snapshots in follow(asked.requests, foot, partial(progress, asked)):
        key = repr(asked), *((one.done, one.preview) for one in snapshots)
        seen = made_once(("coding", *key), partial(see, asked, snapshots))
        shown = made_once(("coding", *key, dark, tail), partial(screen, seen, snapshots, dark, tail))
        with body:
            layout.show(shown)
        last = seen, snapshots, shown
    return last


def progress(asked: Request, snapshots: Snapshots) -> tuple[float, str]:
    """Return how much of all replications is done, and what is being simulated."""
    if is_final(snapshots, len(asked.loads)):
        return 1.0, rests_on(snapshots)
    parts = [1.0 if one.final else 0.0 if one.preview else one.done / one.most for one in snapshots]
    done = sum(one.final for one in snapshots)
    begun = asked.loads[min(len(snapshots), len(asked.loads) - 1)]
    text = f"{counted(done, 'load')} of {len(asked.loads)} known precisely; "
    return sum(parts) / len(asked.loads), f"{text}now ρ₀ = {plain(begun)}."


def screen(seen: Step, snapshots: Snapshots, dark: bool, tail: bool) -> Screen:
    """Return what is shown of an answer."""
    charts = drawings(seen, dark, tail)
    return Screen(cards(seen), charts, notices(seen), answer(seen))


RESPONSE = Chart(
    "What redundancy does",
    response_chart,
    response_alt,
    lambda seen: (
        f"Demand: tasks × task size. {words.about_theory(seen)} × queue grows, △ off the scale, "
        "ring: best d tried, grey: queue grows at the chosen ρ₀."
    ),
)
RULE = Chart(
    "Which jobs, at what load?",
    rule_chart,
    rule_alt,
    lambda seen: (
        f"Compared with no redundancy on the same jobs. {words.about_rule(seen)} Grey: ρ is 1 or more."
    ),
)
STEP = Chart("Redundant-small: one step, lower at higher loads", step_chart, step_alt, words.about_step)
LEARNED = Chart(
    lambda seen: f"What the network has learned for {at_load(seen)}",
    learned_chart,
    learned_alt,
    words.about_learned,
)
COST = Chart("What it costs", cost_chart, cost_alt, "Dashed: E[Cost] by theory, exact.")


def at_load(seen: Step) -> str:
    """Return the chosen load with its letter."""
    return f"ρ₀ = {plain(seen.chosen.load)}"


def drawings(seen: Step, dark: bool, tail: bool) -> list[Drawing]:
    """Draw the four charts, and after the first two the two maps where a learned policy is asked for."""
    look: dict[str, Any] = {"measure": "slowdown", "tail": tail}
    slowdowns: Chart[Step] = Chart(
        f"Slowdown of jobs at {at_load(seen)}",
        lambda seen, dark: distribution(seen.looked_at, dark, **look),
        lambda seen: distribution_alt(seen.looked_at, **look),
        "Time from arrival to end ÷ task size b.",
    )
    maps = [STEP, LEARNED] if seen.learned is not None else []
    return [Drawing.made(chart, seen, dark) for chart in (RESPONSE, RULE, *maps, slowdowns, COST)]


def rests_on(snapshots: Sequence[Snapshot]) -> str:
    """Say what the numbers rest on: loads, replications, jobs, seed and interval."""
    scenario = snapshots[0].comparison.scenario
    least, most = (pick(snapshot.done for snapshot in snapshots) for pick in (min, max))
    replications = counted(most, "replication") if least == most else f"{least} to {most} replications"
    previewed = any(snapshot.preview for snapshot in snapshots)
    jobs = "a part of the jobs so far" if previewed else f"{scenario.jobs:,} jobs"
    return (
        f"{counted(len(snapshots), 'offered load')}, {replications} of {jobs} each (the first "
        f"{percent(scenario.warm_up)} not counted), the same jobs for every d; seed {scenario.seed}, "
        "95 % intervals."
    )
