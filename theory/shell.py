"""The end of a command line: an exit status, and one line on standard error instead of a traceback."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from io import TextIOWrapper

from theory.quoting import visible

NOTHING_WRONG, BAD_INPUT, INTERRUPTED = 0, 2, 130
#: Seconds from an interrupt until the program has gone, whatever its threads are doing.
LAST_S = 1.0
#: What is said where there is no memory for the stack of a thread, by Python and by Arrow, or for a library.
NO_ROOM = (
    *("can't start new thread", "Failed to launch worker thread"),
    *("failed to map segment", "cannot allocate memory", "Cannot allocate memory"),
)
_told = threading.Event()


def finished(program: str, run: Callable[[], int], refused: type[Exception]) -> int:
    """Run a command to its end and return its exit status.

    Parameters
    ----------
    program : str
        Its name, which begins the line on standard error.
    run : callable
        Prints, and returns its status.
    refused : type
        The exception for bad input; its message is one line.

    Returns
    -------
    int
        2 after bad input, or if the system refuses something, such as room on a disk or memory; 130 if it is
        interrupted, by a `KeyboardInterrupt` that may say what is kept. A reader that stops early, as
        ``head`` does, is no error: 0.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # a terminal that has no such letter shows its number
    try:
        status = run()
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        _leave()
        return NOTHING_WRONG
    except KeyboardInterrupt as interrupt:
        _told.set()
        return _said(program, f"interrupted; {str(interrupt) or 'nothing was written'}", INTERRUPTED)
    except refused as error:
        return _said(program, str(error), BAD_INPUT)
    except Exception as error:
        if is_short_of_memory(error):
            return _said(
                program, "there is not enough memory; allow more (ulimit -v), or give less", BAD_INPUT
            )
        if not isinstance(error, OSError):
            raise
        _leave()
        return _said(program, f"{error.filename or 'standard output'}: {error.strerror or error}", BAD_INPUT)


def is_short_of_memory(error: BaseException | None) -> bool:
    """Tell whether the system had no memory for something, such as the stack of a thread or a library.

    Examples
    --------
    >>> is_short_of_memory(RuntimeError("can't start new thread")), is_short_of_memory(OSError(28, "full"))
    (True, False)
    """
    while error is not None:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            return True
        if any(words in str(error) for words in NO_ROOM) or (
            isinstance(error, SystemError) and _is_bounded()
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


def _is_bounded() -> bool:
    """Whether memory is bounded: where it ends, Python's own code may fail without an exception."""
    if sys.platform == "win32":
        return False
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def end_when_interrupted(program: str) -> None:
    """Let an interrupt end this program within `LAST_S`.

    Python raises it between two of its own instructions. The main thread may be compiling, for many seconds,
    or wait for threads that do. So another thread is woken by the signal itself.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return  # the caller has asked not to be interrupted
    theirs, ours = socket.socketpair()
    ours.setblocking(False)
    signal.set_wakeup_fd(ours.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_wait, args=(program, theirs, ours), name="interrupt", daemon=True).start()


def _wait(program: str, signals: socket.socket, _written: socket.socket) -> None:
    while signal.SIGINT not in signals.recv(1):
        pass
    time.sleep(LAST_S)
    if not _told.is_set():
        _said(program, "interrupted", INTERRUPTED)
    os._exit(INTERRUPTED)


def _said(program: str, reason: str, status: int) -> int:
    with contextlib.suppress(OSError):
        print(f"{program}: {visible(reason)}", file=sys.stderr)
        if sys.stdout is not None:
            sys.stdout.flush()
    return status


def _leave() -> None:
    """Let Python write the rest nowhere on its way out, or it would complain."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
