"""Hypothesis strategies for clusters of many schedulers, and policies for them."""

from __future__ import annotations

from hypothesis import strategies as st

from sim.engines.probes.policy import ProbePolicy, read_policy
from sim.engines.probes.protocols import PROTOCOLS
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.slots.scenario import speculation_rules
from sim.model.phases import Draws, divide
from sim.model.speculative import SHAPES, TRANSFER_LAWS
from sim.model.workload import Workload
from tests.strategies import numbers, small_runs

#: Of parameters whose bounds are beyond a small run.
SMALL = {"probes": st.integers(1, 9), "refusal_threshold": st.integers(0, 6)}


@st.composite
def probe_runs(draw, *, ties: bool) -> tuple[ProbeScenario, Workload]:
    """A scenario of a few workers, and its jobs: those of the slot engine's small runs."""
    scenario, workload = draw(small_runs(ties=ties))
    fields = ("observe", "drain", "seed", "straggle", "straggle_tail", "straggle_max", "straggle_cv")
    fields += ("outlier_share", "outlier_min", "outlier_spread", "samples")
    kept = {name: getattr(scenario, name) for name in fields}
    latencies = st.sampled_from([0.0, 0.0, 1.0, 2.0] if ties else [0.0, 0.01, 0.3, 1.7])
    return ProbeScenario(
        workers=draw(st.integers(1, 6)),
        slots_per_worker=draw(st.integers(1, 3)),
        schedulers=draw(st.integers(1, 4)),
        latency=draw(latencies),
        **kept,
    ), workload


@st.composite
def runs_in_phases(draw, *, ties: bool) -> tuple[ProbeScenario, Workload]:
    """A small run whose jobs have phases."""
    scenario, jobs = draw(probe_runs(ties=ties))
    scenario = scenario.replace(
        phases=draw(st.integers(2, 5)),
        phases_law=draw(st.sampled_from(["constant", "uniform"])),
        shape=draw(st.sampled_from(SHAPES)),
        transfer=draw(st.integers(0, 3) if ties else st.floats(0, 3)),
        transfer_law="constant" if ties else draw(st.sampled_from(TRANSFER_LAWS)),
        barrier=draw(st.sampled_from([0.0, 0.4, 0.5, 1.0])),
    )
    phases = divide(scenario, Draws(scenario, 0), jobs.tasks)
    return scenario, Workload(jobs.arrival, jobs.tasks, jobs.size, jobs.task_size, phases=phases)


def any_runs(*, ties: bool) -> st.SearchStrategy[tuple[ProbeScenario, Workload]]:
    """Small runs whose jobs have one phase, or several."""
    return probe_runs(ties=ties) | runs_in_phases(ties=ties)


@st.composite
def probe_policies(draw, pair: str) -> ProbePolicy:
    """A protocol and a speculation rule with any parameters they accept, within reason for a small run."""
    protocol, speculation = pair.split("+")
    written = []
    for rule in (PROTOCOLS[protocol], speculation_rules()[speculation]):
        values = {p.name: numbers(p) for p in rule.parameters}
        values |= {name: small for name, small in SMALL.items() if name in values}
        chosen = [f"{name}={draw(numbers)!r}" for name, numbers in values.items()]
        written.append(rule.key + (":" + ",".join(chosen) if chosen else ""))
    return read_policy("+".join(written))
