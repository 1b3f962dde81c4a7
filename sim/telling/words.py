"""Numbers, times, changes, lists and names in English: as many digits as are known, a readable sign, a unit.

Pages, reports and lessons say a number in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sim.formula import plain as plain
from sim.statistics import Estimate
from sim.traces.unit import unit_for
from theory.shown import visible

UNKNOWN = "unknown"
CENSORED = f"{UNKNOWN}: some jobs unfinished"
UNRELIABLE = " (unreliable)"
#: Half widths of this share of the value are rounding errors of a number that does not vary.
ROUNDING = 1e-9
#: An interval whose middle lies farther from the value than this share of it is told by its ends.
LOPSIDED = 0.1
#: Characters of a name in a sentence, and beside the row of a chart.
IN_WORDS, BESIDE = 40, 20


def number(value: float, digits: int = 3) -> str:
    """Return `value` with `digits` significant digits and commas between thousands.

    Examples
    --------
    >>> number(12.345), number(0.012345), number(123456.0), number(-3.0), number(0.0)
    ('12.3', '0.0123', '123,456', '−3.00', '0')
    """
    if value == 0:
        return "0"
    return fixed(value, digits - 1 - _magnitude(value, digits))


def fixed(value: float, decimals: int) -> str:
    """Return `value` with this many decimals (none if negative), commas and a minus that can be read."""
    return f"{value:z,.{max(decimals, 0)}f}".replace("-", "−")


def percent(share: float) -> str:
    """Return a share as a percentage of about two digits, never 0 or 100 unless it is.

    Examples
    --------
    >>> percent(0.1234), percent(0.0123), percent(0.00001), percent(0.9996), percent(1.0)
    ('12 %', '1.2 %', 'less than 0.1 %', 'more than 99.9 %', '100 %')
    >>> percent(0.9099), percent(0.9101), percent(0.9912)
    ('91 %', '91 %', '99.1 %')
    """
    if 0 < share < 0.001:
        return "less than 0.1 %"
    if 0.999 < share < 1:
        return "more than 99.9 %"
    near_end = (abs(share) < 0.0995 or 0.985 < share < 1.015) and share not in (0, 1)
    return fixed(100 * share, 1 if near_end else 0) + " %"


def measured(estimate: Estimate, unit: str = "", scale: float = 1.0) -> str:
    """Return an estimate with the half width of its interval, two digits of it, and a unit.

    Examples
    --------
    >>> measured(Estimate(12.3456, 11.9, 12.8), "s"), measured(Estimate(2.0)), measured(Estimate(None), "s")
    ('12.35 ± 0.45 s', '2.00', 'unknown: some jobs unfinished')
    >>> measured(Estimate(0.25, 0.24, 0.26), "%", scale=100)
    '25.0 ± 1.0 %'
    """
    if estimate.value is None:
        return CENSORED
    if not estimate.reliable:
        return number(scale * estimate.value) + (f" {unit}" if unit else "") + UNRELIABLE
    return spread(scale * estimate.value, scale * estimate.half) + (f" {unit}" if unit else "")


def headline(estimate: Estimate, unit: str = "") -> str:
    """Return an estimate as the number of a card: as many digits as its interval lets know, at most three.

    Examples
    --------
    >>> headline(Estimate(12.3456, 12.1, 12.6), "s"), headline(Estimate(2.0341, 2.0340, 2.0342))
    ('12.3 s', '2.03')
    >>> headline(Estimate(123.4, 80.0, 166.0)), headline(Estimate(1234.0, 555.0, 1913.0))
    ('123', '1,230')
    """
    if estimate.value is None:
        return UNKNOWN
    value, half = estimate.value, estimate.half
    decimals = 2 - _magnitude(value, 3) if value else 0
    if math.isfinite(half) and half > ROUNDING * abs(value):
        decimals = min(decimals, 1 - _magnitude(half, 2))
    return fixed(round(value, decimals), decimals) + (f" {unit}" if unit else "")


def brief(estimate: Estimate, unit: str = "") -> str:
    """Return an estimate with its interval for a card: one digit of the half width (two from 1 to 2).

    Examples
    --------
    >>> brief(Estimate(15.86, 15.55, 16.17), "s"), brief(Estimate(4.8713, 4.831, 4.911), "s")
    ('15.9 ± 0.3 s', '4.87 ± 0.04 s')
    >>> brief(Estimate(11.12, 9.94, 12.30)), brief(Estimate(2.0341, 2.0340, 2.0342))
    ('11.1 ± 1.2', '2.03')
    >>> brief(Estimate(7.7, reliable=False), "s"), brief(Estimate(None))
    ('7.70 s (unreliable)', 'unknown')
    """
    if estimate.value is None:
        return UNKNOWN
    value, half, known = estimate.value, estimate.half, "" if estimate.reliable else UNRELIABLE
    decimals = 2 - _magnitude(value, 3) if value else 0
    told = ""
    if math.isfinite(half) and half > ROUNDING * abs(value):
        digits = 2 if f"{half:.1e}".startswith("1") else 1
        decimals = min(decimals, digits - 1 - _magnitude(half, digits))
        told = f" ± {fixed(half, decimals)}" if round(half, decimals) else ""
    return fixed(round(value, decimals), decimals) + told + (f" {unit}" if unit else "") + known


def spread(value: float, half: float) -> str:
    """Return a value and the half width of its interval, if there is one wider than rounding errors.

    Examples
    --------
    >>> spread(1234.5, 678.9), spread(1.0, float("nan")), spread(0.25, 0.0)
    ('1,234 ± 679', '1.00', '0.250')
    """
    if not math.isfinite(half) or half <= ROUNDING * abs(value):
        return number(value)
    decimals = 1 - _magnitude(half, 2)
    return f"{fixed(value, decimals)} ± {fixed(half, decimals)}"


def _magnitude(value: float, digits: int) -> int:
    """Power of ten of the first digit, once `value` is rounded to `digits` of them."""
    return int(f"{abs(value):.{digits - 1}e}".partition("e")[2])


def in_slots(count: float) -> str:
    """Return a number of slots, a decimal only if it has one.

    Examples
    --------
    >>> in_slots(40.0), in_slots(40 / 3), in_slots(4 / 3)
    ('40', '13.3', '1.33')
    """
    return plain(round(count, 1 if count >= 10 else 2))


def counted_slots(count: float) -> str:
    """Return a number of slots with their unit.

    Examples
    --------
    >>> counted_slots(40.0), counted_slots(40 / 3), counted_slots(1.001)
    ('40 slots', '13.3 slots', '1 slot')
    """
    return of_one(in_slots(count), "slot")


def of_one(told: str, one: str) -> str:
    """Return a number, as it is told, with its unit, of which only 1 has one.

    Examples
    --------
    >>> of_one("1", "slot"), of_one("1.00", "slot"), of_one("0", "slot")
    ('1 slot', '1.00 slots', '0 slots')
    """
    return f"{told} {one if told == '1' else one + 's'}"


def worth(value: float) -> str:
    """Return a number of about 1, in three decimals or, if small, two digits.

    Examples
    --------
    >>> worth(1.125), worth(4 / 3), worth(0.00123)
    ('1.125', '1.333', '0.0012')
    """
    return plain(round(value, 3)) if value >= 0.01 else number(value, 2)


def listed(names: Sequence[str], word: str = "and") -> str:
    """Join names as in a sentence, `word` before the last.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


