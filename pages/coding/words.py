"""Texts of the Coding page: cards, what to notice, captions."""

from __future__ import annotations

import math
from itertools import pairwise

from pages.coding.charts import spelled
from pages.coding.question import DEMANDS, Beside, Request, Step, map_of, network, untrained
from pages.shared.live.cards import Card, judged
from sim.running.gang_sweep import Point
from sim.telling.words import changed, fixed, listed, measured, number, percent, plain


def about_theory(seen: Step) -> str:
    """Say which theory is drawn beside the measure."""
    asked = seen.asked
    if asked.measure != "mean":
        return "There is no theory of this measure."
    if seen.chosen.theory is None:
        return "There is no theory of replicas."
    if not any(math.isfinite(times) for times in seen.chosen.theory.at.values()):
        return f"{asked.approximation.in_words}, is infinite for every d."
    return f"Dashed: {asked.approximation.in_words}{_bound(seen)}."


def about_rule(seen: Step) -> str:
    """Say which theory separates the jobs to expand from the others."""
    beside, told = seen.chosen.theory, seen.asked.approximation.in_words
    if beside is None:
        return "There is no theory of replicas."
    if math.isnan(beside.star):
        return f"{told}, has no best d: it is infinite for every d."
    star = (
        "∞, all jobs"
        if math.isinf(beside.star)
        else (f"{number(beside.star)} s" if beside.star else "0, no job")
    )
    return (
        f"Blue: below d* for the mean time by {told}{_bound(seen)}; at ρ₀ = {plain(seen.chosen.load)} "
        f"it is {star}."
    )


def about_step(seen: Step) -> str:
    """Say what the map of Redundant-small shows."""
    return (
        f"Jobs in the shaded part start ⌈{plain(seen.asked.rate)} k⌉ tasks, with the best d tried at each "
        "offered load (rings); dotted: the chosen one. Small jobs are below, low loads on the left."
    )


def about_learned(seen: Step) -> str:
    """Say what the map of the learned policy shows, and how it came about."""
    notes = network().notes
    loads, tails = notes["loads"], notes["tails"]
    spread = f"{plain(min(loads))} to {plain(max(loads))}"
    return (
        "Load: tasks that run or wait, over the slots, when the job comes to the head of the queue. The "
        f"network was trained by Deep-Q learning on {notes['decisions'] / 1e6:.0f} million jobs at offered "
        f"loads {spread} and size tails {listed([plain(tail) for tail in tails])}, to make slowdowns small; "
        f"it sees demand, load and ρ₀, here {plain(seen.chosen.load)}, but neither the size tail nor r. "
        "Dotted: the mean load there."
    )


def _bound(seen: Step) -> str:
    if not seen.asked.approximation.bounded:
        return ""
    return f" (b_max = {number(seen.asked.approximation.of(seen.asked.scenario).size_max)} s)"


def capped(asked: Request) -> str:
    """Say that large jobs cannot be expanded in full, if so."""
    scenario, rate = asked.scenario, asked.rate
    if math.ceil(rate * scenario.tasks_max) <= scenario.places:
        return ""
    return (
        f"No more than {scenario.places} tasks of a job can start together, so jobs of many tasks get fewer "
        "redundant ones than r asks for; the theory does not know."
    )


#: Demands that are as good as the best which a card has room to name.
MOST_NAMED = 2


def cards(seen: Step) -> list[Card]:
    """Return the headline: without redundancy, with the chosen d, for all jobs or learned, and the best d."""
    asked, chosen = seen.asked, seen.chosen
    unit = asked.measure_info.unit
    none, looked, everybody = (chosen.at(d) for d in (0.0, asked.demand, math.inf))
    found = [Card("No redundancy", _value(none, unit), _spread(none, unit))]
    if asked.demand < math.inf:
        label = f"Expanded up to d = {spelled(asked.demand)} s"
        found.append(_changed(label, looked, none, unit))
    others = [_changed(one.title, one, none, unit) for one in seen.others]
    if seen.learned is None:
        return [*found, _changed("All jobs expanded", everybody, none, unit), _best(seen), *others]
    return [*found, _best(seen), _changed("Learned policy", seen.learned, none, unit), *others]


def _value(point: Point | Beside, unit: str) -> str:
    if point.unstable:
        return "queue grows"
    if point.estimate.value is None:
        return "unknown"
    return number(point.estimate.value) + (f" {unit}" if unit else "")


