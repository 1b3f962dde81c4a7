"""Details below the charts of the Coding page: numbers, the shell line, formulas, files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

import sim
from pages.coding.answer.loads import Beside, Step, Sweep
from pages.coding.charts.axes import spelled
from pages.coding.question import EFFORT, Request
from pages.frame.foot import show_link
from pages.shared.controls.panel import drawer
from pages.shared.live.drawing import Screen
from pages.shared.live.follow import Snapshots
from pages.shared.words.downloads import SHARE, charts_page, downloads, json_text
from sim.model.result import PolicyResult
from sim.running.experiment import Experiment
from sim.running.gang_sweep import Point
from sim.running.live import Snapshot
from sim.running.report import as_json, scenario_as_dict
from sim.shell.experiment import shell_line
from sim.telling.words import changed, measured, percent


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
