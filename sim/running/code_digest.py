"""Digests of the code: results of other code are not mixed with its own."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

import numba
import numpy as np
import scipy

from sim.model.fields import BadInput
from sim.version import __version__

ROOT = Path(__file__).parents[2]
#: Rooms that decide what a run gives, and folders of them that do not.
ROOMS, ASIDE = ("theory", "sim/kernel", "sim/model", "sim/engines", "sim/running"), {"live", "processes"}
#: Rooms that decide what is said of a log.
OF_LOGS = ("theory", "sim/kernel", "sim/model", "sim/engines/slots", "sim/logs", "sim/advice", "sim/telling")
#: A folder that no run of a preset uses.
_OTHERS = ASIDE | {"learning"}
#: An import, which names where something is.
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]\S+[ \t]import[ \t](?:\([^)]*\)|[^\n]*)|import[ \t][^\n]*)(?:\n|\Z)", re.MULTILINE
)
#: What begins at the margin, and the lines that belong to it.
_LINES = r"[^\n]*\n?(?:[\s)\]}][^\n]*\n?)*"
#: A definition with its decorators.
_DEFINITION = re.compile(rf"(?:@{_LINES})*[^\s@)\]}}]{_LINES}")
_TOLD = re.compile(r'^[ \t]*(?:r?"""(?:[^"\\]|\\.|"(?!""))*"""|#.*)?[ \t]*(?:\n|\Z)', re.MULTILINE)


@cache
def digest() -> str:
    """Return sixteen digits that change with the sources of the engines and with what they build on.

    Another Python, NumPy, SciPy or Numba may round otherwise, and nobody could tell which bits are theirs.
    """
    state = hashlib.sha256()
    built_on = (sys.version_info[:2], np.__version__, scipy.__version__, numba.__version__)
    state.update(repr(built_on).encode())
    for path in _paths(ROOMS, ASIDE):
        state.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:16]


@cache
def sources() -> str:
    """Return sixteen digits that change with the sources that decide what a run of a preset gives.

    Unlike `digest` they do not change with words about the code, nor with what it builds on.
    """
    return of_definitions(_paths(ROOMS, _OTHERS))


@cache
def of_logs() -> str:
    """Return sixteen digits that change with what the sources define that decide what is said of a log."""
    return of_definitions(_paths(OF_LOGS))


def _paths(folders: Iterable[str], aside: Collection[str] = ()) -> list[Path]:
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if not {*aside} & {*path.relative_to(ROOT).parts})


def of_definitions(paths: Iterable[Path]) -> str:
    """Return sixteen digits that change with what sources define: functions, classes, values.

    In which file a definition stands, and in which order, does not matter, nor do imports, docstrings and
    comments: a file may be moved, divided or merged.
    """
    found = sorted(one for path in paths for one in definitions(path.read_text("utf-8")))
    return hashlib.sha256("\0".join(found).encode()).hexdigest()[:16]


def definitions(source: str) -> list[str]:
    r"""Return the parts of a source that begin at the margin, without imports, as `essence` has them.

    Examples
    --------
    >>> definitions("from a import b\n\nX = (\n    2,\n)\n\n@b\ndef f(x):\n    return 2 * x\n")
    ['X = (\n    2,\n)\n', '@b\ndef f(x):\n    return 2 * x\n']
    """
    return _DEFINITION.findall(_IMPORT.sub("", essence(source)))


def essence(source: str) -> str:
    r"""Return a source without docstrings, lines of comment and empty lines.

    Examples
    --------
    >>> essence("def f(x):\n    # as said\n\n    return 2 * x  # twice\n")
    'def f(x):\n    return 2 * x  # twice\n'
    """
    return _TOLD.sub("", source)


def told() -> str:
    """Return version and digest as messages have them."""
    return f"{__version__}, code {digest()}"


def check_same(other: str) -> None:
    """Refuse to run for other code.

    Raises
    ------
    BadInput
        With the digests of both.
    """
    if other != digest():
        raise BadInput(
            f"executor: a worker has straggler-lab {told()}, this is code {other}; "
            "give all workers the same version, Python, NumPy, SciPy and Numba"
        )
