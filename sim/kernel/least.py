"""The least of a list of numbers that change one by one: a second list holds the least of each block.

Where keys change often and keep their places, such as those of slots, this does what a heap does with less:
a number is set where it stands, which costs at most a look at its block, and the least of all costs a look at
each block. Blocks of about the root of the length cost least. Places that hold nothing are ``inf``.

The list begins at ``numbers[begin]``, in whole blocks of ``1 << bits`` numbers, at least 4; the least of each
block stand from ``numbers[above]`` on, in multiples of 4.

What the second list buys: without it `dolly-task` on 3,000 slots takes twice its time.
"""

from __future__ import annotations

import math

import numpy as np

from sim.kernel.compile import inlined, kernel


@inlined
def blocks_of(count, bits):
    """Return how many blocks hold `count` numbers."""
    return (count + (1 << bits) - 1) >> bits


@kernel
def least_in(numbers, first, last):
    """Return the least number from place `first` to before `last`, which are a multiple of 4 apart."""
    one, two, three = np.uintp(1), np.uintp(2), np.uintp(3)
    a = b = c = d = math.inf  # four, since each step of one waits for the step before
    for k in range(np.uintp(first), np.uintp(last), np.uintp(4)):
        a = min(a, numbers[k])
        b = min(b, numbers[k + one])
        c = min(c, numbers[k + two])
        d = min(d, numbers[k + three])
    return min(min(a, b), min(c, d))


@inlined
def note_block(numbers, begin, above, bits, block):
    """Note the least number of a block."""
    first = begin + (block << bits)
    numbers[above + block] = least_in(numbers, first, first + (1 << bits))


@inlined
def put(numbers, begin, above, bits, place, number):
    """Set the number at a place of the list."""
    before = numbers[begin + place]
    block = place >> bits
    numbers[begin + place] = number
    if number <= numbers[above + block]:
        numbers[above + block] = number
    elif before == numbers[above + block]:
        note_block(numbers, begin, above, bits, block)


@inlined
def least_of(numbers, above, bits, count):
    """Return the least of the first `count` numbers of the list."""
    return least_in(numbers, above, above + ((blocks_of(count, bits) + 3) & -4))


@kernel
def place_of_least(numbers, begin, above, bits, count):
    """Return the first place that has the least of the first `count` numbers, -1 if they hold nothing."""
    least = least_of(numbers, above, bits, count)
    if least == math.inf:
        return -1
    block = 0
    while numbers[above + block] != least:
        block += 1
    place = block << bits
    while numbers[begin + place] != least:
        place += 1
    return place
