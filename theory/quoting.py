"""Text of others in a message: shown in one line, all of it visible, and shortened.

A refused value comes from a link, a file or a command line. Shown as it is, it could break a message into
lines, move the cursor of a terminal, or turn the direction of what is read.
"""

from __future__ import annotations

import unicodedata

#: Characters of a foreign text that are shown, and of those the last of a name.
MOST = 80
_END = 12
#: Well-known escapes; others are written by their number.
_KNOWN = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    r"""Return a text with its control characters, line breaks and marks of direction as escapes.

    Examples
    --------
    >>> print(visible("two\nlines, \x1b[31mred, \u202eturned, no UTF-8: \udcff"))
    two\nlines, \x1b[31mred, \u202eturned, no UTF-8: \xff
    """
    return text if text.isprintable() else "".join(map(_seen, text))


def shortened(name: str) -> str:
    """Return a name, visible and of at most `MOST` characters: the middle of a longer one is left out.

    Examples
    --------
    >>> shortened("jobs.csv"), len(shortened("a" * 200 + ".csv")), shortened("a" * 200 + ".csv")[-6:]
    ('jobs.csv', 80, 'aa.csv')
    """
    shown = visible(name if len(name) <= MOST else name[:MOST] + name[-_END:])
    return shown if len(name) <= MOST >= len(shown) else f"{shown[: MOST - _END - 1]}…{shown[-_END:]}"


def quoted(value: object) -> str:
    r"""Return a value as Python writes it, of at most `MOST` characters.

    Examples
    --------
    >>> print(quoted("two\nlines"), quoted(1.5), quoted("x" * 100)[-3:], len(quoted("x" * 100)))
    'two\nlines' 1.5 x…' 80
    """
    try:
        shown = visible(repr(value[:MOST] if isinstance(value, (str, bytes, list, tuple)) else value))
    except ValueError:  # Python writes out no whole number of more than some thousand digits
        return "a number of thousands of digits"
    return shown if len(shown) <= MOST else f"{shown[: MOST - 2]}…{shown[-1]}"


def _seen(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] != "C" and category not in ("Zl", "Zp"):
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00  # how Python holds a byte of a file's name that is no UTF-8
    width, letter = (2, "x") if code < 0x100 else (4, "u") if code < 0x10000 else (8, "U")
    return _KNOWN.get(character) or f"\\{letter}{code:0{width}x}"
