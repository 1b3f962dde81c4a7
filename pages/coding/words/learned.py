"""Texts of the Coding page on the learned policy: what it does, and how good that is."""

from __future__ import annotations

from pages.coding.answer.learned import map_of, untrained
from pages.coding.answer.loads import Beside, Seen
from pages.coding.charts.axes import spelled
from pages.shared.words.numbers import changed, listed, measured, plain


def learned_notices(seen: Seen) -> list[str]:
    """Return what the learned policy does, and how it compares; nothing where it was not run."""
    if seen.learned is None:
        return []
    return [what_it_does(seen), how_good(seen, seen.learned)]


def what_it_does(seen: Seen) -> str:
    """Put the map into words."""
    learned = map_of(seen.asked.scenario)
    rule = "the same rule by itself: **small enough jobs, low enough load**"
    at = f"at ρ₀ = {plain(seen.asked.scenario.load)}"
    start = f"The learned policy has found {rule}. So {at}:" if learned.is_the_rule else (
        f"The learned policy {at}:"
    )  # fmt: skip
    told = learned.in_words()
    return f"{start} {told[0].lower()}{told[1:]}"


def how_good(seen: Seen, learned: Beside) -> str:
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


def _guess(seen: Seen) -> str:
    """Say in what the scenario differs from those it has learned in, if in anything."""
    found = untrained(seen.asked.scenario)
    if not found:
        return ""
    return f" It was trained with other values of {listed(found)}: here it is a guess."
