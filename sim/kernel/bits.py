"""Bit operations that processors do in one step: the lowest bit set, which of a few numbers pass a bound.

`sim.kernel.calendar` and `sim.kernel.tournament` say what they buy.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

#: How many numbers `not_negative` looks at: those of a cache line.
GROUP = 16
#: Numbers that are compared in one step.
EIGHT = 8

if numba.config.DISABLE_JIT:

    def lowest_bit(word: Any) -> int:
        """Return the number of the lowest bit that is set; the word must not be 0."""
        return (int(word) & -int(word)).bit_length() - 1

    def not_negative(numbers: Any, first: int) -> int:
        """Return a word whose bit k is set if ``numbers[first + k]`` is 0 or more; of `GROUP` numbers."""
        return sum(1 << k for k in range(GROUP) if numbers[first + k] >= 0)

    def less_of_eight(numbers: Any, first: int, limit: float) -> int:
        """Return how many of the eight numbers from place `first` on are less than a limit."""
        return int((numbers[first : first + EIGHT] < limit).sum())

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(typing: Any, word: Any) -> Any:
        """Return the number of the lowest bit that is set; the word must not be 0."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.IntType(1)(1))

        return types.int64(types.int64), emit

    @intrinsic  # type: ignore[untyped-decorator]
    def not_negative(typing: Any, numbers: Any, first: Any) -> Any:
        """Return a word whose bit k is set if ``numbers[first + k]`` is 0 or more; of `GROUP` numbers."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(numbers)(context, builder, arguments[0]).data
            some = ir.VectorType(data.type.pointee, GROUP)
            place = builder.bitcast(builder.gep(data, [arguments[1]]), some.as_pointer())
            found = builder.icmp_signed(">=", builder.load(place, align=4), ir.Constant(some, [0] * GROUP))
            return builder.zext(builder.bitcast(found, ir.IntType(GROUP)), ir.IntType(64))

        return types.int64(numbers, types.int64), emit

    @intrinsic  # type: ignore[untyped-decorator]
    def less_of_eight(typing: Any, numbers: Any, first: Any, limit: Any) -> Any:
        """Return how many of the eight numbers from place `first` on are less than a limit."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            eight = ir.VectorType(ir.DoubleType(), EIGHT)
            place = builder.bitcast(builder.gep(data, [arguments[1]]), eight.as_pointer())
            some = builder.insert_element(ir.Constant(eight, ir.Undefined), arguments[2], ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), EIGHT), [0] * EIGHT)
            found = builder.load(place, align=8)
            less = builder.fcmp_ordered("<", found, builder.shuffle_vector(some, some, zeros))
            count = builder.ctpop(builder.bitcast(less, ir.IntType(EIGHT)))
            return builder.zext(count, ir.IntType(64))

        return types.int64(numbers, types.intp, types.float64), emit
