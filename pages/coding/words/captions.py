"""Captions below the charts of the Coding page: they also name the theory shown beside the runs."""

from __future__ import annotations

import math

from pages.coding.answer.learned import network
from pages.coding.answer.loads import Seen
from pages.coding.question import Asked
from pages.shared.words.numbers import listed, number, plain


def about_theory(seen: Seen) -> str:
    """Say which theory is drawn beside the measure."""
    asked = seen.asked
    if asked.measure != "mean":
        return "There is no theory of this measure."
    if seen.chosen.theory is None:
        return "There is no theory of replicas."
    if not any(math.isfinite(times) for times in seen.chosen.theory.at.values()):
        return f"{asked.approximation.in_words}, is infinite for every d."
    return f"Dashed: {asked.approximation.in_words}{_bound(seen)}."


def about_rule(seen: Seen) -> str:
    """Say which theory separates the jobs to expand from the others."""
    beside, told = seen.chosen.theory, seen.asked.approximation.in_words
    if beside is None:
        return "There is no theory of replicas."
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
        f"loads {spread} and size tails {listed([plain(tail) for tail in tails])}, to make slowdowns "
        "small; it "
        f"sees demand, load and ρ₀, here {plain(seen.chosen.load)}, but neither the size tail nor r. "
        "Dotted: the "
        "mean load there."
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
