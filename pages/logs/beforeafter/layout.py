"""The layout of the page, as a value: cards, charts, what to notice."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from pages.logs.beforeafter.answer import Step
from pages.logs.beforeafter.charts import account, jobs, parts
from pages.logs.beforeafter.words import cards, notices, sentence
from pages.shared.live.drawing import Drawing, Screen
from sim.several.charts import changes


def screen(shown: Step, dark: bool) -> Screen:
    """Return what is shown of two runs."""
    return Screen(cards(shown), drawings(shown, dark), notices(shown), sentence(shown))


def drawings(shown: Step, dark: bool) -> list[Drawing]:
    """Draw the charts of these runs; charts without data are left out."""
    change, repeated = shown.both.change, shown.both.repeated
    listed: list[tuple[ModuleType, Any, bool]] = [
        (changes, change, bool(change.found.change)),
        (account, change.sides, change.sides.jobs > 0),
        (jobs, change.found, bool(change.found.change)),
        (parts, repeated, repeated is not None),
    ]
    return [Drawing.by(chart, part, dark) for chart, part, told in listed if told]
