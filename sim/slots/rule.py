"""What a rule of the slot engine declares: how slots are shared, and when extra copies run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.policy import Parameter

if TYPE_CHECKING:
    import numpy as np

    from sim.kernel.compile import Rule
    from sim.speculative import SpeculativeScenario


@dataclass(frozen=True)
class Sharing:
    """How slots are shared across jobs: a rule of the slot engine.

    `prepare` turns a scenario and the parameters into the numbers the compiled functions read.
    `budgets` says that the rule has a target for each job, which then also limits extra copies.
    `keeps_serving` says that a job it has picked stays first while it has originals to launch:
    launching one does not move it. `files_all` says that it also files jobs that want no slot.
    `memory` is how many numbers it keeps of each job in `order`, behind eight of its own.
    """

    key: str
    title: str
    summary: str
    touch: Rule
    pick: Rule
    parameters: tuple[Parameter, ...] = ()
    prepare: Callable[[SpeculativeScenario, Mapping[str, float]], np.ndarray] | None = None
    reference: str = ""
    budgets: bool = False
    keeps_serving: bool = False
    files_all: bool = False
    memory: int = 0
    default_speculation: str = "none"


@dataclass(frozen=True)
class Speculation:
    """When a job runs extra copies: a rule of the slot engine.

    `when` says when a free slot goes to an extra copy: 'never', 'urgent' (before originals),
    'budget' (as part of the job's share) or 'spare' (when no original waits). `at_launch` says that
    copies come with the original, so that a sharing rule's target does not limit them; `lists_new`
    that the rule needs the list of jobs that have not begun. `drop` names copies that make room for others,
    `places` that the rule chooses slots; `room` says how many numbers it remembers, given slots and tasks,
    and then it hears of every copy that ends. `clones_jobs` says that it clones whole jobs, which
    end with the first complete clone. `refuses` says which field of a scenario
    the rule can do nothing with, and what it would accept.
    """

    key: str
    title: str
    summary: str
    when: str | Callable[[Mapping[str, float]], str]
    watch: Rule
    notice: Rule
    lose: Rule
    choose: Rule
    parameters: tuple[Parameter, ...] = ()
    prepare: Callable[[SpeculativeScenario, Mapping[str, float]], np.ndarray] | None = None
    reference: str = ""
    stores_durations: bool = False
    at_launch: bool = False
    lists_new: bool = False
    drop: Rule | None = None
    clones_jobs: bool = False
    places: bool = False
    room: Callable[[int, int], int] | None = None
    refuses: Callable[[SpeculativeScenario, Mapping[str, float]], str | None] | None = None
