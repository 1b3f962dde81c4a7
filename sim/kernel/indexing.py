"""Array indices in kernels count from the beginning: no code for negative indices is compiled.

Numba, as Python, takes ``a[-1]`` for the last one: two steps more for each index, on the way to its memory.
No kernel of ours asks for that; with ``NUMBA_BOUNDSCHECK=1`` a negative index in one of them is an error. A
rule of somebody else's means by it what Python does.

What it buys: without it `srpt+none`, `fair+late` and `hopper` on 1,000 slots take 1.12 to 1.16 of their time.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.np import arrayobj

#: How the names of functions of the package `sim` begin once they are compiled.
OURS = "_ZN3sim"
_counted_from_the_end = arrayobj.fix_integer_index


def _counted(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Emit an index as it is, in functions of ours that allocate nothing."""
    if context.enable_nrt or not builder.function.name.startswith(OURS):
        return _counted_from_the_end(context, builder, kind, index, size)
    return context.cast(builder, index, kind, types.intp)


def count_from_the_beginning() -> None:
    """Let Numba compile indices of kernels as they are; it has no option for that."""
    arrayobj.fix_integer_index = _counted
