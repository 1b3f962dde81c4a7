"""Small experiments that compile every function of an engine, one for each engine by its key."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from sim.engines.gang import run as gang
from sim.engines.gang.scenario import GangScenario
from sim.engines.probes import policy as probes
from sim.engines.probes.policy import CENTRAL
from sim.engines.probes.protocols import PROTOCOLS
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.slots import scenario as slots
from sim.engines.slots.scenario import SlotScenario
from sim.running.experiment import Experiment

#: Rules that pages ask for first, which need not wait until the others are compiled.
FIRST = {"fair", "srpt", "hopper"}, {"none", "late", "budget"}


def of_slots() -> Experiment:
    """Return a few jobs under policies that have every rule once."""
    kinds = zip((slots.sharing_rules(), slots.speculation_rules()), FIRST, strict=True)
    sharing, copying = (sorted(rules, key=lambda rule: rule not in first) for rules, first in kinds)
    pairs = zip_longest(sharing, copying, fillvalue="fifo" if len(sharing) < len(copying) else "none")
    texts = [f"{share}+{copy}" for share, copy in pairs]
    return Experiment.of_texts(SlotScenario(slots=4, jobs=5, tasks_max=3), texts)


def of_probes() -> Experiment:
    """Return a few jobs under every protocol and every speculation rule.

    The slot engine comes last: another process may be compiling it, and is ready by then.
    """
    pairs = [f"{key}+{rule.default_speculation}" for key, rule in PROTOCOLS.items()]
    pairs += [f"hopper+{key}" for key in probes.speculation_rules() if f"hopper+{key}" not in pairs]
    scenario = ProbeScenario(workers=4, schedulers=2, jobs=5, tasks_max=3)
    return Experiment.of_texts(scenario, (*pairs, CENTRAL.key))


def of_gangs() -> Experiment:
    """Return a few jobs under every rule."""
    return Experiment.of_texts(GangScenario(jobs=5), list(gang.redundancy_rules()))


#: Key of an engine -> its experiment.
WARM: dict[str, Callable[[], Experiment]] = {"slots": of_slots, "probes": of_probes, "gang": of_gangs}
