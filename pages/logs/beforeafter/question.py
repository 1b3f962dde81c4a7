"""The runs that are compared: samples, or files of the visitor; read in another process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from pages.logs.question import Log, given
from pages.logs.question import read as of_logs
from pages.shared.app.turns import Placeholders
from pages.shared.live.playing import SharedPlayer
from sim.advice.several.after import with_replays
from sim.advice.several.report import Both, read_both
from sim.advice.several.reruns import count_of
from sim.advice.whatif.check import FIT
from sim.logs import samples
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.source import Upload
from sim.running.parallel import Player
from sim.telling.words import counted, in_percent


@dataclass(frozen=True)
class Pair:
    """Logs of our own making: their title, what is known of their truth, and those of each side."""

    title: str
    truth: str
    make: Callable[[], tuple[Sequence[Upload], Sequence[Upload]]]


PAIRS = {
    "speculation": Pair(
        "Sample: Spark, speculation switched on",
        "Two runs before and two after, of 30 Spark jobs on 8 hosts with 4 slots each, made by a simulator: "
        "first without speculation, then with it (multiplier 1.5, quantile 0.75). Each copy of each run "
        "draws a Pareto factor of its own, and nothing else makes tasks unequal: it is all luck. The true "
        f"change of the mean job time is {in_percent(samples.TRUE_CHANGE)}: the mean of 400 runs of each "
        "setting.",
        lambda: (
            [samples.before_after(1), samples.before_after(2)],
            [samples.before_after(3), samples.before_after(4)],
        ),
    ),
    "nightly": Pair(
        "Sample: the same Slurm arrays, run twice",
        "24 arrays of 40 tasks on 8 hosts, made from a seed. Tasks have work of their own, the same in both "
        f"runs, and task {samples.SLOW_TASK} of each array has {samples.SLOW_WORK:g} times as much; hosts "
        f"node03 and node06 take {samples.HOSTS['node03']:g} and {samples.HOSTS['node06']:g} times as long; "
        f"each copy draws a Pareto factor of index {samples.INDEX:g}. So 45 % of how unequal tasks are is "
        "luck, 14 % machine, and 41 % work; nothing was changed.",
        cache(lambda: ([samples.nightly(1)], [samples.nightly(2)])),
    ),
}


@dataclass(frozen=True)
class Request:
    """Runs before and after.

    Parameters
    ----------
    before, after : sequence of Log
    leave_out : str, optional
        What the jobs are named that are left out.
    """

    before: Sequence[Log]
    after: Sequence[Log]
    leave_out: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """What tells them from every other pair."""
        sides = (tuple(log.key for log in side) for side in (self.before, self.after))
        return (*sides, self.leave_out)


def sample(name: str) -> Request:
    """Return a pair of samples."""
    pair = PAIRS[name]

    def log(side: int, run: int) -> Log:
        about = f"**A sample.** {pair.truth}"
        return Log((name, side, run), lambda: (pair.make()[side][run],), kind="sample", about=about)

    before, after = ([log(side, run) for run in range(len(runs))] for side, runs in enumerate(pair.make()))
    return Request(before, after)


def runs_of(side: Sequence[Log], apart: bool) -> Sequence[Log]:
    """Return the runs of a side: its logs, or where they are not apart one of all their files."""
    whole = all(log.parse is read_history for log in side)  # members of an archive are runs
    return side if apart or not whole else [given([file for log in side for file in log.files()])]


def read(asked: Request) -> Both:
    """Read all runs in a process of its own; raises `BadInput`."""
    parse = partial(read_both, first=len(asked.before), apart=True, leave_out=asked.leave_out)
    found: Both = of_logs(parse, *asked.before, *asked.after)
    return found


# What two runs tell: at once what they show, then what What-if had promised, played in pieces.

#: How often runs are played: twice for their checks, once for what was promised, twice for how they differ.
ROUNDS = 5


@dataclass(frozen=True, eq=False)
class Step:
    """What is shown.

    Parameters
    ----------
    both : Both
        With what was promised, as soon as that is known.
    sample : bool
        Whether the runs are samples.
    """

    both: Both
    sample: bool

    @property
    def final(self) -> bool:
        """Whether what was promised is known."""
        return self.both.change.promise is not None


def follow(asked: Request, both: Both, status: Placeholders) -> Iterator[Step]:
    """Yield what the runs show, then that with what was promised."""
    sample = asked.before[0].kind == "sample"

    def steps(player: Player) -> Iterator[Step]:
        yield Step(both, sample)
        player.begin("Playing the runs again", sum(map(_cost, (both.before, both.after))))
        runs = both.change, both.before, both.after
        promised = partial(with_replays, *runs, player=player, leave_out=asked.leave_out)
        yield Step(replace(both, change=player.made("promised", promised)), sample)

    yield from SharedPlayer(asked.key, status).follow(steps)
    status.caption("line", f":material/check: {_rests_on(both)}", width="stretch")


def _rests_on(both: Both) -> str:
    return f"{counted(plays_of(both.before), 'replication')} of each run, seed 1; 95 % intervals."


def _cost(history: History) -> float:
    """Return about how many tasks could be played while one of the runs is fitted and played."""
    return FIT * history.copies.num_rows + ROUNDS / 2 * plays_of(history) * _tasks(history)


def _tasks(history: History) -> int:
    return int(sum(history.stages["tasks"].to_pylist())) or 1


def plays_of(history: History) -> int:
    """Return how often a run is played again."""
    return count_of(_tasks(history))
