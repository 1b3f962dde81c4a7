"""The tail index is learned as well as its number of copies allows, and then serves as well as if known."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engines.slots.scenario import SlotScenario
from sim.model.workload import generate
from tests.agreement import assert_mean
from tests.sim.slots.runs import run_to_end

pytestmark = pytest.mark.compiled


def learned(scenario: SlotScenario, policy: str, replications: int) -> np.ndarray:
    """Tail index at the end of each replication."""
    runs = (
        run_to_end(scenario, policy, generate(scenario, replication), replication=replication)
        for replication in range(replications)
    )
    return np.array([run.scalars["tail"] for run in runs])


@pytest.mark.parametrize("tail", [1.2, 1.5, 3.0])
@pytest.mark.parametrize("policy", ["hopper:learn_tail=1", "hopper-dag:learn_tail=1"])
def test_it_is_found_although_most_stragglers_are_killed(tail, policy):
    """Killed and running copies count as far as they were seen; without them the index would be too large."""
    found = learned(SlotScenario(slots=100, jobs=600, straggle_tail=tail), policy, 20)
    assert_mean(found, tail, resolution=0.02)
    with pytest.raises(AssertionError):
        assert_mean(found, 1.03 * tail)


@pytest.mark.parametrize("speculation", ["late", "mantri"])
def test_rules_that_see_remaining_times_make_it_a_little_too_large(speculation):
    """They give rivals to the copies that would last longest, so that censoring tells something."""
    found = learned(SlotScenario(slots=100, jobs=600), f"hopper:learn_tail=1+{speculation}", 20)
    assert 1.0 < np.mean(found) / 1.5 < 1.05


def test_its_error_shrinks_with_the_square_root_of_the_copies():
    errors = []
    for jobs in (50, 200, 800):
        found = learned(SlotScenario(slots=100, jobs=jobs), "hopper:learn_tail=1", 40)
        errors.append(np.sqrt(np.mean((found / 1.5 - 1) ** 2)) * np.sqrt(50 * jobs))
    # 1 for an efficient estimator that has seen as many copies as there are tasks; its standard error
    # over 40 replications is 1 / sqrt(80), and looks are up to a quarter of the slots or 5 % apart
    assert all(0.5 < error < 1.7 for error in errors), errors


def test_a_known_law_is_not_learned():
    assert (learned(SlotScenario(slots=20, jobs=20, straggle_tail=1.7), "hopper", 2) == 1.7).all()
