"""Limits on uploads, for a session and for all; files that nobody uses are dropped."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.server import uploads
from pages.server.uploads import LATE_S, PACE, UNUSED_S, Arrival, UploadLimits
from pages.shared.app import uploads as of_pages
from tests.pages.server.asking import ask, page


class Server:
    """The server behind the limits, which keeps what it is given, and a clock set by hand."""

    def __init__(self) -> None:
        self.files = MemoryUploadedFileManager("")
        self.now = 1000.0
        self.there = set("abcdef")
        self.limits = UploadLimits(
            self.keep, lambda: self.files, lambda: self.now, lambda session: session in self.there
        )

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
    monkeypatch.setattr(uploads, "ALL_BYTES", 400)
    return Server()


def test_a_session_has_so_many_bytes_and_files(server: Server) -> None:
    assert server.put("a", "1", 60) == 200
    assert server.put("a", "2", 41) == 413
    assert server.put("a", "1", 100) == 200  # in the place of the former
    server.files.remove_file("a", "1")
    assert [server.put("a", name, 1) for name in "1234"] == [200, 200, 200, 413]
    assert server.put("b", "1", 100) == 200


def test_all_sessions_have_so_many_bytes_and_unused_files_give_way(server: Server) -> None:
    assert [server.put(session, "file " + session, 100) for session in "abcd"] == [200, 200, 200, 503]
    of_pages._TAKEN_UP.add("file a")
    server.now += UNUSED_S + 1
    assert server.put("d", "1", 100) == 200
    assert {session for session, files in server.files.file_storage.items() if files} == {"a", "d"}


def test_a_small_file_is_taken_when_a_few_sessions_hold_all_they_may(server: Server) -> None:
    for session, size in (("a", 100), ("b", 100), ("c", 100), ("d", 50), ("e", 25)):
        assert server.put(session, "1", size + 1) in (413, 503)
        assert server.put(session, "1", size) == 200
    assert server.put("f", "1", 12) == 200


@pytest.mark.parametrize("parts", [1, 5, 10**9])
def test_a_refused_file_is_answered_when_it_has_been_sent_or_takes_too_long(
    server: Server, monkeypatch: pytest.MonkeyPatch, parts: int
) -> None:
    """A browser hears an answer only when it is done sending."""
    monkeypatch.setattr(uploads, "LINGER_S", 0.1)
    read, heard = 0, []

    async def receive() -> dict[str, Any]:
        nonlocal read
        read += 1
        await asyncio.sleep(0.001)
        return {"type": "http.request", "body": b"x", "more_body": read < parts}

    async def send(event: Any) -> None:
        heard.append((event["type"], read))

    scope = {
        "type": "http",
        "method": "PUT",
        "path": "/_stcore/upload_file/a/1",
        "headers": [(b"content-length", b"101")],
    }
    asyncio.run(server.limits(scope, receive, send))
    assert heard[0][0] == "http.response.start"
    assert heard[0][1] == read
    assert read == parts or 2 < read < 200


def test_a_file_of_no_page_is_refused_before_it_is_read(server: Server) -> None:
    assert server.put("no session", "1") == 400
    assert not server.limits._arriving


@pytest.mark.parametrize(
    ("come", "seconds", "status"),
    [(0, LATE_S + 1, 408), (5 * PACE, LATE_S + 4, 0), (5 * PACE, LATE_S + 6, 408)],
)
def test_a_file_that_does_not_arrive_is_given_up(
    server: Server, monkeypatch: pytest.MonkeyPatch, come: int, seconds: float, status: int
) -> None:
    monkeypatch.setattr(uploads, "ALL_BYTES", 2**30)
    monkeypatch.setattr(uploads, "SESSION_BYTES", 2**29)
    assert stalled(server, monkeypatch, come, seconds) == status


@pytest.mark.parametrize(
    ("size", "each", "leaves", "status", "most"),
    [
        (10**6, 1, "", 408, LATE_S + 2),  # a byte a second
        (10**6, 2 * PACE, "", 0, 100),
        (50, 20, "", 413, 3),  # in chunks, for which a server may not look at the size
        (10**6, 2 * PACE, "a", 400, 1),
    ],
)
def test_a_file_that_comes_in_small_parts_is_held_to_its_pace(
    server: Server, monkeypatch: pytest.MonkeyPatch, size: int, each: int, leaves: str, status: int, most: int
) -> None:
    monkeypatch.setattr(uploads, "ALL_BYTES", 2**30)
    monkeypatch.setattr(uploads, "SESSION_BYTES", 2**29)
    received, sent = 0, list[Any]()

    async def receive() -> Any:
        nonlocal received
        received += 1
        server.now += 1
        server.there.discard(leaves)
        return {"type": "http.request", "body": bytes(each), "more_body": received < 100}

    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass

    async def send(event: Any) -> None:
        sent.append(event)

    server.limits._app = read
    scope = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/a/s"}
    length = {"headers": [(b"content-length", str(size if each < PACE else 100 * each).encode())]}
    asyncio.run(server.limits(scope | length, receive, send))
    assert (sent[0]["status"] if sent else 0) == status
    assert received <= most


def test_a_file_ends_with_its_session(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stalled(server, monkeypatch, 0, 1.0, leaves="a") == 400


def test_files_that_arrive_count_as_what_has_come(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight announced files that do not come would be all that the server holds."""
    for number, session in enumerate("bcde" * 2):
        one = Arrival(session, str(number), 49, server.now)
        server.limits._arriving[session, one.name] = one
    assert server.put("f", "1", 100) == 200
    monkeypatch.setattr(uploads, "ALL_BYTES", 110)
    assert stalled(server, monkeypatch, 20, 0.0) == 503


def stalled(
    server: Server, monkeypatch: pytest.MonkeyPatch, come: int, seconds: float, leaves: str = ""
) -> int:
    """Put a file of which a part comes, and then, so many seconds later, nothing; return the status, or 0."""
    monkeypatch.setattr(uploads, "LOOK_S", 0.01)
    sent: list[dict[str, Any]] = []
    parts = [{"type": "http.request", "body": bytes(come), "more_body": True}]

    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            await receive()

    async def receive() -> Any:
        if parts:
            return parts.pop()
        server.now += seconds
        server.there.discard(leaves)
        await asyncio.sleep(0.2)
        raise TimeoutError

    async def send(event: Any) -> None:
        sent.append(event)

    server.limits._app = read
    length = [(b"content-length", str(max(come, 9)).encode())]
    scope = {"type": "http", "method": "PUT", "path": "/_stcore/upload_file/a/s", "headers": length}
    with contextlib.suppress(TimeoutError):
        asyncio.run(server.limits(scope, receive, send))
    assert ("a", "s") not in server.limits._arriving
    return sent[0]["status"] if sent else 0


def test_what_has_no_size_and_what_arrives_twice_is_refused(server: Server) -> None:
    path = "/_stcore/upload_file/a/1"
    assert ask(server.limits, path, "PUT").status == 411
    assert ask(server.limits, path, "PUT", content_length="-5").status == 411
    server.limits._arriving["a", "1"] = Arrival("a", "1", 90, server.now)
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
