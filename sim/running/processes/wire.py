"""Values over a pipe between two of our processes: pickled, with large buffers sent beside, not copied.

Each message is its number of parts, the size of each, and the parts: a pickle, then the buffers that NumPy
arrays, Arrow tables and `sim.logs.source.Upload` hand out of it (protocol 5).
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

if sys.platform == "linux":
    import fcntl

# A process ends with its parent, however the parent ends and whatever the process is doing.
#
# The parent holds an end of a pipe on which nothing is ever said; when it goes, the system closes that. On
# Linux the system then kills the child by itself, though it may be in the middle of foreign code that keeps
# the interpreter from acting. Elsewhere, and where a system does not do so, a thread of the child looks
# after its parent.
#
# Not ``PR_SET_PDEATHSIG``, which ends a process with the *thread* that started it.

#: Seconds between two looks at the parent.
LOOK_S = 0.2
ROOT = Path(__file__).resolve().parents[3]


def started(
    module: str, *words: str, environment: Mapping[str, str] = os.environ, **options: Any
) -> subprocess.Popen[Any]:
    """Start a module of ours as a program that finds other modules where this process does, and ends with it.

    It ends, too, when nobody holds what is returned any more.

    Parameters
    ----------
    module : str
        Its program calls `end_with` with its first argument.
    *words
        Further arguments.
    environment : mapping, optional
    **options
        Of `subprocess.Popen`.
    """
    theirs, ours = os.pipe() if sys.platform == "linux" else (-1, -1)
    places = os.pathsep.join(os.path.abspath(place) for place in sys.path if os.pathsep not in place)
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", module, f"{os.getpid()},{theirs}", *words],
            cwd=ROOT,
            env={**environment, "PYTHONPATH": places},
            pass_fds=() if theirs < 0 else (theirs,),
            **options,
        )
    except BaseException:
        _close(ours)
        raise
    finally:
        _close(theirs)
    weakref.finalize(process, _close, ours)
    return process


def _close(handle: int) -> None:
    if handle >= 0:
        os.close(handle)


def end_with(parent: str) -> None:
    """End this process soon after the one that has started it has gone, or has gone already.

    What is being written is left as by a kill; files of the compiler are put in their place whole. An
    interrupt at a terminal reaches both and is the parent's to answer. Windows does not tell that a parent
    has gone: there a process ends when it has answered.

    Parameters
    ----------
    parent : str
        What `started` has given as the first argument: the number of the parent, and that of the pipe.
    """
    number, pipe = map(int, parent.split(","))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name != "nt":
        threading.Thread(target=_watch, args=(number,), name="parent", daemon=True).start()
    if pipe >= 0:
        _killed_with(pipe)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os._exit(1)


def _killed_with(pipe: int) -> None:
    """Let the system kill this process when the other end of a pipe is closed."""
    if sys.platform == "linux":
        fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
        if select.select([pipe], [], [], 0)[0]:  # it was closed before
            os._exit(1)


# The order of waiting work: short before long, and owners who have had much after the others.

#: Seconds that work may wait for each second that it is expected to take, before newer work goes after it.
STRETCH = 30.0


class Shares:
    """When work is due, by its owner, when it was asked for and how long it is expected to take.

    Work is done in order of the times at which it is due. So short work overtakes long work, and long work
    waits for a bounded number of others. Each second of work that an owner has had delays the owner's next
    work by `STRETCH` seconds.

    Parameters
    ----------
    clock : callable, optional
        Of `time`.

    Examples
    --------
    >>> shares = Shares(clock=lambda: 100.0)
    >>> shares.due("ann", 2.0), shares.due("bob", 0.1)
    (160.0, 103.0)
    >>> shares.charge("bob", 5.0)
    >>> shares.due("bob", 0.1)
    253.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._behind: dict[Hashable, float] = {}  # owner -> when what the owner has had is made up for
        self._lock = threading.Lock()

    def due(self, owner: Hashable, expected: float) -> float:
        """Return when work is due that this owner asks for now; None owns work that nobody is charged for."""
        now = self._clock()
        with self._lock:
            return max(now, self._behind.get(owner, now)) + STRETCH * expected

    def charge(self, owner: Hashable, seconds: float) -> None:
        """Note what an owner has had."""
        if owner is None:
            return
        now = self._clock()
        with self._lock:
            self._behind = {one: until for one, until in self._behind.items() if until > now}
            self._behind[owner] = max(now, self._behind.get(owner, now)) + STRETCH * seconds


# How far work is, in steps: amounts that are told become parts of a whole.

#: Steps in which it is told how much is done.
STEPS = 1000


class Steps:
    """Tells of amounts how many more of `STEPS` are done; called from any thread.

    Parameters
    ----------
    tell : callable
    total : float, optional
        What the amounts add up to; nothing is told before it is known.

    Examples
    --------
    >>> told = []
    >>> steps = Steps(told.append)
    >>> steps(1)
    >>> steps.expect(4)
    >>> steps(1), steps(5), sum(told)
    (None, None, 1000)
    """

    def __init__(self, tell: Callable[[int], object], total: float = 0) -> None:
        self._tell, self._total = tell, total
        self._done = self._told = 0
        self._lock = threading.Lock()

    def expect(self, total: float) -> None:
        """Say what the amounts add up to."""
        with self._lock:
            self._total = total

    def __call__(self, amount: int) -> None:
        """Count an amount that is done."""
        with self._lock:
            self._done += amount
            now = min(STEPS, int(STEPS * self._done / self._total)) if self._total else 0
            if now > self._told:
                more, self._told = now - self._told, now
                self._tell(more)


#: Parts of a message, at most: a table of a thousand columns in a hundred chunks is far below.
MOST_PARTS = 1_000_000


class Closed(Exception):
    """The other side has gone."""


class TooLarge(Exception):
    """A message has more bytes than its reader accepts."""


def send(stream: BinaryIO, value: Any) -> None:
    """Send a value.

    Raises
    ------
    Closed
        If nobody reads any more.
    """
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    sizes = [len(part) for part in parts]
    try:
        stream.write(struct.pack(f"<Q{len(parts)}Q", len(parts), *sizes))
        for part in parts:
            stream.write(part)
        stream.flush()
    except (OSError, ValueError):  # a broken pipe; a stream that is closed already
        raise Closed from None


def receive(stream: BinaryIO, most_bytes: int | None = None) -> Any:
    """Receive a value; arrays in it may be written to.

    Raises
    ------
    Closed
        If the other side has gone, or goes in the middle.
    TooLarge
        If it has more than `most_bytes`.
    """
    (count,) = struct.unpack("<Q", _read(stream, 8))
    if count > MOST_PARTS:
        raise TooLarge
    sizes = struct.unpack(f"<{count}Q", _read(stream, 8 * count))
    if most_bytes is not None and sum(sizes) > most_bytes:
        raise TooLarge
    head, *buffers = [_read(stream, size) for size in sizes]
    return pickle.loads(head, buffers=buffers)


def _read(stream: BinaryIO, size: int) -> bytearray:
    """Read so many bytes; the interpreter is free for others between two pieces."""
    data = bytearray(size)
    view, filled = memoryview(data), 0
    while filled < size:
        try:
            got = stream.readinto(view[filled:])  # type: ignore[attr-defined]
        except (OSError, ValueError):
            raise Closed from None
        if not got:
            raise Closed
        filled += got
    return data
