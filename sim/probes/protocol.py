"""A protocol as a value: what workers ask, what schedulers answer, and the numbers it can be given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.rule import Rule, accepts_old_names

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
    """

    label: Hook
    ask: Hook
    answer: Hook
    update_order: Hook
    asks: str = ""
    budgets: bool = False
    tells_sizes: bool = False
    default_speculation: str = "none"
