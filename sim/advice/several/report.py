"""Before and after, and a gate, as the parts that a reader meets: one HTML file, and a gate's Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from html import escape
from typing import Any

import pandas as pd

from sim.advice.several import charts
from sim.advice.several.after import FAILS, FALSE_ALARM, HELD, UNTOLD, After, Gate, told_change, told_more
from sim.advice.several.change import TITLES, Change, Changes
from sim.advice.several.layout import FALSE_ALARM as NAMED_BY_CHANCE
from sim.advice.several.layout import PARTS
from sim.advice.several.reruns import Repeated
from sim.advice.several.sides import Sides
from sim.telling import document
from sim.telling.document import Drawn, Head, Part, Said, Table, as_markdown, typeset
from sim.telling.words import UNKNOWN, changed, compact, in_percent, spell, within
from theory.shown import shortened, visible


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
    yield Head(charts.TITLE)
    figures = [charts.draw(found, dark).to_plotly_json() for dark in (False, True)]
    yield Drawn("changes", figures, typeset(charts.alt(found)), charts.about(found))
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


# Repeated runs, before and after, and a gate: as JSON, as text, as Markdown, and as JUnit's XML.

#: Tasks that are named in text.
_MOST = 10


def repeated_json(found: Repeated) -> dict[str, Any]:
    """Return the contract of ``python -m sim repeated --json``."""
    one, tasks = found.measured, found.tasks
    return {
        "sentence": found.sentence,
        "runs": tasks.runs,
        "tasks": len(tasks.log),
        "unpaired": tasks.unpaired,
        "replaced": tasks.replaced,
        "matched_by": tasks.how,
        "measured": {name: asdict(one.shares[name]) if name in one.shares else None for name in PARTS},
        "inferred": {
            name: asdict(found.inferred[name]) if name in found.inferred else None for name in PARTS
        },
        "agrees": {name: found.agrees(name) for name in PARTS},
        "untold": dict(one.reasons),
        "variance": dict(one.variance),
        "degrees_of_freedom": one.freedom._asdict(),
        "blocks": one.blocks,
        "hosts_by_run": one.hosts_by_run,
        "correlation": one.correlation,
        "hosts": _rows(one.hosts),
        "always_slow": _rows(one.slow),
        "looked_at": one.looked_at,
        "false_alarm": NAMED_BY_CHANCE,
    }


def _rows(table: Any) -> list[dict[str, Any]]:
    """Return a table as rows of plain numbers and text."""
    columns = {str(name): table[name].tolist() for name in table}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def repeated_text(found: Repeated) -> str:
    """Return repeated runs for a terminal."""
    one, tasks = found.measured, found.tasks
    lines = [
        found.sentence,
        "",
        f"{'part':10}{'measured':>26}{'inferred from run 1':>26}   degrees of freedom",
    ]
    for name in PARTS:
        measured, inferred = (
            within(share.value, share.low, share.high, compact, "") if share else "cannot be told"
            for share in (one.shares.get(name), found.inferred.get(name))
        )
        lines.append(f"{name:10}{measured:>26}{inferred:>26}   {getattr(one.freedom, name):,}")
    lines += ["", *(f"{name} cannot be told: {reason}." for name, reason in one.reasons.items())]
    lines += [
        f"{name} cannot be inferred from run 1: {reason}."
        for name, reason in found.reasons.items()
        if name not in found.inferred
    ]
    lines.append(
        f"{len(tasks.log):,} tasks are paired over {tasks.runs} runs, by {tasks.how}; {tasks.unpaired:,} of "
        f"run 1 are not. A task's time in two runs has a correlation of {one.correlation:.2f}."
    )
    if tasks.replaced:
        lines.append(
            f"Of {tasks.replaced:,} a second copy ended first in some run: its time stands for them."
        )
    if len(one.slow):
        lines += ["", f"Slow in every run ({in_percent(NAMED_BY_CHANCE)} of them are not, on average)"]
        lines += [
            f"  task {row.task} of {shortened(row.stage)}: {row.factor:.2f} times the usual"
            for row in one.slow.head(_MOST).itertuples()
        ]
    return "\n".join(map(visible, lines))


def change_json(one: Change) -> dict[str, Any]:
    """Return a change for other programs: times in seconds, the change as a share."""
    sequence = one.sequence
    return {
        "before": one.before,
        "after": one.after,
        "change": one.share.as_dict(),
        "reason": one.reason,
        "untold": one.untold,
        "over": one.over,
        "pairs_of_runs": {
            "pairs": sequence.pairs,
            "evidence": min(sequence.evidence, 1e300),
            "told": sequence.told,
            "more": sequence.more,
            "false_alarm": sequence.false_alarm,
        },
    }


def _changes_json(found: Changes) -> dict[str, Any]:
    return {
        "jobs": len(found.jobs.names),
        "unpaired": list(found.jobs.unpaired),
        "matched_by": found.jobs.how,
        "runs": list(found.runs),
        "blocks": found.blocks,
        "drivers": found.loop.drivers if found.loop else None,
        "unit": "s",
        "figures": {name: change_json(one) for name, one in found.change.items()},
    }


def after_json(found: After) -> dict[str, Any]:
    """Return the contract of ``python -m sim after --json``."""
    promise = found.promise
    return {
        "sentence": found.sentence,
        "assumed": found.assumed,
        **_changes_json(found.found),
        **found.sides.as_json,
        "settings": {name: list(pair) for name, pair in found.settings.items()},
        "promise": None
        if promise is None
        else {
            "setting": list(promise.setting),
            "check": promise.verdict,
            "reason": promise.reason,
            "held": HELD,
            "figures": {name: asdict(band) | {"kept": band.kept} for name, band in promise.bands.items()},
        },
    }


def after_text(found: After) -> str:
    """Return before and after for a terminal."""
    one = found.found
    lines = [
        found.sentence,
        "",
        *(f"{told_change(change)}{_over(change)}; {told_more(change)}." for change in one.change.values()),
        "",
        *found.sides.told,
    ]
    lines += ["", f"{len(one.jobs.names):,} jobs are in all runs, by {one.jobs.how}."]
    if found.settings:
        lines += ["", "Settings that differ"]
        lines += [
            f"  {shortened(name)}: {shortened(old) or 'not named'} -> {shortened(new) or 'not named'}"
            for name, (old, new) in found.settings.items()
        ]
    else:
        lines.append("The logs name no settings that differ: these are repeated runs, as far as they tell.")
    if (promise := found.promise) is not None:
        lines += ["", f"Promised by What-if on the run before, under {promise.setting[1]}"]
        lines += [
            f"  {TITLES[name]}: {band.low:.4g} to {band.high:.4g} s (90 % of runs), came to "
            f"{band.after:.4g} s: {'as promised' if band.kept else 'not as promised'}"
            for name, band in promise.bands.items()
        ]
        lines += [f"  cannot be told: {promise.reason}."] if promise.reason else []
    if found.assumed:
        lines += ["", found.assumed]
    return "\n".join(map(visible, lines))


def _over(change: Change) -> str:
    """Say what an interval is over."""
    return f", over {change.over}" if change.over and not change.reason else ""


def gate_json(found: Gate) -> dict[str, Any]:
    """Return the contract of ``python -m sim gate --json``."""
    return {
        "verdict": found.verdict,
        "exit_code": found.code,
        "false_alarm": FALSE_ALARM,
        "conditions": [
            {"condition": str(one.condition), "verdict": one.verdict, "reason": one.reason}
            for one in found.judged
        ],
        **_changes_json(found.changes),
        **(found.sides.as_json if found.sides else {}),
    }


def gate_text(found: Gate) -> str:
    """Return a gate for a terminal: a line for each condition, what changed, and what to do first."""
    lines = [f"{one.verdict}: {one.condition} - {one.reason}" for one in found.judged]
    lines += found.sides.told if found.sides else ()
    return "\n".join(map(visible, [*lines, f"gate: {found.verdict}"]))


def gate_markdown(found: Gate) -> str:
    """Return a gate as Markdown, for the summary of a pipeline or a comment."""
    return as_markdown([Head(f"Gate: {found.verdict}", 3), *gate_summary(found)])


def gate_junit(found: Gate) -> str:
    """Return a gate as JUnit's XML: a test for each condition; what cannot be told is skipped."""
    cases = []
    for one in found.judged:
        reason = escape(visible(one.reason))
        inside = {FAILS: f'<failure message="{reason}"/>', UNTOLD: f'<skipped message="{reason}"/>'}
        name = escape(f"not {one.condition}")
        cases.append(f'  <testcase classname="gate" name="{name}">{inside.get(one.verdict, "")}</testcase>')
    verdicts = [one.verdict for one in found.judged]
    counts = f'tests="{len(cases)}" failures="{verdicts.count(FAILS)}" skipped="{verdicts.count(UNTOLD)}"'
    body = "\n".join(cases)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f'{head}\n<testsuite name="gate" errors="0" {counts}>\n{body}\n</testsuite>'
