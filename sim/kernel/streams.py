"""Addressed random numbers: the luck of a copy depends on which copy it is, not on when it is drawn.

``uniform(key, task, copy)`` is a counter-based generator: SplitMix64's finaliser (Steele, Lea and
Flood, OOPSLA 2014) applied to an address. So all policies meet the same weather, a run does not
depend on the order of events, and any copy's luck can be asked for again. Unsigned overflow is meant.

Arrivals and sizes are drawn before the run, from NumPy generators whose streams have names.
"""

from __future__ import annotations

import math
from typing import Any
from zlib import crc32

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from sim.kernel.compile import inlined, kernel

# Bit operations that processors do in one step: the lowest bit set, which of a few numbers pass a bound.
#
# `sim.kernel.calendar` and `sim.kernel.heap` say what they buy.

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


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
COPIES = np.uint64(1 << 20)  # addresses kept apart for the copies of one task
#: Coefficients of the numerator and the denominator of AS 241, highest power first: near the median, in the
#: tails, and where a tail is below e^-25.
CENTRAL = (
    (2509.0809287301226727, 5226.495278852545925),
    (33430.575583588128105, 28729.085735721942674),
    (67265.770927008700853, 39307.89580009271061),
    (45921.953931549871457, 21213.794301586595867),
    (13731.693765509461125, 5394.1960214247511077),
    (1971.5909503065514427, 687.1870074920579083),
    (133.14166789178437745, 42.313330701600911252),
    (3.387132872796366608, 1.0),
)
TAILS = (
    (7.7454501427834140764e-4, 1.05075007164441684324e-9),
    (0.0227238449892691845833, 5.475938084995344946e-4),
    (0.24178072517745061177, 0.0151986665636164571966),
    (1.27045825245236838258, 0.14810397642748007459),
    (3.64784832476320460504, 0.68976733498510000455),
    (5.7694972214606914055, 1.6763848301838038494),
    (4.6303378461565452959, 2.05319162663775882187),
    (1.42343711074968357734, 1.0),
)
FAR = (
    (2.01033439929228813265e-7, 2.04426310338993978564e-15),
    (2.71155556874348757815e-5, 1.4215117583164458887e-7),
    (0.0012426609473880784386, 1.8463183175100546818e-5),
    (0.026532189526576123093, 7.868691311456132591e-4),
    (0.29656057182850489123, 0.0148753612908506148525),
    (1.7848265399172913358, 0.13692988092273580531),
    (5.4637849111641143699, 0.59983220655588793769),
    (6.6579046435011037772, 1.0),
)


def stream(seed: int, replication: int, name: str) -> np.random.Generator:
    """Return the generator of a named source of randomness.

    The stream depends on its name and not on the order in which streams are made, so a new source
    of randomness leaves the old ones as they were.
    """
    return np.random.default_rng([seed, replication, crc32(name.encode())])


@inlined
def mix(word):
    """Scramble 64 bits so that neighbouring words have unrelated results."""
    word = (word ^ (word >> np.uint64(30))) * FIRST
    word = (word ^ (word >> np.uint64(27))) * SECOND
    return word ^ (word >> np.uint64(31))


@kernel
def run_key(seed, replication):
    """Key of one replication of one seed."""
    return mix(mix(np.uint64(seed) + GOLDEN) ^ (np.uint64(replication) * GOLDEN + FIRST))


@inlined
def job_key(run, job):
    """Key of one job of a replication."""
    return mix(run + (np.uint64(job) + np.uint64(1)) * GOLDEN)


@inlined
def uniform(key, task, copy):
    """Uniform number in (0, 1) of copy `copy` of task `task` of the job with this key.

    52 bits, because the largest number of 53 bits and a half rounds to 1, where quantiles are infinite.
    """
    word = mix(key + (np.uint64(task) * COPIES + np.uint64(copy) + np.uint64(1)) * GOLDEN)
    return (np.float64(word >> np.uint64(12)) + 0.5) * 2.0**-52


@inlined
def both_polynomials(coefficients, r):
    """Values at `r` of the polynomials that numerator and denominator are (Horner's scheme)."""
    top = low = 0.0
    for above, below in coefficients:
        top = top * r + above
        low = low * r + below
    return top, low


@kernel
def normal_quantile(p):
    """Quantile of the standard normal law (Wichura 1988, algorithm AS 241, about 16 digits)."""
    q = p - 0.5
    if abs(q) <= 0.425:
        top, low = both_polynomials(CENTRAL, 0.180625 - q * q)
        return q * top / low
    r = math.sqrt(-math.log(min(p, 1.0 - p)))
    if r <= 5.0:
        top, low = both_polynomials(TAILS, r - 1.6)
    else:
        top, low = both_polynomials(FAR, r - 5.0)
    return top / low if q > 0 else -top / low


@inlined
def factor(law, numbers, share, u):
    """Straggle factor whose survival probability is `u`, under the law of code `law`.

    The codes are the positions in `sim.model.laws.STRAGGLE_LAWS`; `numbers` are the law's own. `share` is
    the outlier probability of the slot, the one thing that may differ between slots.
    """
    if law == 2:
        return math.exp(-math.log(u) / numbers[0])  # faster than the power it equals
    if law == 0:
        return 1.0
    if law == 1:
        return -math.log(u)
    if law == 3:
        floor = numbers[1] ** -numbers[0]
        return (floor + u * (1.0 - floor)) ** (-1.0 / numbers[0])
    if law == 4:
        return math.exp(-numbers[0] * normal_quantile(u) - 0.5 * numbers[0] * numbers[0])
    if law == 5:
        if u > share:
            return 1.0
        return numbers[1] * (u / share) ** (-1.0 / numbers[0])
    if law == 7:
        last = numbers.size - 1
        if u < numbers[1]:
            return numbers[last] * math.exp(math.log(numbers[1] / u) / numbers[0])
        place = (1.0 - u) / (1.0 - numbers[1]) * (last - 2)
        below = min(int(place), last - 3)
        return numbers[below + 2] + (place - below) * (numbers[below + 3] - numbers[below + 2])
    return numbers[min(int((1.0 - u) * numbers.size), numbers.size - 1)]


@inlined
def to_factors(law, numbers, luck, count):
    """Make of the first `count` survival probabilities the factors that `factor` has for them.

    Under the law of most runs one operation is done for all before the next: divisions are then made eight at
    a time, and what is called has no other results to keep. `srpt+none` takes 1.05 of its time without.
    """
    if law == 2:
        for k in range(count):
            luck[k] = math.log(luck[k])
        for k in range(count):
            luck[k] = -luck[k] / numbers[0]
        for k in range(count):
            luck[k] = math.exp(luck[k])
    else:
        for k in range(count):
            luck[k] = factor(law, numbers, 0.0, luck[k])
