"""Cached compiled code: files that are damaged, foreign or not writable are ignored, and code is recompiled.

Numba ends with a traceback where an index is cut off or a disk is full, and it does not use at all what lies
in a folder that it cannot write to.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
import uuid
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, ClassVar

import llvmlite.binding
import numba
from numba.core import registry
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    UserProvidedCacheLocator,
)

# Baselines of processors: compiled code for one runs on every processor of that kind.
#
# Code for the processor at hand may use what others do not have. Numba keeps it by the name and the
# features of that processor; what is compiled for a baseline is kept by the baseline's, and every machine
# that has its features takes it where it has none of its own. The numbers are the same: nothing is
# reordered or contracted for a processor's sake.

#: System and architecture, name of the processor, features: as Numba keeps code by.
Machine = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A kind of processor.

    Parameters
    ----------
    cpu : str
        What LLVM calls it.
    needs : frozenset of str
        Features that a processor must have.
    """

    cpu: str
    needs: frozenset[str]

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables with which Numba compiles for it."""
        return {"NUMBA_CPU_NAME": self.cpu, "NUMBA_CPU_FEATURES": ""}


#: Features of x86-64-v3, and of those below it: the ABI of System V for AMD64, section 3.1.1.
_V3 = """
cmov cx8 fxsr mmx sse sse2 cx16 sahf popcnt sse3 sse4.1 sse4.2 ssse3
avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave
"""
BASELINES = {
    "x86-64-v3": Baseline("x86-64-v3", frozenset(_V3.split())),
    "aarch64": Baseline("generic", frozenset({"fp-armv8", "neon"})),
}
_OF = {"x86_64": "x86-64-v3", "aarch64": "aarch64", "arm64": "aarch64"}


def usual(triple: str) -> str:
    """Return the name of the baseline for an architecture; empty if there is none.

    Examples
    --------
    >>> usual("x86_64-unknown-linux-gnu")
    'x86-64-v3'
    """
    return _OF.get(triple.partition("-")[0], "")


def machines(machine: Machine) -> Iterator[Machine]:
    """Yield a machine, then the baseline whose code it can run.

    Examples
    --------
    >>> [cpu for _, cpu, _ in machines(("aarch64-linux", "neoverse-n1", "+fp-armv8,+neon,-sve"))]
    ['neoverse-n1', 'generic']
    >>> [cpu for _, cpu, _ in machines(("x86_64-linux", "nehalem", "+sse4.2,-avx"))]
    ['nehalem']
    """
    triple, cpu, features = machine
    yield machine
    baseline = BASELINES.get(usual(triple))
    has = {word[1:] for word in features.split(",") if word.startswith("+")}
    if baseline and baseline.cpu != cpu and baseline.needs <= has:
        yield triple, baseline.cpu, baseline.environment["NUMBA_CPU_FEATURES"]


LOG = logging.getLogger(__name__)
#: The folder that was filled ahead, if there is one (`sim.kernel.folder.folder_ahead`).
AHEAD: list[Path] = []
_SEAL = hashlib.sha256().digest_size
_told: set[str] = set()


class _Damaged(Exception):
    """A file that does not begin with the digest of the rest."""


class _Files(IndexDataCacheFile):
    """Index and code of a function, each file sealed by a digest of what is in it."""

    def _dump(self, obj: Any) -> bytes:
        data = super()._dump(obj)
        return hashlib.sha256(data).digest() + data

    def _load_index(self) -> dict[Any, str]:
        try:
            stamp, overloads = _unsealed(Path(self._index_path))
        except FileNotFoundError:
            return {}
        except Exception as error:  # it may also name what this process does not have
            _tell("compiled code in %s cannot be used (%s): compiled again", self._cache_path, error)
            return {}
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        with self._open_for_write(self._index_path) as file:
            file.write(self._dump((self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        return _unsealed(Path(self._data_path(name)))

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[IO[bytes]]:
        """Open a file that is there whole or not at all, and that only its owner may change."""
        beside = f"{filepath}.tmp.{uuid.uuid4().hex[:16]}"
        try:
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
            with os.fdopen(handle, "wb") as file:
                yield file
            os.replace(beside, filepath)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise


@cache
def _digest(source: str) -> str:
    return hashlib.sha256(Path(source).read_bytes()).hexdigest()[:16]


class _Locator(UserProvidedCacheLocator):
    """Below the chosen folder, by what the source file says: one place for all checkouts and copies of it.

    The folder need not be writable to be read.
    """

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        path = Path(py_file)
        self._stamp = _digest(py_file)
        self.name = f"{path.parent.name}-{path.stem}-{self._stamp}"
        self._cache_path = os.path.join(numba.config.CACHE_DIR, self.name)

    def get_source_stamp(self) -> str:
        """Return what changes with the source: not its time, which a copy has of its own."""
        return self._stamp

    def ensure_cache_path(self) -> None:
        with contextlib.suppress(OSError):
            os.makedirs(self.get_cache_path(), 0o755, exist_ok=True)


class _Impl(CompileResultCacheImpl):
    _locator_classes: ClassVar = [_Locator]

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return a function as it was kept, without what only the compilation of another one needs."""
        found = super().rebuild(target_context, payload)
        _, kind, kept = payload[0]
        if kind == "object":
            _set_aside(found.library, zlib.compress(kept[1], 1))
        return found


def _set_aside(library: Any, packed: bytes) -> None:
    """Free what can be linked into other functions until one is compiled; it is read again then.

    A server that has loaded all engines needs 20 MB less.
    """
    parsed = library._shared_module

    def linkable() -> Any:
        del library._get_module_for_linking
        library._shared_module = llvmlite.binding.parse_bitcode(zlib.decompress(packed))
        return library._shared_module

    library._get_module_for_linking = linkable
    library._shared_module = None
    parsed.close()


class KernelCache(FunctionCache):
    """The cache of a function, without which it is compiled."""

    _impl_class = _Impl

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        locator = self._impl.locator
        folders = [self._cache_path, *(str(folder / locator.name) for folder in AHEAD)]
        stamp = locator.get_source_stamp()
        self._places = [_Files(folder, self._impl.filename_base, stamp) for folder in folders]
        self._cache_file = self._places[0]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code, or None if there is none that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever is wrong with a file, its function can be compiled
            _tell("compiled code in %s cannot be used (%s): compiled again", self._cache_path, error)
            return None

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return code for this machine, or for a baseline that it has, from where there is some."""
        sig, machine, code = self._index_key(sig, target_context.codegen())
        for one in machines(machine):
            for files in self._places:
                data = files.load((sig, one, code))
                if data is not None:
                    return self._impl.rebuild(target_context, data)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code if that is possible."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _tell("compiled code is not kept in %s (%s)", self._cache_path, error.strerror)


def this_machine() -> Machine:
    """Return what code is kept by that is compiled here."""
    machine: Machine = registry.cpu_target.target_context.codegen().magic_tuple()
    return machine


def _unsealed(path: Path) -> Any:
    content = path.read_bytes()
    seal, data = content[:_SEAL], content[_SEAL:]
    if hashlib.sha256(data).digest() != seal:
        raise _Damaged(f"{path.name} is damaged, or not of this program")
    return pickle.loads(data)


def _tell(message: str, *values: object) -> None:
    """Log the first message of a kind: there may be a file for each of some hundred functions."""
    if message not in _told:
        _told.add(message)
        LOG.warning(message, *values)
