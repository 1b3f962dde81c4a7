"""The link of a student into a room: its page has the vote, and nothing of the frame."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.server.rooms import CODE, tidied

#: The page of rooms.
PAGE = "room"
#: What hides that which is around every page; a rule for all pages would be asked at each change of a chart.
ALONE = "<style>[data-testid='stHeader'], #frame-bar { display: none; }</style>"


def is_vote(page: str, query: Mapping[str, str]) -> bool:
    """Tell whether an address is that of a student in a room.

    Examples
    --------
    >>> is_vote("room", {"room": "1KTWXB"}), is_vote("room", {"room": "1KTWXB", "teach": "1"})
    (True, False)
    """
    teaches = query.get("teach") == "1" or query.get("key")
    return page == PAGE and not teaches and CODE.fullmatch(tidied(query.get("room", ""))) is not None


def here() -> str:
    """Return the last part of the address that the visitor has open; empty if it is not known."""
    return (st.context.url or "").partition("?")[0].rpartition("/")[2]  # a forged one is no error


def show_alone() -> None:
    """Draw nothing around the page that is drawn now."""
    st.html(ALONE)
