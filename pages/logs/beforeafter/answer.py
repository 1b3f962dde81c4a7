"""What two runs tell: at once what they show, then what What-if had promised, played in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from pages.logs.beforeafter.question import Request
from pages.shared.app.placeholders import Placeholders
from pages.shared.live.playing import SharedPlayer
from sim.advice.several.after import with_replays
from sim.advice.several.library import Both
from sim.advice.several.reruns import count_of
from sim.advice.whatif.check import FIT
from sim.logs.history import History
from sim.running.parallel import Player
from sim.telling.words import counted

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
