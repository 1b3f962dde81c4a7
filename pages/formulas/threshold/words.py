"""Texts of the Threshold page on its curves: cards, what to notice, and each job's row."""

from __future__ import annotations

from math import floor, isclose

import pandas as pd

from pages.formulas.threshold.question import Job, Scene
from pages.shared.charts.on_page import Headline
from sim.telling.words import counted, counted_slots, in_slots, listed, number, percent, plain, worth


def answer(seen: Scene) -> str:
    """Return where another slot begins to be worth less, and which job the next one does most for."""
    law, first = seen.law, seen.jobs[0]
    told = (
        f"Another slot is worth less beyond **{counted(worth(law.theta), 'slot')} per task**: job "
        f"{first.name} with its {counted(first.tasks, 'task')} passes that point at "
        f"{counted_slots(first.threshold)}."
    )
    most, least = seen.neediest[0], seen.contented
    each = f"With {counted_slots(seen.chosen)} each, another slot"
    if seen.level:
        return f"{told} {each} adds {worth(most.value)} to the service rate of any job."
    return (
        f"{told} {each} adds {worth(most.value)} to the service rate of job {most.name}, but "
        f"{worth(least.value)} to that of job {least.name}."
    )


def cards(seen: Scene) -> list[Headline]:
    """Return the headline: the threshold, what it separates, and which job should get the next slot."""
    law, most = seen.law, worth(seen.neediest[0].value)
    needy = " or ".join(job.name for job in seen.neediest)
    least = f"{most} there, {worth(seen.contented.value)} in {seen.contented.name}"
    return [
        ("Threshold, slots per task", worth(law.theta), _origin(seen)),
        ("Below it a slot adds", worth(law.plateau), "times the work of a plain slot"),
        (
            f"Below it with S = {plain(seen.chosen)}",
            f"{len(seen.below)} of {len(seen.jobs)} jobs",
            listed([job.name for job in seen.below]) if seen.below else "none",
        ),
        (
            "The next slot does most in",
            "any of them" if seen.level else f"job {needy}",
            f"{most} in each" if seen.level else least,
        ),
    ]


def _origin(seen: Scene) -> str:
    """Say where the threshold comes from."""
    law = seen.law
    if law.whole:
        return "whole copies of a task"
    if law.printed:
        return "θ = 2/β, as printed"
    return "θ = 2/β" if law.beta <= 2 else "θ = 1; 2/β is below one copy"


def notices(seen: Scene) -> list[str]:
    """Return what the chosen values show, a sentence or two each."""
    first = seen.jobs[0]
    told = [_plateau(seen, first), _comparison(seen)]
    if seen.law.whole:
        return [*told, *_whole(seen, first)]
    if seen.law.printed:
        return [*told, _impossible(seen, first)]
    return [*told, _kink(seen, first) if seen.law.beta > 2 else _no_jump(seen, first)]


def _plateau(seen: Scene, job: Job) -> str:
    law = seen.law
    return (
        f"Up to {counted(worth(law.theta), 'slot')} per task every slot adds the same, {worth(law.plateau)}. "
        f"Job {job.name} has {counted(job.tasks, 'task')} and gets there with "
        f"{counted_slots(job.threshold)}."
    )


def _comparison(seen: Scene) -> str:
    """Compare the jobs at the chosen number of slots, and say what Hopper makes of it."""
    most, least = seen.neediest[0], seen.contented
    if seen.level:
        return (
            f"With {counted_slots(seen.chosen)} each, another slot adds {worth(most.value)} to any of the "
            "jobs: which one gets it makes no difference to the sum of their rates."
        )
    told = (
        f"With {counted_slots(seen.chosen)} each, another slot adds {worth(most.value)} to job {most.name} "
        f"and {worth(least.value)} to job {least.name}, {number(most.value / least.value, 2)} times as much. "
    )
    if seen.below:
        return told + "So Hopper brings every job to its threshold before it lets any job pass it."
    return (
        told
        + "All are beyond their thresholds; then Hopper shares in proportion to T, which makes them level."
    )


def _no_jump(seen: Scene, job: Job) -> str:
    """Say that the value begins to fall at the threshold and does not jump there."""
    at, double = (float(seen.law.value(share * job.threshold, job.tasks)) for share in (1, 2))
    return (
        "The paper calls the threshold sharp, but nothing jumps there: the value of a slot *begins to fall*. "
        f"For job {job.name} it is still {worth(at)} at {counted_slots(job.threshold)} and {worth(double)} "
        "at twice as many."
    )


