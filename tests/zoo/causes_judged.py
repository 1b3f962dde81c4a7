"""``python -m tests.zoo.causes_judged``: causes of the diagnosis against the truth, in generated worlds.

Worlds have next to no luck and no cause, one cause, or two. The truth of a cause is by how much jobs were
slower than in the same world played without it on the same luck, summed over the jobs that were; luck is
taken away down to the median of the stage, and no task is made longer. A play without a cause may place tasks
on other machines by chance: it is played in several orders of offers, and the truth has an error.
``--record`` writes the table of `docs/explanation/diagnosis.md`.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sim import __version__
from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.findings import LITTLE
from tests.zoo.causes import CAUSES, LAWS, OTHERS, build
from tests.zoo.costs import CALLED, few, history_of, without
from tests.zoo.luck import Draw, draw
from tests.zoo.simulator import Play, play
from tests.zoo.worlds import World, stream

RECORD = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "diagnosis.md"
_MARK = re.compile(r"<!-- causes judged -->\n.*?<!-- /causes judged -->", re.DOTALL)
#: Kinds of worlds, in turn: how many causes each has.
_KINDS = (0, 1, 2, 1, 2)
#: What is drawn from. Luck in a closed loop is a kind of its own.
_DRAWN = (
    *("luck", "slow_hosts", "slow_executors", "skew_sizes", "skew_records", "skew_written"),
    *("hidden_recurring", "cold", "starts", "waits", "gc", "failed", "lost", "idle", "late", "closed_loop"),
)
#: Jobs of a world, orders in which each is played without a cause, and standard errors of the truth allowed.
_JOBS, _ORDERS, _SURE = 20, 6, 2.0
_TITLES = {"luck": "luck", "closed_loop": "luck in a closed loop"} | {
    name: cause.title for name, cause in (CAUSES | OTHERS).items() if name != "closed_loop"
}


@dataclass(frozen=True)
class Judged:
    """A world, what causes cost in truth, and what the diagnosis said.

    Parameters
    ----------
    number : int
    causes : tuple of str
    recorded : float
        Seconds of all jobs.
    true, error : mapping of str to float
        Seconds of each cause that it has, and of luck, by the names of the diagnosis, and their deviation.
    findings : tuple of (str, float)
        Names and seconds, the first first.
    intervals : mapping of str to (float, float)
        Of all causes that are told.
    seconds : float
        That the diagnosis took.
    """

    number: int
    causes: tuple[str, ...]
    recorded: float
    true: Mapping[str, float]
    error: Mapping[str, float]
    findings: tuple[tuple[str, float], ...]
    intervals: Mapping[str, tuple[float, float]]
    seconds: float

    @property
    def _own(self) -> set[str]:
        """Its causes as the diagnosis calls them; next to no luck is none."""
        return {_key(one) for one in self.causes}

    @property
    def largest(self) -> str:
        """The cause that cost most; empty if none cost as much as is worth a finding."""
        name = max(self._own, key=lambda one: self.true[one], default="")
        if not name:
            return ""
        return name if self.true[name] >= LITTLE * self.recorded else ""

    @property
    def place(self) -> int:
        """Place of the largest cause among the findings, from 1; 0 if it is not there."""
        keys = [key for key, _ in self.findings]
        return keys.index(self.largest) + 1 if self.largest in keys else 0

    @property
    def invented(self) -> tuple[str, ...]:
        """Findings of causes that the world does not have."""
        return tuple(key for key, _ in self.findings if key not in self.true)

    @property
    def held(self) -> Mapping[str, bool]:
        """Whether the interval of each of its causes holds the truth."""
        return {
            key: low - _SURE * self.error[key] <= self.true[key] <= high + _SURE * self.error[key]
            for key, (low, high) in self.intervals.items()
            if key in self._own
        }

    def __str__(self) -> str:
        """Say it in a line."""
        true = ", ".join(f"{key} {self.true[key]:.0f}±{self.error[key]:.0f}" for key in self.true)
        found = ", ".join(f"{key} {seconds:.0f}" for key, seconds in self.findings) or "nothing"
        missed = "; ".join(
            f"{key} outside {self.intervals[key][0]:.0f} to {self.intervals[key][1]:.0f}"
            for key, held in self.held.items()
            if not held
        )
        place = f"place {self.place}" if self.largest else "nothing to name"
        wrong = f" INVENTED {' '.join(self.invented)}" if self.invented else ""
        return (
            f"{self.number} {'+'.join(self.causes) or 'null'}: {self.recorded:.0f} s, true {true}; "
            f"found {found}; {place}{wrong}{f' MISSED {missed}' if missed else ''} {self.seconds:.1f} s"
        )


def world_of(seed: int, number: int) -> World:
    """Return a world; the same for the same seed and number."""
    random = stream(seed, number, "judged")
    around, kind = divmod(number, len(_KINDS))
    # each cause comes as often as any other
    order = stream(seed, around * 2 // len(_DRAWN), "order").permutation(len(_DRAWN))
    first = _DRAWN[int(order[(around * 2 + kind // 3) % len(_DRAWN)])]
    causes = (first,) if _KINDS[kind] else ()
    if _KINDS[kind] == 2:
        apart = [one for one in _DRAWN if not _alike(one, first)]
        causes = (first, str(random.choice(apart)))
    lucky = any(_key(one) == "luck" for one in causes)
    law = str(random.choice([one for one in LAWS if one != "light"])) if lucky else "light"
    who = {"number": number, "seed": seed, "size": "small", "setting": None}
    world = few(build(law, tuple(one for one in causes if one != "luck"), random, **who), _JOBS)
    if not lucky:
        sigma = random.uniform(0.002, 0.01)
        nature = replace(world.nature, law=lambda draws, size: np.exp(draws.normal(0, sigma, size)))
        world = replace(world, nature=nature)
    return replace(world, causes=causes)


def _key(cause: str) -> str:
    return "luck" if cause == "closed_loop" else CALLED[cause]


def _alike(one: str, other: str) -> bool:
    """Say whether two causes cannot be in one world, or could not be told apart."""
    twice, far = {"failed", "lost"}, {"slow_executors", "slow_hosts"}
    late = {"late", "closed_loop"}  # all but the first jobs would wait for those before
    return _key(one) == _key(other) or any({one, other} <= those for those in (twice, far, late))


def judge(seed: int, number: int) -> Judged:
    """Judge the diagnosis of a world."""
    world = world_of(seed, number)
    as_it_was, luck = play(world, None, 0), draw(world, 0)
    recorded = sum(as_it_was.job_times)
    true, error = {}, {}
    for cause in dict.fromkeys([*(one for one in world.causes if _key(one) != "luck"), "luck"]):
        other = world if cause == "luck" else without(world, cause)
        fair = _usual(luck) if cause == "luck" else luck
        orders = [replace(fair, order=world.stream("order", turn)) for turn in range(_ORDERS)]
        saved = [_saved(as_it_was, play(other, None, 0, luck=one)) for one in orders]
        true[_key(cause)], error[_key(cause)] = float(np.mean(saved)), float(np.std(saved, ddof=1))
    history = history_of(world, as_it_was)
    begun = time.perf_counter()
    found = diagnose(history)
    took = time.perf_counter() - begun
    findings = tuple((one.key, one.seconds) for one in found.findings)
    intervals = {key: (one.low, one.high) for key, one in found.causes.items()}
    return Judged(number, world.causes, recorded, true, error, findings, intervals, took)


def _saved(as_it_was: Play, other: Play) -> float:
    """Return by how much jobs were slower; what another gained by the cause is not set off against that."""
    return float(np.maximum(np.subtract(as_it_was.job_times, other.job_times), 0.0).sum())


def _usual(luck: Draw) -> Draw:
    """Let no attempt have worse luck than is usual in its stage."""
    return replace(
        luck,
        luck=[
            [[np.minimum(row, np.median(stage[0])).tolist() for row in stage] for stage in job]
            for job in luck.luck
        ],
    )


def table(judged: Sequence[Judged]) -> str:
    """Return the table by cause, in Markdown."""
    lines = [
        "| cause | worlds | largest cause first | first or second | intervals that hold the truth |",
        "|---|---|---|---|---|",
        *(_row(_TITLES[name], [one for one in judged if name in one.causes], _key(name)) for name in _DRAWN),
        _row("**all with a cause**", [one for one in judged if one.causes]),
    ]
    return "\n".join(lines)


def _row(title: str, judged: Sequence[Judged], key: str = "") -> str:
    """Return a row: of one cause its own interval, of all those of every cause."""
    named = [one for one in judged if one.largest]
    held = [value for one in judged for name, value in one.held.items() if key in ("", name)]
    first, both = (sum(1 <= one.place <= most for one in named) for most in (1, 2))
    cells = (
        title,
        f"{len(judged)}",
        _of(first, len(named)),
        _of(both, len(named)),
        _of(sum(held), len(held)),
    )
    return f"| {' | '.join(cells)} |"


def _of(some: int, every: int) -> str:
    return f"{some} of {every} ({100 * some / every:.0f} %)" if every else "none"


def summary(judged: Sequence[Judged], seed: int) -> str:
    """Return what stands in the document."""
    nulls = [one for one in judged if not one.causes]
    quiet = sum(not one.invented for one in nulls)
    others = [one for one in judged if one.causes]
    invented = sum(bool(one.invented) for one in others)
    return (
        f"Version {__version__}, {len(judged)} worlds of seed {seed}. Nothing is named in "
        f"{_of(quiet, len(nulls))} worlds without a cause; a cause that is not there is named in "
        f"{_of(invented, len(others))} of the others.\n\n{table(judged)}"
    )


def main() -> None:
    """Judge worlds, one after another."""
    parser = argparse.ArgumentParser(prog="python -m tests.zoo.causes_judged", description=__doc__)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    chosen = parser.parse_args()
    judged = []
    for number in range(chosen.first, chosen.first + chosen.worlds):
        judged.append(judge(chosen.seed, number))
        print(judged[-1], flush=True)
    told = summary(judged, chosen.seed)
    print(told)
    if chosen.record:
        marked = f"<!-- causes judged -->\n{told}\n<!-- /causes judged -->"
        RECORD.write_text(_MARK.sub(lambda _: marked, RECORD.read_text()))


if __name__ == "__main__":
    main()
