"""The declaration of a rule of the slot engine: how slots are shared, and when extra copies run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sim.model.rule import Formula, Rule, accepts_old_names

if TYPE_CHECKING:
    from sim.kernel.hook import Hook
    from sim.model.speculative import SpeculativeScenario

# Systems of the papers that fix both rules of a policy.

#: Key -> how people call it, and the pair that it stands for.
SYSTEMS = {
    "sca": ("SCA", "levels+sca"),
    "sda": ("SDA", "levels+sda"),
    "ese": ("ESE", "levels+ese"),
    "mantri-xl": ("Mantri (Xu and Lau)", "levels+mantri"),
    "no-backup": ("No copies (Xu and Lau)", "levels+none"),
    "dolly-task": ("Dolly", "fair+dolly"),
    "dolly-job": ("Dolly for whole jobs", "fair+dolly-job"),
}


#: Formulas of a rule; those that depend on its parameters, or on when remaining times become known
#: (`age`, `fraction` or `never`), are made from both.
Formulas = tuple[Formula, ...] | Callable[[Mapping[str, float], str], tuple[Formula, ...]]


@dataclass(frozen=True, kw_only=True)
class SlotRule(Rule):
    """What sharing and speculation rules of the slot engine declare alike."""

    ENGINE: ClassVar[str] = "slots"
    formulas: Formulas = ()

    def written_out(self, chosen: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
        """Return the formulas of the rule with these parameters.

        Parameters
        ----------
        chosen : mapping
            Parameter -> value.
        observed : str
            When remaining times become known: `age`, `fraction` or `never`.
        """
        return self.formulas(chosen, observed) if callable(self.formulas) else self.formulas


@accepts_old_names(refile="update_order", pick="next_job")
@dataclass(frozen=True, kw_only=True)
class Sharing(SlotRule):
    """How slots are shared across jobs: a rule of the slot engine.

    `budgets` says that the rule has a target for each job, which then also limits extra copies.
    `keeps_serving` says that a job it has picked stays first while it has originals to launch: launching
    one does not move it. `files_all` says that it also files jobs that want no slot. `order` makes the
    numbers it keeps under that name, given how many jobs there are and the most tasks one of them has;
    `more_seats`, where these are for jobs in the system, returns them with room for so many at a time.
    """

    REGISTRY: ClassVar[str] = "sim.engines.slots.sharing:SHARING"
    update_order: Hook
    next_job: Hook
    budgets: bool = False
    keeps_serving: bool = False
    files_all: bool = False
    order: Callable[[int, int], np.ndarray] = lambda jobs, largest: np.zeros(1)
    more_seats: Callable[[np.ndarray, int], np.ndarray] | None = None
    default_speculation: str = "none"


@accepts_old_names(
    watch="next_check",
    notice="check",
    copy_ended="on_copy_end",
    choose="select_task",
    drop="evict",
    hears_all="hears_every_copy_end",
    sets="judges_task_sets",
    apart="copies_on_other_machines",
    bars="bars_machines",
    skips_outlived="skips_dominated_copies",
    room="store_size",
    ahead="store_before_tasks",
)
@dataclass(frozen=True, kw_only=True)
class Speculation(SlotRule):
    """When a job runs extra copies: a rule of the slot engine; a hook left out never does anything.

    `when` says when a free slot goes to an extra copy: 'never', 'urgent' (before originals),
    'budget' (as part of the job's share), 'spare' (when no original waits) or 'in turn' (`select_task` is
    told whose original is next, and decides). `at_launch` says that copies come with the original, so that a
    sharing rule's target does not limit them; `lists_new` that the rule needs the list of jobs that have not
    begun; `hears_every_copy_end` that `on_copy_end` is called for every copy, not only for tasks the rule has
    filed; `places` that it chooses slots; `clones_jobs` that it clones whole jobs, which end with the first
    complete clone; `judges_task_sets` that it judges task sets (`sim.engines.slots.arriving`), which have
    heaps of their own; `copies_on_other_machines` that a copy runs on another machine than the other copies
    of its task; `bars_machines` that nothing starts on some machines until times that are the last numbers
    of its `store`, one per slot; `skips_dominated_copies` that it never asks when or whether an extra copy
    would end (`sim.engines.slots.launching`). `store_size` says how many numbers `store` has, given slots
    and tasks; `store_before_tasks`, where equally many of them for each task lie in the order of the tasks,
    how many come before the first task's, so that a long run can forget those of jobs that are done.
    `slot_state` is what the rule keeps of each slot, as `job_state` of each job. `refuses` says which field
    of a scenario the rule can do nothing with, and what it would accept.
    """

    REGISTRY: ClassVar[str] = "sim.engines.slots.speculation:SPECULATION"
    when: str | Callable[[Mapping[str, float]], str]
    next_check: Hook | None = None
    check: Hook | None = None
    on_copy_end: Hook | None = None
    select_task: Hook | None = None
    evict: Hook | None = None
    at_launch: bool = False
    lists_new: bool = False
    hears_every_copy_end: bool = False
    places: bool = False
    clones_jobs: bool = False
    judges_task_sets: bool = False
    copies_on_other_machines: bool = False
    bars_machines: bool = False
    skips_dominated_copies: bool = False
    store_size: Callable[[int, int], int] = lambda slots, tasks: 1
    store_before_tasks: Callable[[int], int] | None = None
    slot_state: Mapping[str, float] = field(default_factory=dict, hash=False)
    refuses: Callable[[SpeculativeScenario, Mapping[str, float]], str | None] | None = None
