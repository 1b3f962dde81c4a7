"""Runs of the gang engine for tests, and Hypothesis strategies for small ones."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from sim.engines.gang.run import GangPolicy, GangRun, read_policy, redundancy_rules
from sim.engines.gang.scenario import GangScenario
from sim.model.outcome import Outcome
from sim.model.workload import Workload
from tests.strategies import CONTINUOUS_LAWS, DRAINS, TYING_LAWS, numbers

#: Tasks that a test run remembers.
LOG = 20_000
RATES = (1, 1.1, 1.5, 2, 2.5, 3, 100)
DEMANDS = (0, 2, 3, 4.5, 6, 12, float("inf"))
UNITS = (0.1, 1, 2.5, 30)
#: Offered loads that a network is told.
OFFERED = (0, 0.2, 0.8, 0.95, 3.5)
LAWS = [law for law in CONTINUOUS_LAWS if "outlier_spread" not in law]


def run_to_end(
    scenario: GangScenario,
    policy: GangPolicy | str,
    workload: Workload,
    *,
    replication: int = 0,
    events: int = GangRun.STEP,
) -> Outcome:
    """Run one replication in engine calls of `events` events."""
    policy = read_policy(policy) if isinstance(policy, str) else policy
    run = GangRun(scenario, policy, replication, workload, log=LOG)
    while not run.advance(events):
        pass
    return run.outcome()


@st.composite
def small_gangs(draw, *, ties: bool) -> tuple[GangScenario, Workload]:
    """A few nodes, and jobs: whole numbers that tie often, or numbers that do not."""
    nodes, capacity = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    placement = draw(st.sampled_from(["distinct", "pool"]))
    most = nodes if placement == "distinct" else nodes * capacity
    tasks = draw(st.lists(st.integers(1, min(most, 5)), min_size=1, max_size=10))
    n = len(tasks)
    times = st.integers(0, 4) if ties else st.floats(0, 4, allow_subnormal=False)
    sizes = st.integers(1, 3) if ties else st.floats(0.1, 5)
    scenario = GangScenario(
        nodes=nodes,
        capacity=capacity,
        placement=placement,
        tasks_max=1,
        redundancy=draw(st.sampled_from(["mds", "replicated"])),
        decide=draw(st.sampled_from(["dispatch", "arrival"])),
        delay=draw(st.sampled_from([0, 0, 1, 2, 3] if ties else [0, 0, 0.5, 1.1, 1.7])),
        drain=draw(st.sampled_from(DRAINS)),
        seed=draw(st.integers(0, 2**32)),
        **draw(st.sampled_from(TYING_LAWS if ties else LAWS)),
    )
    arrival = np.cumsum(draw(st.lists(times, min_size=n, max_size=n)), dtype=float)
    size = np.array(draw(st.lists(sizes, min_size=n, max_size=n)), dtype=float)
    return scenario, Workload(arrival, np.array(tasks), size)


@st.composite
def gang_policies(draw, key: str) -> GangPolicy:
    """Return a rule with any parameters it accepts."""
    drawn_from = {"r": RATES, "d": DEMANDS, "unit": UNITS, "load": OFFERED}
    values = {
        p.name: st.sampled_from(drawn_from[p.name]) if p.name in drawn_from else numbers(p)
        for p in redundancy_rules()[key].parameters
    }
    chosen = [f"{name}={draw(some)!r}" for name, some in values.items()]
    return read_policy(key + (":" + ",".join(chosen) if chosen else ""))
