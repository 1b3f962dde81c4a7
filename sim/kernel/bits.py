"""What compiled code can be told or asked about whole numbers, and Python cannot: signs and lowest bits."""

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

    def from_start(index: Any) -> Any:
        """Return an index that is not negative."""
        return index

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(typing: Any, word: Any) -> Any:
        """Return the number of the lowest bit that is set; the word must not be 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.IntType(1)(1))

        return types.int64(types.int64), emit

    @intrinsic  # type: ignore[untyped-decorator]
    def from_start(typing: Any, index: Any) -> Any:
        """Return an index that is not negative, so that nobody need ask whether it counts from the end.

        Compiled code asks at each use of an index, in four instructions.
        """

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if not numba.config.BOUNDSCHECK:
                builder.assume(builder.icmp_signed(">=", arguments[0], ir.IntType(64)(0)))
            return arguments[0]

        return types.int64(types.int64), emit