def counted(count: float, one: str, many: str = "") -> str:
    """Return a number of things in words.

    Examples
    --------
    >>> counted(1, "job"), counted(1200, "job"), counted(2, "copy", "copies")
    ('1 job', '1,200 jobs', '2 copies')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def changed(share: Estimate) -> str:
    """Return a change, as a share of what was before, in percent with its sign and its interval.

    Examples
    --------
    >>> changed(Estimate(-0.25, -0.3, -0.2)), changed(Estimate(0.5)), changed(Estimate(None))
    ('−25.0 ± 5.0 %', '+50 %', 'not known')
    >>> changed(Estimate(-0.4, -0.66, 0.05))  # of which ± 36 % would say something else
    '−40 % (−66 to +5 %)'
    """
    if share.value is None:
        return "not known"
    value, half = 100 * share.value, 100 * share.half
    unreliable = "" if share.reliable else UNRELIABLE
    if not math.isfinite(half) or half <= ROUNDING * abs(value):
        return f"{_with_sign(value, number(value, 2))} %{unreliable}"
    decimals = max(
        min(1 - _magnitude(half, 2), 2 - _magnitude(value, 3) if value else 2), -_magnitude(half, 1)
    )
    told = signed(value, decimals)
    if _lopsided(share):
        low, high = (signed(end, decimals) for end in _ends(share))
        return f"{told} % ({low} to {high} %)"
    return f"{told} ± {fixed(half, decimals)} %"


def signed(value: float, decimals: int) -> str:
    """Return `value` with this many decimals and its sign; what is told as 0 has none.

    Examples
    --------
    >>> signed(0.4, 1), signed(-0.4, 1), signed(0.04, 1), signed(1234.5, 0)
    ('+0.4', '−0.4', '0.0', '+1,234')
    """
    return _with_sign(value, fixed(value, decimals))


def _with_sign(value: float, told: str) -> str:
    return f"+{told}" if value > 0 and told.strip("0.") else told


def _ends(share: Estimate) -> tuple[float, float]:
    """Return the ends of the interval, in percent."""
    assert share.low is not None
    assert share.high is not None
    return 100 * share.low, 100 * share.high


def _lopsided(share: Estimate) -> bool:
    """Whether a half width would say something else than the interval does: other ends, or another sign."""
    low, high = _ends(share)
    value, half = 100 * (share.value or 0.0), (high - low) / 2
    even = (value - half > 0) - (value + half < 0)
    return abs(high + low - 2 * value) > LOPSIDED * (high - low) or even != share.sign


def percent_unsigned(share: Estimate) -> str:
    """Return a change as a percentage without its sign, for a sentence that says the direction.

    Examples
    --------
    >>> percent_unsigned(Estimate(-0.25, -0.3, -0.2)), percent_unsigned(Estimate(-0.4, -0.54, -0.2))
    ('25.0 ± 5.0 %', '40 % (20 to 54 %)')
    """
    if (share.value or 0.0) >= 0 or share.low is None or share.high is None:
        return changed(share).lstrip("−+").replace("(+", "(").replace("to +", "to ")
    turned = Estimate(-(share.value or 0.0), -share.high, -share.low, reliable=share.reliable)
    return percent_unsigned(turned)


def percent_and_half_width(share: Estimate) -> tuple[str, str]:
    """Return `changed` as a number and what is known of it, for a card that shows the first in large type.

    Examples
    --------
    >>> percent_and_half_width(Estimate(-0.25, -0.3, -0.2)), percent_and_half_width(Estimate(0.5))
    (('−25.0 %', '± 5.0 %'), ('+50 %', ''))
    >>> percent_and_half_width(Estimate(-0.4, -0.66, 0.05))
    ('−40 %', '(−66 to +5 %)')
    """
    told = changed(share).removesuffix(UNRELIABLE)
    number_of, mark, half = told.partition(" ± ")
    if mark:
        return f"{number_of} %", f"± {half}"
    number_of, mark, ends = told.partition(" (")
    return number_of, f"({ends}" if mark else ""


def clipped(name: object, most: int = IN_WORDS) -> str:
    r"""Return a name, visible and of at most so many characters.

    Examples
    --------
    >>> print(clipped("count at App.java:46", 12), clipped("two\nlines"))
    count at Ap… two\nlines
    """
    text = visible(str(name)[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"


def title_of(kind: str, identifier: object, name: object, most: int = IN_WORDS) -> str:
    """Return how a job or stage is called, in so many characters: its name, and always its identifier.

    Examples
    --------
    >>> title_of("job", "7", "nightly"), title_of("job", "7", "")
    ('nightly (7)', 'job 7')
    >>> title_of("stage", "12", "count at App.java:46", 17)
    'count at Ap… (12)'
    """
    own = clipped(identifier, most - len(kind) - 1)
    if not name or name == identifier:
        return f"{kind} {own}"
    left = most - len(own) - 3
    return f"{clipped(name, left)} ({own})" if left > 2 else f"{kind} {own}"


def spell(seconds: float) -> str:
    """Return a time with its unit.

    Examples
    --------
    >>> spell(0.0), spell(17.96), spell(44242.0)
    ('0 s', '18.0 s', '12.3 h')
    """
    unit = unit_for(abs(seconds))
    return f"{number(seconds / unit.seconds)} {unit.sign}"
