"""The layout of the Diagnose page, as a value: cards, charts, what to notice."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

from pages.logs.diagnose.answer import Diagnosed
from pages.logs.diagnose.charts import causes, hosts, lost, pairs, slots, spread, tail
from pages.logs.diagnose.words import cards, notices
from pages.shared.live.drawing import Drawing, Screen
from sim.traces.charts import account
from sim.traces.diagnosis import Diagnosis
from sim.traces.diagnosis.causes import Causes


def screen(seen: Diagnosed, dark: bool) -> Screen:
    """Return what is shown of a log, made once."""
    return seen.once(("screen", dark), partial(_screen, seen.found, dark))


def _screen(found: Diagnosis, dark: bool) -> Screen:
    return Screen(cards(found), drawings(found, dark), notices(found))


def drawings(found: Diagnosis, dark: bool) -> list[Drawing]:
    """Draw the charts of this log; charts without data are left out."""
    parts: list[tuple[ModuleType, Any, bool]] = [
        (account, found, len(found.account.states) > 0),
        (lost, found.lost, len(found.lost.jobs) > 0),
        (causes, Causes(found.causes, found.untold, found.anew), len(found.causes) > 0),
        (tail, found.luck, found.luck.x.size > 0),
        (spread, found.spread, found.spread.stages > 0),
        (hosts, found.shares, len(found.shares.hosts) > 0),
        (pairs, found.speculation, len(found.speculation.pairs) > 0),
        (slots, found.history, found.counts.copies > 0 and found.history.span > 0),
    ]
    return [Drawing.by(chart, part, dark) for chart, part, told in parts if told]
