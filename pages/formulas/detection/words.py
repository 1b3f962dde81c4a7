"""Texts of the Detection page: the answer to its question, cards and remarks."""

from __future__ import annotations

import math

import pandas as pd

from pages.formulas.detection.charts import saved
from pages.formulas.detection.controls import Rules
from pages.formulas.detection.question import NAMES, VARIABILITY, Request, Solution, Waiting
from pages.shared.charts.on_page import Headline
from pages.shared.words.foreign import bold
from pages.shared.words.lead import lead
from pages.shared.words.notice import what_to_notice
from sim.model.result import Comparison, change
from sim.telling.words import number, percent, plain, spread


def answer(asked: Request) -> str:
    """Return what the theory answers in a sentence: whether to clone at once or to wait for stragglers."""
    what = "Cloning every task" if asked.light else "Waiting for stragglers"
    limit = f"with a queue per slot, cloning pays below {number(asked.cutoff)}"
    return f"**{what}** is best at load {plain(asked.load)}: {limit}."


def simulated_answer(comparison: Comparison, statistic: str = "mean") -> str:
    """Return in a sentence which ends jobs sooner, cloning (SCA) or detection (SDA)."""
    found = lead(comparison, statistic, [("SCA", "SDA")])
    clones, waits = bold("SCA"), bold("SDA")
    return (
        found.replace(f"{clones}:", f"with {clones}", 1)
        .replace(clones, f"{clones} (clones)", 1)
        .replace(waits, f"{waits} (waits)", 1)
    )


#: Rounds of the iteration, the last ones, that tell where it is.
LATE = 30
#: Share of the slot-time below which a difference is not worth a word.
SLIGHT = 0.002


def cards(asked: Request) -> list[Headline]:
    """Return the headlines: is the load light, when to copy, how many copies."""
    light = "below it: clone at once" if asked.light else "not below it: wait and see"
    best = asked.best
    return [
        (
            "With a queue per slot, cloning pays up to",
            number(asked.cutoff),
            f"load chosen: ρ₀ = {plain(asked.load)}, {light}",
        ),
        (
            "Best threshold σ*",
            number(best.sigma),
            f"chosen: σ = {plain(asked.sigma)} {saved(asked)}; at best {percent(1 - asked.least)}",
        ),
        (
            "Best copies of a straggler c*",
            str(best.copies),
            f"chosen: {asked.copies}; {percent(asked.detected)} of the tasks are stragglers",
        ),
    ]


def notices(asked: Request) -> list[str]:
    """Return what the theory shows of this cluster, a sentence or two each."""
    return [_load(asked), _threshold(asked), _mantri(asked), _copies(asked)]


def _load(asked: Request) -> str:
    one, two = asked.delays
    if math.isinf(two):
        full = "with its clones the cluster is overloaded"
        alone = (
            "a single copy of each waits for ever, too"
            if math.isinf(one)
            else f"with one copy it is {number(one)}"
        )
        return f"At load ρ₀ = {plain(asked.load)} cloned tasks wait without end, since {full}; {alone}."
    because = ", since its variance is infinite" if asked.alpha <= 2 else ""
    if asked.load >= 1:
        because = ", since the cluster is overloaded without clones"
    before = "without bound" if math.isinf(one) else number(one)
    verdict = "Clone at once" if asked.light else "Do not clone everything"
    return (
        f"{verdict}: with a queue at every slot and load ρ₀ = {plain(asked.load)} two copies of every task "
        f"mean a delay of {number(two)} mean task times, one copy {before}{because}. The cluster below has "
        "one queue for all slots."
    )


def _threshold(asked: Request) -> str:
    lost = asked.used - asked.least
    if lost < SLIGHT:
        return (
            f"The chosen σ = {plain(asked.sigma)} is as good as the best: detection {saved(asked)}. "
            "A copy pays once what remains of the task is more than all its copies would use."
        )
    return (
        f"With {asked.copies} copies from σ = {plain(asked.sigma)} on, detection {saved(asked)}. "
        f"At σ* = {number(asked.best.sigma)} it would save {percent(1 - asked.least)}: copy "
        "when what remains of the task is more than all its copies would use until then."
    )


def _mantri(asked: Request) -> str:
    side, best = ("below" if asked.mantri < asked.best_sigma(2) else "above"), asked.best_sigma(2)
    sooner = (
        "it copies some tasks although that costs slot-time"
        if side == "below"
        else "it leaves some stragglers alone although a copy would save slot-time"
    )
    return (
        f"Mantri's rule (δ = {plain(asked.delta)}) amounts to a threshold of {number(asked.mantri)}, {side} "
        f"the best one for two copies, {number(best)}: {sooner}."
    )


def _copies(asked: Request) -> str:
    if asked.alpha < asked.critical:
        two = float(asked.resource(asked.best_sigma(2), 2))
        return (
            "Two copies are not always best, contrary to Theorem 3 of the paper: below β = "
            f"{number(asked.critical)} three are, here by {percent(two - asked.least)} of a task's slot-time."
        )
    return (
        f"At β = {plain(asked.alpha)} two copies of a straggler are best, as the paper has it; below β = "
        f"{number(asked.critical)} it is three."
    )


