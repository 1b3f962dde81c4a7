"""The one place that says `njit`: flags, and a cache folder that knows when a kernel has changed.

Numba's cache notices an edit in the file of a compiled function but not in a file it calls, and a
warm cache ignores ``NUMBA_BOUNDSCHECK``. So the folder is named by a digest of the sources that other
compiled code depends on (`sim.kernel.sources`) and of the flags that change code. Where it lies is said in
`sim.kernel.folder`: a user's ``NUMBA_CACHE_DIR`` is respected as the parent folder. What may be wrong with
its files is dealt with in `sim.kernel.cache`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import dispatcher

from sim.kernel.cache import AHEAD, KernelCache
from sim.kernel.folder import cache_folder, folder_ahead
from sim.kernel.helper import helper, use
from sim.kernel.indexing import count_from_the_beginning
from sim.kernel.sources import fingerprint

#: Not the processor, by which Numba itself tells code apart: one folder has code for several.
FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_DEBUGINFO", "NUMBA_FASTMATH")
#: Cache folders of older sources that are kept, newest first.
KEPT = 3
#: Seconds for which no folder is deleted: another process may be filling it.
YOUNG = 86_400


def _digest() -> str:
    """Digest of what changes compiled code without Numba's noticing."""
    state = hashlib.sha256(fingerprint())
    python = (sys.implementation.cache_tag, *sys.version_info[:3])  # of any build
    versions = [numba.__version__, np.__version__, python]
    state.update(repr([os.environ.get(flag) for flag in FLAGS] + versions).encode())
    return state.hexdigest()[:16]


def _prepare_cache() -> bool:
    """Point Numba to the folder of these sources and forget the oldest others; tell if there is one."""
    name = f"kernels-{_digest()}"
    folder = cache_folder(name)
    AHEAD.extend(filter(None, [folder_ahead(name)]))
    if folder is None:
        return False
    with contextlib.suppress(OSError):
        folder.touch()
        older = sorted(
            folder.parent.glob("kernels-*"), key=lambda folder: folder.stat().st_mtime, reverse=True
        )
        for one in older[KEPT + 1 :]:
            if time.time() - one.stat().st_mtime > YOUNG:
                shutil.rmtree(one, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    numba.config.CACHE_DIR = str(folder)
    return True


#: What `enable_caching` of every compiled function takes; Numba offers no other way to give it another.
dispatcher.FunctionCache = KernelCache  # type: ignore[attr-defined]
count_from_the_beginning()
use()

#: Kernels allocate nothing, so the counting of references to arrays, which costs more than the
#: events themselves, is left out (``_nrt``). Division follows NumPy; the lock is released.
OPTIONS: dict[str, Any] = {"cache": _prepare_cache(), "nogil": True, "error_model": "numpy", "_nrt": False}


def options(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the options for a function: what was typed into a notebook has no file to be found again by."""
    return OPTIONS | {"cache": OPTIONS["cache"] and os.path.isfile(function.__code__.co_filename)}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a helper of the engines, on its first call or when a caller is compiled."""
    return _helper(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a helper as `kernel` does, and always put its code where it is called.

    For the few functions an event passes through: passing a dozen arrays costs more than their work.
    """
    return _helper(function, forceinline=True)


def _helper(function: Callable[..., Any], **more: bool) -> Any:
    return function if numba.config.DISABLE_JIT else helper(function, **options(function), **more)


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
                    self._compiled = self._made()
        return self._compiled

    def _made(self) -> Any:
        """Compile the function."""
        return numba.njit(self.signature, **options(self.function))(self.function)