def _spread(point: Point, unit: str) -> str:
    if point.unstable:
        return "without redundancy"
    half = measured(point.estimate, unit).partition("± ")[2]
    return f"± {half}" if half else "first runs"


def _changed(label: str, point: Point | Beside, before: Point, unit: str) -> Card:
    """Return the card of an expansion: the paired change, coloured if it is sure, and the load."""
    load = f"ρ = {load_of(point)}"
    if point.unstable or before.unstable or point.gain.value is None:
        return Card(label, _value(point, unit), load)
    change = changed(point.gain)
    color, _ = judged(point.gain.sign)
    return Card(label, _value(point, unit), f"{change} · {load}", color)


def _best(seen: Step) -> Card:
    best = seen.chosen.best
    if best is None:
        return Card("Best d tried", "none", "every queue grows")
    value = {0.0: "no job", math.inf: "all jobs"}.get(best.demand, f"{spelled(best.demand)} s")
    others = [spelled(d) for d in best.as_good if d != best.demand]
    if not others:
        other = "no other"
        if any(seen.chosen.is_too_much(demand) for demand in DEMANDS):
            other = "no other with a load below 1"
        return Card("Best d tried", value, f"{other} is as good")
    told = listed(others) if len(others) <= MOST_NAMED else f"{len(others)} others"
    return Card("Best d tried", value, f"as good: {told}")


#: What a load of 1 or more does.
GROWS = "and from 1 on the queue grows in the end"


def _brought(seen: Step, demand: float) -> str:
    """Return the load that extra tasks bring, by theory where there is one."""
    theory = "" if seen.chosen.theory is None else " in theory"
    return f"{fixed(seen.chosen.brought(demand), 2)}{theory}"


def load_of(point: Point | Beside) -> str:
    """Return the load that the jobs bring, redundancy included."""
    return "not known" if point.load.value is None else fixed(point.load.value, 2)


def load_change(before: Point, after: Point) -> str:
    """Say what extra tasks do to the load."""
    was, is_now = load_of(before), load_of(after)
    if was == is_now or before.load.value is None or after.load.value is None:
        return f"the load is {is_now}"
    return f"the load {'rises' if after.load.value > before.load.value else 'falls'} from {was} to {is_now}"


def called(asked: Request) -> str:
    """Return what is measured, in words."""
    return "mean time" if asked.measure == "mean" else asked.measure_info.symbol


def answer(seen: Step) -> str:
    """Return the best d tried at the chosen load, its paired gain over no redundancy, and its load."""
    at = f"at load {plain(seen.chosen.load)}"
    none, best = seen.chosen.at(0.0), seen.chosen.best
    if best is None:
        return f"Every queue grows {at}: there is no room for redundancy, nor for the jobs alone."
    if best.demand == 0:
        if all(seen.chosen.is_too_much(demand) for demand in DEMANDS):
            why = f"for the smallest jobs alone they bring the load to {_brought(seen, DEMANDS[0])}, {GROWS}"
        else:
            why = "no d tried is better than no redundancy"
        return f"**Start no extra tasks** {at}: {why}."
    share = f"{percent(seen.shares[best.demand])} of jobs"
    jobs = (
        "for all jobs"
        if best.demand == math.inf
        else f"only for jobs of up to {spelled(best.demand)} s of work ({share})"
    )
    point, symbol = seen.chosen.at(best.demand), called(seen.asked)
    load = load_change(none, point)
    if none.unstable:
        return f"**Start extra tasks {jobs}** {at}: then no queue grows, as it does without them; {load}."
    if point.gain.value is None:
        return f"Too many jobs are unfinished {at} to compare."
    change = changed(point.gain)
    if point.gain.half == math.inf and point.gain.reliable:
        return f"Extra tasks {jobs} are best so far {at}, {symbol} {change}: this may be luck."
    if not point.gain.reliable:
        return (
            f"Too few jobs tell which of them should start extra tasks {at}: {symbol} is not known "
            f"({change} {jobs})."
        )
    if 0.0 in best.as_good:
        return f"No extra tasks surely help {at}: {symbol} {change} with extra tasks {jobs}."
    return f"**Start extra tasks {jobs}** {at}: {symbol} {change} against none, and {load}."


def learned_notices(seen: Step) -> list[str]:
    """Return what the learned policy does, and how it compares; nothing where it was not run."""
    if seen.learned is None:
        return []
    return [what_it_does(seen), how_good(seen, seen.learned)]


