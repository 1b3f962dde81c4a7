"""Controls of the Room page: the parameters of its address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from pages.room.question import Asked
from pages.server.capacity import network
from pages.server.private import session, token
from pages.server.room import KEY, Room
from pages.server.rooms import CODE, LENGTH, Rooms, tidied
from pages.server.run import chosen
from pages.shared.controls.control import Control, Panel, Switch
from pages.shared.controls.links import SHOWN
from sim.model.cached import once
from sim.model.fields import BadInput
from theory.quoting import quoted

# The rooms of this process, and how a visitor of one is recognised.

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


PAGE = "room"


@dataclass(frozen=True, slots=True)
class Written:
    """A text of a fixed form, or nothing; it is typed."""

    form: re.Pattern[str]
    accepted: str

    def read(self, name: str, text: str) -> str:
        """Return the text as it is written here.

        Examples
        --------
        >>> PANEL.controls["room"].values.read("room", "1kt-wxb")
        '1KTWXB'
        >>> PANEL.controls["room"].values.read("room", "7")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: room: '7' is not accepted; give a number and 5 consonants ...
        """
        found = tidied(text) if self.form is CODE else text
        if found and not self.form.fullmatch(found):
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give {self.accepted}")
        return found

    def write(self, value: str) -> str:
        """Return the text itself."""
        return value

    def show(self, value: str) -> str:
        """Return the text itself."""
        return value

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw a field to type into."""
        return st.text_input(label, key=key, **options)


PANEL = Panel(
    PAGE,
    (
        Control(
            "room",
            "Code of the room",
            Written(CODE, f"a number and {LENGTH} consonants except L, like 1KTWXB"),
            "",
        ),
        Control("teach", "Its teacher", Switch(), False),
        Control("key", "Key of its teacher", Written(KEY, "the 22 letters that its teacher has"), ""),
    ),
    version="",
)
