"""A comparison as JSON (a contract that scripts rely on) and as a table for a terminal."""

from __future__ import annotations

import math
from typing import Any

from sim.engines.slots.scenario import SlotScenario
from sim.model.fields import fields_of
from sim.model.result import Comparison, reported
from sim.model.scenario import Scenario
from sim.telling.words import compact, printed
from theory.quoting import shortened

RATIOS = ("speculative_copies_share", "speculative_time_share", "utilisation")
RATIO = ("mean", "p50")
DIFFERENCES = {"flowtime": ("mean", "p95"), "resource": ("mean",)}


def as_json(comparison: Comparison, version: str, command: str) -> dict[str, Any]:
    """Return a comparison as JSON has it: `{"version", "scenario", ..., "policies", "differences"}`.

    Every statistic is ``{"value", "low", "high"}``, 95 %; null where it is censored away or, for the
    bounds, where there is one replication or a policy's "unreliable" lists the statistic: its jobs are too
    few to know it (`sim.model.outcome`). Never NaN.
    """
    return {
        "version": version,
        "scenario": scenario_as_dict(comparison.scenario),
        "workload": comparison.source or None,
        "notes": list(comparison.notes),
        "seed": comparison.scenario.seed,
        "replications": comparison.replications,
        "time_unit": comparison.scenario.time_unit,
        "baseline": comparison.baseline,
        "command": command,
        "policies": {
            name: policy_as_dict(comparison, name) | ratios_as_dict(comparison, name)
            for name in comparison.policies
        },
        "differences": {
            name: differences_as_dict(comparison, name)
            for name in comparison.policies
            if name != comparison.baseline
        },
    }


def scenario_as_dict(scenario: Scenario) -> dict[str, Any]:
    """Return the scenario's fields; infinity as the word, since JSON has no number for it.

    Whatever the engine, those of a slot cluster are among them, at their defaults where the engine has no
    such field: scripts may ask for any of them.
    """
    fields = {name: getattr(one, name) for one in (SlotScenario(), scenario) for name in fields_of(type(one))}
    return {name: "inf" if value == math.inf else value for name, value in fields.items()}


def policy_as_dict(comparison: Comparison, policy: str) -> dict[str, Any]:
    """Return one policy's statistics and counts."""
    result, scenario = comparison.policies[policy], comparison.scenario
    report: dict[str, Any] = {
        measure: {statistic: result.estimate(measure, statistic).as_dict() for statistic in ("mean", *wanted)}
        for measure, wanted in reported(scenario).items()
    }
    scalars = [measure.key for measure in comparison.engine.scalars]
    report |= {ratio: result.estimate(ratio).as_dict() for ratio in (*RATIOS, *scalars)}
    return report | {
        "jobs": result.jobs,
        "counted": result.counted,
        "unfinished": result.unfinished,
        "tasks": result.tasks,
        "unstable": result.unstable(scenario.slots),
        "unreliable": sorted({f"{a}.{b}" for one in result.samples for a, b in one.unreliable}),
        "seconds": result.seconds,
    }


def ratios_as_dict(comparison: Comparison, policy: str) -> dict[str, Any]:
    """Return the ratios of a policy's flowtime to the reference's, where the engine has one."""
    reference = comparison.engine.reference
    if not reference:
        return {}
    return {
        f"ratio_to_{reference}": {
            statistic: comparison.ratio(policy, "flowtime", statistic).as_dict() for statistic in RATIO
        }
    }


def differences_as_dict(comparison: Comparison, policy: str) -> dict[str, Any]:
    """Return a policy's paired differences from the baseline, and as `change` each as a share of it."""
    return {
        measure: {
            statistic: comparison.difference(policy, measure, statistic).as_dict()
            | {"change": comparison.share(policy, measure, statistic).as_dict()}
            for statistic in wanted
        }
        for measure, wanted in (DIFFERENCES | dict(comparison.engine.differences)).items()
    }


def as_table(comparison: Comparison) -> str:
    """Return a comparison as lines for a terminal, each number with its interval."""
    unit = comparison.scenario.time_unit
    engine = comparison.engine
    head = [
        "policy",
        f"flowtime mean ({unit})",
        "median",
        "p95",
        f"resource mean (slot·{unit})",
        "extra copies",
        "busy",
        *(
            f"{one.title} ({unit})" if one.is_time else one.title
            for one in (*engine.columns, *engine.scalars)
        ),
        *([f"mean / {engine.reference}"] if comparison.reference else []),
    ]
    rows = [head] + [_row(comparison, name) for name in comparison.policies]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return "\n".join([*lines, "", *_remarks(comparison)])


def _row(comparison: Comparison, policy: str) -> list[str]:
    result, scenario = comparison.policies[policy], comparison.scenario
    name = policy + (" (unstable)" if result.unstable(scenario.slots) else "")
    flowtimes = [printed(result.estimate("flowtime", statistic)) for statistic in ("mean", "p50", "p95")]
    shares = [result.estimate(ratio).value for ratio in ("speculative_copies_share", "utilisation")]
    ratios = ["-" if share is None else compact(share, 1) for share in shares]
    engine = comparison.engine
    more = [printed(result.estimate(one.key, "mean")) for one in engine.columns]
    scalars = [result.estimate(one.key) for one in engine.scalars]
    more += ["-" if one.value is None else printed(one) for one in scalars]
    if comparison.reference:
        more.append(printed(comparison.ratio(policy, "flowtime", "mean")))
    return [
        name,
        *flowtimes,
        printed(result.estimate("resource", "mean")),
        *ratios,
        *more,
    ]


def _remarks(comparison: Comparison) -> list[str]:
    """Say what the numbers rest on."""
    first = next(iter(comparison.policies.values()))
    count = comparison.replications
    remarks = [
        f"{count} replication{'s' if count > 1 else ''}, {first.counted:,} of {first.jobs:,} jobs counted "
        f"(the rest are warm-up), seed {comparison.scenario.seed}; 95 % intervals over replications."
    ]
    if comparison.source:
        remarks.append(
            f"Jobs from {shortened(comparison.source)}: the interval covers the luck of the copies only."
        )
        remarks += [f"{note}." for note in comparison.notes]
    if any(one.unreliable for result in comparison.policies.values() for one in result.samples):
        remarks.append(
            "unreliable: it has no interval, for want of busy periods or by a heavy tail; read the "
            "median first."
        )
    for name, result in comparison.policies.items():
        if result.unfinished:
            remarks.append(
                f"{name}: {result.unfinished:,} jobs unfinished at the end; what depends on "
                "their times is unknown."
            )
    return remarks
