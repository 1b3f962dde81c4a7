"""Cloning: `copies` copies of every task, launched with it (XL section III; task-level redundancy).

Clones still owed to a running task take the next free slots, before any original, oldest task
first: so every task that lasts long enough gets all its copies, whatever the load.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import next_check
from sim.engines.slots.speculation.candidates import first_candidate, forget, offer, retract
from sim.model.policy import parameter
from sim.model.rule import XL, Formula
from sim.telling.words import plain


@next_check
def owe_clones(world, values, s):
    """Owe an original its clones; a clone settles one of them."""
    slot = world.slots[s]
    if slot.number == 0:
        if values.copies > 1.0:
            offer(world, s, slot.start, 0.0)
    elif world.slots[slot.task_slot].copies >= values.copies:
        retract(world, slot.task_slot)
    return math.inf


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "Cloning",
            f"\\Pr(\\min(Z_1, \\dots, Z_c) > z) = \\Pr(Z > z)^c, \\qquad c = {plain(values['copies'])}",
            "Every task runs as $c$ copies from the start and is done with the first of them; with Pareto "
            "factors the tail index becomes $c\\beta$.",
            XL + ", section III",
        ),
    )


RULE = Speculation(
    key="clone",
    title="cloning",
    summary="a fixed number of copies of every task, launched with it",
    when="urgent",
    at_launch=True,
    next_check=owe_clones,
    on_copy_end=forget,
    select_task=first_candidate,
    parameters=(
        parameter(
            "copies",
            2,
            "copies of every task, the original included",
            whole=True,
            low=1,
            high=8,
            label="Copies of every task",
        ),
    ),
    reference="Xu and Lau, section III",
    formulas=formulas,
)
