"""The animations of a page, read back from the HTML that the browser gets."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

from streamlit.testing.v1 import AppTest


class _Reader(HTMLParser):
    """Collects the attributes and the text of the first element with an animation."""

    def __init__(self) -> None:
        super().__init__()
        self.animation: dict[str, Any] = {}
        self.look: dict[str, Any] = {}
        self.told = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if text := given.get("data-animation"):
            self.animation, self.look = json.loads(text), json.loads(given["data-look"] or "")

    def handle_data(self, data: str) -> None:
        self.told += data


def read(html: str) -> _Reader:
    """Return what an element holds."""
    reader = _Reader()
    reader.feed(html)
    return reader


def animations_of(at: AppTest) -> list[_Reader]:
    """Return the animations of a page."""
    return [one for one in (read(html.proto.body) for html in at.get("html")) if one.animation]
