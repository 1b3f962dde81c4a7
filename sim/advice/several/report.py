"""Repeated runs, before and after, and a gate: as JSON, as text, as Markdown, and as JUnit's XML."""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from typing import Any

from sim.advice.several.after import After, told_more
from sim.advice.several.change import TITLES, Change, Changes
from sim.advice.several.document import gate_summary
from sim.advice.several.gate import FAILS, FALSE_ALARM, UNTOLD, Gate, told_change
from sim.advice.several.layout import FALSE_ALARM as NAMED_BY_CHANCE
from sim.advice.several.layout import PARTS
from sim.advice.several.promised import HELD
from sim.advice.several.repeated import Repeated
from sim.telling.document import Head, as_markdown
from sim.telling.words import compact, in_percent, within
from theory.shown import shortened, visible

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
