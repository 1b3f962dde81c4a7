"""The child process: it sets limits for itself and answers calls until its parent has gone.

It is started by `sim.running.processes.worker`.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

from sim.running.processes.wire import Closed, end_with, receive, send
from theory.shell import is_short_of_memory

if sys.platform != "win32":  # there the parent's clock is the only limit
    import resource

#: Seconds between two messages on progress.
PACE_S = 0.1
#: Lower priority than sessions that ask or draw; as `sim.running.live.NICENESS`.
NICENESS = 10
#: Kinds of messages from the child.
PROGRESS, DONE, FAILED, MEMORY = "progress", "done", "failed", "memory"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may take; none of it is bounded unless given.

    Parameters
    ----------
    memory : int, optional
        Bytes of the process beyond what it has when the call begins, where the system can bound them (Linux).
    seconds : float, optional
        Of processor time, where the system can bound it (not on Windows).
    patience : float, optional
        Of the clock, bounded everywhere: several times `seconds`, so that only what waits for others is late.
    result : int, optional
        Bytes of the answer.
    niceness : int, optional
        Of the process, if it is to stand back further than `NICENESS`.
    """

    memory: int | None = None
    seconds: float | None = None
    patience: float | None = None
    result: int | None = None
    niceness: int = NICENESS


def limit(limits: Limits) -> None:
    """Bound what this process may take from now on."""
    if hasattr(os, "nice"):
        os.nice(max(0, limits.niceness - os.nice(0)))
    if sys.platform != "win32" and limits.seconds is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + limits.seconds) + 1)
    if sys.platform == "linux" and limits.memory is not None:
        _lower(resource.RLIMIT_DATA, _data() + limits.memory)


def _lower(kind: int, value: int) -> None:
    if sys.platform != "win32":
        _, hard = resource.getrlimit(kind)
        ours = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(OSError, ValueError):  # a system that knows the limit and does not allow it
            resource.setrlimit(kind, (ours, hard))


def _data() -> int:
    """Bytes that `RLIMIT_DATA` counts of this process now: private memory, whether used or reserved."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[5]) * os.sysconf("SC_PAGESIZE")


def serve(calls: BinaryIO, answers: BinaryIO) -> None:
    """Answer calls until nobody asks any more."""
    with contextlib.suppress(Closed):
        while True:
            function, arguments, limits = receive(calls)
            limit(limits)
            told = _Progress(answers)
            answer = _called(function, arguments, told)
            told.end()
            send_answer(answers, *answer)


class _Progress:
    """Tells the parent how much of the work is done, not more often than it is worth; called from any thread.

    A message is several writes: two at a time would be mixed.
    """

    def __init__(self, answers: BinaryIO) -> None:
        self._answers, self._amount, self._told = answers, 0, time.monotonic()
        self._lock, self._over = threading.Lock(), False

    def __call__(self, amount: int) -> None:
        with self._lock:
            self._amount += amount
            now = time.monotonic()
            if now - self._told >= PACE_S and not self._over:
                self._told = now
                send(self._answers, (PROGRESS, self._amount))

    def end(self) -> None:
        """Say nothing any more: the answer follows, though a thread may go on after another has failed."""
        with self._lock:
            self._over = True


def _called(
    function: Callable[..., Any], arguments: tuple[Any, ...], progress: Callable[[int], None]
) -> tuple[str, Any]:
    try:
        return DONE, function(*arguments, progress=progress)
    except Closed:
        raise
    except Exception as error:
        return (MEMORY, None) if is_short_of_memory(error) else (FAILED, error)


def send_answer(answers: BinaryIO, kind: str, value: Any) -> None:
    """Send what came of a call; what cannot be sent becomes an error that says so."""
    try:
        send(answers, (kind, value))
    except MemoryError:
        send(answers, (MEMORY, None))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        send(answers, (FAILED, RuntimeError(f"{value!r:.200} cannot be sent to another process: {error}")))


def main() -> None:
    """Serve the parent, and end with it; what is printed goes where errors go."""
    end_with(sys.argv[1])
    # Arrow's own allocator may reserve 1 GB at once, which counts as memory that is taken.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)
    with contextlib.suppress(OSError):  # of what was still to be sent: nobody reads any more
        answers.close()


if __name__ == "__main__":
    main()
