"""Limits on uploads that the server holds: too large ones are refused, unused ones are dropped.

A browser puts a file here before the page hears of it. So a session may hold so many bytes and files, all
together so many bytes, and a file that no page has taken up within `UNUSED_S` gives way to others. Of what is
left for all a session gets a half, so that a small file is taken when a few sessions hold all they may. A
file that arrives counts with the bytes that have come, must come at a pace, and ends with its session.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.private import MemoryUploadedFileManager, UploadedFileRec, is_active, uploaded_files
from pages.shared.app.uploads import taken_up

#: Bytes and files of a session, and bytes of all sessions.
SESSION_BYTES, SESSION_FILES, ALL_BYTES = 128 * 2**20, 32, 384 * 2**20
#: Seconds after which a file that no page has taken up is given up.
UNUSED_S = 60.0
#: Bytes a second at which a file must arrive, and seconds that it may be late.
PACE, LATE_S = 16 * 2**10, 20.0
#: Seconds without a byte after which is looked whether the page that gives a file is still open.
LOOK_S = 5.0
#: Seconds for which the rest of a refused file is read, and forgotten.
LINGER_S = 10.0
FULL = "this server holds as many files as it can; try again in a few minutes"
_PATH = "/_stcore/upload_file/"


def _answer(status: int, words: str) -> PlainTextResponse:
    """Return an answer after which the connection is closed."""
    return PlainTextResponse(words, status, headers={"Connection": "close"})


class Stopped(Exception):
    """A file is not received to its end; `status` and `words` say why."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words


@dataclass(eq=False)
class Arrival:
    """A file that arrives: its session and name, the bytes it is to have, and those that have come."""

    session: str
    name: str
    size: int
    begun: float
    come: int = 0


class UploadLimits:
    """ASGI middleware that looks at what is uploaded, before it is read and while it arrives.

    Parameters
    ----------
    app : ASGI application
    files : callable, optional
        The manager of uploaded files.
    clock : callable, optional
    is_there : callable, optional
        Tells whether a session has its page open.
    """

    def __init__(
        self,
        app: ASGIApp,
        files: Callable[[], MemoryUploadedFileManager] = uploaded_files,
        clock: Callable[[], float] = time.monotonic,
        is_there: Callable[[str], bool] = is_active,
    ) -> None:
        self._app, self._files, self._clock, self._is_there = app, files, clock, is_there
        self._lock = threading.Lock()
        self._put: dict[tuple[str, str], float] = {}
        self._arriving: dict[tuple[str, str], Arrival] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless it is a file for which there is no room."""
        path = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] != "PUT" or _PATH not in path:
            await self._app(scope, receive, send)
            return
        session, _, name = path.partition(_PATH)[2].partition("/")
        length = dict(scope["headers"]).get(b"content-length", b"")
        size = int(length) if length.isdigit() and len(length) < 20 else None
        arrival = Arrival(session, name, size or 0, self._clock())
        with self._lock:
            refused = self._refused(arrival, size is not None)
            if not refused:
                self._arriving[session, name] = arrival
        if refused:
            await self._rest(arrival, receive)
            await _answer(*refused)(scope, receive, send)
            return
        begun = False

        async def sent(event: Message) -> None:
            nonlocal begun
            begun = True
            await send(event)

        try:
            await self._app(scope, lambda: self._received(arrival, receive), sent)
        except Stopped as why:
            if not begun:
                if why.words == FULL:  # who sends less or more than was said is not waited for
                    with self._lock:
                        arrival.come = arrival.size = 0  # what has come is forgotten: others have room
                    await self._rest(arrival, receive)
                await _answer(why.status, why.words)(scope, receive, send)
        finally:
            with self._lock:
                del self._arriving[session, name]
                self._put[session, name] = self._clock()

    async def _rest(self, arrival: Arrival, receive: Receive) -> None:
        """Read the rest of a refused file: a browser that is still sending would hear nothing but a reset."""
        if self._is_there(arrival.session):
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_S):
                    while (await receive()).get("more_body"):
                        pass

    async def _received(self, arrival: Arrival, receive: Receive) -> Message:
        """Return the next part of a file that arrives."""
        waiting = asyncio.ensure_future(receive())
        try:
            while not (await asyncio.wait({waiting}, timeout=LOOK_S))[0]:
                self._goes_on(arrival)
        finally:
            waiting.cancel()
        event = waiting.result()
        if event["type"] == "http.disconnect":
            raise Stopped(400, "the file breaks off")  # which nobody hears
        arrival.come += len(event.get("body", b""))
        if event.get("more_body"):  # a byte now and then is no pace
            self._goes_on(arrival)
        with self._lock:
            if sum(self._bytes().values()) > ALL_BYTES:
                raise Stopped(503, FULL)
        return event

    def _goes_on(self, arrival: Arrival) -> None:
        """Stop a file that comes too slowly, is more than was said, or whose page is closed."""
        if self._clock() - arrival.begun > LATE_S + arrival.come / PACE:
            raise Stopped(408, "the file arrives too slowly")
        if arrival.come > arrival.size:
            raise Stopped(413, "the file has more bytes than were announced")
        if not self._is_there(arrival.session):
            raise Stopped(400, "the page that gives this file is closed")

    def _refused(self, arrival: Arrival, has_size: bool) -> tuple[int, str] | None:
        """Return a status and why a file is refused, or None; the lock is held."""
        session, name, size = arrival.session, arrival.name, arrival.size
        if not has_size:
            return 411, "the size of the file is missing"
        if not self._is_there(session):
            return 400, "there is no page that could give a file"
        if (session, name) in self._arriving:
            return 409, "this file is arriving already"
        self._give_up_unused()
        held = self._bytes()
        held.pop((session, name), None)
        others = sum(number for (owner, _), number in held.items() if owner != session)
        own = {name: number for (owner, name), number in held.items() if owner == session}
        own |= {one.name: one.size for one in self._arriving.values() if one.session == session}
        if len(own) >= SESSION_FILES or sum(own.values()) + size > SESSION_BYTES:
            most = f"{SESSION_FILES} files and {SESSION_BYTES // 2**20} MB"
            return 413, f"a visitor may have {most} here; remove a file first"
        if sum(own.values()) + size > (ALL_BYTES - others) // 2:
            return 503, FULL
        return None

    def _bytes(self) -> dict[tuple[str, str], int]:
        """Return the bytes that are here of each file, by its session and name; the lock is held."""
        held = {(owner, one): len(file.data) for owner, files in self._held() for one, file in files.items()}
        return held | {one: arrival.come for one, arrival in self._arriving.items()}

    def _give_up_unused(self) -> None:
        """Remove the files that were put here and that no page has taken up."""
        manager, now = self._files(), self._clock()
        there = {(owner, one) for owner, files in self._held() for one in files}
        self._put = {one: put for one, put in self._put.items() if one in there}
        used = taken_up({name for _, name in there})
        for (owner, name), put in self._put.items():
            if now - put > UNUSED_S and name not in used:
                manager.remove_file(owner, name)

    def _held(self) -> list[tuple[str, dict[str, UploadedFileRec]]]:
        """Return the files of each session as they are now: scripts change them meanwhile."""
        return [(owner, dict(files)) for owner, files in list(self._files().file_storage.items())]
