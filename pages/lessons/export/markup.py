"""Lessons as HTML: bold and slanted words, paragraphs, and equations as MathML. All else is text.

Browsers draw MathML themselves: no script, no fonts, nothing to load. MathJax and KaTeX are scripts of some
megabytes, and pictures of equations need LaTeX to build and cannot be read aloud.
"""

from __future__ import annotations

import re
from html import escape

from latex2mathml.converter import convert

from theory.quoting import quoted

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


#: Commands that the converter does not know -> the same in commands that it knows. Brackets of MathML stretch
#: by themselves.
PLAIN = {
    r"\\[td]frac\b": r"\\frac",
    r"\\arg\b": r"\\operatorname{arg}",
    r"\\[bB]ig[lrg]?(?![a-zA-Z])": "",
}


def markup(text: str, *, block: bool = False) -> str:
    """Return an equation as MathML.

    Raises
    ------
    ValueError
        If a command is not known, so that no equation is shown half converted.
    """
    for command, plain in PLAIN.items():
        text = re.sub(command, plain, text)
    if block and (r"\\" in text or "&" in text) and r"\begin" not in text:
        text = rf"\begin{{aligned}}{text}\end{{aligned}}"
    try:
        made = str(convert(text, display="block" if block else "inline"))
    except Exception as error:
        raise ValueError(f"not converted: {quoted(text)}") from error
    if "\\" in made:
        raise ValueError(f"not converted: {quoted(text)}")
    return made
