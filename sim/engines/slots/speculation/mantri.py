r"""Mantri: duplicate a task when a copy launched now would probably end before half its remaining time.

A running copy is a straggler when :math:`\Pr(t_{rem} > 2\, t_{new}) > \delta`. Once its remaining
time is known (the scenario's `observe`) this reads :math:`t_{rem} > 2\, q_\delta`, with
:math:`q_\delta` the :math:`\delta` quantile of a new copy's duration. Under ``never`` only the
elapsed time a is known: the condition is :math:`\Pr(X > a + 2 X' \mid X > a) > \delta`, which holds
from some age on (and, for bounded laws, up to another).

A task qualifies while all its running copies are stragglers and it has had fewer than `copies`
copies; longest remaining time (of the copy that ends first) comes first; under ``never``, longest
elapsed time. Copies are launched before
waiting originals, since the rule expects them to save slot-time; ``waiting=0`` gives them only
slots that no original wants.

With `restart` above 0 a task's only copy is killed when its remaining time becomes known and exceeds
restart x E[x] while originals wait, and the task starts anew in the same slot, at most `restarts` times
(Mantri kills and restarts where :math:`t_{rem} > E[t_{new}] + \Delta` and there is no slot to spare). A
restart counts among the copies a task may have had, and as an extra copy. Under ``never`` nothing is killed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import check, next_check, select_task
from sim.engines.slots.speculation.candidates import forget, known_from, left, offer, retract, top
from sim.kernel.records import UNOBSERVED
from sim.model.laws import StraggleLaw
from sim.model.policy import parameter
from sim.model.rule import Formula
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


@next_check
def plan(world, values, s):
    """Look at the copy when its remaining time becomes known, if it is a straggler then.

    The engine knows the future; planning a look at the copies only that will qualify saves events
    and shows nothing early: whether a copy qualifies is used from that moment on.
    """
    slot = world.slots[s]
    if slot.number > 0:
        retract(world, slot.task_slot)  # the new copy is not known to straggle
    size = world.jobs[slot.job].task_size
    if world.cluster[0].observe_kind == UNOBSERVED:
        at = slot.start + values.first_age * size
        return at if at < slot.finish else math.inf
    at = known_from(world, s)
    return at if slot.finish - at > min(values.slow, values.hopeless) * size else math.inf


@check
def judge(world, values, s):
    """Make the task a candidate if all its running copies have been found slow."""
    c = world.cluster[0]
    slots = world.slots
    task_slot = slots[s].task_slot
    size = world.jobs[slots[s].job].task_size
    if c.observe_kind != UNOBSERVED:
        hopeless = left(world, s) > values.hopeless * size and c.waiting > 0 and slots[s].next_copy == s
        if hopeless and slots[task_slot].copies <= values.restarts:
            c.restart = s
            return math.inf
        if not left(world, s) > values.slow * size:
            return math.inf
    slots[s].checked = 1
    if slots[task_slot].copies >= values.copies:
        return math.inf
    next_copy = slots[s].next_copy
    while next_copy != s:
        if slots[next_copy].checked == 0:
            return math.inf
        next_copy = slots[next_copy].next_copy
    offer(
        world,
        task_slot,
        slots[task_slot].start if c.observe_kind == UNOBSERVED else -slots[task_slot].best,
        0.0,
    )
    return math.inf


@select_task
def choose_task(world, values, j):
    """Copy the candidate with the longest remaining time; drop those that no longer qualify."""
    c = world.cluster[0]
    task_slot = top(world, j)
    while task_slot >= 0:
        slot = world.slots[task_slot]
        size = world.jobs[slot.job].task_size
        if c.observe_kind == UNOBSERVED:
            if c.now - slot.start <= values.last_age * size:
                return task_slot
        elif slot.best - c.now > values.slow * size:
            return task_slot
        retract(world, task_slot)
        task_slot = top(world, j)
    return -1


class Values(NamedTuple):
    """What the hooks read; times are in units of a task's size."""

    slow: float  # remaining time of a straggler
    copies: float
    first_age: float  # between these ages a copy counts as a straggler where only elapsed times are known
    last_age: float
    hopeless: float  # remaining time from which a copy is restarted
    restarts: float


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Express the condition in units of a task's size."""
    law = scenario.straggle_law
    first, last = math.inf, math.inf
    if scenario.observation.kind == "never":
        first, last = qualifying_ages(law, values["delta"])
    hopeless = values["restart"] * law.mean or math.inf
    slow = 2 * float(law.quantile(values["delta"]))
    return Values(slow, values["copies"], first, last, hopeless, values["restarts"])


