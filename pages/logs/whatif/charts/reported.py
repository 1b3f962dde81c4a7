"""The charts that the report has, too."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

from pages.shared.charts.chart import figure
from pages.shared.charts.on_page import Chart
from pages.shared.words.foreign import literal
from sim.advice.whatif.charts import front, recorded, remedies
from sim.advice.whatif.remedies.judged import Remedies
from sim.telling.document import typeset

Part = TypeVar("Part")


def _chart(module: ModuleType, about: Callable[[Part], str]) -> Chart[Part]:
    return Chart(module.TITLE, lambda part, dark: figure(module.draw(part, dark)), module.alt, about)


def about(found: Remedies | None) -> str:
    """Return what stands below the chart: how to read it, and why remedies are not recommended."""
    if found is None:
        return "Remedies are played with the same luck as today’s setting."
    why = [f"*{one.remedy.title}*: {literal(typeset(one.reason))}." for one in found.judged if one.reason]
    return " ".join(
        [
            "Grey: the most there is to gain, with the cause mended entirely. Lines: paired 95 % intervals.",
            *why,
        ]
    )


FRONT = _chart(front, front.about)
RECORDED = _chart(recorded, recorded.about)
REMEDIES = _chart(remedies, about)
