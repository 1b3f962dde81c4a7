"""Several requests followed at once: the page's answer first, then the points of its curves."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from pages.decentralised.setting import Setting
from pages.shared.app.runs import pool
from pages.shared.app.turns import turns
from sim.live import RunRequest, Snapshot
from sim.result import Comparison

#: Points of one visitor that are worked out at the same time, behind the first answers of everybody.
AT_ONCE = 2
URGENCY = 2
#: Seconds to wait for news before somebody else is asked for it.
PATIENCE = 0.1


def together(answer: RunRequest, points: Sequence[RunRequest]) -> Iterator[dict[int, Snapshot]]:
    """Yield what is new of the answer (0) and of the points (1, 2, ...), and nothing now and then.

    The points are begun once the answer has something to show, a few at a time and in their order. Where
    several requests are equal, each has its news. Closing the generator gives all of them up.
    """
    follow = pool().follow
    waiting = deque(enumerate(points, start=1))
    active = {0: follow(answer, PATIENCE)}
    try:
        while active:
            news: dict[int, Snapshot] = {}
            for place, follower in list(active.items()):
                with turns().lent():
                    snapshot = next(follower, None)
                if snapshot is not None:
                    news[place] = snapshot
                    if snapshot.final:
                        active.pop(place).close()
            answered = news or 0 not in active
            while answered and waiting and len(active.keys() - {0}) < AT_ONCE:
                place, request = waiting.popleft()
                active[place] = follow(request, PATIENCE / (1 + AT_ONCE), URGENCY)
            yield news
    finally:
        for follower in active.values():
            follower.close()


def renamed(comparison: Comparison, setting: Setting) -> Comparison:
    """Return the comparison with its policies called as on the screen, the centralised one as baseline."""
    return comparison.called(tuple(setting.policies))
