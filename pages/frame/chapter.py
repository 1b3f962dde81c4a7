"""The link from a page to its chapter in the documents, where the server knows where they are."""

from __future__ import annotations

import streamlit as st

from pages.frame.menu import Entry, entries
from pages.server.run import documents


def show_chapter(page: str) -> None:
    """Draw the link of a page; nothing where there are no documents."""
    if root := documents():
        entry = next(one for one in entries() if one.name == page)
        st.link_button(
            f"{entry.title} in the documents",
            root + address(entry),
            icon=":material/article:",
            type="tertiary",
        )


def address(entry: Entry) -> str:
    """Return where the chapter of a page is, below the first page of the built documents.

    Examples
    --------
    >>> address(Entry("compare", "Compare", "How?", "tutorials/first-comparison#compare"))
    'tutorials/first-comparison.html#compare'
    """
    document, _, heading = entry.chapter.partition("#")
    return f"{document}.html" + (f"#{heading}" if heading else "")
