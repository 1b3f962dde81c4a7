"""The end of a command line: a status, and one line on standard error instead of a traceback."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper

from theory.shown import visible

NOTHING_WRONG, BAD_INPUT, INTERRUPTED = 0, 2, 130


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
        interrupted. A reader that stops early, as ``head`` does, is no error: 0.
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
    except KeyboardInterrupt:
        return _said(program, "interrupted; nothing was written", INTERRUPTED)
    except refused as error:
        return _said(program, str(error), BAD_INPUT)
    except OSError as error:
        _leave()
        return _said(program, f"{error.filename or 'standard output'}: {error.strerror or error}", BAD_INPUT)


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
