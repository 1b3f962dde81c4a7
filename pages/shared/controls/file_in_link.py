"""The file that a link needs: of a file, a link holds only its size, its digest and its name.

Its text is ``bytes,digest,name``: the size, the first digits of the SHA-256, and the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.app.uploads import attached, digest
from pages.shared.controls.control import Control
from pages.shared.controls.links import remember
from pages.shared.words.foreign import show_warning
from sim.logs.source import Upload
from sim.model.fields import BadInput
from theory.quoting import quoted

#: Name of the parameter, digits of the digest, characters of the name.
NAME, DIGITS, LONGEST = "file", 16, 80


@dataclass(frozen=True, slots=True)
class FileInLink:
    """The text of a file, or nothing."""

    def read(self, name: str, text: str) -> str:
        """Return the text.

        Examples
        --------
        >>> FileInLink().read("file", "1234,0123456789abcdef,jobs.csv")
        '1234,0123456789abcdef,jobs.csv'
        """
        if not text:
            return ""
        size, digits, own = (*text.split(",", 2), "", "")[:3]
        fine = size.isascii() and size.isdigit() and len(size) < 13
        if not (fine and len(digits) == DIGITS and set(digits) <= set("0123456789abcdef") and own):
            raise BadInput(
                f"{name}: {quoted(text)} is not accepted; give bytes,digest,name as a link here has it"
            )
        return f"{size},{digits},{own[:LONGEST]}"

    def write(self, value: str) -> str:
        """Return the text itself."""
        return value

    def show(self, value: str) -> str:
        """Return the file in words."""
        return described(value) if value else "none"

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw nothing: the file is given in an uploader."""
        return ""


#: The control that a page with an uploader has among its own.
CONTROL = Control(NAME, "File of the link", FileInLink(), "")


def text_of(files: Sequence[Upload]) -> str:
    """Return the text of the largest of these files; nothing if there is none.

    A history may be several files; some of them hold next to nothing.

    Examples
    --------
    >>> text_of([Upload("status", b""), Upload("events", b"{}")])
    '2,44136fa355b3678a,events'
    """
    one = max(files, key=lambda file: len(file.data), default=None)
    return ",".join((str(len(one.data)), digest(one)[:DIGITS], one.name[:LONGEST])) if one else ""


def described(text: str) -> str:
    """Return the text of a file in words.

    Examples
    --------
    >>> described("1234567,0123456789abcdef,jobs.csv")
    'jobs.csv (1,234,567 bytes, SHA-256 0123456789abcdef…)'
    """
    size, digits, name = text.split(",", 2)
    return f"{name} ({int(size):,} bytes, SHA-256 {digits}…)"


def given(page: str, key: str, needed: str, name: str = NAME) -> list[Upload]:
    """Return the files of a page's uploader, and note them for its links.

    Parameters
    ----------
    page, key : str
        Name of the page, and key of its uploader.
    needed : str
        Text of the file that its link was made with.
    name : str, optional
        Name of the control that holds it.

    Raises
    ------
    BadInput
        If a file is needed and not there: after a restart, a reload, or on another machine.
    """
    files = there(key, needed)
    note(page, files, needed, name)
    return files


def there(key: str, needed: str) -> list[Upload]:
    """Return the files of an uploader; raises `BadInput` if one is needed and not there."""
    try:
        files = attached(key)
    except BadInput:
        if not needed:
            raise
        files = []
    if needed and not files:
        raise BadInput(
            f"file: this link needs {described(needed)}, which is gone after a reload, once you have left, "
            "and on another machine; drop it again, or go on without it"
        )
    return files


def note(page: str, files: Sequence[Upload], needed: str, name: str = NAME) -> str:
    """Note the files that a page shows for its links, and say if its link was made with another one."""
    now = text_of(files)
    if is_of_link(page, needed, name) and not same(needed, now):
        show_warning(f"file: this link was made with {described(needed)}; the file you gave is another one.")
    if now != needed:
        st.session_state[f"{page}:{name}"] = now
        remember(page, name, now)
    return now


def is_of_link(page: str, needed: str, name: str = NAME) -> bool:
    """Whether the text of a file is that of a link, and not of a file that was given here."""
    return bool(needed) and st.session_state.get(f"{page}:{name}") != needed


def same(one: str, other: str) -> bool:
    """Whether two texts are of the same content, whatever it is called."""
    return one.split(",")[:2] == other.split(",")[:2]


def warn_of_loss(place: str = "this page") -> None:
    """Say that the file is gone when the visitor leaves a place, or loads it again."""
    st.caption(f"Leaving {place} or loading it again loses the file: then drop it again.")


def offer_without(page: str, name: str = NAME) -> None:
    """Draw a button to go on without the file that is needed."""
    st.button("Go on without the file", on_click=remember, args=(page, name, ""), key=f"{page}:without")


def forget_removed(page: str, key: str, name: str = NAME) -> None:
    """Forget the file of the links when a visitor has removed it; for the uploader's `on_change`."""
    if not st.session_state.get(key):
        remember(page, name, "")
