"""The folder of compiled code: nobody else can write to it, since its contents are executed.

Numba's index of compiled code is a pickle, and the code is loaded as it lies there. So a folder is used
only if it belongs to this user or to root and nobody else may write to it, or rename what is in its
parent.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

#: Name of this project's folders inside a folder that others use, too.
OURS = "straggler-lab"
#: The variable that names a folder in which kernels were compiled ahead; it need not be writable.
AHEAD_VARIABLE = "STRAGGLER_LAB_KERNELS"
LOG = logging.getLogger(__name__)


class Unsafe(Exception):
    """A folder that another user could have written to; the message says why."""


def cache_folder(name: str) -> Path | None:
    """Return the folder of this name in the first place that is safe and can be made; None if nowhere.

    The places are the user's choice (``NUMBA_CACHE_DIR``), the user's cache, a folder of the user's among the
    temporary ones, and one for this process alone, removed when it ends.
    """
    for place, chosen in _places(name):
        try:
            # others may read what is compiled ahead for them where the user says
            _make(place, 0o755 if chosen else 0o700)
            check_safe(place)
            if not chosen:
                check_safe_parent(place)
            return place
        except Unsafe as error:
            LOG.warning("compiled code is not kept in %s: %s", place, error)
        except OSError:
            continue  # no home, or one that cannot be written to: usual in containers
    return _of_this_process(name)


def folder_ahead(name: str) -> Path | None:
    """Return the folder of this name among those that were filled ahead, if there is one and it is safe."""
    chosen = os.environ.get(AHEAD_VARIABLE)
    place = Path(chosen or "").absolute() / name
    if not chosen or not place.is_dir():
        return None
    try:
        for one in (place.parent, place):
            check_safe(one)
    except Unsafe as error:
        LOG.warning("compiled code is not taken from %s: %s", place, error)
        return None
    return place


def _make(folder: Path, mode: int) -> None:
    """Make a folder and those it is in; `Path.mkdir` makes the latter as the umask allows."""
    if not folder.is_dir():
        if folder.parent != folder:
            _make(folder.parent, mode)
        folder.mkdir(mode, exist_ok=True)


def check_safe(folder: Path) -> None:
    """Raise `Unsafe` unless only this user and root can change what is in a folder."""
    if not hasattr(os, "getuid"):
        return  # on Windows the places are the user's own, and files have no such modes
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise Unsafe("it is no folder, or a link to one")
    if found.st_uid not in (os.getuid(), 0):
        raise Unsafe(f"it belongs to user {found.st_uid}")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Unsafe(f"others can write to it (mode {stat.S_IMODE(found.st_mode):o})")


def check_safe_parent(folder: Path) -> None:
    """Raise `Unsafe` if another user could replace this folder."""
    parent = folder.parent.stat()
    if not hasattr(os, "getuid"):
        return
    if parent.st_uid not in (os.getuid(), 0):
        raise Unsafe(f"the folder it is in belongs to user {parent.st_uid}")
    if parent.st_mode & stat.S_IWOTH and not parent.st_mode & stat.S_ISVTX:
        raise Unsafe("others can write to the folder it is in")


def _places(name: str) -> Iterator[tuple[Path, bool]]:
    """Yield where the folder may be, and whether the user has chosen that."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        place = Path(chosen).absolute()  # a child process inherits the folder that was found
        yield place if place.name.startswith("kernels-") else place / name, True
    for base in (os.environ.get("XDG_CACHE_HOME", ""), os.path.join(_home(), ".cache")):
        if os.path.isabs(base):
            yield Path(base) / OURS / name, False
    if mine := _temporary():
        yield mine / name, False


def _home() -> str:
    """Return the home of the user, if there is one: in containers neither HOME nor the user need be known."""
    home = os.path.expanduser("~")  # the root folder where HOME is empty
    return home if os.path.isabs(home) and os.path.isdir(home) and os.path.dirname(home) != home else ""


def _temporary() -> Path | None:
    """Return this user's folder among the temporary ones, which nobody else may even read."""
    try:
        mine = Path(tempfile.gettempdir()) / (f"{OURS}-{os.getuid()}" if hasattr(os, "getuid") else OURS)
        mine.mkdir(0o700, exist_ok=True)
        check_safe(mine)
        check_safe_parent(mine)
    except OSError:
        return None
    except Unsafe as error:
        LOG.warning("compiled code is not kept in %s: %s", mine, error)
        return None
    return mine


def _of_this_process(name: str) -> Path | None:
    try:
        private = Path(tempfile.mkdtemp(prefix=f"{OURS}-"))
        (private / name).mkdir(0o700)
    except OSError:
        LOG.warning("compiled code is kept nowhere: no folder can be written to; each start compiles anew")
        return None
    LOG.warning("compiled code is kept in %s until this process ends", private)
    atexit.register(_remove, private, os.getpid())
    return private / name


def _remove(folder: Path, owner: int) -> None:
    """Remove the folder of a process when that ends, not when one that it forked does."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