@lru_cache(maxsize=64)
def qualifying_ages(law: StraggleLaw, delta: float) -> tuple[float, float]:
    r"""Ages between which a copy of unit size satisfies the rule by its elapsed time alone.

    The probability :math:`E[S(a + 2 X')] / S(a)` is computed on a grid of ages for equally likely
    values of the new copy's duration (midpoint rule in probability).

    Returns
    -------
    tuple of float
        First and last qualifying age; ``(inf, inf)`` if there is none.

    Examples
    --------
    >>> from sim.model.laws import StraggleLaw
    >>> qualifying_ages(StraggleLaw("deterministic"), 0.25)
    (inf, inf)
    >>> qualifying_ages(StraggleLaw("exponential"), 0.25)[0]  # memoryless: 1/3 at every age
    0.0
    """
    ages = np.concatenate([[0.0], np.geomspace(0.01, 1e4, 1500)])
    alive = law.survival(ages)
    ages, alive = ages[alive > 0], alive[alive > 0]
    new = law.quantile((np.arange(2000) + 0.5) / 2000)
    slow = np.array([law.survival(age + 2 * new).mean() for age in ages]) / alive > delta
    if not slow.any():
        return math.inf, math.inf
    qualifying = np.flatnonzero(slow)
    last = math.inf if slow[-1] else float(ages[qualifying[-1]])
    return float(ages[qualifying[0]]), last


def when(values: Mapping[str, float]) -> str:
    """Before originals, or only in slots none of them wants."""
    return "urgent" if values["waiting"] else "spare"


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    seen = "elapsed time only" if observed == "never" else "remaining time, once it is known"
    return (
        Formula(
            "Mantri",
            f"\\Pr(t_{{\\text{{rem}}}} > 2 \\, t_{{\\text{{new}}}}) > \\delta = {plain(values['delta'])}",
            "A task is copied if a new copy would probably end within half its remaining time "
            f"(judged by {seen}); at most {plain(values['copies'])} copies a task, the original included.",
            "Ananthanarayanan et al., Reining in the Outliers in Map-Reduce Clusters using Mantri "
            "(OSDI 2010)",
        ),
    )


RULE = Speculation(
    key="mantri",
    title="Mantri",
    summary="duplicate when a new copy would probably end in half the remaining time",
    when=when,
    next_check=plan,
    check=judge,
    on_copy_end=forget,
    select_task=choose_task,
    parameters=(
        parameter(
            "delta",
            0.25,
            "probability that must be exceeded",
            low=0,
            high=0.99,
            label="Probability δ to exceed",
            symbol="δ",
        ),
        parameter(
            "copies",
            2,
            "most copies a task may have had, the original included",
            whole=True,
            low=1,
            high=8,
            label="Most copies of a task",
        ),
        parameter(
            "waiting",
            1,
            "1: also while originals wait; 0: only in idle slots",
            whole=True,
            low=0,
            high=1,
            label="Copy while tasks wait",
        ),
        parameter(
            "restart",
            0,
            "kill and restart a task with more than this left while originals wait; 0: never",
            unit="mean durations",
            low=0,
            high=100,
            label="Restart from this time left on",
        ),
        parameter(
            "restarts",
            3,
            "most restarts of a task",
            whole=True,
            low=1,
            high=8,
            label="Most restarts of a task",
        ),
    ),
    prepare=prepare,
    reference="Ananthanarayanan et al., OSDI 2010, as Xu and Lau section II state it",
    formulas=formulas,
)
