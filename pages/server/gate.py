"""The open paths of the server: pages, their parts, their socket and uploads; and two health checks.

Streamlit serves more than that (its own measures, an interface for programs, components, logins); none of it
is used here, so none of it is answered. To judge a foreign origin it would ask another machine for this one's
address; here an origin is the one that was asked for, or one that the operator has listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server.messages import LONGEST
from pages.server.private import base_path, is_allowed_origin, is_host_allowed

UPLOAD = "_stcore/upload_file/"
#: Of Streamlit's own answers those that its page asks for.
CORE = re.compile(rf"_stcore/(health|host-config|stream)|{UPLOAD}[^/]+/[^/]+")
#: Prefixes of paths that are not pages.
NO_PAGE = re.compile(r"(.*/)?_stcore(/.*)?|(component|auth|app)(/.*)?|oauth2callback", re.DOTALL)
#: Characters of a link after its question mark. No page could refuse a longer one in words: the messages
#: of its socket, which name the whole address, would be dropped (`pages.server.messages`).
LONGEST_LINK = LONGEST - 2**10
#: Health checks of a proxy or of systemd.
HEALTH = {"healthz", "readyz"}
READ, CHANGE = {"GET", "HEAD", "OPTIONS"}, {"PUT", "DELETE"}


def below(path: str, base: str) -> str | None:
    """Return a path below the base path, without a slash at its start; None if it is elsewhere."""
    base = base.strip("/")
    if not base:
        return path.removeprefix("/")
    found = re.fullmatch(rf"/{re.escape(base)}(?:/(.*))?", path, re.DOTALL)
    return None if found is None else found[1] or ""


class Gate:
    """Answers questions about health, and refuses what no page asks for.

    Parameters
    ----------
    app : ASGIApp
    ready : callable
        Returns whether the engines are compiled.
    """

    def __init__(self, app: ASGIApp, *, ready: Callable[[], bool]) -> None:
        self.app = app
        self._ready = ready
        self._base = base_path()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse, or hand on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif answer := self._answer(scope):
            await answer(scope, receive, send)
        elif scope["type"] == "websocket" and not is_own_origin(Headers(scope=scope)):
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self.app(scope, receive, send)

    def _answer(self, scope: Scope) -> PlainTextResponse | None:
        """Return what is answered here, or None if Streamlit is to answer."""
        if scope["type"] != "http":
            return None
        path = below(scope["path"], self._base)
        if path in HEALTH and scope["method"] not in ("GET", "HEAD"):
            return told("method not allowed", 405)
        if path == "healthz":
            return told("alive")
        if path == "readyz":
            return told("ready") if self._ready() else told("the engines are being compiled", 503)
        if not is_host_allowed(Headers(scope=scope).get("host")):
            return told("this name of the server is not among server.allowedHosts", 421)
        if len(scope["query_string"]) > LONGEST_LINK:
            return told(
                f"this link is longer than {LONGEST_LINK:,} characters; open the page without what follows "
                "the question mark, and set its controls there",
                414,
            )
        if path is None or (NO_PAGE.fullmatch(path) and not CORE.fullmatch(path)):
            return told("not found", 404)
        if scope["method"] not in (READ | CHANGE if path.startswith(UPLOAD) else READ):
            return told("method not allowed", 405)
        return None


def told(words: str, status: int = 200) -> PlainTextResponse:
    """Return an answer of one line that nobody keeps."""
    return PlainTextResponse(words + "\n", status, headers={"Cache-Control": "no-store"})


def is_own_origin(headers: Headers) -> bool:
    """Whether a page that opens a socket is of this server, or of an origin that its operator has listed."""
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host") or is_allowed_origin(origin)
