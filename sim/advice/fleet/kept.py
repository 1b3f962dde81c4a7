"""Looks that are kept in a file, by the digest of log and code: a second look reads only what is new.

The first line says what the file is; any other file is refused and stays as it is. Then there is a line of
JSON for each look, appended when it is made, so that what was interrupted goes on.
"""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import orjson

from sim.advice.fleet.look import Look
from sim.kernel.folder import cache_folder
from sim.model.fields import BadInput
from sim.model.files import checked_path, not_read, opened, regular
from sim.running.code_digest import ROOT, of_definitions
from theory.shown import quoted

#: Name of the folder and the file of the user's own, and bytes from which the looks are begun anew.
FOLDER, FILE, MOST_BYTES = "fleet", "kept_looks.jsonl", 64 * 2**20
#: The first line of the file.
FIRST = b'{"straggler-lab": "looks at a fleet", "format": 1}\n'
_SOURCES = (
    "sim/logs/**/*.py",
    "sim/advice/whatif/**/*.py",
    "sim/advice/fleet/*.py",
    "sim/engines/slots/**/*.py",
)
_GIVE = "give a new file, or one that this option has made"


@cache
def code() -> str:
    """Return sixteen digits that change with the code that reads and plays logs."""
    return of_definitions(path for pattern in _SOURCES for path in ROOT.glob(pattern))


class Kept:
    """Looks by digest.

    Parameters
    ----------
    path : Path or None
        The file, which is made if it is not there; None keeps the looks in memory only.
    sources : iterable of str, optional
        Files and folders of logs: the file may not be among them.

    Raises
    ------
    BadInput
        If the file is not one of looks, is a source, or cannot be read or written.

    Examples
    --------
    >>> kept = Kept(None)
    >>> kept.keep("0123", Look("a", "a", "spark"))
    >>> kept.get("0123").format, kept.get("4567")
    ('spark', None)
    """

    def __init__(self, path: Path | None, sources: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._looks: dict[str, Look] = {}
        self._file: int | None = None
        if path is None:
            return
        try:
            checked_path(path)
            not_read("keep", str(path), sources)
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = _lines(path)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            # the same file until the end, whatever its name leads to by then
            self._file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
            weakref.finalize(self, os.close, self._file)
            if lines is None:
                os.ftruncate(self._file, 0)
                os.write(self._file, FIRST)
        except (OSError, RuntimeError) as error:  # the latter from resolving a path
            why = getattr(error, "strerror", None) or "a circle of links"
            raise BadInput(f"keep: {quoted(str(path))} is not accepted ({why}); {_GIVE}") from None
        for line in lines or ():
            self._take(line)

    def _take(self, line: bytes) -> None:
        """Take a line of the file; one that was cut off, or is of other code, is passed over."""
        try:
            told = orjson.loads(line)
            if told["code"] == code():
                self._looks[str(told["digest"])] = Look.of_json(told["look"])
        except (ValueError, KeyError, TypeError):
            return

    def get(self, digest: str) -> Look | None:
        """Return the look at a log of this digest, if there is one."""
        return self._looks.get(digest)

    def keep(self, digest: str, look: Look) -> None:
        """Keep a look, in memory and in the file."""
        with self._lock:
            self._looks[digest] = look
            if self._file is None:
                return
            line = json.dumps({"code": code(), "digest": digest, "look": look.as_json}).encode() + b"\n"
            try:
                whole = os.write(self._file, line) == len(line)  # at once: another process may append, too
            except OSError:
                whole = False
            if not whole:  # a full disk: the answer does not depend on it
                self._file = None


def _lines(path: Path) -> list[bytes] | None:
    """Return the lines of a file of looks, None where it is to be begun; another file is an `OSError`."""
    found = regular(path)
    if found is None or not found.st_size:
        return None
    with opened(path) as file:
        if file.readline(len(FIRST)) != FIRST:
            raise OSError(0, "it is not a file of kept looks, and stays as it is")
        if found.st_size > MOST_BYTES:
            return None
        return file.read(MOST_BYTES).splitlines()


def of_the_user() -> Path | None:
    """Return the file in the user's cache; None where there is no safe place for it."""
    folder = cache_folder(FOLDER)
    return None if folder is None else folder / FILE
