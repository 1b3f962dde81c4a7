"""What the Coding page says of its charts: cards, what to notice, what it rests on."""

from __future__ import annotations

import math
from itertools import pairwise

from pages.coding.axes import spelled
from pages.coding.learned import network
from pages.coding.learned_words import learned_notices
from pages.coding.question import Asked
from pages.coding.seen import Learned, Seen
from pages.shared.live.cards import Card
from pages.shared.words.numbers import fixed, in_percent, listed, measured, number, percent, plain
from sim.gang.sweep import Point

#: Theory and simulation are said to differ from this share of the simulated value on.
APART = 0.05
#: Demands that are as good as the best which a card has room to name.
MOST_NAMED = 2


def cards(seen: Seen) -> list[Card]:
    """Return the headline: without redundancy, with the chosen d, for all jobs or learned, and the best d."""
    asked, chosen = seen.asked, seen.chosen
    unit = asked.measure_info.unit
    none, looked, everybody = (chosen.at(d) for d in (0.0, asked.demand, math.inf))
    found = [Card("No redundancy", _value(none, unit), _spread(none, unit))]
    if asked.demand < math.inf:
        label = f"Expanded up to d = {spelled(asked.demand)} s"
        found.append(_changed(label, looked, none, unit))
    if seen.learned is None:
        return [*found, _changed("All jobs expanded", everybody, none, unit), _best(seen)]
    return [*found, _best(seen), _changed("Learned policy", seen.learned, none, unit)]


def _value(point: Point | Learned, unit: str) -> str:
    if point.unstable:
        return "queue grows"
    if point.estimate.value is None:
        return "censored"
    return number(point.estimate.value) + (f" {unit}" if unit else "")


def _spread(point: Point, unit: str) -> str:
    if point.unstable:
        return "without redundancy"
    half = measured(point.estimate, unit).partition("± ")[2]
    return f"± {half}" if half else "first runs"


def _changed(label: str, point: Point | Learned, before: Point, unit: str) -> Card:
    """Return the card of an expansion: the paired change, coloured if it is sure, and the load."""
    load = f"ρ = {_load(point)}"
    if point.unstable or before.unstable or point.gain.value is None:
        return Card(label, _value(point, unit), load)
    # Streamlit tells the sign by the first character: a hyphen, and no better minus
    change = in_percent(point.gain, before.estimate.value).replace("−", "-", 1)
    sure = point.gain.half < abs(point.gain.value)
    return Card(label, _value(point, unit), f"{change} · {load}", "inverse" if sure else "gray")


def _best(seen: Seen) -> Card:
    best = seen.chosen.best
    if best is None:
        return Card("Best d tried", "none", "every queue grows")
    value = {0.0: "no job", math.inf: "all jobs"}.get(best.demand, f"{spelled(best.demand)} s")
    others = [spelled(d) for d in best.as_good if d != best.demand]
    if not others:
        return Card("Best d tried", value, "no other is as good")
    told = listed(others) if len(others) <= MOST_NAMED else f"{len(others)} others"
    return Card("Best d tried", value, f"as good: {told}")


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
    start = f"Starting ⌈{plain(asked.rate)} k⌉ tasks for {jobs}, any k of which end the job,"
    cost = f"takes the load from {_load(none)} to {_load(looked)}"
    if looked.unstable:
        return f"{start} {cost}: too much at ρ₀ = {plain(chosen.load)}, the queue grows without end."
    symbol = asked.measure_info.symbol
    change = in_percent(looked.gain, none.estimate.value)
    if looked.gain.value is not None and looked.gain.half < abs(looked.gain.value):
        pays = "It pays." if looked.gain.value < 0 else "It does not pay."
        return f"{start} {cost} and changes {symbol} by {change}. {pays}"
    return f"{start} {cost}; no difference of {symbol} is seen ({change})."


def _load(point: Point | Learned) -> str:
    return "not known" if point.load.value is None else fixed(point.load.value, 2)


