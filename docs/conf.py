"""How Sphinx builds the site: ``sphinx-build -W docs build/site``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from generated import filled  # noqa: E402

import sim  # noqa: E402

project = "straggler-lab"
author = "The straggler-lab maintainers"
version = release = sim.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml"]
html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"straggler-lab {release}"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["static"]
html_favicon = "../pages/server/mark.svg"  # that of the app; without one a browser asks the host for its own
html_css_files = ["site.css"]
exclude_patterns = ["**/growth.json"]
default_role = "code"  # a name in single backquotes, as docstrings write it
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "none"  # docstrings say it
napoleon_google_docstring = False
napoleon_use_rtype = False
toc_object_entries_show_parents = "hide"
smartquotes = False  # else the dashes of an option become one

#: Of the first page: a heading, and the list of documents below it.
SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([\w/-]+)\.md\)")
#: A link to a file outside of the documents, which the site does not have: its words, and the file.
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./\.\./([\w/.-]+)(?:#[\w-]+)?\)")


def contents(text: str) -> str:
    """Return the first page with the menu of the site, which is made of its links."""
    trees = [
        f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n" + "\n".join(LINK.findall(below)) + "\n```"
        for heading, below in SECTION.findall(text)
    ]
    return "\n\n".join([text, *trees]) + "\n"


def fill(app: Any, name: str, source: list[str]) -> None:
    """Put the generated parts into a document before it is read."""
    source[0] = OUTSIDE.sub(r"\1 (`\2`)", filled(source[0]))
    if name == "index":
        source[0] = contents(source[0])


def setup(app: Any) -> None:
    """Have Sphinx call what is above."""
    app.connect("source-read", fill)
