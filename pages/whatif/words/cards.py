"""The cards of the What-if page: the model, and what the recommended setting changes."""

from __future__ import annotations

from pages.histories.words.units import spell
from pages.shared.live.cards import Card, judged
from pages.shared.words.numbers import number, percent
from pages.whatif.answer import Snapshot
from pages.whatif.question import Asked
from pages.whatif.words.sentence import signed
from sim.whatif.answer import Option
from sim.whatif.change import Change

WAITING = "…"
CHANGES = {"mean": "Mean job time", "p95": "p95 of the job time", "slot_time": "Slot-time"}
#: Seconds.
HOUR, DAY = 3600.0, 86400.0


def cards(asked: Asked, shown: Snapshot) -> list[Card]:
    """Return the cards: of the recommended setting, or of today's where there is none."""
    good = sum(item.grade == "good" for item in shown.check.items)
    model = Card(
        "Model on this history", shown.check.verdict, "",
        details=(f"{good} of {len(shown.check.items)} checks are good",),
    )  # fmt: skip
    options, advice = shown.answer.options, shown.answer.advice
    today = options.get(shown.answer.today)
    if today is None:
        return [
            model,
            *(Card(name, WAITING, "") for name in CHANGES.values()),
            Card("Second copies", WAITING, ""),
        ]
    chosen = options[advice.policy] if advice else today
    return [
        model,
        *(_changed(asked, chosen, today, figure, name) for figure, name in CHANGES.items()),
        _copies(chosen, today),
    ]


def _changed(asked: Asked, chosen: Option, today: Option, figure: str, name: str) -> Card:
    now = float(today.figure(figure).mean())
    if chosen is today:
        return Card(name, spell(now), "", details=("today’s setting, in the model",))
    found = chosen.change[figure]
    color, arrow = judged((found.low > 0) - (found.high < 0))
    about = (
        costs(asked, found, today)
        if figure == "slot_time"
        else f"{spell(now)} → {spell(float(chosen.figure(figure).mean()))}"
    )
    within = f"{signed(100 * found.low, 1)} to {signed(100 * found.high, 1)}"
    return Card(name, f"{signed(100 * found.value, 1)} %", within, color, arrow, details=(about,))


def costs(asked: Asked, found: Change, today: Option) -> str:
    """Return a change of slot-time in a day of such jobs: slot-hours, or money if there is a price."""
    hours = float(today.figure("slot_time").mean()) / HOUR
    days = float(today.figure("makespan").mean()) / DAY
    value = found.value * hours / days
    if asked.aim.price:
        return f"{signed(asked.aim.price * value, 2)} a day, at {number(asked.aim.price)} a slot-hour"
    return f"{signed(value, 1 if abs(value) >= 0.1 else 3)} slot-hours a day"


def _copies(chosen: Option, today: Option) -> Card:
    copies = float(chosen.figure("copies").mean())
    if not copies:
        return Card("Second copies", "none", "", details=("in the model",))
    won, killed = float(chosen.figure("won").mean()), float(chosen.figure("killed_time").mean())
    share = killed / float(chosen.figure("slot_time").mean())
    return Card(
        "Second copies", number(copies), "",
        details=(f"{percent(won / copies)} won; killed copies held {percent(share)} of the slot-time",),
    )  # fmt: skip
