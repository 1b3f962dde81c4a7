"""Equations of the documents as MathML, by the converter of the exported lessons."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from pages.lessons.export.markup import markup


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
