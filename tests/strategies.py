"""Hypothesis strategies for scenarios, their jobs, and policies."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from sim.engines.slots.scenario import SlotPolicy, SlotScenario, read_policy, sharing_rules, speculation_rules
from sim.model.phases import Draws, divide
from sim.model.policy import Parameter
from sim.model.speculative import SHAPES, TRANSFER_LAWS
from sim.model.workload import Workload, place_blocks
from tests.conftest import SCALES

#: Sharing rules under which rules of systems that fix both are tried: their own, and one that differs most.
SYSTEM_RULES = {
    "sca": ("levels", "fair"),
    "sda": ("levels", "hopper"),
    "ese": ("levels", "hopper"),
    "dolly": ("fair", "fifo", "hopper"),
    "dolly-job": ("fair", "srpt", "hopper"),
    "spark": ("fifo", "fair", "hopper"),
    "hadoop": ("fifo", "fair"),
    "tez": ("fifo", "srpt"),
    "flink": ("fifo", "fair"),
    "hedge": ("fifo", "hopper"),
}
#: Sharing rules that differ from `hopper-fair` in their targets only; what they are tried with, as `maxsrpt`.
TARGETS, COMPANY = ("hopper-dag", "hopper-local"), ("none", "late", "budget")
#: All pairs of rules, as the registries have them; of those that order jobs alike, not every one.
PAIRS = [
    f"{sharing}+{speculation}"
    for sharing in sharing_rules()
    for speculation in speculation_rules()
    if sharing in SYSTEM_RULES.get(speculation, sharing_rules())
    and (sharing != "levels" or speculation in ("none", "late", "mantri", "sca", "sda", "ese"))
    and (sharing not in (*TARGETS, "maxsrpt") or speculation in COMPANY)
]

#: The sharing rule under which a speculation rule is at home, if it is not the first of its system's.
AT_HOME = {"none": "fifo", "mantri": "srpt", "budget": "hopper"}
#: Pairs in which a rule does what it does nowhere else: sharing rules that say who may copy within a budget,
#: and rules whose copies Hopper's shares limit.
BRANCHES = ("fifo+budget", "fair+budget", "srpt+budget", "hopper+late", "hopper+mantri")
#: A pair for every rule, where it is at home, and those. Tests try these hardest.
HOMES = [f"{AT_HOME.get(key) or SYSTEM_RULES.get(key, ('fair',))[0]}+{key}" for key in speculation_rules()]
HOMES += [
    f"{key}+{read_policy(key).speculation.key}"
    for key in sharing_rules()
    if not any(pair.startswith(f"{key}+") for pair in HOMES)
]
HOMES += BRANCHES
#: The other pairs. One test tries a sample of them; each for itself is tried with ``-m slow``.
OTHERS = [pair for pair in PAIRS if pair not in HOMES]


def every_pair(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test for each pair at home, and once for pairs drawn from the others.

    Parameters
    ----------
    test : callable
        With a parameter `pairs`, from which Hypothesis draws the pair.
    """
    cases = [pytest.param(st.just(pair), id=pair) for pair in HOMES]
    cases += [pytest.param(st.sampled_from(OTHERS), id="others")]
    cases += [pytest.param(st.just(pair), id=pair, marks=pytest.mark.slow) for pair in OTHERS]
    return pytest.mark.parametrize("pairs", cases)(test)


OBSERVATIONS = ("age:0", "age:0.5", "age:2", "fraction:0", "fraction:0.2", "fraction:0.8", "never")
DRAINS = (float("inf"), 0.5, 0.0)

#: Laws under which whole-number jobs meet at the same instants: means are whole, too.
TYING_LAWS = (
    {"straggle": "deterministic"},
    {"straggle": "empirical", "samples": (1, 1, 2, 4)},
    {"straggle": "empirical", "samples": (1, 1, 1, 5)},
    {"straggle": "empirical", "samples": (0.5, 0.5, 0.5, 1, 1, 2.5)},
    {"straggle": "outlier", "outlier_share": 0.25, "outlier_min": 2, "straggle_tail": 2},
)
CONTINUOUS_LAWS = (
    {"straggle": "exponential"},
    {"straggle": "pareto", "straggle_tail": 1.2},
    {"straggle": "pareto", "straggle_tail": 1.5},
    {"straggle": "pareto", "straggle_tail": 3},
    {"straggle": "bounded-pareto", "straggle_tail": 1.5, "straggle_max": 30},
    {"straggle": "lognormal", "straggle_cv": 1.5},
    {"straggle": "outlier", "outlier_share": 0.3, "outlier_min": 3, "outlier_spread": 0.9},
    {"straggle": "empirical", "samples": (1, 1.1, 1.3, 1.7, 6)},
    {"straggle": "table", "samples": (0.7, 1, 1.3, 4), "tail_share": 0.1, "straggle_tail": 1.4},
)


