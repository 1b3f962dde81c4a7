"""The rooms of a process: in its memory only, bounded in number and time.

The code of a room begins with the number of the process it lives in, so that a proxy can lead there.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable
from typing import Generic

from pages.server.capacity import Share
from pages.server.room import Room
from pages.server.vote import Asked, Refused, mark

#: Rooms of a process.
MOST_ROOMS = 60
#: Rooms per address: at most half of those that are left; after five, one every 2 s.
SHARE = Share(of_left=0.5, quick=5, pause=2.0)
#: Letters of a code, none like another or like a digit, and how many follow the number of the process.
LETTERS, LENGTH = "BCDFGHJKMNPQRSTVWXYZ", 5
CODE = re.compile(rf"([1-9][0-9]{{0,2}})([{LETTERS}]{{{LENGTH}}})")


class Rooms(Generic[Asked]):
    """The rooms of a process.

    Parameters
    ----------
    process : int, optional
        Number of the process, with which codes begin.
    clock : callable, optional
        Seconds that only grow.
    """

    def __init__(self, process: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self.process, self._clock = process, clock
        self._lock = threading.Lock()
        self._salt = secrets.token_bytes(16)
        self._rooms: dict[str, Room[Asked]] = {}
        self._owners: dict[bytes, str] = {}
        self._origins: dict[str, tuple[bytes, float]] = {}

    def open(self, visitor: str, address: str = "") -> Room[Asked]:
        """Open a room for a visitor, in place of the one that this visitor has opened before.

        Parameters
        ----------
        visitor : str
        address : str, optional
            Where the visitor comes from, if that is known.

        Raises
        ------
        Refused
            If there are as many as the process holds, and somebody is in each; if this address has its share.
        """
        with self._lock:
            self._forget_ended()
            owner, origin = mark(visitor, self._salt), mark(address, self._salt)
            if address:
                self._share(origin, self._owners.get(owner, ""))
            self._forget(self._owners.get(owner, ""))
            if len(self._rooms) >= MOST_ROOMS:
                self._forget(self._empty())
            room = Room[Asked](self._new_code(), self._clock)
            self._origins[room.code] = origin, self._clock()
            self._rooms[room.code], self._owners[owner] = room, room.code
        room.remember(visitor, room.key)
        return room

    def find(self, code: str) -> Room[Asked] | None:
        """Return the room with this code; None if there is none, or not any more."""
        with self._lock:
            self._forget_ended()
            return self._rooms.get(code)

    def opened_by(self, visitor: str) -> Room[Asked] | None:
        """Return the room that a visitor has opened."""
        with self._lock:
            self._forget_ended()
            return self._rooms.get(self._owners.get(mark(visitor, self._salt), ""))

    def close(self, code: str, key: str) -> None:
        """End a room at its teacher's wish."""
        with self._lock:
            room = self._rooms.get(code)
            if room is not None and not room.admits(key):
                raise Refused("This is not the key of the room.")
            self._forget(code)

    def __len__(self) -> int:
        return len(self._rooms)

    def _share(self, origin: bytes, replaced: str) -> None:
        """Refuse a room to an address that has its share; the room it replaces does not count."""
        others = {code: opened for code, (one, opened) in self._origins.items() if one == origin}
        others.pop(replaced, None)
        left = MOST_ROOMS - len(self._rooms)
        since = self._clock() - max(others.values(), default=0.0)
        if not SHARE.admits(len(others), left, since):
            raise Refused(
                f"{len(others)} rooms are open from your network, which is its share for now. Try again in a "
                "minute, or when one of them has ended."
            )

    def _new_code(self) -> str:
        while True:
            code = f"{self.process}{''.join(secrets.choice(LETTERS) for _ in range(LENGTH))}"
            if code not in self._rooms:
                return code

    def _empty(self) -> str:
        """Return the code of the room that has been empty for longest."""
        empty = {code: last for code, room in self._rooms.items() if (last := room.gives_way()) is not None}
        if not empty:
            raise Refused(f"This server has {MOST_ROOMS} rooms open, and no room for another one now.")
        return min(empty, key=lambda code: empty[code])

    def _forget_ended(self) -> None:
        for code in [code for code, room in self._rooms.items() if room.has_ended()]:
            self._forget(code)

    def _forget(self, code: str) -> None:
        self._rooms.pop(code, None)
        self._origins.pop(code, None)
        self._owners = {owner: one for owner, one in self._owners.items() if one != code}


def tidied(code: str) -> str:
    """Return a code as it is written, whoever has typed it.

    Examples
    --------
    >>> tidied(" 1 kt-wxb")
    '1KTWXB'
    """
    return re.sub(r"[\s-]", "", code[:40]).upper()
