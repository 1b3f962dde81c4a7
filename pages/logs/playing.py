"""The process in which jobs of a history are played again, one for all sessions and pages."""

from __future__ import annotations

from pages.shared.app.runs import LongWork
from sim.cached import once
from sim.processes.child import Limits
from sim.processes.jobs import Jobs

#: Limits of a piece; its process has a lower priority than others: their answers go first.
LIMITS = Limits(memory=2 * 2**30, seconds=600, patience=600, niceness=19)
_WHY = {
    "memory": "playing it again needed more memory than this server allows; give a part of the history",
    "time": "playing it again took longer than this server allows; give a part of the history",
    "result": "it has more jobs than this server keeps figures of; give a part of the history",
    "stopped": "playing was ended; load the page again",
    "died": "the process that played has ended, probably for want of memory; load the page again",
}


@once
def _players() -> Jobs:
    """Return the process that plays."""
    return Jobs(1, LIMITS)


#: How something is played there.
PLAYING = LongWork(_players, "question", "history", _WHY)
