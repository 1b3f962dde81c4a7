"""The end of a command line: an exit status, and one line on standard error instead of a traceback."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from io import TextIOWrapper

from theory.shown import visible

NOTHING_WRONG, BAD_INPUT, INTERRUPTED = 0, 2, 130
#: Seconds from an interrupt until the program has gone, whatever its threads are doing.
LAST_S = 1.0
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
        2 after bad input, or if the system refuses something, such as a disk that is full; 130 if it is
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
    except OSError as error:
        _leave()
        return _said(program, f"{error.filename or 'standard output'}: {error.strerror or error}", BAD_INPUT)


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
