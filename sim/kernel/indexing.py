"""Kernels count from the beginning of an array: what Numba does for negative indices is left out.

Numba, as Python, takes ``a[-1]`` for the last one: two steps more for each index, on the way to its memory.
No kernel of ours asks for that. With ``NUMBA_BOUNDSCHECK=1`` a negative index is an error.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.np import arrayobj

_counted_from_the_end = arrayobj.fix_integer_index


def _counted(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Emit an index as it is, in functions that allocate nothing: these are ours, and nobody else's."""
    if context.enable_nrt:
        return _counted_from_the_end(context, builder, kind, index, size)
    return context.cast(builder, index, kind, types.intp)


def count_from_the_beginning() -> None:
    """Let Numba compile indices of kernels as they are; it has no option for that."""
    arrayobj.fix_integer_index = _counted
