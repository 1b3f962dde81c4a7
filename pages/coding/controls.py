"""Controls of the Coding page: each is in the link, and together they make the question."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pages.coding.question import CLAIMS, DEMANDS, MEASURES, MOST_BESIDE, Request, others
from pages.shared.controls.control import (
    AUTO,
    ByLaw,
    Control,
    OneOf,
    Panel,
    Range,
    Start,
    Switch,
    chosen,
    start_control,
)
from pages.shared.controls.fields import ChosenPolicies
from sim.engines.gang.run import read_policy
from sim.engines.gang.scenario import GangScenario
from sim.engines.registry import presets_of
from sim.model.fields import BadInput
from sim.model.outcome import leading

PAGE = "coding"
OFFERED = {name: one for name, one in presets_of("gang").items() if name in ("aktas-beta3", "aktas")}
DEFAULT = "aktas-beta3"
SCENARIO = OFFERED[DEFAULT].scenario
assert isinstance(SCENARIO, GangScenario)
#: Where the page begins: here small jobs alone are best, and neither all nor none.
LOAD = Control(
    "load", "How busy the cluster is: load ρ₀", Range(0.1, 0.95, 0.05), 0.6, "The load without redundancy."
)
DEMAND = Control(
    "d",
    "Largest demand d that is expanded (s)",
    OneOf(DEMANDS),
    120.0,
    "Demand: tasks k × task size b, known on arrival. ∞ expands all jobs.",
)
RATE = Control(
    "r",
    "Expansion rate r",
    Range(1.1, 3.0, 0.1),
    2.0,
    "An expanded job of k tasks starts r k, rounded up; any k end it.",
)
TAILS = (
    Control(
        "straggle_tail",
        "How wild stragglers are: β",
        Range(1.2, 6.0, 0.1),
        SCENARIO.straggle_tail,
        "The smaller, the worse the stragglers. The paper writes α.",
        symbol="beta",
    ),
    Control(
        "size_tail",
        "Tail index of task sizes",
        Range(1.1, 6.0, 0.1),
        SCENARIO.size_tail,
        "The smaller, the more of the work is in a few huge jobs. Up to 2 the variance is infinite. The "
        "paper writes β.",
    ),
)
CLUSTER = (
    Control("tasks_max", "Most tasks in a job, k_max", OneOf((1, 2, 5, 10, 15, 20)), SCENARIO.tasks_max),
    Control("nodes", "Nodes N", OneOf((20, 30, 50, 100)), SCENARIO.nodes),
    Control("capacity", "Tasks that a node runs at a time, C", OneOf((1, 2, 5, 10, 20)), SCENARIO.capacity),
    Control(
        "size_max",
        "Largest task size b_max (s)",
        OneOf((100.0, 1e3, 1e4, 1e5, math.inf)),
        SCENARIO.size_max,
        "The smallest is 10 s.",
    ),
    Control(
        "placement",
        "Tasks of a job start",
        OneOf({"distinct": "on different nodes", "pool": "in any free slots"}),
        SCENARIO.placement,
    ),
    Control(
        "redundancy",
        "Redundant tasks are",
        OneOf({"mds": "coded: any k suffice", "replicated": "copies of tasks"}),
        SCENARIO.redundancy,
    ),
)
RUN = (
    Control("jobs", "Jobs in a replication", OneOf((5000, 10_000, 20_000, 50_000)), 20_000),
    Control(
        "seed", "Seed", Range(1, 99, 1), SCENARIO.seed, "Another seed draws other jobs and other stragglers."
    ),
)
MEASURE = Control(
    "measure",
    "Measured",
    ByLaw({name: measure.title for name, measure in MEASURES.items()}),
    AUTO,
    "Until you choose: the mean, or the median slowdown where the variance of the times is infinite.",
)
CLAIM = Control(
    "claim",
    "Theory beside the simulation",
    OneOf({name: claim.title for name, claim in CLAIMS.items()}, "radio"),
    "two",
    "Claim 1 needs a second moment, which sizes with a tail index of at most 2 do not have.",
)
VIEW = Control(
    "view", "Slowdowns drawn as", OneOf({"cdf": "CDF", "tail": "Tail (log–log)"}, "segmented_control"), "cdf"
)
LEARNED = Control(
    "learned",
    "Show the learned policy, too",
    Switch(),
    False,
    "A small network that learned in this simulator how much redundancy pays, from a job's demand, "
    "the load it finds and the offered load; run at the chosen one.",
)
CHOICE = ChosenPolicies(others, read_policy, 0, MOST_BESIDE)
BESIDE = Control("beside", "Other rules beside", CHOICE, [], "Run on the same jobs at the chosen load.")
#: Controls that set the field of the scenario of their name.
FIELDS = (LOAD, *TAILS, *CLUSTER, *RUN)


def start_of(name: str) -> Start:
    """Return what a preset says of the controls; where sizes have no second moment, theory bounds them."""
    preset = OFFERED[name]
    scenario = preset.scenario
    values = {field.name: getattr(scenario, field.name) for field in (*TAILS, *CLUSTER)}
    heavy = {"claim": "bounded"} if scenario.size_tail <= 2 else {}
    return Start(preset.title, values | {"seed": scenario.seed} | heavy)


STARTS = {name: start_of(name) for name in OFFERED}
PANEL = Panel(
    PAGE,
    (
        start_control("preset", STARTS, DEFAULT),
        LOAD,
        DEMAND,
        RATE,
        *TAILS,
        *CLUSTER,
        *RUN,
        MEASURE,
        CLAIM,
        VIEW,
        LEARNED,
        BESIDE,
    ),
    STARTS,
)


def draw_sidebar(values: Mapping[str, Any]) -> None:
    """Draw the sidebar."""
    PANEL.draw_start()
    PANEL.draw_all((LOAD, DEMAND, RATE, *TAILS))
    MEASURE.draw(PAGE, by_law=measure_by_law(values))
    PANEL.draw_all((VIEW, LEARNED))
    if others():
        CHOICE.tune(PAGE, BESIDE.name, CHOICE.picked(BESIDE.draw(PAGE))[0], SCENARIO.time_unit)
    PANEL.draw_folded("cluster", "Cluster and jobs", "dns", CLUSTER)
    PANEL.draw_folded("theory", "Approximation", "function", [CLAIM])
    PANEL.draw_folded("precision", "Precision and seed", "straighten", RUN)


def scenario_of(values: Mapping[str, Any]) -> GangScenario:
    """Return the scenario that the controls describe; raises `BadInput` where they do not go together."""
    base = OFFERED[values["preset"]].scenario
    assert isinstance(base, GangScenario)
    return base.replace(**{field.name: values[field.name] for field in FIELDS})


def measure_by_law(values: Mapping[str, Any]) -> str:
    """Return the default measure: the mean, or the median where the mean cannot be known."""
    try:
        return leading(scenario_of(values))
    except BadInput:  # which the page tells
        return "mean"


def asked_of(values: Mapping[str, Any]) -> Request:
    """Return what the controls ask; raises `BadInput` where they do not go together."""
    measure = chosen(values["measure"], measure_by_law(values))
    return Request(
        scenario_of(values),
        values["r"],
        values["d"],
        measure,
        values["claim"],
        values["learned"],
        CHOICE.of(values["beside"]),
    )
