"""What the page Before and after says: the answer, cards, notices, tables."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from pages.logs.beforeafter.question import Step
from pages.logs.words import titled
from pages.shared.live.cards import Card, judged, percent_and_half_width
from pages.shared.words.foreign import literal
from sim.advice.several.after import LEADING, After, told_more
from sim.advice.several.change import TITLES
from sim.advice.several.layout import FALSE_ALARM, PARTS
from sim.advice.several.report import AfterResult
from sim.advice.several.reruns import Repeated
from sim.telling.words import (
    UNKNOWN,
    clipped,
    counted,
    listed,
    number,
    percent,
    spell,
)

WAITING = "…"
_MEANING = {
    "luck": "a second copy draws it anew",
    "machine": "some hosts are slower",
    "work": "the same tasks are slow again",
}

#: Figures of a change that have a card.
_CARDS = {
    LEADING: "Mean job time",
    "p50": "Median job time",
    "p95": "p95 of job times",
    "slot-time": "Slot-time",
}


def cards(shown: Step) -> list[Card]:
    """Return the cards: figures of a change, and of repeated runs why tasks are unequal."""
    found = _change(shown, LEADING), _promise_card(shown)
    if (measured := shown.both.repeated_runs) is not None:
        return [*found, *(_part(measured, part) for part in PARTS)]
    return [*found, *(_change(shown, name) for name in _CARDS if name != LEADING)]


def _change(shown: Step, figure: str) -> Card:
    name, one = _CARDS[figure], shown.both.change.found.change.get(figure)
    if one is None:
        return Card(name, UNKNOWN, "", details=("no job is in all runs by its name",))
    details = (f"{spell(one.before)} → {spell(one.after)}",)
    if one.untold:
        return Card(name, UNKNOWN, "", details=details)
    value, within = percent_and_half_width(one.share)
    color, arrow = judged(one.share.sign)
    return Card(name, value, within, color, arrow, details=details)


def _promise_card(shown: Step) -> Card:
    name, promise = "Promised by What-if", shown.both.change.promise
    if promise is None:
        return Card(name, WAITING, "")
    if not (band := promise.bands.get(LEADING)):
        return Card(name, UNKNOWN, "", details=("see below why",))
    kept = "kept" if band.kept else "not kept"
    within = f"{spell(band.low)} to {spell(band.high)} in 90 % of runs"
    return Card(name, kept, "", details=(within, f"came to {spell(band.after)}"))


def _part(found: Repeated, part: str) -> Card:
    name = part.capitalize()
    if part not in found.measured.shares:
        return Card(name, UNKNOWN, "", details=("see below why",))
    share = found.measured.shares[part]
    within = f"95 %: {percent(share.low)} to {percent(share.high)}"
    inferred = found.inferred.get(part)
    other = f"; {percent(inferred.value)} inferred from the first run" if inferred else ""
    return Card(name, percent(share.value), "", details=(f"{within}{other}", _MEANING[part]))


#: Settings, and tasks, that are named.
MOST = 6


def notices(shown: Step) -> list[str]:
    """Return what to notice, a sentence or two each, computed from the numbers."""
    both = shown.both
    change = both.change
    found = [*map(literal, change.sides.told), *_settings(change), *_promise_kept(change), *_more(change)]
    if both.repeated is None:
        return [*found, f"Luck, machine and work cannot be measured: {literal(both.reason)}."]
    return [*found, *_parts(both.repeated), *_slow(both.repeated), *_pairing(both.repeated)]


def _settings(change: After) -> Iterator[str]:
    if not change.settings:
        yield "The logs name no setting that differs, so these are repeated runs as far as they tell."
        return
    named = [
        f"{literal(clipped(name))} ({_value(old)} → {_value(new)})"
        for name, (old, new) in list(change.settings.items())[:MOST]
    ]
    more = len(change.settings) - len(named)
    yield f"Settings that differ: {listed([*named, *([f'{more:,} more'] if more > 0 else [])])}."


def _value(text: str) -> str:
    return literal(clipped(text)) if text else "not named"


def _promise_kept(change: After) -> Iterator[str]:
    promise = change.promise
    if promise is None:
        return
    if promise.reason:
        yield f"The promise cannot be judged: {literal(promise.reason)}."
        return
    missed = [TITLES[name] for name, band in promise.bands.items() if not band.kept]
    kept = len(promise.bands) - len(missed)
    said = f"Of {counted(len(promise.bands), 'figure')} {kept:,} came to what was promised"
    out = f"; outside the band: {listed(missed)}" if missed else ""
    yield f"{said}{out}. One of ten lies outside by chance. The model of the run before is {promise.verdict}."


def _more(change: After) -> Iterator[str]:
    one = change.found.change.get("mean")
    if one is None:
        return
    if change.assumed:
        yield (
            f"{change.assumed} Pairs of runs, one before and one after, would: for the mean job time "
            f"{told_more(one)} (a sequential test with a false alarm of "
            f"{percent(one.sequence.false_alarm)} over all looks)."
        )
    untold = [TITLES[name] for name, other in change.found.change.items() if other.untold]
    if untold:
        yield f"These runs cannot tell by what these changed: {listed(untold)}."


def _parts(found: Repeated) -> Iterator[str]:
    for part, reason in found.measured.reasons.items():
        yield f"{part.capitalize()} cannot be measured: {literal(reason)}."
    apart = [part for part in found.measured.shares if found.agrees(part) is False]
    if apart:
        yield (
            f"The inference from the first run differs beyond its interval in {listed(apart)}: one run takes "
            "for luck what shows in no count and is the same again in every run."
        )


def _slow(found: Repeated) -> Iterator[str]:
    slow = found.measured.slow
    if not len(slow):
        yield "No task is slow in every run beyond doubt."
        return
    named = [
        f"task {row.task:,} of {literal(clipped(row.stage))} ({number(row.factor)} times the usual)"
        for row in slow.head(MOST).itertuples()
    ]
    more = len(slow) - len(named)
    yield (
        f"{counted(len(slow), 'task is', 'tasks are')} slow in every run: "
        f"{listed([*named, *([f'{more:,} more'] if more > 0 else [])])}. A second copy does not help them; "
        f"of those that are named about {percent(FALSE_ALARM)} are slow by chance, at most."
    )


def _pairing(found: Repeated) -> Iterator[str]:
    tasks = found.tasks
    left = f"; {tasks.unpaired:,} of the first run are left out" if tasks.unpaired else ""
    copies = (
        f" Of {tasks.replaced:,} a second copy ended first in some run, and its time stands for them."
        if tasks.replaced
        else ""
    )
    yield f"Tasks are paired by {tasks.how}{left}.{copies}"


def sentence(shown: Step) -> str:
    """Return the answer, in Markdown."""
    if (found := shown.both.repeated_runs) is None:
        return literal(shown.both.change.sentence)
    return f"The logs name no setting that differs, so these are repeated runs. {_measured(found)}"


def _measured(found: Repeated) -> str:
    measured = found.measured
    told = [f"{percent(measured.shares[part].value)} {part}" for part in PARTS if part in measured.shares]
    if not told:
        return "They cannot tell luck from work."
    return f"The differences among the tasks of a stage are {listed(told)}."


def changes(found: After) -> pd.DataFrame:
    """Return a row for each figure: before, after, the change, and what was promised."""
    table = AfterResult.of(found).table
    percents = 100 * table.filter(like="change")
    more = pd.Series([one.sequence.more for one in found.found.change.values()], dtype=float)
    return titled(
        table.assign(**percents, more=more),
        "title before after change change_low change_high promised_low promised_high more",
        "figure, before (s), after (s), change (%), 95 % from (%), 95 % to (%), promised from (s), "
        "promised to (s), more pairs of runs to tell",
    )


def slow(found: Repeated | None) -> pd.DataFrame:
    """Return a row for each task that is slow in every run."""
    table = found.measured.slow if found else pd.DataFrame()
    if table.empty:
        return table
    return titled(table, "stage task factor p", "stage, task, time against the usual task (×), chance")


def settings(found: After) -> pd.DataFrame:
    """Return the settings that differ."""
    rows = [(name, *pair) for name, pair in found.settings.items()]
    return pd.DataFrame(rows, columns=["setting", "before", "after"], dtype=str)
