"""Answers to the question of a preset, if its policies are compared; else empty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pages.shared.words.foreign import bold
from pages.shared.words.gains import small_jobs_gain, with_tasks
from pages.shared.words.winner import BY, between, is_stable
from sim.counted_jobs import CLASSES
from sim.paired import PairedDifference, class_change
from sim.result import Comparison
from sim.telling.words import listed, number, percent


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
    every = []
    for name in comparison.policies:
        changes = dict(_by_size(comparison, name, statistic))
        if name == comparison.baseline or not changes or not is_stable(comparison, name):
            continue
        if all(one.sign < 0 for one in changes.values()):
            gains = sorted(-one.relative for one in changes.values())
            every.append(f"{bold(name)} ({percent(gains[0])} to {percent(gains[-1])} less)")
    if every:
        return (
            f"Jobs of every size gain {BY[statistic]} over {bold(comparison.baseline)} with {listed(every)}."
        )
    return f"No policy surely makes jobs of every size faster than {bold(comparison.baseline)}."


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
    told = small_jobs_gain(comparison, best, comparison.baseline, one, statistic)
    return f"Small jobs ({with_tasks(CLASSES[0][0])}) gain most under {bold(best)}: {told}"


def copies(comparison: Comparison) -> str:
    """Say how many copies are extra, and how long after its original half of the second copies start."""
    told = []
    for name, result in comparison.policies.items():
        share = result.estimate("speculative_copies_share").value or 0.0
        delays = second_copies(result.samples[0].log)
        if share and delays.size:
            after = f"{number(float(np.median(delays)))} {comparison.scenario.time_unit}"
            told.append(f"{after} under {bold(name)} ({percent(share)} of the copies)")
    if not told:
        return ""
    return f"Half of the second copies start within this time of their original: {listed(told)}."


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
