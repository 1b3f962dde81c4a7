"""Oldest first: a task that has run for long gets one copy, in slots no original wants."""

import math

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import check, next_check
from sim.engines.slots.speculation.candidates import first_candidate, forget, mean_duration, offer, retract
from sim.model.policy import parameter


@next_check
def wait_until_old(world, values, s):
    """Look at an original when it is old; a task that gets its copy is settled."""
    slot = world.slots[s]
    if slot.number > 0:
        retract(world, slot.task_slot)
        return math.inf
    return slot.start + values.age * mean_duration(world, slot.job)


@check
def offer_old(world, s):
    """Offer the task; of all that are offered the one that has run longest is copied first."""
    offer(world, s, world.slots[s].start, 0.0)
    return math.inf


AGE = parameter("age", 1.5, "age of a task that is copied", unit="mean durations", low=0, high=10)
RULE = Speculation(
    key="oldest-first", title="Oldest first", summary="one copy of tasks that run longest", parameters=(AGE,),
    when="spare", next_check=wait_until_old, check=offer_old, on_copy_end=forget, select_task=first_candidate
)  # fmt: skip
