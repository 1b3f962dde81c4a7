"""The one place that says `njit`: flags, and a cache folder that knows when a kernel has changed.

Numba's cache notices an edit in the file of a compiled function but not in a file it calls, and a
warm cache ignores ``NUMBA_BOUNDSCHECK``. So the folder is named by a digest of the sources that other
compiled code depends on (`sim.kernel.sources`) and of the flags that change code. A user's
``NUMBA_CACHE_DIR`` is respected as the parent folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

from sim.kernel.sources import fingerprint

FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_DEBUGINFO", "NUMBA_FASTMATH")
#: Cache folders of older sources that are kept, newest first.
KEPT = 3
#: Seconds for which no folder is deleted: another process may be filling it.
YOUNG = 86_400


def _digest() -> str:
    """Digest of what changes compiled code without Numba's noticing."""
    state = hashlib.sha256(fingerprint())
    versions = [numba.__version__, np.__version__, sys.version]
    state.update(repr([os.environ.get(flag) for flag in FLAGS] + versions).encode())
    return state.hexdigest()[:16]


def _parent() -> Path:
    """Folder that holds the cache folders: the user's choice, else the user's cache, else a temporary one."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    for base in (os.environ.get("XDG_CACHE_HOME"), Path.home() / ".cache", tempfile.gettempdir()):
        if base and os.access(base, os.W_OK):
            return Path(base) / "straggler-lab"
    return Path(tempfile.gettempdir()) / f"straggler-lab-{os.getuid() if hasattr(os, 'getuid') else 0}"


def _prepare_cache() -> None:
    """Point Numba to the folder of these sources and forget the oldest others."""
    parent = _parent()
    if not parent.name.startswith("kernels-"):  # a child process inherits the folder already chosen
        parent = parent / f"kernels-{_digest()}"
    try:
        parent.mkdir(parents=True, exist_ok=True)
        parent.touch()
        older = sorted(
            parent.parent.glob("kernels-*"), key=lambda folder: folder.stat().st_mtime, reverse=True
        )
        for folder in older[KEPT + 1 :]:
            if time.time() - folder.stat().st_mtime > YOUNG:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return  # a read-only machine compiles anew in each process, which is slow and still right
    os.environ["NUMBA_CACHE_DIR"] = str(parent)
    numba.config.CACHE_DIR = str(parent)


_prepare_cache()


#: Kernels allocate nothing, so the counting of references to arrays, which costs more than the
#: events themselves, is left out (``_nrt``). Division follows NumPy; the lock is released.
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a helper of the engines, on its first call or when a caller is compiled."""
    return numba.njit(**OPTIONS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a helper as `kernel` does, and always put its code where it is called.

    For the few functions an event passes through: passing a dozen arrays costs more than their work.
    """
    return numba.njit(**OPTIONS, forceinline=True)(function)


def engine(signature: Any) -> Callable[[Callable[..., Any]], Rule]:
    """Declare the loop of an engine, which is compiled when it is first run.

    To import an engine compiles nothing: a page reads its policies while it draws, and others wait meanwhile.
    """
    return lambda function: Rule(function, signature)


class Rule:
    """A policy's function of one declared signature, compiled on first use.

    An engine receives it as a first-class function, so one compiled engine serves every policy.

    Parameters
    ----------
    function : callable
        The Python function; it may call functions decorated with `kernel`.
    signature : numba signature
        What the engine calls.
    """

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        self.function = function
        self.signature = signature
        self._compiled: Any = None
        self._lock = threading.Lock()  # of this rule alone
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        """Call the Python function."""
        return self.function(*arguments)

    @property
    def compiled(self) -> Any:
        """The compiled function (or the plain one where compilation is switched off)."""
        if self._compiled is None:
            with self._lock:
                if self._compiled is None:
                    self._compiled = numba.njit(self.signature, **OPTIONS)(self.function)
        return self._compiled