def _kink(seen: Scene, job: Job) -> str:
    """Say that above tail index 2 there is a true jump."""
    after = float(seen.law.value(job.threshold, job.tasks))
    return (
        f"With β = {plain(seen.law.beta)} stragglers are rare and a second copy never pays for itself: every "
        f"task wants one slot, not the printed 2/β = {number(2 / seen.law.beta)}. Here the value of a slot "
        f"does jump, from {worth(seen.law.plateau)} to {worth(after)}."
    )


def _impossible(seen: Scene, job: Job) -> str:
    """Say that the printed formula asks for less than one copy."""
    rate = float(seen.law.rate(job.threshold, job.tasks))
    return (
        f"As printed, k = 2/β = {worth(seen.law.theta)}: less than one copy of each task. Job {job.name} "
        f"would do the work of {number(rate)} plain slots with {in_slots(job.threshold)} of them, which no "
        "cluster can. The curve lies above the dashed line; the corrected θ = 1 stays on it."
    )


def _whole(seen: Scene, job: Job) -> list[str]:
    """Say what whole copies change: the threshold moves to a whole number and becomes a jump."""
    law = seen.law
    after = float(law.value(job.threshold, job.tasks))
    jump = (
        f"With whole copies the value of a slot is a staircase, and it does jump: at {plain(law.theta)}·T it "
        f"falls from {worth(law.plateau)} to {worth(after)}."
    )
    if isclose(law.beta, 1.5):
        tie = (
            "At β = 3/2 one copy and two do equally much per slot, so nothing changes at T: the jump comes "
            "only at 2T. The printed gain of 9/8 would need 1.33 copies of a task."
        )
        return [jump, tie]
    return [jump]


def job_columns(seen: Scene) -> pd.DataFrame:
    """Return what each job does with the chosen slots, a column a job: narrow enough for a phone."""
    rows = {
        "tasks T": [plain(job.tasks) for job in seen.jobs],
        "threshold (slots)": [in_slots(job.threshold) for job in seen.jobs],
        "tasks in service": [in_slots(job.in_service) for job in seen.jobs],
        "copies k of each": [copies_told(job, seen.law.whole) for job in seen.jobs],
        "rate μ": [number(job.rate) for job in seen.jobs],
        "another slot adds": [worth(job.value) for job in seen.jobs],
    }
    names = [f"job {job.name}" for job in seen.jobs]
    return pd.DataFrame.from_dict(rows, orient="index", columns=names)


def copies_told(job: Job, whole: bool) -> str:
    """Say how many copies the tasks in service have.

    Examples
    --------
    >>> from pages.formulas.threshold.question import SlotValue, scene
    >>> jobs = scene(SlotValue(1.25, whole=True), (10, 20), chosen=25, limit=100).jobs
    >>> [copies_told(job, whole=True) for job in jobs]
    ['2 (50 %) or 3', '2']
    """
    least = floor(job.copies * (1 + 1e-12))
    if not whole or isclose(job.copies, least):
        return number(job.copies) if not whole else str(least)
    return f"{least} ({percent(least + 1 - job.copies)}) or {least + 1}"


def curves(seen: Scene) -> pd.DataFrame:
    """Return the curves as a table, one row for each number of slots of each job."""
    parts = [
        pd.DataFrame(
            {
                "job": job.name,
                "tasks": job.tasks,
                "slots": job.slots,
                "rate": job.rates,
                "slot_adds": job.values,
            }
        )
        for job in seen.jobs
    ]
    return pd.concat(parts, ignore_index=True)


def reading(seen: Scene) -> dict[str, object]:
    """Return the parameters and what was read at the chosen number of slots."""
    law = seen.law
    return {
        "beta": law.beta,
        "copies": "whole" if law.whole else "fractional",
        "as_printed": law.printed,
        "threshold_slots_per_task": law.theta,
        "slot_adds_below": law.plateau,
        "slots": seen.chosen,
        "jobs": [
            {
                "job": job.name,
                "tasks": job.tasks,
                "threshold_slots": job.threshold,
                "copies": job.copies,
                "rate": job.rate,
                "slot_adds": job.value,
            }
            for job in seen.jobs
        ],
    }
