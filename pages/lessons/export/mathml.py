"""Equations as MathML, which browsers draw themselves: no script, no fonts, nothing to load.

MathJax and KaTeX are scripts of some megabytes that a page asks another machine for, or that the project
would have to carry. Pictures of equations need LaTeX to build and cannot be read aloud.
"""

from __future__ import annotations

import re

from latex2mathml.converter import convert

from theory.quoting import quoted

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
