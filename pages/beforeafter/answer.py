"""What two runs tell: at once what they show, then what What-if had promised, played in another process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pages.beforeafter.question import Asked
from pages.logs.playing import PLAYING
from pages.shared.app.placeholders import Placeholders
from sim.byte_cache import ByteCache
from sim.cached import once
from sim.several.after import After, compared
from sim.several.reading import Both
from sim.several.reruns import MOST, count_of
from sim.telling.words import counted
from sim.traces.history import History

#: Bytes of what was promised that are kept, of all sessions together.
KEPT_BYTES = 16 * 2**20
#: How often runs are played: twice for their checks, once for what was promised, twice for how they differ.
ROUNDS = 5


@dataclass(frozen=True, eq=False)
class Snapshot:
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


@once
def _kept() -> ByteCache:
    """Return what was promised, for all sessions."""
    return ByteCache(KEPT_BYTES)


def follow(asked: Asked, both: Both, status: Placeholders) -> Iterator[Snapshot]:
    """Yield what the runs show, then that with what was promised."""
    sample = asked.kind == "sample"
    yield Snapshot(both, sample)
    found = _played(asked, both, status)
    status.caption("line", f":material/check: {_rests_on(both)}", width="stretch")
    yield Snapshot(replace(both, change=found), sample)


def _rests_on(both: Both) -> str:
    return f"{counted(plays_of(both.before), 'replication')} of each run, seed 1; 95 % intervals."


def _played(asked: Asked, both: Both, status: Placeholders) -> After:
    """Return the change with what was promised, and with intervals by reruns."""
    key = (*asked.key, "played")
    kept: tuple[After] | None = _kept().get(key)
    if kept is None:
        tasks = sum(plays_of(one) * _tasks(one) for one in (both.before, both.after))

        def say(done: int, waits: str) -> None:
            share = min(done / (ROUNDS / 2 * tasks), 1.0)
            status.progress("line", share, f"Playing the runs again … {waits}")

        kept = (PLAYING.done(key, say, compared, [both.before], [both.after], MOST),)
        _kept().keep(key, kept)
    return kept[0]


def _tasks(history: History) -> int:
    return int(sum(history.stages["tasks"].to_pylist())) or 1


def plays_of(history: History) -> int:
    """Return how often a run is played again."""
    return count_of(_tasks(history))