def what_it_does(seen: Step) -> str:
    """Put the map into words."""
    learned = map_of(seen.asked.scenario)
    rule = "the same rule by itself: **small enough jobs, low enough load**"
    at = f"at ρ₀ = {plain(seen.asked.scenario.load)}"
    start = (
        f"The learned policy has found {rule}. So {at}:"
        if learned.is_the_rule
        else f"The learned policy {at}:"
    )
    told = learned.in_words()
    return f"{start} {told[0].lower()}{told[1:]}"


def how_good(seen: Step, learned: Beside) -> str:
    """Compare it with the best d tried, on the same jobs, and say where it was not trained."""
    at = f"At ρ₀ = {plain(seen.chosen.load)}"
    guess = _guess(seen)
    if learned.unstable:
        return f"{at} the queue grows under the learned policy.{guess}"
    symbol, best = seen.asked.measure_info.symbol, seen.chosen.best
    value = f"{symbol} is {measured(learned.estimate, seen.asked.measure_info.unit)} under the learned policy"
    over = learned.over_best
    if best is None or over.value is None:
        return f"{at} {value}.{guess}"
    change = changed(over)
    other = (
        "no redundancy (the best tried)" if best.demand == 0 else f"the best d tried ({spelled(best.demand)})"
    )
    if not over.sign:
        return f"{at} {value}: no difference from {other} is seen ({change}).{guess}"
    why = (
        "It decides anew for each job by the load of the moment, while d is fixed for a run."
        if over.sign < 0
        else "What it has learned is an estimate; d is the best on these very jobs."
    )
    return f"{at} {value}, {change} compared with {other}. {why}{guess}"


def _guess(seen: Step) -> str:
    """Say in what the scenario differs from those it has learned in, if in anything."""
    found = untrained(seen.asked.scenario)
    if not found:
        return ""
    return f" It was trained with other values of {listed(found)}: here it is a guess."


#: Theory and simulation are said to differ from this share of the simulated value on.
APART = 0.05


def notices(seen: Step) -> list[str]:
    """Return what the chosen values show, a sentence or two each."""
    found = [_trade(seen), _everybody(seen), _rule(seen), *learned_notices(seen), _apart(seen)]
    return [sentence for sentence in found if sentence]


def _trade(seen: Step) -> str:
    """Say what the chosen d brings and costs."""
    asked, chosen = seen.asked, seen.chosen
    none, looked = chosen.at(0.0), chosen.at(asked.demand)
    jobs, share = "all jobs", percent(seen.shares[asked.demand])
    if asked.demand < math.inf:
        jobs = f"jobs with a demand up to {spelled(asked.demand)} s ({share} of all)"
    start = f"Starting ⌈{plain(asked.rate)} k⌉ tasks for {jobs}, which end with any k of them,"
    cost = f"takes the load from {load_of(none)} to {load_of(looked)}"
    if looked.unstable:
        return f"{start} {cost}: too much at ρ₀ = {plain(chosen.load)}, the queue grows without end."
    symbol = asked.measure_info.symbol
    change = changed(looked.gain)
    if looked.gain.sign:
        pays = "It pays." if looked.gain.sign < 0 else "It does not pay."
        if looked.gain.sign < 0 and seen.chosen.is_too_much(asked.demand):
            pays = f"But the load is {_brought(seen, asked.demand)}, {GROWS}: it does not pay."
        return f"{start} {cost} and changes {symbol} by {change}. {pays}"
    return f"{start} {cost}; no difference of {symbol} is seen ({change})."


def _everybody(seen: Step) -> str:
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
    measure = seen.asked.measure_info
    loss = f"{measure.symbol} is {measured(everybody.estimate, measure.unit)}"
    if everybody.unstable:
        loss = "the queue grows"
    elif seen.chosen.is_too_much(math.inf):
        loss = f"the load is {_brought(seen, math.inf)}, {GROWS}"
    return (
        f"{at} extra tasks for small jobs only are best: d = {spelled(best.demand)} s takes in {share} of "
        f"the jobs, but the large ones take most of the capacity. With extra tasks for all jobs {loss}."
    )


def _rule(seen: Step) -> str:
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


def _apart(seen: Step) -> str:
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


def _why(seen: Step, times: float, point: Point) -> str:
    scenario = seen.asked.scenario
    if scenario.size_tail <= 2 and math.isinf(scenario.size_max):
        return (
            "With a tail index of sizes of at most 2 its second moment is infinite: the result depends on "
            "where sizes are cut."
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


def _infinite(seen: Step) -> str:
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
