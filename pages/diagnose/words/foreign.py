"""Text that comes from a log: shortened, and without power over the page it is shown on."""

from __future__ import annotations

import html
import re

#: Characters shown of a name.
MOST = 80
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&^=])")


def short(text: object, most: int = MOST) -> str:
    r"""Return a text on one line, cut to at most so many characters.

    Examples
    --------
    >>> short("count at\nApp.java:46", 12)
    'count at Ap…'
    """
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in str(text)).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def in_markdown(text: object, most: int = MOST) -> str:
    r"""Return a text as Markdown that shows it letter by letter.

    Examples
    --------
    >>> in_markdown("![x](http)")
    '\\!\\[x\\]\\(http\\)'
    """
    return _MARKDOWN.sub(r"\\\1", short(text, most))


def in_chart(text: object, most: int = MOST) -> str:
    """Return a text as Plotly shows it letter by letter: it takes some of HTML for its own.

    Examples
    --------
    >>> in_chart("<b>map</b>")
    '&lt;b&gt;map&lt;/b&gt;'
    """
    return html.escape(short(text, most), quote=False)
