"""A protocol as a value: what workers ask, what schedulers answer, and the numbers it can be given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sim.model.rule import Rule, accepts_old_names

if TYPE_CHECKING:
    from sim.kernel.hook import Hook

PROBES_HELP = "workers probed for each task, d"


@accepts_old_names(refile="update_order")
@dataclass(frozen=True, kw_only=True)
class Protocol(Rule):
    """How free slots of workers and jobs of schedulers find each other: a rule of the probe engine.

    `asks` names the parameter that says how many schedulers a slot remembers to have asked in one
    decision. `budgets` says that the protocol has a virtual size for each job, which then also limits
    its extra copies (else a speculation rule's own cap does); jobs that want a slot are then filed
    with their schedulers. `tells_sizes` says that workers act on what messages say of jobs.
    `slot_state` is what the protocol keeps of each slot, as `job_state` of each job.
    """

    ENGINE: ClassVar[str] = "probes"
    REGISTRY: ClassVar[str] = "sim.engines.probes.protocols:PROTOCOLS"
    label: Hook
    ask: Hook
    answer: Hook
    update_order: Hook
    asks: str = ""
    budgets: bool = False
    tells_sizes: bool = False
    slot_state: Mapping[str, float] = field(default_factory=dict, hash=False)
    default_speculation: str = "none"
