"""Operations on sixteen numbers in one step: the least of them, and the position of a number.

Compilers make such code of loops whose length they know, but not without branches where a place is asked for.
Numbers may be ``inf``, but not NaN. The caller sees to it that ``numbers[first : first + LANES]`` exists.

What they buy: with loops instead `hopper-dag` on 3,000 slots takes 1.06 of its time; `hopper` on 1,000 slots
gains nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

LANES = 16
NUMBERS = ir.VectorType(ir.DoubleType(), LANES)
WORD = ir.IntType(32)


def _loaded(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit the loading of the numbers."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    address = builder.bitcast(builder.gep(array.data, [arguments[1]]), NUMBERS.as_pointer())
    load = builder.load(address)
    load.align = 8
    return load


def _everywhere(builder: Any, number: Any) -> Any:
    """Emit a vector that has this number in all lanes."""
    undefined = ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined)
    one = builder.insert_element(undefined, number, WORD(0))
    lanes = ir.Constant(ir.VectorType(WORD, LANES), [0] * LANES)
    return builder.shuffle_vector(one, undefined, lanes)


def _reduced(builder: Any, numbers: Any) -> Any:
    """Emit the least of the numbers: of each half, again and again, the lesser ones."""
    half = LANES
    while half > 1:
        half //= 2
        parts = [
            builder.shuffle_vector(
                numbers,
                numbers,
                ir.Constant(ir.VectorType(WORD, half), list(range(begin, begin + half))),
            )
            for begin in (0, half)
        ]
        numbers = builder.select(builder.fcmp_ordered("<", *parts), *parts)
    return builder.extract_element(numbers, WORD(0))


def _least(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit the least of the numbers."""
    return _reduced(builder, _loaded(context, builder, signature, arguments))


def _least_but(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit the least of the numbers but the one in a lane, found by comparison.

    A number is put into a lane that is not known by way of memory, for which whole vectors wait.
    """
    numbers = _loaded(context, builder, signature, arguments)
    lanes = ir.Constant(ir.VectorType(ir.IntType(64), LANES), list(range(LANES)))
    left_out = builder.icmp_signed("==", lanes, _everywhere(builder, arguments[2]))
    inf = ir.Constant(NUMBERS, [math.inf] * LANES)
    return _reduced(builder, builder.select(left_out, inf, numbers))


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Emit the first lane that has a number: the bits of a comparison, counted from the end."""
    numbers = _loaded(context, builder, signature, arguments)
    same = builder.fcmp_ordered("==", numbers, _everywhere(builder, arguments[2]))
    bits = builder.zext(builder.bitcast(same, ir.IntType(LANES)), ir.IntType(64))
    return builder.cttz(builder.or_(bits, ir.IntType(64)(1 << LANES)), ir.IntType(1)(1))


if numba.config.DISABLE_JIT:

    def least_in_lanes(numbers: Any, first: int) -> Any:
        """Return the least of the numbers."""
        return numbers[first : first + LANES].min()

    def least_but(numbers: Any, first: int, lane: int) -> Any:
        """Return the least of the numbers but the one in a lane."""
        return np.delete(numbers[first : first + LANES], lane).min()

    def lane_of(numbers: Any, first: int, number: float) -> int:
        """Return the first lane that has a number; `LANES` if none has."""
        found = np.flatnonzero(numbers[first : first + LANES] == number)
        return int(found[0]) if found.size else LANES

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def least_in_lanes(typing: Any, numbers: Any, first: Any) -> Any:
        """Return the least of the numbers."""
        return types.float64(numbers, types.intp), _least

    @intrinsic  # type: ignore[untyped-decorator]
    def least_but(typing: Any, numbers: Any, first: Any, lane: Any) -> Any:
        """Return the least of the numbers but the one in a lane."""
        return types.float64(numbers, types.intp, types.intp), _least_but

    @intrinsic  # type: ignore[untyped-decorator]
    def lane_of(typing: Any, numbers: Any, first: Any, number: Any) -> Any:
        """Return the first lane that has a number; `LANES` if none has."""
        return types.intp(numbers, types.intp, types.float64), _place
