"""The cards of the What-if page: the model, and what the recommended setting changes."""

from __future__ import annotations

from pages.shared.live.cards import Card, judged
from sim.advice.whatif.answer import Answer
from sim.advice.whatif.check import POOR, recorded_figures
from sim.advice.whatif.report import HasChange, cost
from sim.advice.whatif.steps import Step
from sim.telling.words import counted, number, percent, signed, spell

WAITING = "…"
CHANGES = {"mean": "Mean job time", "p95": "p95 of the job time", "slot_time": "Slot-time"}


def cards(shown: Step) -> list[Card]:
    """Return the cards: of what leads the answer, or of today's setting; of a poor model its check alone."""
    good = sum(item.grade == "good" for item in shown.check.items)
    model = Card(
        "Model on this history",
        shown.check.verdict,
        "",
        details=(f"{good} of {len(shown.check.items)} checks are good",),
    )
    answer = shown.answer
    if shown.check.verdict == POOR:
        return [model]
    if answer.today not in answer.options:
        return [
            model,
            *(Card(name, WAITING, "") for name in CHANGES.values()),
            Card("Second copies", WAITING, ""),
        ]
    remedy = answer.leading_remedy
    advised = answer.advice.policy if answer.advice and remedy is None else answer.today
    leading = remedy or (answer.options[advised] if advised != answer.today else None)
    return [
        model,
        *(_changed(answer, leading, figure, name) for figure, name in CHANGES.items()),
        _copies(answer, advised),
    ]


def _changed(answer: Answer, leading: HasChange | None, figure: str, name: str) -> Card:
    now = answer.figure(answer.today, figure)
    known = recorded(answer, figure)
    if leading is None or leading.change is None:
        return Card(name, spell(now), "", details=(f"today, {at(answer)}", *known))
    found = leading.change[figure]
    color, arrow = judged((found.low > 0) - (found.high < 0))
    about = (
        (costs(answer, leading),)
        if figure == "slot_time"
        else (f"{spell(now)} → {spell(now * (1 + found.value))} {at(answer)}", *known)
    )
    within = f"{signed(100 * found.low, 1)} to {signed(100 * found.high, 1)}"
    return Card(name, f"{signed(100 * found.value, 1)} %", within, color, arrow, details=about)


def at(answer: Answer) -> str:
    """Say where times come from: the model, and the question if it is not the recorded one."""
    rate, slots = answer.question.rate, answer.question.slots
    asked = [f"at {number(rate)} × the recorded rate"] * (rate != 1)
    asked += [f"on {counted(slots, 'slot')}"] * bool(slots)
    return " ".join(["in the model", *asked])


def recorded(answer: Answer, figure: str) -> tuple[str, ...]:
    """Say what was recorded of a figure, if it was."""
    value = recorded_figures(answer.question).get(figure)
    return (f"recorded: {spell(value)}",) if value else ()


def costs(answer: Answer, option: HasChange) -> str:
    """Return what a change of slot-time comes to: slot-hours a day, or money a month if there is a price."""
    found = cost(answer, option)
    if found.money_a_month:
        return f"about {signed(found.money_a_month.value, 2)} a month, in your currency"
    value = found.slot_hours_a_day.value
    return f"{signed(value, 1 if abs(value) >= 0.1 else 3)} slot-hours a day"


def _copies(answer: Answer, chosen: str) -> Card:
    copies = answer.figure(chosen, "copies")
    if not copies:
        return Card("Second copies", "none", "", details=("in the model",))
    won, killed = answer.figure(chosen, "won"), answer.figure(chosen, "killed_time")
    share = killed / answer.figure(chosen, "slot_time")
    return Card(
        "Second copies",
        number(copies),
        "",
        details=(f"{percent(won / copies)} won; killed copies held {percent(share)} of the slot-time",),
    )
