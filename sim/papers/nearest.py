"""The smallest change of one setting under which a claim that is not reproduced would be.

One field of the scenario is moved away from its value by factors, up and down, all others staying as they
are, until our number is what the claim counts as reproduced; the field with the smallest factor is told.
Quick runs find the place, the runs of the papers' scale decide. A change of what the paper states is told as
such: then the claim holds for another cluster than the paper's.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

from sim.engines.registry import preset
from sim.engines.slots.scenario import SlotScenario
from sim.model.statistics import Estimate
from sim.papers import dolly, xu_lau
from sim.papers.claim import REPRODUCED, Claim
from sim.papers.digest import digest
from sim.papers.runs import flowtime_at, mean_saved, replicated
from sim.telling.words import number

#: Factor of one step, how many steps are tried each way, and how many finer ones make a step.
STEP, STEPS, FINER = 1.1, 15, 5
MOST = STEP**STEPS


@dataclasses.dataclass(frozen=True, slots=True)
class Knob:
    """A field that is moved: what it is called, whether the paper states it, and the fields for a value."""

    called: str
    stated: bool
    now: Callable[[SlotScenario], float]
    fields: Callable[[SlotScenario, float], Mapping[str, Any]]


def field(name: str, called: str, *, stated: bool) -> Knob:
    """Return the knob of a number of the scenario."""
    whole = isinstance(getattr(SlotScenario(), name), int)
    return Knob(
        called,
        stated,
        lambda own: getattr(own, name),
        lambda own, value: {name: round(value) if whole else value},
    )


def _same_mean(own: SlotScenario, tail: float) -> dict[str, float]:
    """Return the fields of another tail index with the same mean durations."""
    scale = own.straggle_law.mean / own.replace(straggle_tail=tail).straggle_law.mean
    return {"straggle_tail": tail, "size_min": own.size_min * scale, "size_max": own.size_max * scale}


def _seen(kind: str, called: str) -> Knob:
    """Return the knob of when the remaining time of a copy is seen."""
    return Knob(
        called,
        False,
        lambda own: float(own.observe.partition(":")[2]),
        lambda own, value: {"observe": f"{kind}:{min(value, 1.0) if kind == 'fraction' else value:.6g}"},
    )


TAIL = Knob("the tail index (alpha) of task times", True, lambda own: own.straggle_tail, _same_mean)
XU_LAU = (
    _seen("fraction", "the share s of the work after which a remaining time is seen"),
    field("decision_interval", "the length of a slot of time", stated=False),
    field("load", "the offered load", stated=True),
    field("tasks_max", "the most tasks a job", stated=True),
    TAIL,
)
DOLLY = (
    _seen("age", "the age at which a remaining time is seen"),
    field("outlier_share", "the share of outliers", stated=False),
    field("outlier_min", "how slow an outlier is at least", stated=False),
    field("straggle_tail", "the tail index of outliers", stated=False),
    field("tasks_tail", "the tail index of the tasks a job", stated=False),
    field("load", "the offered load", stated=True),
)
Statistic = Callable[..., float]
#: Claim -> its preset, policies and statistic, as `COMPUTE` measures it.
TRIED: dict[str, tuple[str, tuple[str, ...], Statistic]] = {
    "xl-fig2-sda-mean": (xu_lau.FIG2, ("mantri-xl", "sda"), mean_saved),
    "xl-fig2-sca-p80": (xu_lau.FIG2, ("sca",), flowtime_at(0.8)),
    "xl-fig2-sca-p90": (xu_lau.FIG2, ("sca",), flowtime_at(0.9)),
    "xl-fig2-mantri-p80": (xu_lau.FIG2, ("mantri-xl",), flowtime_at(0.8)),
    "xl-fig2-mantri-p90": (xu_lau.FIG2, ("mantri-xl",), flowtime_at(0.9)),
    "xl-fig2-sca-resource": (xu_lau.FIG2, ("sca",), xu_lau.resource_at(0.8)),
    "xl-fig2-mantri-resource": (xu_lau.FIG2, ("mantri-xl",), xu_lau.resource_at(0.8)),
    "xl-fig2-both-mean": (xu_lau.FIG2, ("sda", "sca"), xu_lau.times_as_long),
    "xl-fig6-ese-p80": ("xu-lau-fig6-40", (xu_lau.ESE,), xu_lau.finished_quantile(0.8)),
    "xl-fig6-mantri-p80": ("xu-lau-fig6-40", ("mantri-xl",), xu_lau.finished_quantile(0.8)),
    "xl-fig6-mean": ("xu-lau-fig6-40", ("mantri-xl", xu_lau.ESE), xu_lau.finished_mean_saved),
    "xl-fig6-resource-30": ("xu-lau-fig6-30", ("mantri-xl", xu_lau.ESE), xu_lau.slot_time_ratio),
    "xl-fig6-sda": ("xu-lau-fig6-40", (xu_lau.ESE, "sda"), xu_lau.times_as_long),
    "dolly-fig6-task-late": (dolly.NAME, ("fair+late", "dolly-task"), dolly.saved(small=False)),
    "dolly-fig6-task-mantri": (dolly.NAME, ("fair+mantri", "dolly-task"), dolly.saved(small=False)),
    "dolly-fig6-job-late": (dolly.NAME, ("fair+late", "dolly-job"), dolly.saved(small=False)),
    "dolly-fig6-job-mantri": (dolly.NAME, ("fair+mantri", "dolly-job"), dolly.saved(small=False)),
    "dolly-fig6-small-mantri": (dolly.NAME, ("fair+mantri", "dolly-task:small=10"), dolly.saved(small=True)),
    "dolly-fig6-overall-late": (dolly.NAME, ("fair+late", "dolly-task:small=10"), dolly.saved(small=False)),
    "dolly-fig6-overall-mantri": (
        dolly.NAME,
        ("fair+mantri", "dolly-task:small=10"),
        dolly.saved(small=False),
    ),
}


def nearest(claim: Claim) -> dict[str, Any]:
    """Return which smallest change of one setting would reproduce a claim of `TRIED`.

    Returns
    -------
    dict
        `digest` of the claim, and `field`, `stated`, `now` and `then`; none of them if no change of one field
        by a factor of up to `MOST` would.
    """
    name, _, _ = TRIED[claim.key]
    own = preset(name).scenario
    assert isinstance(own, SlotScenario)
    found = []
    for knob in DOLLY if name == dolly.NAME else XU_LAU:
        factor = least_factor(claim, own, knob) if knob.now(own) > 0 else None
        if factor is not None:
            found.append((abs(math.log(factor)), knob, knob.now(own) * factor))
    if not found:
        return {"digest": digest(claim)}
    _, knob, then = min(found, key=lambda one: one[0])
    return {
        "digest": digest(claim),
        "field": knob.called,
        "stated": knob.stated,
        "now": float(knob.now(own)),
        "then": then,
    }


def told_nearest(found: Mapping[str, Any]) -> str:
    """Return a sentence on what `nearest` found.

    Examples
    --------
    >>> found = {"field": "the offered load", "stated": True, "now": 0.25, "then": 0.3}
    >>> told_nearest(found)  # doctest: +NORMALIZE_WHITESPACE
    'One change of the setting would reproduce it: 0.300 instead of 0.250 for the offered load, which the
    paper states.'
    >>> told_nearest({})
    'No change of one number of the setting by a factor of up to 4.2 would reproduce it.'
    """
    if "field" not in found:
        return f"No change of one number of the setting by a factor of up to {MOST:.1f} would reproduce it."
    now, then = (number(found[one], 3) for one in ("now", "then"))
    stated = ", which the paper states" if found["stated"] else ", which the paper does not state"
    return (
        f"One change of the setting would reproduce it: {then} instead of {now} for {found['field']}{stated}."
    )


def least_factor(claim: Claim, own: SlotScenario, knob: Knob) -> float | None:
    """Return the smallest factor on a knob, up or down, that reproduces a claim at the papers' scale."""
    for steps in range(1, STEPS + 1):
        for sign in (1, -1):
            if _reaches(claim, moved(claim, own, knob, STEP ** (sign * steps), quick=True)):
                finer = [sign * (steps - 1 + part / FINER) for part in range(1, FINER + 1)]
                for exponent in finer:
                    estimate = moved(claim, own, knob, STEP**exponent, quick=False)
                    if estimate and claim.judge(estimate).word == REPRODUCED:
                        return float(STEP**exponent)
    return None


def _reaches(claim: Claim, estimate: Estimate | None) -> bool:
    """Whether a quick number lies where the claim is reproduced."""
    return (
        estimate is not None
        and estimate.value is not None
        and claim.region.low <= estimate.value <= claim.region.high
    )


def moved(claim: Claim, own: SlotScenario, knob: Knob, factor: float, *, quick: bool) -> Estimate | None:
    """Estimate the number of a claim with a knob moved; None if the scenario does not accept it."""
    name, policies, statistic = TRIED[claim.key]
    try:
        fields = dict(knob.fields(own, knob.now(own) * factor))
        own.replace(**fields)
        return replicated(name, policies, statistic, quick, fields)
    except ValueError:
        return None
