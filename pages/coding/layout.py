"""The layout of the Coding page, redrawn as loads finish and their answers get better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import sim
from pages.coding import words
from pages.coding.charts import (
    cost_alt,
    cost_chart,
    learned_alt,
    learned_chart,
    response_alt,
    response_chart,
    rule_alt,
    rule_chart,
    spelled,
    step_alt,
    step_chart,
)
from pages.coding.question import EFFORT, Beside, Request, Step, Sweep, see
from pages.coding.words import answer, cards, notices
from pages.frame.foot import show_link
from pages.shared.app.turns import body_and_foot, made_once
from pages.shared.charts.on_page import Chart
from pages.shared.controls.control import drawer
from pages.shared.live.cards import Drawing, Layout, Screen, without_band
from pages.shared.live.follow import Snapshots, follow, is_final
from pages.shared.words.tables import SHARE, charts_page, downloads, json_text
from sim.model.result import PolicyResult
from sim.running.distribution import distribution, distribution_alt
from sim.running.experiment import Experiment
from sim.running.gang_sweep import Point
from sim.running.live import Snapshot
from sim.running.report import as_json, scenario_as_dict
from sim.shell.experiment import shell_line
from sim.telling.words import changed, counted, measured, percent, plain

# Details below the charts of the Coding page: numbers, the shell line, formulas, files.


def show_details(asked: Request, seen: Step, snapshots: Snapshots, shown: Screen, preset: str) -> None:
    """Draw everything that is not needed at first sight."""
    st.header(f"All numbers at ρ₀ = {asked.scenario.load:g}", anchor=False)
    st.dataframe(numbers(seen), hide_index=True, height="content")
    lines = [shell(snapshot, preset) for snapshot in snapshots]
    downloads(
        ("Numbers (CSV)", "coding.csv", lambda: tidy(seen).to_csv(index=False)),
        ("Everything (JSON)", "coding.json", lambda: json_text(everything(seen, snapshots, lines))),
        ("Charts (HTML)", "coding.html", lambda: charts_page(shown.figures)),
    )
    if box := drawer("coding", "scenario", "The exact scenario, and the shell line", ":material/terminal:"):
        box.markdown("Repeats the chosen load; the other loads differ in `--set load=…` only.")
        box.code(lines[0], language="bash", wrap_lines=True)
        fields = scenario_as_dict(asked.scenario)
        box.dataframe(pd.DataFrame({"value": {name: str(value) for name, value in fields.items()}}))
    st.caption(
        "Points are means over replications with 95 % Student intervals, changes are paired on the same jobs "
        "with the same luck. A queue grows if its mean rises through the last three quarters of the run by "
        "more than 2 % of the tasks that arrive in half of it."
    )
    show_link("coded", "The formulas: Codes", {"r": f"{asked.rate:g}", "d": f"{asked.demand:g}"})
    st.caption(SHARE)


def shell(snapshot: Snapshot, preset: str) -> str:
    """Return the shell line that repeats a load."""
    comparison = snapshot.comparison
    experiment = Experiment(comparison.scenario, tuple(one.policy for one in comparison.policies.values()))
    return shell_line(preset, experiment, EFFORT)


def numbers(seen: Step) -> pd.DataFrame:
    """Return a row for each demand at the chosen load, each number with the half width of its interval."""
    shares, theory = seen.shares | {0.0: 0.0}, seen.chosen.theory
    runs = zip(seen.chosen.points, seen.comparison.policies.values(), strict=True)
    rows = [
        _row(
            seen,
            point,
            result,
            spelled(point.demand),
            percent(shares[point.demand]),
            _claimed(theory.at[point.demand], seen.asked.scenario.time_unit) if theory else "",
        )
        for point, result in runs
    ]
    for one in seen.beside:
        expanded = "by load" if one is seen.learned else "by its rule"
        rows.append(_row(seen, one, one.result, one.title, expanded, "says nothing"))
    table = pd.DataFrame(rows)
    return table if theory else table.drop(columns="Claim 1, E[T]")


def _claimed(time: float, unit: str) -> str:
    return f"{time:,.1f} {unit}" if math.isfinite(time) else "infinite"


def _row(
    seen: Step, one: Point | Beside, result: PolicyResult, name: str, expanded: str, claim: str
) -> dict[str, str]:
    """Return the row of a demand, or of a policy that has none."""
    measure, unit = seen.asked.measure_info, seen.asked.scenario.time_unit
    return {
        f"d ({unit})": name,
        "jobs expanded": expanded,
        measure.title: measured(one.estimate, measure.unit),
        "change": "" if name == spelled(0.0) else changed(one.gain),
        "Claim 1, E[T]": claim,
        "wait, mean": measured(result.estimate("wait", "mean"), unit),
        "slowdown, 95 %": measured(result.estimate("slowdown", "p95")),
        "cost of a job": measured(result.estimate("resource", "mean"), f"slot·{unit}"),
        "load ρ": measured(one.load),
        "queue": "grows" if one.unstable else "stable",
    }


def tidy(seen: Step) -> pd.DataFrame:
    """Return every point in a row of its own, for download; infinite demands as the word."""
    rows = [
        _tidy_row(
            seen, sweep, point, f"{point.demand:g}", sweep.theory.at[point.demand] if sweep.theory else None
        )
        for sweep in seen.done
        for point in sweep.points
    ]
    return pd.DataFrame(rows + [_tidy_row(seen, seen.chosen, one, one.title, None) for one in seen.beside])


def _tidy_row(
    seen: Step, sweep: Sweep, one: Point | Beside, name: str, claim: float | None
) -> dict[str, object]:
    return {
        "load_offered": sweep.load,
        "d": name,
        "measure": seen.asked.measure_info.column,
        "statistic": seen.asked.measure_info.statistic,
        "value": one.estimate.value,
        "low": one.estimate.low,
        "high": one.estimate.high,
        "change": one.gain.value,
        "change_low": one.gain.low,
        "change_high": one.gain.high,
        "load": one.load.value,
        "claim1_mean_time": None if claim is None else _finite(claim),
        "unstable": one.unstable,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def everything(seen: Step, snapshots: Sequence[Snapshot], lines: list[str]) -> dict[str, Any]:
    """Return all loads as JSON has them: the report of each, and the theory beside it."""
    return {
        "expansion_rate": seen.asked.rate,
        "approximation": seen.asked.approximation.in_words,
        "loads": [
            as_json(snapshot.comparison, sim.__version__, line)
            | {"claim1_mean_time": _theory(seen, snapshot.comparison.scenario.load)}
            for snapshot, line in zip(snapshots, lines, strict=True)
        ],
    }


def _theory(seen: Step, load: float) -> dict[str, float | None] | None:
    """Return Claim 1 by demand; null where it is infinite."""
    found = next(sweep for sweep in seen.sweeps if sweep.load == load).theory
    return None if found is None else {f"{demand:g}": _finite(time) for demand, time in found.at.items()}


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
        lambda seen: f"Time from arrival to end ÷ task size b. {without_band(seen.looked_at)}".rstrip(),
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
