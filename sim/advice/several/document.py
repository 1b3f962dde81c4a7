"""Before and after, and a gate, as the parts that a reader meets: one HTML file, and a gate's Markdown."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.advice.several.after import After
from sim.advice.several.change import TITLES, Change
from sim.advice.several.charts import changes
from sim.advice.several.gate import FALSE_ALARM, Gate
from sim.advice.several.sides import Sides
from sim.telling import document
from sim.telling.document import Drawn, Head, Part, Said, Table, typeset
from sim.telling.words import UNKNOWN, changed, in_percent, spell


def after_html(found: After) -> str:
    """Return what a change did as one HTML file to hand to a colleague."""
    return document.as_html("Before and after", after_parts(found))


def after_parts(found: After) -> Iterator[Part]:
    """Yield what a change did as it is read: the answer, where the time went, and the numbers."""
    yield Head(typeset(found.sentence), 1)
    if found.assumed:
        yield Said(typeset(found.assumed))
    yield from _sides(found.sides)
    yield from _figures(found)
    rows = [(name, old or "not named", new or "not named") for name, (old, new) in found.settings.items()]
    if rows:
        yield Head("Settings that differ")
        yield Table(pd.DataFrame(rows, columns=["setting", "before", "after"]), wraps=True)


def gate_html(found: Gate) -> str:
    """Return a gate as one HTML file."""
    return document.as_html(f"Gate: {found.verdict}", gate_parts(found))


def gate_parts(found: Gate) -> Iterator[Part]:
    """Yield a gate as it is read: the verdict, and that of `gate_summary`, with its numbers."""
    yield Head(f"Gate: {found.verdict}", 1)
    yield from gate_summary(found)
    if found.sides is not None:
        yield from _figures(After(found.changes, {}, found.sides))


def gate_summary(found: Gate) -> Iterator[Part]:
    """Yield each condition with its verdict, what changed most, and what the verdict assumes."""
    rows = [(str(one.condition), one.verdict, typeset(one.reason)) for one in found.judged]
    yield Table(pd.DataFrame(rows, columns=["fail if", "verdict", "why"]), wraps=True)
    if found.sides is not None:
        yield from _sides(found.sides)
    alarm = typeset(in_percent(FALSE_ALARM, None))
    yield Said(
        f"{len(found.changes.jobs.names):,} jobs are in all runs. Chance to fail without a change "
        f"above a limit: at most {alarm}."
    )


def _sides(sides: Sides) -> Iterator[Part]:
    """Yield what changed most, and what to do first in each run."""
    yield from (Said(typeset(line)) for line in sides.told)


def _figures(found: After) -> Iterator[Part]:
    """Yield the chart and the table of all figures; nothing where no job is in all runs."""
    if not found.found.change:
        return
    yield Head(changes.TITLE)
    figures = [changes.draw(found, dark).to_plotly_json() for dark in (False, True)]
    yield Drawn("changes", figures, typeset(changes.alt(found)), changes.about(found))
    rows = [_row(found, name, one) for name, one in found.found.change.items()]
    yield Table(pd.DataFrame(rows))
    reasons = [f"{TITLES[name]}: {one.reason}" for name, one in found.found.change.items() if one.reason]
    if reasons:
        yield Said(typeset(f"Without an interval: {'; '.join(reasons)}."), small=True)


def _row(found: After, name: str, one: Change) -> dict[str, str]:
    band = found.promise.bands.get(name) if found.promise else None
    promised = {"promised": f"{spell(band.low)} to {spell(band.high)}" if band else UNKNOWN}
    return {
        "figure": TITLES[name],
        "before": spell(one.before),
        "after": spell(one.after),
        "change, 95 % interval": typeset(changed(one.share)),
        **(promised if found.promise else {}),
    }
