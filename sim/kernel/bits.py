"""The lowest bit of a word that is set, which processors find in one step."""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

if numba.config.DISABLE_JIT:

    def lowest_bit(word: Any) -> int:
        """Return the number of the lowest bit that is set; the word must not be 0."""
        return (int(word) & -int(word)).bit_length() - 1

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(typing: Any, word: Any) -> Any:
        """Return the number of the lowest bit that is set; the word must not be 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.IntType(1)(1))

        return types.int64(types.int64), emit
