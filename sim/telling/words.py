"""Numbers, times, changes, lists and names in English: as many digits as are known, a readable sign, a unit.

Pages, reports and lessons say a number in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from theory.quoting import visible

if TYPE_CHECKING:
    from sim.model.statistics import Estimate


# Time units for people.


class Unit(NamedTuple):
    """A unit of time: its sign, and how many seconds it has."""

    sign: str
    seconds: float


UNITS = (Unit("s", 1.0), Unit("min", 60.0), Unit("h", 3600.0), Unit("d", 86400.0))
#: A unit is used from so many of it on.
FROM = 2.0


def unit_for(seconds: float) -> Unit:
    """Return the unit for times up to this one.

    Examples
    --------
    >>> unit_for(90.0).sign, unit_for(200.0).sign, unit_for(1e6).sign
    ('s', 'min', 'd')
    """
    return next((unit for unit in reversed(UNITS) if seconds >= FROM * unit.seconds), UNITS[0])


UNKNOWN = "unknown"
CENSORED = f"{UNKNOWN}: some jobs unfinished"
UNRELIABLE = " (unreliable)"
#: Half widths of this share of the value are rounding errors of a number that does not vary.
ROUNDING = 1e-9
#: An interval whose middle lies farther from the value than this share of it is told by its ends.
LOPSIDED = 0.1
#: Characters of a name in a sentence, and beside the row of a chart.
IN_WORDS, BESIDE = 40, 20


def plain(value: float) -> str:
    """Return a chosen number, such as a parameter or a tick, without digits nobody gave.

    Examples
    --------
    >>> plain(1.5), plain(2000.0), plain(0.001)
    ('1.5', '2,000', '0.001')
    """
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:g}"


def exact(value: float) -> str:
    """Return a number as it is typed, with all its digits.

    Examples
    --------
    >>> exact(0.2), exact(1e6), exact(1 / 3)
    ('0.2', '1e+06', '0.3333333333333333')
    """
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def short(value: float, digits: int = 3) -> str:
    """Return `value` with at most so many significant digits, but whole where it has more before its point.

    Examples
    --------
    >>> short(12.13, 2), short(1.5), short(0.571), short(12345.6)
    ('12', '1.5', '0.571', '12,346')
    """
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


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


def in_percent(
    share: float,
    decimals: int | None = 0,
    *,
    signed: bool = False,
    least: float = -math.inf,
    small: int = 0,
    mark: str = " %",
) -> str:
    """Return a share in percent as a terminal shows it.

    Parameters
    ----------
    share : float
    decimals : int or None, optional
        None for a share that was chosen: as many as it has.
    signed : bool, optional
        Whether an increase has its sign.
    least : float, optional
        A smaller share is told as less than this one.
    small : int, optional
        Decimals of a share below 1 %.
    mark : str, optional

    Examples
    --------
    >>> in_percent(0.256), in_percent(-0.256, 1), in_percent(0.075, None), in_percent(0.05, None, signed=True)
    ('26 %', '-25.6 %', '7.5 %', '+5 %')
    >>> in_percent(0.004, least=0.01), in_percent(-0.0001, 1, signed=True), in_percent(0.5, mark="%")
    ('less than 1 %', '+0.0 %', '50%')
    >>> in_percent(0.0049, small=1), in_percent(0.0096, small=1)
    ('0.5 %', '1 %')
    """
    if share < least:
        return f"less than {in_percent(least, None, mark=mark)}"
    sign = "+" if signed else ""
    if share < 0.0095 and small:
        decimals = small
    return (f"{100 * share:{sign}g}" if decimals is None else f"{100 * share:{sign}z.{decimals}f}") + mark


#: A share in a table of a terminal.
compact = partial(in_percent, mark="%")


def within(
    value: float, low: float, high: float, write: Callable[[float], str] = number, level: str = "95 %: "
) -> str:
    """Return a value with its interval, of 95 % unless another level, or none, is to be said.

    Examples
    --------
    >>> within(2.0, 1.5, 2.25), within(0.5, 0.25, 0.75, percent), within(0.5, 0.25, 0.75, compact, "")
    ('2.00 (95 %: 1.50 to 2.25)', '50 % (95 %: 25 % to 75 %)', '50% (25% to 75%)')
    """
    return f"{write(value)} ({level}{write(low)} to {write(high)})"


def measured(estimate: Estimate, unit: str = "", scale: float = 1.0) -> str:
    """Return an estimate with the half width of its interval, two digits of it, and a unit.

    Examples
    --------
    >>> from sim.model.statistics import Estimate
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
    >>> from sim.model.statistics import Estimate
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
    >>> from sim.model.statistics import Estimate
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


