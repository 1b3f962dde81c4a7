"""Answers to the question of a preset, if its policies are compared; else empty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pages.shared.words.foreign import bold
from pages.shared.words.winner import WORD, between, is_stable
from sim.model.result import Comparison, PairedDifference, change, class_change
from sim.model.workload import CLASSES
from sim.telling.words import changed, counted, fixed, number, percent


def pair(comparison: Comparison, statistic: str, codes: Sequence[str]) -> str:
    """Say which of two policies is the faster, and at what cost."""
    found = names_of(comparison, codes)
    return between(comparison, found[0], found[1], statistic) if len(found) == 2 else ""


def names_of(comparison: Comparison, codes: Sequence[str]) -> list[str]:
    """Return what policies are called here, of those that are here."""
    names = {one.policy.text: name for name, one in comparison.policies.items()}
    return [names[code] for code in codes if code in names]


def everybody(comparison: Comparison, statistic: str) -> str:
    """Say under which policies jobs of every size gain over the baseline."""
    if comparison.replications == 1:
        return ""
    every = {}
    for name in comparison.policies:
        changes = dict(_by_size(comparison, name, statistic))
        if name == comparison.baseline or not changes or not is_stable(comparison, name):
            continue
        if all(one.sign < 0 for one in changes.values()):
            every[name] = [-one.relative for one in changes.values()]
    if not every:
        return f"No policy surely makes jobs of every size faster than {bold(comparison.baseline)}."
    best = max(every, key=lambda name: min(every[name]))
    others = f" and {counted(len(every) - 1, 'other')}" if len(every) > 1 else ""
    gains = sorted(gain for one in every.values() for gain in one)
    least, most = percent(gains[0]), percent(gains[-1])
    return f"Jobs of every size gain under {bold(best)}{others}: {WORD[statistic]} {least} to {most} less."


def _by_size(comparison: Comparison, name: str, statistic: str) -> Iterator[tuple[str, PairedDifference]]:
    for place, (size, _) in enumerate(CLASSES):
        one = class_change(comparison, name, comparison.baseline, place, statistic)
        if one is not None:
            yield size, one


def small_jobs(comparison: Comparison, statistic: str) -> str:
    """Say what is best for the smallest jobs, and how many more slots it keeps busy."""
    found = {
        name: class_change(comparison, name, comparison.baseline, 0, statistic)
        for name in comparison.policies
    }
    surely = {name: one.value for name, one in found.items() if one is not None and one.sign < 0}
    if comparison.replications == 1 or not surely:
        return ""
    best = min(surely, key=surely.__getitem__)
    one = found[best]
    assert one is not None
    busy = change(comparison, best, comparison.baseline, "utilisation")
    assert busy is not None
    points = fixed(100 * abs(busy.value - busy.reference), 1)
    cost = f"{points} {'more' if busy.sign > 0 else 'fewer'} of 100" if busy.sign else "about as many"
    size = CLASSES[0][0].replace(" to ", "–")
    gain = f"{WORD[statistic]} {changed(one.share)}, for {cost} slots"
    return f"Small jobs ({size}) gain most under {bold(best)}: {gain}."


def copies(comparison: Comparison) -> str:
    """Say how long after its original half of the second copies start, where it is soonest and latest."""
    delays = {
        name: float(np.median(found))
        for name, result in comparison.policies.items()
        if (found := second_copies(result.samples[0].log)).size
    }
    if not delays:
        return ""
    unit, (soonest, *_, latest) = comparison.scenario.time_unit, 2 * sorted(delays, key=delays.__getitem__)
    told = f"Half of the second copies start within {number(delays[soonest])} {unit} under {bold(soonest)}"
    return (
        f"{told}, {number(delays[latest])} {unit} under {bold(latest)}." if latest != soonest else f"{told}."
    )


def second_copies(log: np.recarray) -> np.ndarray:
    """Return how long after the first copy of its task each first extra copy of a log started."""
    first: dict[tuple[int, int], float] = {}
    found = {}
    for job, task, copy, start in zip(*(log[name] for name in ("job", "task", "copy", "start")), strict=True):
        place = int(job), int(task)
        if copy == 0:
            first[place] = float(start)
        elif place in first and place not in found:
            found[place] = float(start) - first[place]
    return np.array(list(found.values()))
