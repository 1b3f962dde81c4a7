"""Histories that the owner of a server offers: the contents of one folder, by name.

The variable `VARIABLE` names the folder. A visitor chooses among the names of `offered` and never sends a
path: what is opened is what this module has listed. A link that leads out of the folder is not listed, nor
is a folder in it with such a link.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sim.logs.source import Upload, files_of
from theory.shown import visible

Found = TypeVar("Found")

VARIABLE = "STRAGGLER_LAB_TRACES"
#: Names that are offered at most: nobody reads a longer menu.
MOST = 500


def offered() -> dict[str, Path]:
    """Return the histories of the server's owner, by name: files, and folders of the parts of one log.

    Returns
    -------
    dict of str to Path
        Empty if no folder is named, or if it cannot be read, which is logged.
    """
    named = os.environ.get(VARIABLE, "")
    if not named:
        return {}
    try:
        return listed(Path(named))
    except OSError as error:
        logging.getLogger(__name__).warning("%s: %r cannot be read (%s)", VARIABLE, named, error.strerror)
        return {}


def listed(folder: Path) -> dict[str, Path]:
    """Return the logs in a folder by name, each with its real path, in order of the names."""
    root = folder.resolve(strict=True)
    found = {}
    for entry in sorted(root.iterdir()):
        if not entry.name.startswith(".") and (path := _inside(entry, root)) is not None:
            found[visible(entry.name)] = path  # which a menu can show and a link hold
            if len(found) == MOST:
                break
    return found


def _inside(entry: Path, root: Path) -> Path | None:
    """Return the real path of a log if all of it lies below the root; None if not, or if it is no log."""
    try:
        path = entry.resolve(strict=True)
        if not path.is_relative_to(root):
            return None
        if path.is_file():
            return path
        parts = list(path.iterdir()) if path.is_dir() and path != root else []
        within = path != root and all(part.resolve(strict=True).is_relative_to(root) for part in parts)
        found = within and any(part.is_file() for part in files_of(path))
    except OSError:  # a link to nothing, a folder that may not be read
        return None
    return path if found else None


def state(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return name, size and time of each file of a log, by which a change is known; nothing if it is gone."""
    try:
        files = files_of(path)
        return tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    except OSError:
        return ()


def read_offered(
    parse: Callable[..., Found],
    path: str,
    state: object,
    *named: Upload,
    progress: Callable[[int], None] = lambda number: None,
) -> Found:
    """Return what a function makes of a log of this folder.

    Parameters
    ----------
    parse : callable
        ``parse(path, progress=...)``.
    path : str
        Of `offered`.
    state : object
        Of `state`: a log that has changed is read again by those who keep what they have read.
    *named : Upload
        Its name, without content; for those who say what is being read.
    progress : callable, optional
        As of `sim.logs.formats.read_history`.
    """
    return parse(path, progress=progress)
