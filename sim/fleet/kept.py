"""Looks that are kept in a file, by the digest of log and code: a second look reads only what is new.

The file has a line of JSON for each look, appended when it is made, so that what was interrupted goes on.
"""

from __future__ import annotations

import hashlib
import json
import threading
from functools import cache
from pathlib import Path

from sim.code_digest import ROOT
from sim.fields import BadInput
from sim.fleet.look import Look
from sim.kernel.folder import cache_folder
from theory.shown import quoted

#: Name of the folder and the file of the user's own, and bytes from which it is begun anew.
FOLDER, FILE, MOST_BYTES = "fleet", "looks.jsonl", 64 * 2**20
_SOURCES = ("sim/traces/**/*.py", "sim/whatif/**/*.py", "sim/fleet/*.py", "sim/slots/**/*.py")


@cache
def code() -> str:
    """Return sixteen digits that change with the code that reads and plays logs."""
    state = hashlib.sha256()
    for path in sorted(path for pattern in _SOURCES for path in ROOT.glob(pattern)):
        state.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:16]


class Kept:
    """Looks by digest.

    Parameters
    ----------
    path : Path or None
        The file; None keeps them in memory only.

    Raises
    ------
    BadInput
        If the file cannot be read or written.

    Examples
    --------
    >>> kept = Kept(None)
    >>> kept.keep("0123", Look("a", "a", "spark"))
    >>> kept.get("0123").format, kept.get("4567")
    ('spark', None)
    """

    def __init__(self, path: Path | None) -> None:
        self._path, self._lock = path, threading.Lock()
        self._looks: dict[str, Look] = {}
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size > MOST_BYTES:
                path.unlink()
            lines = path.read_bytes().splitlines() if path.exists() else []
            with path.open("ab"):
                pass
        except OSError as error:
            raise BadInput(
                f"keep: {quoted(str(path))} is not accepted ({error.strerror}); give a file"
            ) from None
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        """Take a line of the file; one that was cut off, or is of other code, is passed over."""
        try:
            told = json.loads(line)
            if told["code"] == code():
                self._looks[told["digest"]] = Look.of_json(told["look"])
        except (ValueError, KeyError, TypeError):
            return

    def get(self, digest: str) -> Look | None:
        """Return the look at a log of this digest, if there is one."""
        return self._looks.get(digest)

    def keep(self, digest: str, look: Look) -> None:
        """Keep a look, in memory and in the file."""
        with self._lock:
            self._looks[digest] = look
            if self._path is None:
                return
            told = {"code": code(), "digest": digest, "look": look.as_json}
            try:
                with self._path.open("ab") as file:
                    file.write(json.dumps(told).encode() + b"\n")
            except OSError:  # a full disk: the answer does not depend on it
                self._path = None


def of_the_user() -> Path | None:
    """Return the file in the user's cache; None where there is no safe place for it."""
    folder = cache_folder(FOLDER)
    return None if folder is None else folder / FILE
