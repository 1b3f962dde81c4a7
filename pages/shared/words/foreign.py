"""Text that others wrote, as Markdown: shown letter by letter, never interpreted.

A message may hold what somebody put into a link, a file or its name. Streamlit reads Markdown, LaTeX,
colours, icons and emoji in it, and a browser loads the images. So every message that is not a constant is
shown by `show_error`, `show_info` or `show_warning`; a test sees to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from sim.telling.document import code as code
from sim.telling.document import literal as literal
from sim.telling.words import listed


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
