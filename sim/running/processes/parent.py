"""A process ends with its parent, however the parent ends and whatever the process is doing.

The parent holds an end of a pipe on which nothing is ever said; when it goes, the system closes that. On
Linux the system then kills the child by itself, though it may be in the middle of foreign code that keeps the
interpreter from acting. Elsewhere, and where a system does not do so, a thread of the child looks after its
parent.

Not ``PR_SET_PDEATHSIG``, which ends a process with the *thread* that started it.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

if sys.platform == "linux":
    import fcntl

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
