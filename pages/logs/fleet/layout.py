"""The layout of the Fleet page, as a value: cards, charts, what to notice."""

from __future__ import annotations

from pages.logs.fleet.answer import Step
from pages.logs.fleet.charts import account
from pages.logs.fleet.words import cards, notices, sentence
from pages.shared.live.drawing import Drawing, Screen
from sim.fleet.charts import worst
from sim.whatif.price import Price


def screen(seen: Step, price: Price, dark: bool) -> Screen:
    """Return what is shown of a fleet."""
    looks = seen.looks
    told = any(one.hours > 0 and one.lost is not None for one in looks)
    drawn = [Drawing.by(chart, looks, dark) for chart in (worst, account) if told]
    return Screen(cards(seen, price), drawn, notices(seen, price), sentence(seen))
