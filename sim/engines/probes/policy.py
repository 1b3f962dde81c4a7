"""Policies of the probe engine: how slots and jobs find each other, and who gets another copy."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import ClassVar

from sim.engines import plugins
from sim.engines.probes.protocol import Protocol
from sim.engines.probes.scenario import SCALARS, ProbeScenario
from sim.engines.slots.rule import Speculation
from sim.engines.slots.run import SlotRun
from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.engines.slots.sharing import hopper, hopper_dag
from sim.model.fields import fields_of, settable
from sim.model.outcome import Outcome
from sim.model.policy import Chosen, Policy
from sim.model.rule import Rule
from sim.model.workload import Workload

# The centralised run: the slot engine's Hopper on the same jobs with the same luck.
#
# For jobs with phases that is its Hopper with DAG weights (`hopper-dag`, the exact weighted optimum).
# Without copies decentralised Hopper approaches it as knowledge grows. With copies it can be faster: on 100
# workers at load 0.8, bushy trees of up to four phases and beta = 2.5, a mean flowtime of 6.0 (all workers
# probed) stood against 9.6. Weighted targets are far from the fastest there; plain ones (`hopper-fair`)
# gave 6.2.
#
# It knows everything at once and sends no messages, so it has none of the probe engine's measures.


@dataclass(frozen=True, kw_only=True)
class Central(Rule):
    """What a listing says of the centralised run."""

    budgets: bool = True
    default_speculation: str = "budget"


CENTRAL = Central(
    key="central",
    title="Central",
    summary="one scheduler that knows everything: hopper of the slot engine on the same jobs",
    parameters=hopper.RULE.parameters,
    reference=hopper.RULE.reference,
)


def centralised(chosen: Chosen, workload: Workload) -> Chosen:
    """Return the sharing rule of the slot engine that stands for the centralised policy on these jobs."""
    if workload.phases is None:
        return Chosen.of(hopper.RULE).with_(**chosen.as_dict)
    return Chosen.of(hopper_dag.RULE).with_(learn_tail=chosen.as_dict["learn_tail"])


def slot_cluster(scenario: ProbeScenario) -> SlotScenario:
    """Return the slot cluster with as many slots and the same jobs.

    Examples
    --------
    >>> slot_cluster(ProbeScenario(workers=20, slots_per_worker=2, load=0.5)).slots
    40
    """
    shared = set(settable(SlotScenario)) & set(fields_of(ProbeScenario))
    return SlotScenario(**{name: getattr(scenario, name) for name in shared})


class CentralRun:
    """A replication of the centralised policy in progress.

    Parameters
    ----------
    scenario, policy, replication, workload, log
        As of `sim.engines.slots.run.SlotRun`.
    """

    def __init__(
        self,
        scenario: ProbeScenario,
        policy: SlotPolicy,
        replication: int,
        workload: Workload,
        log: int,
    ) -> None:
        self._run = SlotRun(slot_cluster(scenario), policy, replication, workload, log=log)

    def advance(self) -> bool:
        """Let more events happen; return whether the run is over."""
        return self._run.advance()

    @property
    def finished_tasks(self) -> int:
        """Tasks that are done."""
        return self._run.finished_tasks

    def outcome(self) -> Outcome:
        """Read the results."""
        return dataclasses.replace(
            self._run.outcome(), scalars=dict.fromkeys(measure.key for measure in SCALARS)
        )


def protocol_rules() -> dict[str, Protocol | Central]:
    """Return the protocols, and the centralised run they are measured against; imports Numba."""
    return {**plugins.rules(Protocol), CENTRAL.key: CENTRAL}


def speculation_rules() -> dict[str, Speculation]:
    """Return the rules of the slot engine that can be run at many schedulers."""
    return {key: plugins.rules(Speculation)[key] for key in ("none", "late", "budget")}


@dataclass(frozen=True, slots=True)
class ProbePolicy(Policy):
    """A protocol and a speculation rule.

    Examples
    --------
    >>> read_policy("hopper").text, ProbePolicy.of("hopper", "late").text
    ('hopper+budget', 'hopper+late')
    >>> read_policy("sparrow:probes=4+late").text
    'sparrow:probes=4+late'
    >>> [read_policy(text).name for text in ("hopper:probes=2", "sparrow+late", "central")]
    ['Hopper, d = 2', 'Sparrow + LATE', 'Central']
    >>> read_policy("sparrow+budget")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: policy: 'sparrow+budget' is not accepted; budget needs virtual sizes...
    """

    NOTE: ClassVar = "; budget needs virtual sizes (hopper, central)"

    protocol: Chosen = field(metadata={"rules": protocol_rules})
    speculation: Chosen = field(metadata={"rules": speculation_rules})

    def complaint(self) -> str | None:
        """Say why the rules do not go together, if they do not."""
        sizes = protocol_rules()[self.protocol.key].budgets or self.speculation.key != "budget"
        return None if sizes else "budget needs virtual sizes, as hopper has"


read_policy = ProbePolicy.read
