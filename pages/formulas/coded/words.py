"""Texts of the Coded jobs tab: the answer to its question, cards, what to notice, and its numbers."""

from __future__ import annotations

import math

import pandas as pd

from pages.formulas.coded.charts import called, seconds
from pages.formulas.coded.question import LOADS, Request
from pages.shared.charts.on_page import Headline
from sim.telling.words import counted, fixed, number, percent, plain


def answer(asked: Request) -> str:
    """Return for which jobs extra tasks pay at the load, and what they do to the mean time."""
    at = f"at load {plain(asked.load)}"
    without, best = (seconds(float(asked.time(d, asked.load))) for d in (0.0, asked.star))
    if asked.star == 0:
        told = f"**Extra tasks do not pay** {at}: the mean time is {without} without them"
    else:
        jobs = "all jobs" if asked.star == math.inf else f"jobs of up to {seconds(asked.star)} of work"
        told = f"**Extra tasks pay for {jobs}** {at}: the mean time is {best} instead of {without}"
    if asked.d == asked.star:
        return f"{told}."
    name, time = list(asked.choices.items())[1]  # the chosen d
    return f"{told}. With extra tasks for {called(name, asked)} it is {seconds(time)}."


def change(ratio: float) -> str:
    """Return a ratio as a change.

    Examples
    --------
    >>> change(0.42), change(1.58), change(1.0)
    ('−58 %', '+58 %', '0 %')
    """
    told = percent(abs(ratio - 1))
    return told if told == "0 %" else f"{'+' if ratio > 1 else '−'}{told}"


def best_demand(asked: Request) -> str:
    """Return the best largest demand by Claim 1, in words."""
    return {0.0: "no job", math.inf: "all jobs"}.get(asked.star, seconds(asked.star))


def cards(asked: Request) -> list[Headline]:
    """Return the headlines: time and slot-time of the job, the best demand, the load of all."""
    time, cost = ([number(float(of(n))) for n in (asked.n, asked.k)] for of in (asked.latency, asked.cost))
    d = "all jobs" if asked.d == math.inf else f"d = {plain(asked.d)} s, {percent(asked.share)} of the jobs"
    return [
        ("Time of an expanded job", change(asked.faster), f"{time[0]} task sizes instead of {time[1]}"),
        ("Its slot-time", change(asked.dearer), f"{cost[0]} task sizes instead of {cost[1]}"),
        ("Expand up to demand d*", best_demand(asked), f"chosen: {d}"),
        (
            "Load with all jobs expanded",
            fixed(asked.brought(math.inf), 2),
            f"too much from ρ₀ = {number(asked.limit)} on; chosen: {plain(asked.load)}",
        ),
    ]


def notices(asked: Request) -> list[str]:
    """Return what the chosen values show, a sentence or two each."""
    told = [_job(asked), _free(asked), _load(asked)]
    if asked.moments == "one":
        told.append(
            "With a tail index of at most 2 the second moment of the latency is infinite, and so is Claim 1. "
            "Drawn is its form from first moments, as if latencies were exponential."
        )
    return told


def _job(asked: Request) -> str:
    faster, dearer = (
        f"{percent(abs(one - 1))} {'more' if one > 1 else 'less'}" for one in (asked.faster, asked.dearer)
    )
    return (
        f"A job of {counted(asked.k, 'task')} that starts {asked.n} and ends with any {asked.k} of them "
        f"takes {faster} time and {dearer} slot-time."
    )


def _free(asked: Request) -> str:
    if asked.free == asked.k:
        return (
            f"Every extra task costs slot-time at β = {plain(asked.tail)}: what it saves of the stragglers "
            "is less than what it uses."
        )
    return (
        f"Up to {counted(asked.free, 'task')} started cost no more slot-time than {asked.k}: extra tasks end "
        "the job before its stragglers use as much."
    )


def _load(asked: Request) -> str:
    everybody = fixed(asked.brought(math.inf), 2)
    too_much = ", more than the cluster can do" if asked.brought(math.inf) >= 1 else ""
    told = f"Extra tasks for all jobs take the load from {plain(asked.load)} to {everybody}{too_much}"
    if asked.d == math.inf:
        return f"{told}."
    return (
        f"{told}. For jobs of up to {plain(asked.d)} s, {percent(asked.share)} of them, it becomes "
        f"{fixed(asked.brought(asked.d), 2)}."
    )


def curves(asked: Request) -> pd.DataFrame:
    """Return both charts as a table: a row for each number of tasks, and for each load and choice of jobs."""
    n = asked.started
    job = pd.DataFrame({"tasks_started": n, "time": asked.latency(n), "slot_time": asked.cost(n)})
    cluster = [
        pd.DataFrame({"expanded": name, "load_offered": LOADS, "response_time_s": asked.time(d, LOADS)})
        for name, d in asked.demands.items()
    ]
    return pd.concat([job, *cluster], ignore_index=True)


def reading(asked: Request) -> dict[str, object]:
    """Return the parameters and what the theory answers."""

    def finite(value: float) -> float | str:
        return value if math.isfinite(value) else "infinite"

    return {
        "tail_index_of_straggle_factors": asked.tail,
        "tail_index_of_task_sizes": asked.size_tail,
        "tasks_needed": asked.k,
        "tasks_started": asked.n,
        "slots": asked.slots,
        "load": asked.load,
        "expansion_rate": asked.r,
        "largest_demand_expanded": finite(asked.d),
        "time": {"expanded": float(asked.latency(asked.n)), "once": float(asked.latency(asked.k))},
        "slot_time": {"expanded": float(asked.cost(asked.n)), "once": float(asked.cost(asked.k))},
        "most_tasks_that_cost_no_more": asked.free,
        "claim_1": "first moments" if asked.moments == "one" else "two moments",
        "response_time_s": {name: finite(time) for name, time in asked.choices.items()},
        "best_demand": finite(asked.star),
        "load_with_all_jobs_expanded": asked.brought(math.inf),
        "overloaded_from": asked.limit,
    }
