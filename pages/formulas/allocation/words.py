"""Texts of the Allocation page: the answer to its question, cards, remarks and tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from pages.formulas.allocation.charts import below_best
from pages.formulas.allocation.question import Request, Scene, Share
from pages.shared.charts.on_page import Headline
from sim.telling.words import counted_slots, in_slots, listed, number, percent, plain
from theory.fairness import FairRegime
from theory.objective import Distance, total_rate

#: Shares of a sum that differ by less than this are equal, but for rounding.
TIE = 1e-9
#: Jobs that are named one by one.
FEW = 4


def cards(seen: Scene) -> list[Headline]:
    """Return the headline: are slots short, what is guaranteed, how high is the water, what is best."""
    asked = seen.asked
    regime = asked.regime(asked.epsilon)
    best, fair = seen.found["Algorithm 1"].rate, seen.found["Algorithm 2"].rate
    assert best is not None
    kept = f"Algorithm 2: {number(fair.value)}" if fair else "Algorithm 2: no answer"
    wanted = float(asked.wanted.sum())
    return [
        (
            "Slots are",
            "short" if asked.short else "to spare",
            f"{plain(asked.slots)} for Σ θT = {in_slots(wanted)}",
        ),
        (
            "Everyone is guaranteed",
            counted_slots(regime.guarantee),
            f"F = (1 − ε) S/N, N = {len(asked.jobs.names)}",
        ),
        ("Water level, slots per task", number(regime.level), _level(seen, regime)),
        ("Best sum of rates Σ μ", number(best.optimum), kept),
    ]


def _level(seen: Scene, regime: FairRegime) -> str:
    """Say what the water level is, and whether any job gets so many slots."""
    if not regime.constrained:
        return "of all jobs above F"
    held = seen.found["Algorithm 2"].slots
    if held is not None and np.all(held <= regime.level * seen.asked.jobs.T * (1 - TIE)):
        return "the threshold; no job gets so many"
    return "the threshold; only the guarantee F goes above it"


def notices(seen: Scene) -> list[str]:
    """Return what these jobs and slots show, a sentence or two each."""
    asked, found, right = seen.asked, seen.found, seen.right
    told = [_regime(asked, found["Algorithm 1"]), _fair(asked, found["Fair share"])]
    if asked.epsilon < 1:
        told.append(_price_of_fairness(asked, right))
    if asked.jobs.weighted:
        told += [_pipelines(asked, right), _drop(asked, right["Algorithm 3"])]
    if asked.printed:
        told += _as_printed(seen)
    return [notice for notice in told if notice]


def _regime(asked: Request, hopper: Share) -> str:
    names, wanted = asked.jobs.names, asked.wanted
    assert hopper.slots is not None  # it has an answer to every question
    if not asked.short:
        return (
            "There are slots to spare: every job gets its virtual size θT and Algorithm 1 shares in "
            f"proportion to T, {number(asked.regime(1.0).level)} slots per task, so that another slot adds "
            "as much to any of them."
        )
    full = [n for n, s, v in zip(names, hopper.slots, wanted, strict=True) if s >= v * (1 - TIE) and v]
    part = [n for n, s, v in zip(names, hopper.slots, wanted, strict=True) if 0 < s < v * (1 - TIE)]
    if len(full) == 1:
        served = f"{full[0]} gets all it wants"
    elif full:
        first = listed(full) if len(full) <= FEW else f"the {len(full)} smallest jobs"
        served = f"{first} get all they want"
    else:
        served = f"{part[0]} gets all the slots and could use more"
    rest = f", {part[0]} what is left" if full and part else ""
    return (
        f"Slots are short. Algorithm 1 goes by size: {served}{rest}. The sum of rates would be the same for "
        "any shares up to θT: smallest first is its way to break the tie."
    )


def _fair(asked: Request, share: Share) -> str:
    assert share.slots is not None
    assert share.rate is not None
    if share.rate.shortfall < TIE:
        return "Equal shares lose nothing here."
    over = share.slots / asked.wanted.clip(1e-12)
    most = int(over.argmax())
    return (
        f"Equal shares lose {percent(share.rate.shortfall)} of the best sum of rates: job "
        f"{asked.jobs.names[most]} gets {counted_slots(float(share.slots[most]))} but can use only "
        f"{in_slots(float(asked.wanted[most]))} of them well."
    )


def _price_of_fairness(asked: Request, right: dict[str, Share]) -> str:
    share, guarantee = right["Algorithm 2"], asked.regime(asked.epsilon).guarantee
    assert share.rate is not None
    lost = share.rate.shortfall
    cost = "costs nothing" if lost < TIE else f"costs {percent(lost)} of the best sum"
    return f"To guarantee everyone {counted_slots(guarantee)} (ε = {plain(asked.epsilon)}) {cost}."


def _pipelines(asked: Request, right: dict[str, Share]) -> str:
    share = right["Algorithm 3"]
    assert share.weighted is not None
    if share.weighted.shortfall < TIE:
        return f"Algorithm 3 attains the exact optimum of Σ αμ here, {number(share.weighted.optimum)}."
    first = asked.jobs.names[int(np.where(asked.jobs.T > 0, asked.jobs.weight, 0).argmax())]
    return (
        f"Algorithm 3 is a heuristic: it serves by max(T, T') and is {below_best(share.weighted.shortfall)} "
        f"the best Σ αμ. The exact optimum starts with the largest weight, job {first}."
    )


def _drop(asked: Request, share: Share) -> str:
    """Say which job would hold more if there were one slot less, empty if none would."""
    if share.slots is None or asked.slots <= 1:
        return ""
    fewer = share.rule.answer(replace(asked, slots=asked.slots - 1, printed=False))
    if fewer.slots is None:
        return ""
    loser = int((fewer.slots - share.slots).argmax())
    if fewer.slots[loser] <= share.slots[loser] + TIE * asked.slots:
        return ""
    return (
        f"With one slot less Algorithm 3 would give job {asked.jobs.names[loser]} "
        f"{counted_slots(float(fewer.slots[loser]))} instead of {in_slots(float(share.slots[loser]))}: a "
        "share may drop when slots are added, since the least weight is served last."
    )


def _as_printed(seen: Scene) -> list[str]:
    """Say which rules do otherwise as printed than corrected, and what that costs."""
    told = [_difference(seen.asked, share, seen.right[name]) for name, share in seen.found.items()]
    return [text for text in told if text] or ["As printed, every rule gives the corrected shares here."]


def _difference(asked: Request, share: Share, right: Share) -> str:
    name = share.rule.name
    assert right.slots is not None
    assert right.rate is not None
    if share.slots is None:
        return f"As printed, {name} has no answer: {share.case}. Corrected, it gives {_list(right.slots)}."
    if abs(share.slots - right.slots).max() <= 1e-6 * max(asked.slots, 1):
        return ""
    F = asked.regime(asked.epsilon).guarantee
    short = [n for n, s in zip(asked.jobs.names, share.slots, strict=True) if s < F * (1 - TIE)]
    fault = ""
    if name in ("Algorithm 2", "Projection") and short:
        fault = f", and {listed(short)} less than the guarantee {in_slots(F)}"
    weight = asked.jobs.weight if name == "Algorithm 3" else None
    before, after = (total_rate(asked.jobs.T, s, asked.beta, weight) for s in (share.slots, right.slots))
    change = (
        "at the same sum"
        if abs(after - before) <= TIE * after
        else f"{percent(1 - before / after)} less in sum"
    )
    if before > after * (1 + TIE):
        change = f"{percent(before / after - 1)} more in sum"
    return f"As printed, {name} gives {_list(share.slots)} instead of {_list(right.slots)}: {change}{fault}."


def _list(held: np.ndarray) -> str:
    return f"({', '.join(in_slots(float(s)) for s in held)})"


def sums(seen: Scene) -> pd.DataFrame:
    """Return each sum of rates and how far it is below the best one, weighted too if weights differ."""
    shares = seen.found.values()
    columns = {"Σ μ": [_value(s.rate) for s in shares], "against best Σ μ": [_gap(s.rate) for s in shares]}
    if seen.asked.jobs.weighted:
        columns |= {
            "Σ αμ": [_value(s.weighted) for s in shares],
            "against best Σ αμ": [_gap(s.weighted) for s in shares],
        }
    return pd.DataFrame(columns, index=list(seen.found))


def _value(distance: Distance | None) -> str:
    return "—" if distance is None else number(distance.value, 4)


def _gap(distance: Distance | None) -> str:
    return "—" if distance is None else below_best(distance.shortfall)


def decided(seen: Scene) -> str:
    """Return what each rule is and what decided its shares, as a list in Markdown."""
    return "\n".join(
        f"- **{share.rule.name}**, {share.rule.about}: {share.case}." for share in seen.found.values()
    )


def table(seen: Scene) -> pd.DataFrame:
    """Return every share as a table, one row for each job under each rule."""
    jobs = seen.asked.jobs
    parts = [
        pd.DataFrame(
            {
                "rule": share.rule.name,
                "job": jobs.names,
                "tasks": jobs.T,
                "dag_weight": jobs.weight,
                "downstream": jobs.downstream,
                "virtual_size": seen.asked.wanted,
                "slots": share.slots,
            }
        )
        for share in seen.found.values()
    ]
    return pd.concat(parts, ignore_index=True)


def reading(seen: Scene) -> dict[str, object]:
    """Return the parameters, the regime and what each rule achieves."""
    asked = seen.asked
    regime = asked.regime(asked.epsilon)
    return {
        "slots": asked.slots,
        "beta": asked.beta,
        "epsilon": asked.epsilon,
        "as_printed": asked.printed,
        "threshold_slots_per_task": asked.theta,
        "slots_are_short": asked.short,
        "guarantee": regime.guarantee,
        "water_level": regime.level,
        "jobs": {name: float(t) for name, t in zip(asked.jobs.names, asked.jobs.T, strict=True)},
        "rules": {
            name: {
                "slots": None if share.slots is None else share.slots.tolist(),
                "case": share.case,
                "sum_of_rates": share.rate and share.rate.value,
                "below_best": share.rate and share.rate.shortfall,
                "weighted_sum": share.weighted and share.weighted.value,
                "weighted_below_best": share.weighted and share.weighted.shortfall,
            }
            for name, share in seen.found.items()
        },
    }


def answer(seen: Scene) -> str:
    """Return which job's slots bring most work, and the cost of equal shares and of the guarantee."""
    asked = seen.asked
    best, fair, floor = (seen.right[name].rate for name in ("Algorithm 1", "Fair share", "Algorithm 2"))
    assert best is not None
    assert fair is not None
    assert floor is not None
    theta = f"{counted_slots(seen.corrected.theta)} per task"
    if asked.short and fair.shortfall < TIE:
        return (
            f"Slots are short, and **any shares of up to {theta} do most work** ({number(best.optimum)}), "
            "equal ones too: no slot would do more in another job."
        )
    first = (
        f"Slots are short: **serve the smallest jobs first**, with up to {theta}"
        if asked.short
        else f"There are slots to spare: **give each job {theta}**, share the rest by tasks"
    )
    guarantee = f"{counted_slots(asked.regime(asked.epsilon).guarantee)} for every job"
    return (
        f"{first}: that does most work ({number(best.optimum)}). Equal shares cost {_lost(fair.shortfall)}, "
        f"a guarantee of {guarantee} costs {_lost(floor.shortfall)}."
    )


def _lost(shortfall: float) -> str:
    return "nothing" if shortfall < TIE else f"{percent(shortfall)} of it"
