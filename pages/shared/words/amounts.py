"""Numbers of the theory pages: slots, and what one of them is worth."""

from __future__ import annotations

from pages.shared.words.numbers import number, plain


def in_slots(count: float) -> str:
    """Return a number of slots, a decimal only if it has one.

    Examples
    --------
    >>> in_slots(40.0), in_slots(40 / 3), in_slots(4 / 3)
    ('40', '13.3', '1.33')
    """
    return plain(round(count, 1 if count >= 10 else 2))


def worth(value: float) -> str:
    """Return a number of about 1, in three decimals or, if small, two digits.

    Examples
    --------
    >>> worth(1.125), worth(4 / 3), worth(0.00123)
    ('1.125', '1.333', '0.0012')
    """
    return plain(round(value, 3)) if value >= 0.01 else number(value, 2)
