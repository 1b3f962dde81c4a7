"""What may be uploaded: bounded for a session and for all, and files that nobody uses give way."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import Receive, Scope, Send
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.server import uploads
from pages.server.uploads import UNUSED_S, UploadLimits
from pages.shared.app import uploads as of_pages
from tests.pages.server.asking import ask, page


class Server:
    """The server behind the limits, which keeps what it is given, and a clock set by hand."""

    def __init__(self) -> None:
        self.files = MemoryUploadedFileManager("")
        self.now = 1000.0
        self.limits = UploadLimits(self.keep, lambda: self.files, lambda: self.now)

    async def keep(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "PUT":
            _, _, session, name = scope["path"].rsplit("/", 3)
            size = int(dict(scope["headers"])[b"content-length"])
            self.files.add_file(session, UploadedFileRec(name, name, "", bytes(size)))
        await page(scope, receive, send)

    def put(self, session: str, name: str, size: int = 10) -> int:
        path = f"/base/_stcore/upload_file/{session}/{name}"
        return ask(self.limits, path, "PUT", content_length=str(size)).status


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr(uploads, "SESSION_BYTES", 100)
    monkeypatch.setattr(uploads, "SESSION_FILES", 3)
    monkeypatch.setattr(uploads, "ALL_BYTES", 250)
    return Server()


def test_a_session_has_so_many_bytes_and_files(server: Server) -> None:
    assert server.put("a", "1", 60) == 200
    assert server.put("a", "2", 41) == 413
    assert server.put("a", "1", 100) == 200  # in the place of the former
    server.files.remove_file("a", "1")
    assert [server.put("a", name, 1) for name in "1234"] == [200, 200, 200, 413]
    assert server.put("b", "1", 100) == 200


def test_all_sessions_have_so_many_bytes_and_unused_files_give_way(server: Server) -> None:
    assert [server.put(session, "file " + session, 100) for session in "abc"] == [200, 200, 503]
    of_pages._TAKEN_UP.add("file a")
    server.now += UNUSED_S + 1
    assert server.put("c", "1", 100) == 200
    assert {session for session, files in server.files.file_storage.items() if files} == {"a", "c"}


def test_what_has_no_size_and_what_arrives_twice_is_refused(server: Server) -> None:
    path = "/_stcore/upload_file/a/1"
    assert ask(server.limits, path, "PUT").status == 411
    assert ask(server.limits, path, "PUT", content_length="-5").status == 411
    server.limits._arriving["a", "1"] = 90
    assert server.put("a", "1") == 409
    assert server.put("a", "2", 20) == 413  # what arrives counts already


def test_a_place_is_free_again_when_an_upload_breaks_off(server: Server) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ConnectionError

    server.limits._app = broken
    scope = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/a/1"}
    with pytest.raises(ConnectionError):
        asyncio.run(server.limits(scope | {"headers": [(b"content-length", b"9")]}, None, None))  # type: ignore[arg-type]
    assert not server.limits._arriving


def test_other_requests_pass(server: Server) -> None:
    assert ask(server.limits, "/").status == 200
    assert ask(server.limits, "/_stcore/upload_file/a/1", "DELETE").status == 200
    assert ask(server.limits, "/_stcore/stream", kind="websocket").kinds == ["websocket.accept"]
