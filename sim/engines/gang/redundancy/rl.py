r"""Redundant-RL: a network has learned how much redundancy a job gets, by its demand and the load.

It sees three numbers: the demand k b of the job in units of the smallest size, the load it finds, which is
all that runs and waits over the slots, and the offered load, which says what is to come. It was trained in
this simulator by Deep-Q learning (``examples/learned_redundancy``) in the system of Aktas and Soljanin: 20
nodes x 10, k ~ Zipf(1..10), straggle tail (alpha) 3, size tails (beta) 3 and 1.5, offered loads 0.1 to 0.9,
coded tasks. Elsewhere it is a guess.

The paper runs its learner under varying offered load, and the best d is another at each; here one network
serves all of them and is told. Beyond the paper's choice of redundant tasks it chooses among expansion
rates; they see the load of each node and find that it does not matter which node has how much, so here it
is one number.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim.engines.gang.learning.network import Network, best_rate, load_seen, read_network
from sim.engines.gang.redundancy.expansion import expanded
from sim.engines.gang.scenario import Redundancy
from sim.engines.gang.signatures import decide
from sim.model.policy import parameter

if TYPE_CHECKING:
    from sim.engines.gang.scenario import GangScenario


@decide
def learned(world, values, j):
    """Start what the network values most."""
    job = world.jobs[j]
    demand = job.tasks * job.task_size / values.unit
    _, rate = best_rate(world.store, 0, demand, load_seen(world.cluster, job.tasks))
    return expanded(rate, job.tasks)


@cache
def shipped() -> Network:
    """Return the network, read once."""
    return read_network()


class Values(NamedTuple):
    """What `learned` reads."""

    unit: float


def prepare(scenario: GangScenario, values: Mapping[str, float]) -> Values:
    """Return the unit of demands."""
    return Values(values["unit"] or scenario.size_min)


def packed(scenario: GangScenario, values: Mapping[str, float]) -> np.ndarray:
    """Return the network at an offered load."""
    return shipped().packed(values["load"] or scenario.load)


RULE = Redundancy(
    key="redundant-rl",
    title="Redundant-RL",
    summary="a network trained here decides by the job's demand, the load it finds and the offered load",
    decide=learned,
    parameters=(
        parameter(
            "unit",
            0,
            "size that the network takes for the smallest; 0: that of the scenario",
            unit="time_unit",
            low=0,
            high=1e12,
        ),
        parameter(
            "load",
            0,
            "offered load that the network is told; 0: that of the scenario",
            unit="slots busy / slots",
            low=0,
            high=4,
        ),
    ),
    prepare=prepare,
    store=packed,
    reference="Aktas and Soljanin, section 3; examples/learned_redundancy",
)
