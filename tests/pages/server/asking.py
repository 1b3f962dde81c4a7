"""Requests to an ASGI app without a server, with answers as they would be sent, and to a server."""

from __future__ import annotations

import asyncio
import http.client
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True)
class Answer:
    """What an app sent: kinds of its messages, and of an HTTP answer status, headers, and body."""

    kinds: list[str]
    status: int
    headers: dict[str, str]
    body: str


def ask(
    app: ASGIApp, path: str, method: str = "GET", *, kind: str = "http", query: str = "", **headers: str
) -> Answer:
    """Send a request; headers are given with an underscore for a hyphen."""
    named = {"host": "localhost", **{name.replace("_", "-"): text for name, text in headers.items()}}
    scope: dict[str, Any] = {
        "type": kind,
        "path": path,
        "method": method,
        "query_string": query.encode(),
        "headers": [(name.encode(), text.encode()) for name, text in named.items()],
        "client": ("192.0.2.7", 1234),
    }
    sent: list[Message] = []
    comes = [{"type": "websocket.connect" if kind == "websocket" else "http.request"}]

    async def receive() -> Message:
        if not comes:
            await asyncio.Event().wait()  # nothing more is said, and nobody leaves
        return comes.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    start = next((message for message in sent if message["type"] == "http.response.start"), {})
    return Answer(
        [message["type"] for message in sent],
        start.get("status", 0),
        {name.decode(): text.decode() for name, text in start.get("headers", ())},
        b"".join(message.get("body", b"") for message in sent).decode(),
    )


def status(port: int, path: str, patience: float = 5) -> int:
    """Return the status of a server's answer, 0 if there is none."""
    connection = http.client.HTTPConnection("localhost", port, timeout=patience)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


async def page(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer as an app behind the middleware does that finds everything in order."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
    await send({"type": "http.response.body", "body": b"a page"})
