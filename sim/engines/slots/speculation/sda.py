r"""SDA, the Straggler Detection Algorithm (XL section V): copies at the moment a straggler is detected.

A task is looked at once, when the remaining time of its original becomes known: the scenario's `observe`,
where ``fraction:s`` is the paper's share s of its work. If more than :math:`\sigma E[x]` is left, the task
is owed :math:`c - 1` copies. They take the next slots, before any original, longest remaining time first;
a task that has to wait for them loses its claim once no more than the threshold is left. (The paper says
"if resource is available" and not what happens otherwise.) Slots are those freed last, not random ones:
machines are alike.

Unless given, :math:`\sigma` is the threshold that saves most resource, which depends on the law of the
straggle factor alone: the root of :math:`2 E[\min(a, x)] = a` for one new copy, and for Pareto factors the
joint optimum over :math:`\sigma` and :math:`c`. Theorem 3 of the paper, c = 2, is wrong for tail indices
(alpha) below 1.5 or so, where c = 3 is better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim.engines.slots.rule import Speculation
from sim.engines.slots.signatures import check, next_check, select_task
from sim.engines.slots.speculation.candidates import (
    forget,
    known_from,
    left,
    mean_duration,
    offer,
    retract,
    top,
)
from sim.kernel.compile import inlined
from sim.model.laws import StraggleLaw
from sim.model.policy import parameter
from sim.model.rule import XL, Formula
from sim.telling.words import plain

if TYPE_CHECKING:
    from sim.model.speculative import SpeculativeScenario


@inlined
def when_it_straggles(world, sigma, s):
    """When the original in slot `s` is found to have more than sigma E[x] left; ``inf`` if it never is.

    The engine knows the future; planning a look at stragglers only saves events and shows nothing
    early: that a task straggles is used from that moment on.
    """
    at = known_from(world, s)
    return at if world.slots[s].finish - at > sigma * mean_duration(world, world.slots[s].job) else math.inf


@next_check
def plan(world, values, s):
    """Look at an original when its remaining time becomes known, if that makes it a straggler."""
    slot = world.slots[s]
    if slot.number > 0:
        if world.slots[slot.task_slot].copies >= values.copies:
            retract(world, slot.task_slot)
        return math.inf
    return when_it_straggles(world, values.sigma, s) if values.copies > 1.0 else math.inf


@check
def owe_copies(world, s):
    """Owe the straggler its copies, longest remaining time first."""
    offer(world, s, -world.slots[s].finish, 0.0)
    return math.inf


@inlined
def straggles(world, sigma, task_slot):
    """Tell whether the original in slot `task_slot` still has more than sigma E[x] left."""
    return left(world, task_slot) > sigma * mean_duration(world, world.slots[task_slot].job)


@select_task
def choose_task(world, values, j):
    """Copy the straggler with the longest remaining time; drop those that are stragglers no more."""
    task_slot = top(world, j)
    while task_slot >= 0 and not straggles(world, values.sigma, task_slot):
        retract(world, task_slot)
        task_slot = top(world, j)
    return task_slot


@lru_cache(maxsize=64)
def best_threshold(law: StraggleLaw, copies: int) -> tuple[float, int]:
    r"""Threshold :math:`\sigma` in units of E[x], and copies, that save most resource.

    Parameters
    ----------
    law : StraggleLaw
        Law of the straggle factor, with a finite mean.
    copies : int
        Copies on detection, the original included; 0 for the best number.

    Returns
    -------
    tuple of float and int
        For Pareto factors from `theory.detection`. For others the threshold is that of one new
        copy, :math:`2 E[\min(a, x)] = a`, and 2 the best number, whatever number is given.

    Examples
    --------
    >>> sigma, copies = best_threshold(StraggleLaw("pareto", (1.5,)), 0)
    >>> round(sigma, 4), copies
    (1.4744, 3)
    >>> best_threshold(StraggleLaw("deterministic"), 0)  # 2 min(a, 1) = a
    (2.0, 2)
    """
    if law.kind == "pareto":
        # with `scipy.optimize`, for which the first answer of a page need not wait
        from theory.detection import detection_optimum, sigma_star

        if copies == 0:
            best = detection_optimum(law.tail)
            return best.sigma, best.copies
        return (float(sigma_star(law.tail, copies)) if copies > 1 else math.inf), copies
    return threshold_of_one_copy(law), copies or 2


def threshold_of_one_copy(law: StraggleLaw) -> float:
    r"""Root of :math:`2 E[\min(a, x)] = a` in units of the mean: where one new copy begins to pay.

    The mean is that over 20,000 equally likely values (midpoint rule in probability), so the root is
    known to about 1e-4.
    """
    from scipy.optimize import brentq

    new = law.quantile((np.arange(20_000) + 0.5) / 20_000) / law.mean

    def surplus(a: float) -> float:
        return 2 * float(np.minimum(a, new).mean()) - a

    if surplus(2.0) >= 0:  # E[min(a, x)] is at most the mean
        return 2.0
    return float(brentq(surplus, 1e-9, 2.0))


class Values(NamedTuple):
    """What the hooks read: the threshold in mean durations and the copies of a straggler."""

    sigma: float
    copies: float


def prepare(scenario: SpeculativeScenario, values: Mapping[str, float]) -> Values:
    """Take the best threshold and the best number of copies where 0 is given."""
    sigma, copies = best_threshold(scenario.straggle_law, int(values["copies"]))
    return Values(values["sigma"] or sigma, float(copies))


def needs_observation(key: str, scenario: SpeculativeScenario) -> str | None:
    """Refuse a scenario in which the remaining time of a copy never becomes known."""
    if scenario.observation.kind != "never":
        return None
    return f"observe: 'never' is not accepted with {key}; give fraction:s or age:a"


def refuses(scenario: SpeculativeScenario, values: Mapping[str, float]) -> str | None:
    """Refuse what SDA can do nothing with."""
    return needs_observation("sda", scenario)


def given_sigma(values: Mapping[str, float]) -> str:
    """Say the threshold where it is not the best one."""
    return rf" \qquad (\sigma = {plain(values['sigma'])})" if values["sigma"] else ""


def formulas(values: Mapping[str, float], observed: str) -> tuple[Formula, ...]:
    """Return the formulas behind the rule, with its numbers."""
    return (
        Formula(
            "SDA, detection",
            r"t_{\text{rem}} > \sigma \, E[x], \qquad 2 \, E[\min(\sigma^* E[x],\, x)] = \sigma^* E[x]"
            + given_sigma(values),
            "When a task's remaining time becomes known and exceeds the threshold, it gets its copies at "
            "once. The threshold that saves most slot-time depends on the law of the straggle factor alone.",
            XL + ", section V",
        ),
    )


SIGMA = parameter(
    "sigma",
    0,
    "a straggler has more than this left; 0: the threshold that saves most",
    unit="mean durations",
    low=0,
    high=100,
    label="Threshold σ (0: the best)",
    symbol="σ",
)

RULE = Speculation(
    key="sda",
    title="SDA",
    summary="copies at the moment a straggler is detected, before any original",
    when="urgent",
    next_check=plan,
    check=owe_copies,
    on_copy_end=forget,
    select_task=choose_task,
    parameters=(
        SIGMA,
        parameter(
            "copies",
            0,
            "copies of a straggler, the original included; 0: the number that saves most",
            whole=True,
            low=0,
            high=8,
            label="Copies of a straggler (0: the best)",
        ),
    ),
    prepare=prepare,
    reference="Xu and Lau, section V",
    refuses=refuses,
    formulas=formulas,
)
