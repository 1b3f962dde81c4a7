"""``python -m tests.sim.waiting.follow``: following the answer against thresholds of age, at equal slot-time.

Ten made logs, each of stages of several laws, of which some tasks have more work than others. All tasks of a
stage are launched at once; every quarter of the usual time each rule may start a copy of each task that runs.
A copy has the work of its task and luck of its own. The answer is followed at several prices of slot-time, so
that its mean time of a stage can be read at the slot-time that another rule takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from sim.advice.waiting.answer import COPY, EXPLAINED, RESTART, WAIT, Options, Waiting, chosen
from sim.advice.waiting.siblings import Siblings
from tests.sim.waiting.worlds import LAWS

#: Prices of slot-time at which the answer is followed.
PRICES = (0.02, 0.3, 0.7, 1.2, 2.0, 4.0)
#: Time between two looks, and draws of laws.
STEP, DRAWS = 0.25, 60


class Stage(NamedTuple):
    """Durations of tasks and of their copies, and the work of each, if it is known."""

    tasks: np.ndarray
    copies: np.ndarray
    work: np.ndarray | None


class Seen(NamedTuple):
    """What a rule sees: durations of those done, the time, and the tasks that run, with all work."""

    done: np.ndarray
    now: float
    running: np.ndarray
    work: np.ndarray | None
    is_done: np.ndarray


Rule = Callable[[Seen], list[int]]


def run(rule: Rule, stage: Stage) -> tuple[float, float]:
    """Return when a stage is done, and the slot-time that it takes."""
    ends, used = stage.tasks.copy(), stage.tasks.copy()
    copied = np.full(ends.size, np.inf)
    now = STEP
    while (ends > now).any():
        runs = ends > now
        if np.count_nonzero(~runs) >= 5:
            took = np.where(np.isfinite(copied) & (ends < stage.tasks), ends - copied, ends)[~runs]
            for task in rule(Seen(took, now, np.flatnonzero(runs), stage.work, ~runs)):
                if copied[task] == np.inf:
                    copied[task] = now
                    ends[task] = min(ends[task], now + stage.copies[task])
                    used[task] = 2 * ends[task] - now
        now += STEP
    return float(ends.max()), float(used.sum())


def above(multiple: float) -> Rule:
    """Return the rule of Spark: of three in four done, copy above a multiple of their median."""

    def rule(seen: Seen) -> list[int]:
        enough = seen.done.size >= 0.75 * seen.is_done.size
        return seen.running.tolist() if enough and seen.now > multiple * np.median(seen.done) else []

    return rule


def late(seen: Seen) -> list[int]:
    """Copy as LATE does where no progress is told: the oldest, a tenth of the tasks at a time."""
    most = max(1, seen.is_done.size // 10)
    return seen.running[:most].tolist() if seen.now > np.median(seen.done) else []


def answer(price: float) -> Rule:
    """Return the rule that follows the answer."""

    def rule(seen: Seen) -> list[int]:
        if seen.now < 0.8 * np.median(seen.done):
            return []
        known = (
            {}
            if seen.work is None
            else {"done_work": seen.work[seen.is_done], "work": seen.work[seen.running]}
        )
        siblings = Siblings(seen.done, np.full(seen.running.size, seen.now), **known)
        asked = Waiting(siblings, Options(price=price), DRAWS)
        by_work: dict[float, str] = {}
        found = []
        for place, task in enumerate(seen.running.tolist()):
            work = 1.0 if seen.work is None else float(seen.work[task])
            if work not in by_work:
                decided = asked.decided(place)
                by_work[work] = WAIT if asked.is_explained(place) >= EXPLAINED else chosen(decided, "idle")[0]
            if by_work[work] in (COPY, RESTART):
                found.append(task)
        return found

    return rule


RULES: Mapping[str, Rule] = {"1.5 × median": above(1.5), "3 × median": above(3.0), "LATE": late}


def made(seed: int) -> list[Stage]:
    """Return the stages of a log: a mixture of laws, in some of which work differs."""
    random = np.random.default_rng([seed, 77])
    kinds = [*LAWS, "work", "work"]
    shares = random.dirichlet(np.full(len(kinds), 0.7))
    stages = []
    for _ in range(24):
        kind, count = (
            kinds[random.choice(len(kinds), p=shares)],
            int(np.exp(random.uniform(np.log(12), np.log(100)))),
        )
        if kind == "work":
            work = random.lognormal(0, 0.6, count) * np.where(random.random(count) < 0.05, 4, 1)
            stages.append(
                Stage(work * random.lognormal(0, 0.2, count), work * random.lognormal(0, 0.2, count), work)
            )
        else:
            both = LAWS[kind](random, 2 * count)
            stages.append(Stage(both[:count], both[count:], None))
    return stages


def judged(seed: int) -> dict[str, tuple[float, float, float]]:
    """Return rule -> its mean time and slot-time, and the mean time of the answer at that slot-time.

    All in those without any copy; the times of a log weigh as they are.
    """
    stages = made(seed)
    alone = np.array([[one.tasks.max(), one.tasks.sum()] for one in stages]).sum(axis=0)

    def told(rule: Rule) -> tuple[float, float]:
        time, used = np.array([run(rule, one) for one in stages]).sum(axis=0) / alone
        return float(time), float(used)

    front = sorted((told(answer(price)) for price in PRICES), key=lambda one: one[1])
    if front[0][1] > 1:
        front = [(1.0, 1.0), *front]
    best = np.minimum.accumulate([time for time, _ in front])
    found = {}
    for name, rule in RULES.items():
        time, used = told(rule)
        found[name] = (time, used, float(np.interp(used, [one for _, one in front], best)))
    return found


def main() -> None:
    """Print the table."""
    with ProcessPoolExecutor(2) as pool:
        every = list(pool.map(judged, range(10)))
    print(
        "| log | "
        + " | ".join(f"{name}: time, slot-time | the answer at that slot-time" for name in RULES)
        + " |"
    )
    for seed, found in enumerate(every):
        print(f"| {seed} | " + " | ".join(f"{a:.3f}, {b:.3f} | {c:.3f}" for a, b, c in found.values()) + " |")
    for name in RULES:
        print(name, sum(found[name][2] < found[name][0] for found in every), "of", len(every))


if __name__ == "__main__":
    main()
