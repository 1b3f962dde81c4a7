"""A protocol as a value: what workers ask, what schedulers answer, and the numbers it can be given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.policy import Parameter

if TYPE_CHECKING:
    from sim.kernel.compile import Rule

PROBES_HELP = "workers probed for each task, d"


@dataclass(frozen=True)
class Protocol:
    """How free slots of workers and jobs of schedulers find each other: a rule of the probe engine.

    `asks` names the parameter that says how many schedulers a slot remembers to have asked in one
    decision. `budgets` says that the protocol has a virtual size for each job, which then also limits
    its extra copies (else a speculation rule's own cap does); jobs that want a slot are then filed
    with their schedulers. `tells_sizes` says that workers act on what messages say of jobs.
    """

    key: str
    title: str
    summary: str
    label: Rule
    ask: Rule
    answer: Rule
    refile: Rule
    parameters: tuple[Parameter, ...] = ()
    reference: str = ""
    asks: str = ""
    budgets: bool = False
    tells_sizes: bool = False
    default_speculation: str = "none"
