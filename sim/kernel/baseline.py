"""Baselines of processors: compiled code for one runs on every processor of that kind.

Code for the processor at hand may use what others do not have. Numba keeps it by the name and the features of
that processor; what is compiled for a baseline is kept by the baseline's, and every machine that has its
features takes it where it has none of its own. The numbers are the same: nothing is reordered or contracted
for a processor's sake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
