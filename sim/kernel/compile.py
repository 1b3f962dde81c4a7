"""The one place that says `njit`: flags, and a cache folder that knows when a kernel has changed.

Numba's cache notices an edit in the file of a compiled function but not in a file it calls, and a
warm cache ignores ``NUMBA_BOUNDSCHECK``. So the folder is named by a digest of the sources that other
compiled code depends on (`sim.kernel.compile`) and of the flags that change code. Where it lies is said in
`sim.kernel.compile`: a user's ``NUMBA_CACHE_DIR`` is respected as the parent folder. What may be wrong with
its files is dealt with in `sim.kernel.cache`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import codegen, dispatcher, event, sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral
from numba.np import arrayobj

from sim.kernel.cache import AHEAD, KernelCache
from sim.kernel.folder import cache_folder, folder_ahead

# Helper functions that are compiled only as a part of their callers.
#
# Numba makes every function ready to be called from Python: it writes two more functions that Python and C
# could call, and optimises and translates all three with all that they call, and once more in each caller.
# A helper of ours is called by compiled code alone. So it is typed and written down once (`Helper`); that
# is linked into whatever has an address, and optimised there (`Library`). A helper that Python calls after
# all, as tests do, is then compiled as Numba does.
#
# What it buys: the first result of `fair+none` from an empty cache takes a third of the processor seconds.


class _Callers(threading.local):
    """Whether what is compiled now is for a caller that is compiled, too."""

    compiled = False

    @contextlib.contextmanager
    def set(self, compiled: bool) -> Iterator[None]:
        """Say so for a while."""
        before, self.compiled = self.compiled, compiled
        try:
            yield
        finally:
            self.compiled = before


_callers = _Callers()


def helper(function: Callable[..., Any], *, cache: bool, **options: Any) -> Any:
    """Return a function to be called by compiled ones; the options are those of `numba.njit`."""
    made = Helper(function, targetoptions={"nopython": True, "boundscheck": None, **options})
    if cache:
        made.enable_caching()
    return made


class Helper(CPUDispatcher):
    """A function that other compiled functions call; made by `helper`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._compiler._customize_flags = _written_down

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how a compiled function calls this one: with whole numbers of 64 bits.

        They are read from records of 32 bits, and computed with in 64; there would be a helper for each.
        """
        _, args = self._compiler.fold_argument_types(args, kws)
        with _callers.set(True):
            return super().get_call_template(tuple(map(_widened, args)), {})

    def get_compile_result(self, sig: Any) -> Any:
        """Return the function as a value, which needs an address."""
        with _callers.set(False):
            self._forget(sig.args)
            return super().get_compile_result(sig)

    def compile(self, sig: Any) -> Any:
        """Compile for a caller, or to be called from Python."""
        args, _ = sigutils.normalize_signature(sig)
        with global_compiler_lock:
            if not _callers.compiled:
                self._forget(args)
                return super().compile(sig)
            if found := self.overloads.get(tuple(args)):
                return found.entry_point
            with event.trigger_event(
                "numba:compile", data={"dispatcher": self, "args": args, "return_type": None}
            ):
                result = self._compiler.compile(args, None)
            key = _Key()
            self.targetctx.insert_user_function(key, result.fndesc, [result.library])
            self.overloads[tuple(args)] = result._replace(entry_point=key)
            return key

    def _forget(self, args: Any) -> None:
        """Forget what was written down, if it was no more than that."""
        found = self.overloads.get(tuple(args))
        if found is not None and isinstance(found.entry_point, _Key):
            del self.overloads[tuple(args)]


#: Whole numbers with a sign and fewer bits.
_NARROW = (types.int8, types.int16, types.int32)


def _widened(kind: Any) -> Any:
    """Return the type with which a helper is called for an argument of a type."""
    plain = unliteral(kind) if isinstance(kind, types.IntegerLiteral) else kind
    return types.int64 if plain in _NARROW else plain


class _Key:
    """What Numba knows a function by that has no address."""


def _written_down(flags: Any) -> Any:
    if _callers.compiled:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    return flags


class Library(codegen.JITCodeLibrary):
    """Code that is optimised and translated at the first request for an address in it."""

    _written: Any = None

    def add_linking_library(self, library: Any) -> None:
        """Note what is called, which is linked later."""
        self._linking_libraries.append(library)

    def _optimize_functions(self, module: Any) -> None:
        """Leave what is written down as it is: it is optimised where it is linked."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Optimise once; a first pass would only serve reference counts, which kernels do not have."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    def finalize(self) -> None:
        """Link all that is called, then optimise and translate it."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        for library in _called(self):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(_linkable(library), preserve=True)
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()
        for value in self._final_module.global_variables:  # of helpers, which nobody else would set
            environment = lookup_environment(value.name) if value.name.startswith("_ZN08NumbaEnv") else None
            if environment is not None and self._codegen._engine._ee.get_global_value_address(value.name):
                self._codegen.set_env(value.name, environment)


def _called(library: Any) -> list[Any]:
    """Return all that a library needs, each once, in the order of the first call."""
    found: dict[Any, None] = {}

    def add(one: Any) -> None:
        for other in one._linking_libraries:
            if other not in found:
                found[other] = None
                if not other._finalized:
                    add(other)

    add(library)
    return list(found)


def _linkable(library: Any) -> Any:
    """Return what can be linked into others as often as one likes."""
    if library._finalized:
        return library._get_module_for_linking()
    if library._written is None:
        module = library._final_module.clone()
        for function in module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        library._written = module
    return library._written


def use() -> None:
    """Let Numba keep code in such libraries; it has no option for that."""
    codegen.JITCPUCodegen._library_class = Library


# Array indices in kernels count from the beginning: no code for negative indices is compiled.
#
# Numba, as Python, takes ``a[-1]`` for the last one: two steps more for each index, on the way to its
# memory. No kernel of ours asks for that; with ``NUMBA_BOUNDSCHECK=1`` a negative index in one of them is
# an error. A rule of somebody else's means by it what Python does.
#
# What it buys: without it `srpt+none`, `fair+late` and `hopper` on 1,000 slots take 1.12 to 1.16 of their
# time.

#: How the names of functions of the package `sim` begin once they are compiled.
MANGLED = "_ZN3sim"
_counted_from_the_end = arrayobj.fix_integer_index


def _counted(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Emit an index as it is, in functions of ours that allocate nothing."""
    if context.enable_nrt or not builder.function.name.startswith(MANGLED):
        return _counted_from_the_end(context, builder, kind, index, size)
    return context.cast(builder, index, kind, types.intp)


