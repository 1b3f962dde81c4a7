"""Oldest first: a task that has run for long gets one copy, in slots no original wants."""

import math

from sim.policy import parameter
from sim.slots.rule import Speculation
from sim.slots.signatures import notice, watch
from sim.slots.speculation.candidates import first_candidate, forget, mean_duration, offer, retract


@watch
def wait_until_old(world, values, s):
    """Look at an original when it is old; a task that gets its copy is settled."""
    slot = world.slots[s]
    if slot.number > 0:
        retract(world, slot.lead)
        return math.inf
    return slot.start + values.age * mean_duration(world, slot.job)


@notice
def offer_old(world, s):
    """Offer the task; of all that are offered the one that has run longest is copied first."""
    offer(world, s, world.slots[s].start, 0.0)
    return math.inf


AGE = parameter("age", 1.5, "age of a task that is copied", unit="mean durations", low=0, high=10)
RULE = Speculation(
    key="oldest-first", title="Oldest first", summary="one copy of tasks that have run longest", when="spare",
    watch=wait_until_old, notice=offer_old, copy_ended=forget, choose=first_candidate, parameters=(AGE,),
)  # fmt: skip
