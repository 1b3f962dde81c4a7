"""Parts of an answer on the page: what a file for a colleague and a terminal say of it, too."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

import streamlit as st

from sim.telling.document import Head, Lines, Part, Said, as_markdown

#: The language of a file by its suffix, for its colours.
LANGUAGES = {".xml": "xml", ".yaml": "yaml"}


class Section:
    """A place of the page: a heading and parts, which are replaced once they say something else."""

    def __init__(self) -> None:
        self._place, self._said = st.empty(), ""

    def show(self, head: str, parts: Iterable[Part], *, anchor: str) -> None:
        """Show parts below a heading, to which a link leads."""
        listed = [Head(head), *parts]
        if (said := as_markdown(listed)) == self._said:
            return
        self._said = said
        with self._place.container():
            st.header(head, anchor=anchor)
            show_parts(listed[1:])


def show_parts(parts: Iterable[Part]) -> None:
    """Show parts, one below the other; a heading of theirs is a bold line in a section, which has one."""
    for part in parts:
        match part:
            case Head(text=text):
                st.markdown(as_markdown([Head(text, 3)]))
            case Said(small=True):
                st.caption(as_markdown([part]))
            case Lines(text=text, file=file):
                st.code(text, language=LANGUAGES.get(PurePath(file).suffix, "properties"))
            case _:
                st.markdown(as_markdown([part]))