def about_plan(found: Solution) -> list[str]:
    """Return what the solution of P2 shows, and its iteration."""
    most = int(found.whole.copies.argmax())
    gain = 1 - found.cloned / found.once
    best = int(gain.argmax())
    used = int(found.whole.copies @ list(found.jobs.tasks))
    told = [
        f"P2 gives job {NAMES[most]} most copies, {int(found.whole.copies[most])} of each task, and shortens "
        f"job {NAMES[best]} most, by {percent(float(gain[best]))}. The whole numbers use {used} of "
        f"{found.jobs.machines} slots.",
        _iteration(found),
    ]
    if found.real.price == 0:
        told.append(
            "Slots are left over: a further copy would cost more slot-time (weight γ = "
            f"{plain(found.jobs.gamma)}) than its job gains."
        )
    return told


def _iteration(found: Solution) -> str:
    bound = "any constant step settles" if math.isinf(found.stable) else f"limit {number(found.stable, 2)}"
    printed = found.wanted(found.printed)[-LATE:]
    if found.settles(found.printed):
        return f"With a constant step of {plain(found.step)} the iteration settles at the solution ({bound})."
    mended = "shrinking steps settle" if found.settles(found.mended) else "shrinking steps come nearer"
    if math.isfinite(found.stable) and found.step < found.stable:
        return (
            f"A constant step of {plain(found.step)} is short enough ({bound}), but after so many rounds the "
            f"iteration is not there yet; {mended}."
        )
    return (
        f"As printed, with a constant step of {plain(found.step)}, the iteration does not settle: it jumps "
        f"between {number(float(printed.min()))} and {number(float(printed.max()))} slots. A constant "
        f"step must be shorter ({bound}); {mended}."
    )


def too_many(jobs: Waiting) -> str:
    """Say what SCA does where there is no problem P2 to solve."""
    return (
        f"The four jobs have {sum(jobs.tasks)} tasks for {jobs.machines} slots, so that P2 has no solution. "
        "SCA then runs every task once, the job with the least work first. Give more slots to see clones."
    )


def remarks(comparison: Comparison, asked: Request, rules: Rules, statistic: str = "mean") -> list[str]:
    """Return remarks on the simulation: which policy is faster, and how it compares with the theory."""
    told = [*what_to_notice(comparison, statistic)[:2], _saving(comparison, asked), _ese(comparison, rules)]
    return [text for text in told if text]


def _saving(comparison: Comparison, asked: Request) -> str:
    """Compare SDA's slot-time with that of the theory, whose task always gets its copies."""
    if comparison.replications < 2 or any(one.unfinished for one in comparison.policies.values()):
        return ""
    one = comparison.policies["SDA"].estimate("resource", "mean")
    scenario = comparison.scenario
    if one.value is None:
        return ""
    per_task = scenario.mean_tasks * scenario.mean_duration
    slowly = " With so heavy a tail, averages converge slowly and start too low." if asked.alpha <= 2 else ""
    return (
        f"SDA uses {spread(one.value / per_task, one.half / per_task)} mean task times per task (95 % "
        f"interval, the luck of the jobs' sizes included); the theory says {number(asked.used)} for copies "
        f"that start at once.{slowly}"
    )


def _ese(comparison: Comparison, rules: Rules) -> str:
    """Say when ESE is SDA, and why it clones or not."""
    same = change(comparison, "ESE", "SDA", "resource", "mean")
    if same is not None and same.difference.value == 0:
        return (
            f"ESE does what SDA does here: no straggler ever waits for a slot, and with ξ = "
            f"{plain(rules.xi)} it clones no job, since mean task times are 1 to 4."
        )
    if same is None or same.sign == 0:
        return ""
    more = "more" if same.sign > 0 else "less"
    how = f"ξ = {plain(rules.xi)} lets it clone small jobs" if rules.xi > 1 else "it copies only once"
    return (
        f"ESE uses {percent(abs(same.relative))} {more} slot-time than SDA: {how}, and it looks at "
        "stragglers again whenever a slot is free."
    )


def reading(asked: Request) -> dict[str, object]:
    """Return the parameters and what the theory answers."""
    one, two = asked.delays
    return {
        "tail_index_of_task_times": asked.alpha,
        "load": asked.load,
        "size_variability": VARIABILITY,
        "cutoff_load": asked.cutoff,
        "delay_one_copy": one if math.isfinite(one) else "infinite",
        "delay_two_copies": two if math.isfinite(two) else "infinite",
        "sigma": asked.sigma,
        "copies": asked.copies,
        "share_done_when_looked_at": asked.share,
        "detected": asked.detected,
        "slot_time": asked.used,
        "best": {"copies": asked.best.copies, "sigma": asked.best.sigma, "slot_time": asked.least},
        "mantri_sigma": asked.mantri,
    }


def plan_table(found: Solution) -> pd.DataFrame:
    """Return the solution of P2, a column a job."""
    tasks = found.jobs.tasks
    return pd.DataFrame(
        {
            f"job {name}": [
                str(tasks[place]),
                number(float(found.real.copies[place])),
                str(int(found.whole.copies[place])),
                number(float(found.once[place])),
                number(float(found.cloned[place])),
            ]
            for place, name in enumerate(NAMES)
        },
        index=["tasks", "best copies", "as whole numbers", "mean duration once", "mean duration cloned"],
    )
