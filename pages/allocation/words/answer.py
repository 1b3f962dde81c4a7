"""The answer of the Allocation page: which jobs gain most from slots, and what equality costs."""

from __future__ import annotations

from dataclasses import replace

from pages.allocation.question.shares import Question, Share, answers
from pages.allocation.words.remarks import TIE, by_name
from pages.shared.words.numbers import in_slots, number, percent


def answer(asked: Question, shares: list[Share]) -> str:
    """Return which job's slots bring most work, and the cost of equal shares and of the guarantee."""
    right = by_name(answers(replace(asked, printed=False)) if asked.printed else shares)
    best, fair, floor = (right[name].rate for name in ("Algorithm 1", "Fair share", "Algorithm 2"))
    assert best is not None
    assert fair is not None
    assert floor is not None
    theta = f"{in_slots(replace(asked, printed=False).theta)} slots per task"
    first = (
        f"Slots are short: **serve the smallest jobs first**, with up to {theta}"
        if asked.short
        else f"There are slots to spare: **give each job {theta}**, share the rest by tasks"
    )
    guarantee = f"{in_slots(asked.regime(asked.epsilon).guarantee)} slots for every job"
    return (
        f"{first}: that does most work ({number(best.optimum)}). Equal shares cost {_lost(fair.shortfall)}, "
        f"a guarantee of {guarantee} costs {_lost(floor.shortfall)}."
    )


def _lost(shortfall: float) -> str:
    return "nothing" if shortfall < TIE else f"{percent(shortfall)} of it"
