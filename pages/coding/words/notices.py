"""What to notice on the Coding page: a sentence or two on the chosen values."""

from __future__ import annotations

import math
from itertools import pairwise

from pages.coding.answer.loads import Seen
from pages.coding.charts.axes import spelled
from pages.coding.words.cards import load_of
from pages.coding.words.learned import learned_notices
from pages.shared.words.numbers import changed, listed, measured, number, percent, plain
from sim.gang.sweep import Point

#: Theory and simulation are said to differ from this share of the simulated value on.
APART = 0.05


def notices(seen: Seen) -> list[str]:
    """Return what the chosen values show, a sentence or two each."""
    found = [_trade(seen), _everybody(seen), _rule(seen), *learned_notices(seen), _apart(seen)]
    return [sentence for sentence in found if sentence]


def _trade(seen: Seen) -> str:
    """Say what the chosen d brings and costs."""
    asked, chosen = seen.asked, seen.chosen
    none, looked = chosen.at(0.0), chosen.at(asked.demand)
    jobs = "all jobs" if asked.demand == math.inf else (
        f"the {percent(seen.shares[asked.demand])} of jobs with a demand up to {spelled(asked.demand)} s"
    )  # fmt: skip
    start = f"Starting ⌈{plain(asked.rate)} k⌉ tasks for {jobs}, which end with any k of them,"
    cost = f"takes the load from {load_of(none)} to {load_of(looked)}"
    if looked.unstable:
        return f"{start} {cost}: too much at ρ₀ = {plain(chosen.load)}, the queue grows without end."
    symbol = asked.measure_info.symbol
    change = changed(looked.gain)
    if looked.gain.sign:
        pays = "It pays." if looked.gain.sign < 0 else "It does not pay."
        return f"{start} {cost} and changes {symbol} by {change}. {pays}"
    return f"{start} {cost}; no difference of {symbol} is seen ({change})."


def _everybody(seen: Seen) -> str:
    """Say whether small jobs alone are better than all, and why."""
    best, everybody = seen.chosen.best, seen.chosen.at(math.inf)
    if best is None:
        return "Every queue grows here: a lower offered load, or more nodes, is needed to see anything else."
    at = f"At ρ₀ = {plain(seen.chosen.load)}"
    if math.inf in best.as_good:
        return f"{at} no smaller d is clearly better than extra tasks for all jobs: there is room for them."
    if best.demand == 0:
        if len(best.as_good) > 1:
            return f"{at} no d is clearly better than no redundancy: the work itself needs the slots."
        return f"{at} it is best to start no extra tasks: the work itself needs the slots."
    share = percent(seen.shares[best.demand])
    loss = "the queue grows" if everybody.unstable else (
        f"{seen.asked.measure_info.symbol} is {measured(everybody.estimate, seen.asked.measure_info.unit)}"
    )  # fmt: skip
    return (
        f"{at} extra tasks for small jobs only are best: d = {spelled(best.demand)} s takes in {share} of "
        f"the jobs, but the large ones take most of the capacity. With extra tasks for all jobs {loss}."
    )


def _rule(seen: Seen) -> str:
    """Say how the best d moves with the load."""
    found = [(sweep.load, sweep.best.demand) for sweep in seen.done if sweep.best]
    if len(found) < 3:
        return ""
    demands = [demand for _, demand in found]
    told = listed([f"{spelled(demand)} at {plain(load)}" for load, demand in found])
    falls = all(after <= before for before, after in pairwise(demands))
    if falls and demands[0] > demands[-1]:
        return f"**Small enough jobs, low enough load**: the best d falls as ρ₀ rises: {told}."
    return f"The best d by offered load: {told}."


def _apart(seen: Seen) -> str:
    """Say where the theory and the simulation part, as far as they can be compared."""
    asked, chosen = seen.asked, seen.chosen
    if asked.measure != "mean":
        return "There is no theory of quantiles and slowdowns here: Claim 1 is about the mean time E[T] only."
    if chosen.theory is None:
        return "Claim 1 is about coded tasks, not about replicas: there is no theory to compare with."
    compared = [
        (point, chosen.theory.at[point.demand])
        for point in chosen.points
        if not point.unstable and point.estimate.value is not None
    ]
    if not any(math.isfinite(times) for times in chosen.theory.at.values()):
        return _infinite(seen)
    outside = [(_gap(point, times), point, times) for point, times in compared]
    outside = [entry for entry in outside if entry[0] > APART]
    told = asked.approximation.in_words
    if not outside:
        return (
            f"{told}, stays within the intervals of the simulation, give or take {percent(APART)}, wherever "
            "the queue does not grow."
        )
    _, point, times = max(outside, key=lambda entry: entry[0])
    where = "if all jobs are expanded" if point.demand == math.inf else f"at d = {spelled(point.demand)}"
    said = "an infinite time" if math.isinf(times) else f"{number(times)} s"
    simulated = measured(point.estimate, asked.measure_info.unit)
    return f"{told}, says {said} {where}, the simulation {simulated}. {_why(seen, times, point)}"


def _gap(point: Point, times: float) -> float:
    """Return how far the theory is outside the interval, as a share of the simulated value."""
    value = point.estimate.value
    assert value is not None
    half = point.estimate.half if math.isfinite(point.estimate.half) else 0.0
    return max(0.0, abs(times - value) - half) / value


def _why(seen: Seen, times: float, point: Point) -> str:
    scenario = seen.asked.scenario
    if scenario.size_tail <= 2 and math.isinf(scenario.size_max):
        return (
            "With a tail index of sizes of at most 2 its second moment is infinite: the result depends "
            "on where "
            "sizes are cut."
        )
    if point.estimate.value is not None and times < point.estimate.value:
        if scenario.placement == "distinct":
            return (
                "It treats the cluster as servers that are always in use; here a job also waits until enough "
                f"*different* ones of the {scenario.nodes} nodes are free, and all behind it wait too."
            )
        return (
            "It treats the cluster as servers that are always in use; here slots stay idle while the job at "
            "the head of the queue waits for enough of them."
        )
    return "It is an approximation for many small jobs; here few large ones decide."


def _infinite(seen: Seen) -> str:
    scenario = seen.asked.scenario
    if scenario.straggle_tail <= 2:
        reason = f"straggle factors of tail index β = {plain(scenario.straggle_tail)}"
    else:
        reason = f"sizes of tail index {plain(scenario.size_tail)}"
    return (
        f"{seen.asked.approximation.in_words}, is infinite for every d: {reason} have no second moment, and "
        "it needs that of the latency. Simulated queues are finite. Choose another approximation to see a "
        "curve."
    )