def printed(estimate: Estimate, unit: str = "", scale: float = 1.0, decimals: int | None = None) -> str:
    """Return an estimate for a terminal: four digits, and as many decimals of the half width of its interval.

    Parameters
    ----------
    estimate : Estimate
    unit : str, optional
    scale : float, optional
        What its value is multiplied by.
    decimals : int, optional
        In place of four digits.

    Examples
    --------
    >>> from sim.model.statistics import Estimate
    >>> printed(Estimate(12.3456, 12.0, 12.6912)), printed(Estimate(2.0)), printed(Estimate(None))
    ('12.35 ± 0.35', '2.000', 'unknown')
    >>> printed(Estimate(0.25, 0.24, 0.26), "%", 100, 1), printed(Estimate(2.0, reliable=False))
    ('25.0 ± 1.0 %', '2.000 (unreliable)')
    """
    if estimate.value is None:
        return UNKNOWN
    value, half = scale * estimate.value, scale * estimate.half
    if decimals is None:
        decimals = min(max(0, 3 - math.floor(math.log10(abs(value)))), 6) if value else 2
    told = f"{value:.{decimals}f}"
    if estimate.reliable and not math.isinf(half):
        told += f" ± {half:.{decimals}f}"
    return told + (f" {unit}" if unit else "") + ("" if estimate.reliable else UNRELIABLE)


def spread(value: float, half: float, digits: int = 2) -> str:
    """Return a value and the half width of its interval, if there is one wider than rounding errors.

    Of the half width are so many digits told.

    Examples
    --------
    >>> spread(1234.5, 678.9), spread(1.0, float("nan")), spread(0.25, 0.0), spread(3.85, 1.55, 1)
    ('1,234 ± 679', '1.00', '0.250', '4 ± 2')
    """
    if not math.isfinite(half) or half <= ROUNDING * abs(value):
        return number(value)
    decimals = digits - 1 - _magnitude(half, digits)
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
    return counted(in_slots(count), "slot")


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


def begun(text: str) -> str:
    """Return a text as a sentence begins.

    Examples
    --------
    >>> begun("copies help"), begun("")
    ('Copies help', '')
    """
    return text[:1].upper() + text[1:]


def counted(count: float | str, one: str, many: str = "") -> str:
    """Return a number of things in words; a text is a number as it is told, of which only 1 has one thing.

    Examples
    --------
    >>> counted(1, "job"), counted(1200, "job"), counted(2, "copy", "copies")
    ('1 job', '1,200 jobs', '2 copies')
    >>> counted("1", "slot"), counted("1.00", "slot")
    ('1 slot', '1.00 slots')
    """
    told = count if isinstance(count, str) else f"{count:,}"
    return f"{told} {one if count in (1, '1') else many or one + 's'}"


def changed(share: Estimate) -> str:
    """Return a change, as a share of what was before, in percent with its sign and its interval.

    Examples
    --------
    >>> from sim.model.statistics import Estimate
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
        return f"{'+' if value > 0 else ''}{number(value, 2)} %{unreliable}"
    decimals = max(
        min(1 - _magnitude(half, 2), 2 - _magnitude(value, 3) if value else 2), -_magnitude(half, 1)
    )
    told = signed(value, decimals)
    low, high = (100 * end for end in (share.low, share.high) if end is not None)
    # a half width would say something else than the interval does: other ends, or another sign
    lopsided = abs(high + low - 2 * value) > LOPSIDED * (high - low)
    if lopsided or (value - half > 0) - (value + half < 0) != share.sign:
        return f"{told} % ({signed(low, decimals)} to {signed(high, decimals)} %)"
    return f"{told} ± {fixed(half, decimals)} %"


def signed(value: float, decimals: int) -> str:
    """Return `value` with this many decimals and its sign; what is told as 0 has none.

    Examples
    --------
    >>> signed(0.4, 1), signed(-0.4, 1), signed(0.04, 1), signed(1234.5, 0)
    ('+0.4', '−0.4', '0.0', '+1,234')
    """
    told = fixed(value, decimals)
    return f"+{told}" if value > 0 and told.strip("0.") else told


def percent_unsigned(share: Estimate) -> str:
    """Return a change as a percentage without its sign, for a sentence that says the direction.

    Examples
    --------
    >>> from sim.model.statistics import Estimate
    >>> percent_unsigned(Estimate(-0.25, -0.3, -0.2)), percent_unsigned(Estimate(-0.4, -0.54, -0.2))
    ('25.0 ± 5.0 %', '40 % (20 to 54 %)')
    """
    if (share.value or 0.0) >= 0 or share.low is None or share.high is None:
        return changed(share).lstrip("−+").replace("(+", "(").replace("to +", "to ")
    turned = replace(share, value=-(share.value or 0.0), low=-share.high, high=-share.low)
    return percent_unsigned(turned)


def clipped(name: object, most: int = IN_WORDS) -> str:
    r"""Return a name, visible and of at most so many characters.

    Examples
    --------
    >>> print(clipped("count at App.java:46", 12), clipped("two\nlines"))
    count at Ap… two\nlines
    """
    text = visible(str(name)[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"


def spell(seconds: float, digits: int | None = None) -> str:
    """Return a time with its unit; rounded to so many digits, if they are given, as people say it.

    Examples
    --------
    >>> spell(0.0), spell(17.96), spell(44242.0)
    ('0 s', '18.0 s', '12.3 h')
    >>> spell(90.0, 2), spell(7300.0, 2), spell(2.5e7, 2)
    ('90 s', '2 h', '290 d')
    """
    unit = unit_for(abs(seconds))
    value = seconds / unit.seconds
    told = number(value) if digits is None else plain(float(f"{value:.{digits}g}"))
    return f"{told} {unit.sign}"
