"""``python -m tests.sim.waiting.score [LOG ...]``: how often tasks are done when the answer says so.

By law of made stages, or by log. Each probability that a task is done within some time goes into one of ten
classes, and is compared with the share of the tasks that were.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sim.advice.waiting.answer import UNKNOWN, answered
from sim.logs.formats import read_history
from tests.sim.waiting.worlds import LAWS, View, recorded, stages, views

#: Times that are asked for, in those of the middle sibling.
TIMES = np.array([0.1, 0.3, 1.0, 3.0, 10.0])
#: Running tasks of a view that are asked for.
SOME = 3


class Score(NamedTuple):
    """Probabilities, and whether each came true, from so many views; and the answers that tell nothing."""

    said: np.ndarray
    came: np.ndarray
    views: int
    unknown: int

    def classes(self) -> list[tuple[float, float, int]]:
        """Return probability, share that came true, and count of each tenth; those of 30 or more."""
        tenth = np.minimum((10 * self.said).astype(int), 9)
        chosen = [tenth == one for one in range(10)]
        return [
            (self.said[one].mean(), self.came[one].mean(), int(one.sum()))
            for one in chosen
            if one.sum() >= 30
        ]


def of_views(found: Iterable[View], random: np.random.Generator) -> Score:
    """Score the answers to views."""
    said: list[float] = []
    came: list[bool] = []
    count = unknown = 0
    for view in found:
        answer = answered(view.seen)
        count += 1
        unknown += answer.tasks[0].action == UNKNOWN
        times = TIMES * answer.median
        for place in random.permutation(view.left.size)[:SOME]:
            said += list(1 - answer.remaining(int(place), times).mean(axis=0))
            came += list(view.left[place] <= times)
    return Score(np.array(said), np.array(came, bool), count, unknown)


def of_law(name: str, count: int, seed: int = 1) -> Score:
    """Score so many views of stages of a law."""
    random = np.random.default_rng([seed, list(LAWS).index(name)])

    def made() -> Iterator[View]:
        for begun, durations in stages(LAWS[name], random):
            yield from views(begun, durations, float(random.uniform(0.3, 3)), random)

    return of_views(islice(made(), count), random)


def of_log(path: str, times: int = 5) -> Score:
    """Score views of a log."""
    random = np.random.default_rng(1)
    history = read_history(path)
    return of_views((view for _ in range(times) for view in recorded(history, random)), random)


def pooled(scores: Iterable[Score]) -> Score:
    """Return all scores as one."""
    every = list(scores)
    return Score(
        np.concatenate([one.said for one in every]),
        np.concatenate([one.came for one in every]),
        sum(one.views for one in every),
        sum(one.unknown for one in every),
    )


def row(name: str, score: Score) -> str:
    """Return a line of the table: the largest difference of a tenth, that of all weighed, cannot tell."""
    found = score.classes()
    off = [came - said for said, came, _ in found]
    far = max(off, key=abs, default=0.0)
    mean = np.average(np.abs(off), weights=[count for *_, count in found]) if found else 0.0
    share = score.unknown / max(score.views, 1)
    cells = (name, f"{score.views}", f"{len(score.said)}", f"{100 * mean:.1f}", f"{100 * far:+.0f}")
    return f"| {' | '.join(cells)} | {100 * share:.0f} % |"


def main(arguments: list[str]) -> None:
    """Print the table."""
    print(
        "| law or log | views | probabilities | mean difference, points | largest of a tenth | cannot tell |"
    )
    print("|---|--:|--:|--:|--:|--:|")
    names = [one for one in arguments if not one.isdigit()]
    count = next((int(one) for one in arguments if one.isdigit()), 400)
    with ProcessPoolExecutor(2) as pool:
        if names:
            scores = list(pool.map(of_log, names))
            titles = [Path(one).name for one in names]
        else:
            titles = list(LAWS)
            scores = list(pool.map(of_law, titles, [count] * len(titles)))
    for name, score in zip(titles, scores, strict=True):
        print(row(name, score))
    print(row("**all**", pooled(scores)))
    print(", ".join(f"{100 * said:.0f} → {100 * came:.0f}" for said, came, _ in pooled(scores).classes()))


if __name__ == "__main__":
    main(sys.argv[1:])
