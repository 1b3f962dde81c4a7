"""A decision that is shown is one the engine makes: it follows the rules of the protocol and the log."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.engines.probes.decision import telling_decision
from sim.engines.probes.network import Decision
from sim.engines.probes.policy import read_policy
from sim.engines.probes.records import KINDS
from sim.engines.probes.run import ProbeRun
from sim.engines.probes.scenario import ProbeScenario
from sim.model.fields import BadInput
from sim.model.workload import generate

SMALL = ProbeScenario(workers=30, schedulers=8, jobs=120, tasks_max=8, load=0.8)


def told(scenario: ProbeScenario = SMALL, **numbers: int) -> Decision:
    written = ",".join(f"{name}={value}" for name, value in numbers.items())
    decision = telling_decision(scenario, read_policy("hopper" + (":" + written if written else "")))
    assert decision is not None
    return decision


@pytest.mark.compiled
@settings(max_examples=12, deadline=None)
@given(
    refusals=st.integers(0, 6),
    probes=st.integers(1, 6),
    latency=st.sampled_from([0.0, 0.001, 0.25]),
    seed=st.integers(0, 50),
)
def test_a_decision_keeps_the_rules_of_the_protocol(
    refusals: int, probes: int, latency: float, seed: int
) -> None:
    decision = told(SMALL.replace(latency=latency, seed=seed), refusal_threshold=refusals, probes=probes)
    theta = 2 / SMALL.straggle_tail
    *noes, taken = decision.exchanges
    assert taken.verdict == "takes"
    assert all(one.verdict in ("refuses", "nothing") for one in noes)
    for one in decision.exchanges:
        assert one.size / theta == pytest.approx(round(one.size / theta))
        assert one.scheduler == one.job % SMALL.schedulers
        assert one.answered - one.asked == pytest.approx(latency, abs=1e-9)
        if one.verdict == "refuses":
            assert not one.firm
            assert one.held >= one.size
        if one.verdict == "takes" and not one.firm:
            assert one.held < one.size
    soft = [one for one in decision.exchanges if not one.firm]
    assert len({one.scheduler for one in soft}) == len(soft), "a scheduler was asked twice"
    assert len(soft) <= refusals
    assert decision.start == pytest.approx(decision.free + 2 * latency * len(decision.exchanges), abs=1e-9)


@pytest.mark.compiled
def test_questions_that_may_be_refused_follow_the_queue_as_the_worker_knows_it() -> None:
    for seed in range(8):
        decision = told(SMALL.replace(seed=seed))
        assert [one.believed for one in decision.queue] == sorted(one.believed for one in decision.queue)
        first = decision.exchanges[0]
        assert (first.job, first.firm) == (decision.queue[0].job, False)
        for one in decision.queue:
            assert one.true <= one.believed + 1e-9, "tasks do not come back"
            assert one.age >= SMALL.latency


@pytest.mark.compiled
def test_the_decision_is_in_the_log_of_an_ordinary_run() -> None:
    decision = told()
    run = ProbeRun(SMALL, read_policy("hopper"), 0, generate(SMALL, 0), lines=100_000)
    while not run.advance():
        pass
    lines = run.messages.view(np.ndarray)
    ours = lines[
        (lines["worker"] == decision.worker)
        & (lines["slot"] >= 0)
        & (lines["sent"] >= decision.exchanges[0].asked)
        & (lines["sent"] <= decision.exchanges[-1].answered)
    ]
    kinds = [KINDS[kind] for kind in ours["kind"] if KINDS[kind] in ("question", "no", "task")]
    assert kinds == ["question", "no"] * (len(decision.exchanges) - 1) + ["question", "task"]
    asked = ours[ours["kind"] == KINDS.index("question")]
    assert asked["job"].tolist() == [one.job for one in decision.exchanges]
    probes = lines[(lines["kind"] == 0) & (lines["job"] == decision.exchanges[-1].job)]
    assert tuple(probes["worker"][: 4 * decision.tasks].tolist()) == decision.probed


@pytest.mark.compiled
def test_refusals_are_told_where_there_are_any_and_none_where_none_are_allowed() -> None:
    assert told(refusal_threshold=3).refusals >= 2
    assert told(refusal_threshold=0).refusals == 0


def test_a_protocol_without_virtual_sizes_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^policy: 'sparrow\+none' is not accepted; give hopper"):
        telling_decision(SMALL, read_policy("sparrow"))


def test_jobs_with_phases_are_refused() -> None:
    with pytest.raises(BadInput, match=r"^phases: 2 is not accepted"):
        telling_decision(SMALL.replace(phases=2), read_policy("hopper"))


@pytest.mark.compiled
def test_where_every_slot_finds_its_queue_empty_there_is_nothing_to_tell() -> None:
    idle = SMALL.replace(workers=1000, load=0.01, jobs=30)
    assert telling_decision(idle, read_policy("hopper:probes=1+none")) is None
