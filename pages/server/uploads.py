"""How much of what visitors upload the server holds: refused at the door, or given up when nobody uses it.

A browser puts a file here before the page hears of it. So a session may hold so many bytes and files, all
together so many bytes, and a file that no page has taken up within `UNUSED_S` gives way to others.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import cast

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.shared.app.uploads import taken_up

#: Bytes and files of a session, and bytes of all sessions.
SESSION_BYTES, SESSION_FILES, ALL_BYTES = 128 * 2**20, 32, 384 * 2**20
#: Seconds after which a file that no page has taken up is given up.
UNUSED_S = 60.0
_PATH = "/_stcore/upload_file/"


def _manager() -> MemoryUploadedFileManager:
    return cast(MemoryUploadedFileManager, runtime.get_instance().uploaded_file_mgr)


class UploadLimits:
    """ASGI middleware that looks at what is uploaded before it is read.

    Parameters
    ----------
    app : ASGI application
    files : callable, optional
        The manager of uploaded files.
    clock : callable, optional
    """

    def __init__(
        self,
        app: ASGIApp,
        files: Callable[[], MemoryUploadedFileManager] = _manager,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app, self._files, self._clock = app, files, clock
        self._lock = threading.Lock()
        self._put: dict[tuple[str, str], float] = {}
        self._arriving: dict[tuple[str, str], int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless it is a file for which there is no room."""
        path = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] != "PUT" or _PATH not in path:
            await self._app(scope, receive, send)
            return
        session, _, name = path.partition(_PATH)[2].partition("/")
        length = dict(scope["headers"]).get(b"content-length", b"")
        size = int(length) if length.isdigit() else None
        with self._lock:
            refused = self._refused(session, name, size)
            if not refused:
                self._arriving[session, name] = size or 0
        if refused:
            await PlainTextResponse(refused[1], refused[0])(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            with self._lock:
                del self._arriving[session, name]
                self._put[session, name] = self._clock()

    def _refused(self, session: str, name: str, size: int | None) -> tuple[int, str] | None:
        """Return a status and why a file is refused, or None; the lock is held."""
        if size is None:
            return 411, "the size of the file is missing"
        if (session, name) in self._arriving:
            return 409, "this file is arriving already"
        self._give_up_unused()
        held = {(owner, one): len(file.data) for owner, files in self._held() for one, file in files.items()}
        held.pop((session, name), None)
        held |= self._arriving
        own = [number for (owner, _), number in held.items() if owner == session]
        if len(own) >= SESSION_FILES or sum(own) + size > SESSION_BYTES:
            most = f"{SESSION_FILES} files and {SESSION_BYTES // 2**20} MB"
            return 413, f"a visitor may have {most} here; remove a file first"
        if sum(held.values()) + size > ALL_BYTES:
            return 503, "this server holds as many files as it can; try again in a few minutes"
        return None

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
