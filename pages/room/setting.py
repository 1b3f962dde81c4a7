"""The rooms of this process, and how a visitor of one is recognised."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from pages.room.question import Asked
from pages.server.capacity import network
from pages.server.private import session, token
from pages.server.room import Room
from pages.server.rooms import CODE, Rooms
from pages.server.run import chosen
from pages.shared.controls.links import SHOWN
from sim.model.cached import once

#: Where a session has what its visitor is known by.
VISITOR = "room:visitor"
#: Names by which only the machine itself is reached.
ALONE = ("localhost", "127.0.0.1", "::1")


@once
def rooms() -> Rooms[Asked]:
    """Return the rooms of this process."""
    return Rooms(chosen().process)


def visitor() -> str:
    """Return what a visitor is known by: a token of the browser, which stays when a page is loaded again.

    The token is Streamlit's own, against forged uploads. A browser without cookies is known by its session.
    """
    known = st.session_state.get(VISITOR)
    if known is None:
        known = st.session_state[VISITOR] = token(st.context.cookies).hex() or session()
    return str(known)


def address() -> str:
    """Return where the visitor comes from, "" if that is this machine or not known.

    Behind a proxy on this machine it is what the proxy says, and what anybody else says is not looked at.
    """
    return network(st.context.ip_address)


def is_elsewhere(code: str) -> bool:
    """Tell whether a room with this code lives in another process."""
    found = CODE.fullmatch(code)
    return found is not None and int(found[1]) != rooms().process


def link(code: str) -> str:
    """Return the address at which students join a room."""
    return f"{st.context.url or ''}?room={code}"


def stage_link(code: str) -> str:
    """Return the address of the stage: the teacher's page in presenter mode, without the key."""
    return f"{link(code)}&teach=1&{SHOWN}=2"


def is_alone() -> bool:
    """Tell whether the visitor has come by an address that no other machine reaches."""
    return urlsplit(st.context.url or "").hostname in ALONE


def key_of(room: Room[Asked], given: str) -> str:
    """Return the key of a room if the visitor is its teacher (by the key, or recognised), else nothing."""
    if given and room.admits(given):
        room.remember(visitor(), given)
        return given
    return room.key_of(visitor())