def count_from_the_beginning() -> None:
    """Let Numba compile indices of kernels as they are; it has no option for that."""
    arrayobj.fix_integer_index = _counted


# The source files on which compiled code of other files depends, read from their imports.
#
# Numba compiles a cached function anew when its own file has changed. It does not look at the files of the
# functions that it calls, nor at those of the constants that it holds: these are the files named here. A
# file that no other compiled code needs, such as that of a rule or of an engine's loop, is not among them.

ROOT = Path(__file__).parents[2]
#: What is imported when a file is: an import in a function, or for the sake of types, is indented.
IMPORT = re.compile(r"^from ((?:sim|theory)[\w.]*) import (\([^)]*\)|[^\n#]*)", re.MULTILINE)
USES_NUMBA = re.compile(r"^(?:import|from) numba\b", re.MULTILINE)
DECORATOR = re.compile(r"^@(\w+)", re.MULTILINE)


def fingerprint(root: Path = ROOT) -> bytes:
    """Return a digest of the names and contents of `shared_sources`."""
    state = hashlib.sha256()
    for path in shared_sources(root):
        state.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return state.digest()


def shared_sources(root: Path = ROOT) -> list[Path]:
    """Return the files that compiled code of other files depends on, sorted.

    A file holds compiled code if it uses Numba, or decorates a function with what such a file has. Other
    compiled code depends on it if it imports anything from it. From any other file it can take constants
    only, which are written in capitals.
    """
    paths = sorted(path for pattern in ("sim/**/*.py", "theory/**/*.py") for path in root.glob(pattern))
    sources = {path: path.read_text(encoding="utf-8") for path in paths}
    modules = {path.relative_to(root).with_suffix("").as_posix().replace("/", "."): path for path in paths}
    imports = {path: _imports(modules, text) for path, text in sources.items()}
    users = {path for path, text in sources.items() if USES_NUMBA.search(text)}
    compiled = users | {
        path
        for path, text in sources.items()
        if any(imports[path].get(name) in users for name in DECORATOR.findall(text))
    }
    shared: set[Path] = set()
    waiting = list(compiled)
    while waiting:
        path = waiting.pop()
        needed = {file for name, file in imports[path].items() if file in compiled or name.isupper()}
        waiting += needed - shared - compiled
        shared |= needed - {path}
    return sorted(shared)


def _imports(modules: dict[str, Path], source: str) -> dict[str, Path]:
    """Return name -> file it is imported from, for names from our own packages."""
    found = {}
    for module, listed in IMPORT.findall(source):
        for name in re.findall(r"\w+", re.sub(r"#.*| as \w+", "", listed)):
            for known in (f"{module}.{name}", module, f"{module}.__init__"):
                if known in modules:
                    found[name] = modules[known]
                    break
    return found


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
