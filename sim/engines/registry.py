"""The engines side by side, in the order of the listings.

A scenario names its engine, so whatever handles scenarios, policies and results serves every engine.
"""

from __future__ import annotations

from sim.engines.engine import Engine, Measure
from sim.engines.gang.scenario import GangScenario
from sim.engines.probes.measures import SCALARS
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.slots.scenario import SlotScenario
from sim.model.fields import unknown
from sim.model.scenario import Scenario

_ALL = (
    Engine(
        key="slots",
        title="One scheduler and its slots",
        scenario=SlotScenario,
        home="sim.engines.slots.long",
        example="fair+late",
    ),
    Engine(
        key="probes",
        title="Many schedulers and workers, and messages between them",
        scenario=ProbeScenario,
        home="sim.engines.probes.run",
        example="hopper",
        scalars=SCALARS,
        reference="central",
        saturated=0,  # a slot waits for answers, for how long depends on the latency
    ),
    Engine(
        key="gang",
        title="Jobs that start all at once",
        scenario=GangScenario,
        home="sim.engines.gang.run",
        example="redundant-small:r=2,d=120",
        columns=(Measure("wait", "wait mean", ("p50", "p80", "p90", "p95", "p99"), is_time=True),),
        scalars=(Measure("load", "load"),),
        differences=(("slowdown", ("mean", "p50", "p95")),),
        curves=("slowdown", "wait"),
        saturated=0,
    ),
)

#: Key -> engine, in the order of the listings.
ENGINES: dict[str, Engine] = {engine.key: engine for engine in _ALL}


def engine(key: str) -> Engine:
    """Return the engine of this key.

    Raises
    ------
    BadInput
        If there is none, with the nearest key and all keys.

    Examples
    --------
    >>> engine("slots").scenario().slots
    1000
    """
    if key not in ENGINES:
        raise unknown("engine", key, list(ENGINES))
    return ENGINES[key]


def engine_of(scenario: Scenario) -> Engine:
    """Return the engine that runs a scenario.

    Examples
    --------
    >>> engine_of(SlotScenario(slots=10)).key
    'slots'
    """
    return ENGINES[scenario.ENGINE]
