"""Text that others wrote, as Markdown: shown letter by letter, never interpreted.

A message may hold what somebody put into a link, a file or its name. Streamlit reads Markdown, LaTeX,
colours, icons and emoji in it, and a browser loads the images. So every message that is not a constant is
shown by `show_error`, `show_info` or `show_warning`; a test sees to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from sim.telling.words import listed
from theory.shown import visible

#: What Streamlit looks for in text that has already been read as Markdown, so that only code is safe from it:
#: addresses, emoji and icons between colons, arrows that stand alone.
_LIVE = re.compile(r":(?=\S)|@|`|www\.|^[-<>=~]{2,}$", re.IGNORECASE)
#: What begins a list, a heading or a quotation, and a number that does.
_BLOCK = re.compile(r"^(?:[-+#=>]|\d+(?=[.)](?:\s|$)))")
#: What is markup anywhere; an underscore within a word is none.
_MARKUP = re.compile(r"[\\*\[\]~$<>&|]|(?<![^\W_])_|_(?![^\W_])")


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


def noticed(notices: Sequence[str]) -> str:
    """Return what to notice in a page, in Markdown."""
    return "**What to notice**\n\n" + "\n".join(f"- {notice}" for notice in notices)


def bold(policy: str) -> str:
    """Return what a policy is called as Markdown; such names are ours, or numbers."""
    return f"**{policy}**"


def bolds(policies: Sequence[str], word: str = "and") -> str:
    """Return policies as Markdown, joined as in a sentence."""
    return listed([bold(policy) for policy in policies], word)


def show_error(message: str) -> None:
    """Say what is wrong."""
    st.error(literal(message), icon=":material/error:")


def show_info(message: str) -> None:
    """Say what is worth knowing."""
    st.info(literal(message), icon=":material/info:")


def show_warning(message: str) -> None:
    """Say what of a link could not be used."""
    st.warning(literal(message), icon=":material/link_off:")


def _harmless(word: str) -> str:
    if not _LIVE.search(word):
        return _MARKUP.sub(r"\\\g<0>", word)
    bare = word.rstrip(".,;")  # the mark that ends a clause is the message's
    return code(bare) + word[len(bare) :]
