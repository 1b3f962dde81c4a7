"""Promises of every rule of the registries, and laws that relate runs to each other."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.slots.scenario import SlotPolicy, SlotScenario, sharing_rules, speculation_rules
from sim.model.workload import Workload, generate
from tests.depth import each
from tests.sim.slots.runs import run_to_end
from tests.strategies import HOMES, OBSERVATIONS, OTHERS, PAIRS, every_pair, policies, search, small_runs

RULES = [*sharing_rules().values(), *speculation_rules().values()]
every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.key)
every_sharing = pytest.mark.parametrize("sharing", sharing_rules())


def assert_same(a, b) -> None:
    """Assert that two outcomes tell the same of every job and of every copy.

    An event at which nothing is decided cuts the integrals over time in two, which moves their rounding.
    """
    for column in ("start", "finish", "resource", "extra_time", "copies", "extra", "killed", "log"):
        np.testing.assert_array_equal(getattr(a, column), getattr(b, column), err_msg=column)
    np.testing.assert_allclose(a.series, b.series, atol=1e-9 * a.tasks.sum())


# Declarations.


def test_every_rule_is_at_home_in_a_pair():
    """Else its twin would be tried only in passing."""
    assert {pair.partition("+")[0] for pair in HOMES} == set(sharing_rules())
    assert {pair.partition("+")[2] for pair in HOMES} == set(speculation_rules())
    assert set(HOMES) <= set(PAIRS)
    assert len(HOMES) + len(OTHERS) == len(PAIRS)


@every_rule
@search(20)
@given(data=st.data())
def test_the_numbers_that_hooks_read_are_plain_and_have_names(rule, data):
    pair = f"{rule.key}+none" if rule.key in sharing_rules() else f"fifo+{rule.key}"
    scenario, _ = data.draw(small_runs(ties=False, pair=pair))
    policy = data.draw(policies(pair))
    chosen = policy.sharing if rule.key in sharing_rules() else policy.speculation
    values = rule.values(scenario, chosen.as_dict)
    assert all(isinstance(number, (int, float)) and not math.isnan(number) for number in values)
    assert len(values._fields) == len(values)
    assert rule.prepare or set(values._fields) == {parameter.name for parameter in rule.parameters}


# Laws that relate runs.


@pytest.mark.parametrize(
    "policy",
    [
        "clone:copies=1",
        "budget:copies=1",
        "mantri:copies=1",
        "sda:copies=1",
        "sca:copies=1",
        "hedge:copies=1",
    ],
)
@every_sharing
@search(20)
@given(data=st.data())
def test_one_copy_a_task_is_no_speculation(sharing, policy, data):
    pair = f"{sharing}+{policy.partition(':')[0]}"
    scenario, workload = data.draw(small_runs(ties=data.draw(st.booleans()), pair=pair))
    plain = run_to_end(scenario, f"{sharing}+none", workload)
    assert_same(run_to_end(scenario, f"{sharing}+{policy}", workload), plain)


@pytest.mark.parametrize("sharing", ["fifo", "fair", "srpt"])  # under hopper its share replaces the cap
@search(20)
@given(data=st.data())
def test_a_cap_of_zero_is_no_speculation(sharing, data):
    scenario, workload = data.draw(small_runs(ties=data.draw(st.booleans())))
    plain = run_to_end(scenario, f"{sharing}+none", workload)
    assert_same(run_to_end(scenario, f"{sharing}+late:speculative_cap=0", workload), plain)


@each("observe", OBSERVATIONS)
@pytest.mark.parametrize("speculation", ["late", "mantri", "sda", "ese:xi=0"])
@every_sharing
def test_nothing_straggles_where_durations_are_constant(sharing, speculation, observe):
    """Neither where times are whole numbers nor where every finish is rounded."""
    if observe == "never" and speculation in ("sda", "ese:xi=0"):
        return  # which need to see
    scenario = SlotScenario(
        slots=9, load=0.8, jobs=40, tasks_max=8, straggle="deterministic", observe=observe
    )
    for size in ({}, {"size": "uniform", "size_min": 0.1, "size_max": 3}):
        jobs = generate(scenario.replace(**size), 0)
        for workload in (jobs, Workload(np.floor(jobs.arrival), jobs.tasks, jobs.size)):
            outcome = run_to_end(scenario, f"{sharing}+{speculation}", workload)
            assert outcome.extra.sum() == 0


@pytest.mark.parametrize("pair", ["fifo+clone", "hopper+clone", "fair+budget", "hopper+budget"])
def test_rules_that_do_not_wait_for_evidence_copy_even_then(pair):
    scenario = SlotScenario(slots=9, load=0.5, jobs=40, tasks_max=8, straggle="deterministic")
    assert run_to_end(scenario, pair, generate(scenario, 0)).extra.sum() > 0


@pytest.mark.parametrize("pair", ["fifo+budget", "srpt+budget"])
def test_a_virtual_size_of_one_slot_a_task_leaves_no_room_for_copies(pair):
    scenario = SlotScenario(slots=9, load=0.5, jobs=40, tasks_max=8, straggle="exponential")  # theta is 1
    assert run_to_end(scenario, pair, generate(scenario, 0)).extra.sum() == 0


def in_half_units(policy: SlotPolicy) -> SlotPolicy:
    """The policy with the parameters that are times doubled."""
    times = {one.name for one in policy.speculation.declared if one.about.unit == "time_unit"}
    values = tuple((name, 2 * value if name in times else value) for name, value in policy.speculation.values)
    return replace(policy, speculation=replace(policy.speculation, values=values))


@every_pair
@search(20)
@given(data=st.data())
def test_a_unit_of_half_the_length_doubles_every_time(pairs, data):
    """Doubling is exact in binary, so nothing else may change by a bit."""
    pair = data.draw(pairs)
    scenario, workload = data.draw(small_runs(ties=data.draw(st.booleans()), pair=pair))
    policy = data.draw(policies(pair))
    halved = Workload(2 * workload.arrival, workload.tasks, 2 * workload.size, 2 * workload.task_size)
    interval = 2 * scenario.decision_interval
    whole = run_to_end(scenario, policy, workload)
    doubled = run_to_end(scenario.replace(decision_interval=interval), in_half_units(policy), halved)
    for column in ("start", "finish", "resource", "extra_time"):
        np.testing.assert_array_equal(getattr(doubled, column), 2 * getattr(whole, column), err_msg=column)
    for column in ("copies", "extra", "killed", "utilisation", "events"):
        np.testing.assert_array_equal(getattr(doubled, column), getattr(whole, column), err_msg=column)


@search(100)
@given(data=st.data())
def test_more_slots_never_hurt_first_in_first_out(data):
    """Each task in the order of arrival takes the slot that is free first: none starts later."""
    scenario, workload = data.draw(small_runs(ties=data.draw(st.booleans())))
    scenario = scenario.replace(outlier_spread=0, drain=math.inf)
    few = run_to_end(scenario, "fifo+none", workload)
    many = run_to_end(
        scenario.replace(slots=scenario.slots + data.draw(st.integers(1, 5))), "fifo+none", workload
    )
    assert (many.start <= few.start).all()
    assert (many.finish <= few.finish).all()


@every_pair
@search(20)
@given(data=st.data())
def test_jobs_that_come_later_do_not_change_the_past(pairs, data):
    pair = data.draw(pairs)
    scenario, workload = data.draw(small_runs(ties=False, pair=pair))
    policy = data.draw(policies(pair))
    before = workload.arrival < workload.arrival[-1]
    if not before.any():
        return
    first = Workload(
        workload.arrival[before],
        workload.tasks[before],
        workload.size[before],
        workload.task_size[: workload.tasks[before].sum()],
    )
    scenario = scenario.replace(drain=math.inf)
    all_jobs, some_jobs = run_to_end(scenario, policy, workload), run_to_end(scenario, policy, first)
    for column in ("start", "finish"):
        alone, among = getattr(some_jobs, column), getattr(all_jobs, column)[before]
        past = np.minimum(alone, among) < workload.arrival[-1]
        np.testing.assert_array_equal(alone[past], among[past], err_msg=column)
