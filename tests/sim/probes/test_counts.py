"""Measures of the probe engine, counted by its reference implementation as time passes there."""

from __future__ import annotations

from collections import Counter

import pytest

from sim.engines.probes.policy import read_policy
from sim.engines.probes.scenario import ProbeScenario
from sim.model.workload import Workload, generate
from tests.reference.probes import Network
from tests.sim.probes.runs import PAIRS, run_to_end

#: Messages of every kind.
KINDS = ("probes", "questions", "nos", "tasks", "reports", "kills", "cancels")


class Watched(Network):
    """The twin, with the time that reservations spend in queues between two arrivals."""

    def __init__(self, *given, opens: float, closes: float) -> None:
        super().__init__(*given)
        self.opens, self.closes, self.waited = opens, closes, 0.0

    def next_instant(self) -> float:
        """Count those that stay in a queue until the next event, within the window."""
        instant = super().next_instant()
        inside = min(instant, self.closes) - max(self.now, self.opens)
        self.waited += self.queued() * max(inside, 0.0)
        return instant


def watched(scenario: ProbeScenario, policy: str, workload: Workload) -> Watched:
    """Run the twin to its end."""
    arrival = workload.arrival
    first = arrival[int(scenario.warm_up * arrival.size)]
    network = Watched(scenario, read_policy(policy), 1, workload, opens=first, closes=arrival[-1])
    network.run()
    return network


@pytest.mark.parametrize("cancel", [0, 1])
@pytest.mark.parametrize("pair", PAIRS)
def test_the_report_has_what_the_twin_counts(pair, cancel) -> None:
    protocol, _, speculation = pair.partition("+")
    policy = f"{protocol}:cancel={cancel}+{speculation}"
    scenario = ProbeScenario(
        workers=5,
        slots_per_worker=2,
        schedulers=3,
        latency=0.1,
        load=0.9,
        jobs=25,
        tasks_max=6,
        warm_up=0.2,
        straggle_tail=1.2,
    )
    workload = generate(scenario, 1)
    _, outcome = run_to_end(scenario, policy, workload, replication=1)
    twin = watched(scenario, policy, workload)
    count, total = twin.counts, twin.sums
    window = twin.closes - twin.opens
    assert twin.waited > 0
    tells_sizes = protocol != "sparrow"
    assert (count["sizes_used"] > 0) == tells_sizes
    expected = {
        "messages_per_task": sum(count[kind] for kind in KINDS) / workload.total_tasks,
        "refusals_per_decision": count["refusals"] / count["decisions"],
        "queue_length": twin.waited / (scenario.workers * window),
        "handover": total["handover"] / count["tasks"],
    }
    if tells_sizes:
        expected["staleness"] = total["staleness"] / count["sizes_used"]
        expected["overstatement"] = total["overstated"] / count["sizes_used"]
    told = {name: value for name, value in outcome.scalars.items() if value is not None}
    assert told == pytest.approx(expected, rel=1e-9)


def test_every_kind_of_message_is_counted_somewhere() -> None:
    """Else one that was forgotten would not be missed."""
    scenario = ProbeScenario(
        workers=5, slots_per_worker=2, schedulers=3, latency=0.1, load=0.9, jobs=25, tasks_max=6
    )
    sent: Counter[str] = Counter()
    for policy in ("hopper", "sparrow+late"):
        sent += watched(scenario, policy, generate(scenario, 1)).counts
    assert all(sent[kind] > 0 for kind in KINDS)