def search(examples: int) -> settings:
    """Try this many runs, scaled as the profile says (`tests.conftest`)."""
    return settings(
        max_examples=max(2, round(examples * SCALES[settings.get_current_profile_name()])),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


#: For rules that accept no other law; factors do not tie, arrivals and sizes still may.
PARETO = ({"straggle": "pareto", "straggle_tail": 1.3}, {"straggle": "pareto", "straggle_tail": 2})
INTERVALS = (0.0, 0.0, 0.25, 1.0, 3.0)


def fitting(pair: str, laws: tuple[dict, ...]) -> list[dict]:
    """Laws and observations that the speculation rule of a pair accepts."""
    rule = speculation_rules()[pair.partition("+")[2] or "none"]
    defaults = {parameter.name: parameter.default for parameter in rule.parameters}
    chosen = [{**law, "observe": observe} for law in laws for observe in OBSERVATIONS]
    if rule.refuses is None:
        return chosen
    return [fields for fields in chosen if rule.refuses(SlotScenario(**fields), defaults) is None]


@st.composite
def small_runs(draw, *, ties: bool, pair: str = "") -> tuple[SlotScenario, Workload]:
    """A scenario of a few slots, and its jobs: whole numbers that tie often, or numbers that do not.

    With a pair of rules it is one they accept.
    """
    laws = TYING_LAWS if ties else CONTINUOUS_LAWS
    tasks = draw(st.lists(st.integers(1, 6), min_size=1, max_size=8))
    n = len(tasks)
    times = st.integers(0, 4) if ties else st.floats(0, 4, allow_subnormal=False)
    sizes = st.integers(1, 3) if ties else st.floats(0.1, 5)
    arrival = np.cumsum(draw(st.lists(times, min_size=n, max_size=n)), dtype=float)
    task_size = np.empty(0)
    if draw(st.booleans()):
        size = np.array(draw(st.lists(sizes, min_size=n, max_size=n)), dtype=float)
    else:
        count = sum(tasks)
        task_size = np.array(draw(st.lists(sizes, min_size=count, max_size=count)), dtype=float)
        size = np.add.reduceat(task_size, np.cumsum(tasks) - tasks) / tasks
    scenario = SlotScenario(
        slots=draw(st.integers(1, 12)),
        drain=draw(st.sampled_from(DRAINS)),
        seed=draw(st.integers(0, 2**32)),
        decision_interval=draw(st.sampled_from(INTERVALS)),
        **draw(st.sampled_from(fitting(pair, laws) or fitting(pair, PARETO))),
    )
    return scenario, Workload(arrival, np.array(tasks), size, task_size)


@st.composite
def runs_in_phases(draw, *, ties: bool, pair: str = "") -> tuple[SlotScenario, Workload]:
    """A small run whose jobs have phases, whose machines are not alike, or whose tasks read blocks."""
    scenario, jobs = draw(small_runs(ties=ties, pair=pair))
    scenario = scenario.replace(
        phases=1 if pair.endswith("+dolly-job") else draw(st.integers(1, 5)),
        phases_law=draw(st.sampled_from(["constant", "uniform"])),
        shape=draw(st.sampled_from(SHAPES)),
        transfer=draw(st.integers(0, 3) if ties else st.floats(0, 3)),
        transfer_law="constant" if ties else draw(st.sampled_from(TRANSFER_LAWS)),
        barrier=draw(st.sampled_from([0.0, 0.4, 0.5, 1.0])),
        machine_slots=draw(st.integers(1, 3)),
        slow_share=draw(st.sampled_from([0.0, 0.3, 1.0])),
        slow_factor=draw(st.integers(1, 3) if ties else st.floats(1, 4)),
        replicas=draw(st.integers(0, 3)),
        remote_factor=draw(st.integers(1, 3) if ties else st.floats(1, 3)),
    )
    phases = divide(scenario, Draws(scenario, 0), jobs.tasks)
    blocks = place_blocks(scenario, 0, jobs.tasks, phases)
    return scenario, Workload(jobs.arrival, jobs.tasks, jobs.size, jobs.task_size, (), phases, blocks)


def numbers(parameter: Parameter) -> st.SearchStrategy[float]:
    """Values of a parameter: its default, its bounds, and tenths between."""
    low, high = parameter.about.low, parameter.about.high
    if parameter.whole:
        return st.integers(int(low), int(high))
    tenths = st.integers(math.ceil(10 * low), math.floor(10 * high)).map(lambda tenth: tenth / 10)
    return st.sampled_from([parameter.default, low, high]) | tenths


@st.composite
def policies(draw, pair: str, **fixed: float) -> SlotPolicy:
    """A pair of rules with any parameters they accept, some of them fixed."""
    sharing, speculation = pair.split("+")
    written = []
    for rule in (sharing_rules()[sharing], speculation_rules()[speculation]):
        values = {p.name: fixed[p.name] if p.name in fixed else draw(numbers(p)) for p in rule.parameters}
        chosen = [f"{name}={value!r}" for name, value in values.items()]
        written.append(rule.key + (":" + ",".join(chosen) if chosen else ""))
    return read_policy("+".join(written))
