"""Equations as MathML, which browsers draw themselves: no script, no fonts, nothing to load.

MathJax and KaTeX are scripts of some megabytes that a page asks another machine for, or that the project
would have to carry. Pictures of equations need LaTeX to build and cannot be read aloud.
"""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert
from sphinx.application import Sphinx

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
        raise ValueError(f"not converted: {text!r}") from error
    if "\\" in made:
        raise ValueError(f"not converted: {text!r}")
    return made


def visit_math(self: Any, node: Any) -> None:
    """Write an equation within a line."""
    self.body.append(markup(node.astext()))
    _skip()


def visit_math_block(self: Any, node: Any) -> None:
    """Write equations of their own lines, which empty lines part."""
    for text in filter(str.strip, node.astext().split("\n\n")):
        self.body.append(f'<div class="math">{markup(text, block=True)}</div>\n')
    _skip()


def _skip() -> None:
    """Leave out what is below the node: its text in LaTeX."""
    from docutils.nodes import SkipNode

    raise SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
