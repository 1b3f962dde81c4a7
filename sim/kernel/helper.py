"""Helper functions that are compiled only as a part of their callers.

Numba makes every function ready to be called from Python: it writes two more functions that Python and C
could call, and optimises and translates all three with all that they call, and once more in each caller. A
helper of ours is called by compiled code alone. So it is typed and written down once (`Helper`); that is
linked into whatever has an address, and optimised there (`Library`). A helper that Python calls after all, as
tests do, is then compiled as Numba does.

What it buys: the first result of `fair+none` from an empty cache takes a third of the processor seconds.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.binding as llvm
from numba.core import codegen, event, sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.types.misc import unliteral


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
