"""Text that others wrote, as Markdown: shown letter by letter, never interpreted."""

from __future__ import annotations

import re
from collections.abc import Iterable

from theory.shown import visible

#: What Streamlit and GitHub look for in text that has already been read as Markdown, so that only code is
#: safe from it: addresses, emoji and icons between colons, names, numbers of issues, arrows that stand alone.
_LIVE = re.compile(r":(?=\S)|@|`|www\.|#(?=\d)|^[-<>=~]{2,}$", re.IGNORECASE)
#: What begins a list, a heading or a quotation, and a number that does.
_BLOCK = re.compile(r"^(?:[-+#=>]|\d+(?=[.)](?:\s|$)))")
#: What is markup anywhere; an underscore within a word is none.
_MARKUP = re.compile(r"[\\*\[\]~$<>&|]|(?<![^\W_])_|_(?![^\W_])")
#: What ends a cell, in code too.
_PIPE = re.compile(r"(?<!\\)\|")


def literal(text: str) -> str:
    r"""Return Markdown that shows a text as it is.

    Examples
    --------
    >>> print(literal("load: '$x$' is not accepted"), literal("![a](http://b)"), literal("straggle_tail"))
    load: '\$x\$' is not accepted `![a](http://b)` straggle_tail
    >>> literal("give A:5, for example.")
    'give `A:5`, for example.'
    """
    words = " ".join(visible(text).split())
    escaped = re.sub(r"\S+", lambda word: _harmless(word[0]), words)
    return _BLOCK.sub(lambda begin: begin[0] + "\\" if begin[0].isdigit() else "\\" + begin[0], escaped)


def code(text: str) -> str:
    """Return a text as Markdown's code, which no character of it can end.

    Examples
    --------
    >>> code("hopper:epsilon=0.2"), code("a`b")
    ('`hopper:epsilon=0.2`', '``a`b``')
    """
    text = visible(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " * (text.startswith("`") or text.endswith("`"))
    return f"{fence}{space}{text}{space}{fence}"


def block(text: str) -> str:
    """Return lines as a block of code, which none of them can end.

    Examples
    --------
    >>> print(block("a: 1"))
    ```
    a: 1
    ```
    """
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return "\n".join([fence, *map(visible, text.splitlines()), fence])


def row(cells: Iterable[str]) -> str:
    r"""Return a row of a table, whose cells are Markdown.

    Examples
    --------
    >>> print(row(["a", literal("x|y"), code("x|y")]))
    | a | x\|y | `x\|y` |
    """
    return "| " + " | ".join(_PIPE.sub(r"\|", cell) for cell in cells) + " |"


def _harmless(word: str) -> str:
    if not _LIVE.search(word):
        return _MARKUP.sub(r"\\\g<0>", word)
    bare = word.rstrip(".,;")  # the mark that ends a clause is the message's
    return code(bare) + word[len(bare) :]
