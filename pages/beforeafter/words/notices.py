"""What to notice in two runs."""

from __future__ import annotations

from collections.abc import Iterator

from pages.beforeafter.answer import Snapshot
from pages.logs.words.names import brief
from pages.shared.words.foreign import literal
from pages.shared.words.numbers import counted, listed, number, percent
from sim.several.after import After, told_more
from sim.several.change import TITLES
from sim.several.layout import FALSE_ALARM
from sim.several.repeated import Repeated

#: Settings, and tasks, that are named.
MOST = 6


def notices(shown: Snapshot) -> list[str]:
    """Return what to notice, a sentence or two each, computed from the numbers."""
    both = shown.both
    found = [*_settings(both.change), *_promise(both.change), *_more(both.change)]
    if both.repeated is None:
        return [*found, f"Luck, machine and work cannot be measured: {literal(both.reason)}."]
    return [*found, *_parts(both.repeated), *_slow(both.repeated), *_pairing(both.repeated)]


def _settings(change: After) -> Iterator[str]:
    if not change.settings:
        yield "The logs name no setting that differs, so these are repeated runs as far as they tell."
        return
    named = [
        f"{literal(brief(name))} ({_value(old)} → {_value(new)})"
        for name, (old, new) in list(change.settings.items())[:MOST]
    ]
    more = len(change.settings) - len(named)
    yield f"Settings that differ: {listed([*named, *([f'{more:,} more'] if more > 0 else [])])}."


def _value(text: str) -> str:
    return literal(brief(text)) if text else "not named"


def _promise(change: After) -> Iterator[str]:
    promise = change.promise
    if promise is None:
        return
    if promise.reason:
        yield f"What was promised cannot be told: {literal(promise.reason)}."
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
    untold = [TITLES[name] for name, other in change.found.change.items() if other.reason]
    if untold:
        yield f"Too few jobs for an interval of: {listed(untold)}."


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
        yield "No task is slow in both runs beyond doubt."
        return
    named = [
        f"task {row.task:,} of {literal(brief(row.stage))} ({number(row.factor)} times the usual)"
        for row in slow.head(MOST).itertuples()
    ]
    more = len(slow) - len(named)
    yield (
        f"{counted(len(slow), 'task is', 'tasks are')} slow in both runs: "
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
