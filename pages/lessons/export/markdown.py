"""The Markdown of lessons as HTML: bold and slanted words, equations, paragraphs. All else is text."""

from __future__ import annotations

import re
from html import escape

from pages.lessons.export.mathml import markup

#: An escaped sign, an equation, bold words, slanted words.
PART = re.compile(r"\\([\\*_$`#])|\$([^$]+)\$|\*\*(.+?)\*\*(?!\*)|\*((?:\\.|[^*])+)\*")


def inline(text: str) -> str:
    r"""Return a text within a line.

    Examples
    --------
    >>> inline(r"**σ\* = 1.71** & *Errata* < 2")
    '<strong>σ* = 1.71</strong> &amp; <em>Errata</em> &lt; 2'
    >>> inline("half of $n$")[:18]
    'half of <math xmln'
    """
    found, end = [], 0
    for part in PART.finditer(text):
        found += [escape(text[end : part.start()]), _written(part)]
        end = part.end()
    return "".join([*found, escape(text[end:])])


def _written(part: re.Match[str]) -> str:
    sign, equation, bold, slanted = part.groups()
    if sign:
        return escape(sign)
    if equation:
        return markup(equation)
    return f"<strong>{inline(bold)}</strong>" if bold else f"<em>{inline(slanted)}</em>"


def paragraphs(*texts: str) -> str:
    """Return each text as a paragraph; empty ones are left out."""
    return "\n".join(f"<p>{inline(text)}</p>" for text in texts if text)
