"""A small experiment that compiles every function of the probe engine."""

from __future__ import annotations

from sim.engines.probes.policy import CENTRAL, speculation_rules
from sim.engines.probes.protocols import PROTOCOLS
from sim.engines.probes.scenario import ProbeScenario
from sim.running.experiment import Experiment


def experiment() -> Experiment:
    """Return a few jobs under every protocol and every speculation rule.

    The slot engine comes last: another process may be compiling it, and is ready by then.
    """
    pairs = [f"{key}+{rule.default_speculation}" for key, rule in PROTOCOLS.items()]
    pairs += [f"hopper+{key}" for key in speculation_rules() if f"hopper+{key}" not in pairs]
    scenario = ProbeScenario(workers=4, schedulers=2, jobs=5, tasks_max=3)
    return Experiment.of_texts(scenario, (*pairs, CENTRAL.key))