def _everybody(seen: Seen) -> str:
    """Say whether small jobs alone are better than all, and why."""
    best, everybody = seen.chosen.best, seen.chosen.at(math.inf)
    if best is None:
        return "Every queue grows here: a lower offered load, or more nodes, is needed to see anything else."
    at = f"At ρ₀ = {plain(seen.chosen.load)}"
    if math.inf in best.as_good:
        return f"{at} no smaller d is clearly better than expanding all jobs: there is room for everybody."
    if best.demand == 0:
        if len(best.as_good) > 1:
            return f"{at} no d is clearly better than no redundancy: the work itself needs the slots."
        return f"{at} it is best to expand no job: the work itself needs the slots."
    share = percent(seen.shares[best.demand])
    loss = "the queue grows" if everybody.unstable else (
        f"{seen.asked.measure_info.symbol} is {measured(everybody.estimate, seen.asked.measure_info.unit)}"
    )  # fmt: skip
    return (
        f"{at} small jobs alone are best: d = {spelled(best.demand)} s expands {share} of the jobs, but the "
        f"large ones take most of the capacity. With all jobs expanded {loss}."
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
    said = "no end of waiting" if math.isinf(times) else f"{number(times)} s"
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
        return "With β at most 2 its second moment is infinite: what it says depends on where sizes are cut."
    if point.estimate.value is not None and times < point.estimate.value:
        if scenario.placement == "distinct":
            return (
                "It takes the cluster for servers that are always used; here a job also waits until enough "
                f"*different* ones of the {scenario.nodes} nodes are free, and all behind it wait too."
            )
        return (
            "It takes the cluster for servers that are always used; here slots stay idle while the job at "
            "the head of the queue waits for enough of them."
        )
    return "It is an approximation for many small jobs; here few large ones decide."


def _infinite(seen: Seen) -> str:
    scenario = seen.asked.scenario
    if scenario.straggle_tail <= 2:
        reason = f"slowdowns of tail index α = {plain(scenario.straggle_tail)}"
    else:
        reason = f"sizes of tail index β = {plain(scenario.size_tail)}"
    return (
        f"{seen.asked.approximation.in_words}, is infinite for every d: {reason} have no second moment, and "
        "it needs that of the latency. Simulated queues are finite. Choose another approximation to see a "
        "curve."
    )


def about_theory(seen: Seen) -> str:
    """Say which theory is drawn beside the measure."""
    asked = seen.asked
    if asked.measure != "mean":
        return "No theory of this measure."
    if seen.chosen.theory is None:
        return "No theory of replicas."
    if not any(math.isfinite(times) for times in seen.chosen.theory.at.values()):
        return f"{asked.approximation.in_words}, is infinite for every d."
    return f"Dashed: {asked.approximation.in_words}{_bound(seen)}."


def about_rule(seen: Seen) -> str:
    """Say which theory separates the jobs to expand from the others."""
    beside, told = seen.chosen.theory, seen.asked.approximation.in_words
    if beside is None:
        return "No theory of replicas."
    if math.isnan(beside.star):
        return f"{told}, has no best d: it is infinite for every d."
    star = "∞, all jobs" if math.isinf(beside.star) else (
        f"{number(beside.star)} s" if beside.star else "0, no job"
    )  # fmt: skip
    return (
        f"Blue: below d* for the mean time by {told}{_bound(seen)}; at ρ₀ = {plain(seen.chosen.load)} "
        f"it is {star}."
    )


def about_step(seen: Seen) -> str:
    """Say what the map of Redundant-small shows."""
    return (
        f"Jobs in the shaded part start ⌈{plain(seen.asked.rate)} k⌉ tasks, with the best d tried at each "
        "offered load (rings); dotted: the chosen one. Small jobs are below, low loads on the left."
    )


def about_learned(seen: Seen) -> str:
    """Say what the map of the learned policy shows, and how it came about."""
    notes = network().notes
    loads, tails = notes["loads"], notes["tails"]
    spread = f"{plain(min(loads))} to {plain(max(loads))}"
    return (
        "Load: tasks that run or wait, over the slots, when the job comes to the head of the queue. The "
        f"network was trained by Deep-Q learning on {notes['decisions'] / 1e6:.0f} million jobs at offered "
        f"loads {spread} and β = {listed([plain(tail) for tail in tails])}, to make slowdowns small; it sees "
        f"demand, load and ρ₀, here {plain(seen.chosen.load)}, not β or r. Dotted: the mean load there."
    )


def _bound(seen: Seen) -> str:
    if not seen.asked.approximation.bounded:
        return ""
    return f" (b_max = {number(seen.asked.approximation.of(seen.asked.scenario).size_max)} s)"


def capped(asked: Asked) -> str:
    """Say that large jobs cannot be expanded in full, if so."""
    scenario, rate = asked.scenario, asked.rate
    if math.ceil(rate * scenario.tasks_max) <= scenario.places:
        return ""
    return (
        f"No more than {scenario.places} tasks of a job can start together, so jobs of many tasks get fewer "
        "redundant ones than r asks for; the theory does not know."
    )
