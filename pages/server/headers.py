"""Headers that tell a browser what a page of the app may do, and which sites may frame it."""

from __future__ import annotations

import gc
import hashlib
import re
import threading
import time
from base64 import b64encode
from pathlib import Path

import pandas as pd  # noqa: F401  (whole before a page is drawn: Plotly takes a part of it for all of it)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.private import forget_pages_folder, static_files
from pages.shared.app.turns import turns

# The frame of the app, made once per process: its icon, and a warm start.
#
# It is not in `app.py` since that file is run again for every visitor at every move, and Streamlit would
# read the source of what is cached there each time.

#: The mark of the app as an address; from a file it would be read again for every visitor at every move.
MARK = "data:image/svg+xml;base64," + b64encode((Path(__file__).parent / "mark.svg").read_bytes()).decode()
#: Seconds to wait for a first visitor, then for the first answer, and for which that has the machine alone.
FIRST_S, ANSWER_S, ALONE_S = 3.0, 10.0, 1.0
#: Taken by the first visitor and never given back: a class may come to a fresh server at once.
_begun = threading.Lock()
_answered = threading.Event()
_ready = threading.Event()


def pages_are_ours() -> None:
    """Tell Streamlit that the folder ``pages`` holds no pages of an older kind, one a file.

    It thinks so until `st.navigation` has been called once in a process, and would tell the first visitor who
    asks for a page by its address that there is none.
    """
    forget_pages_folder()


def warm_start() -> None:
    """Load what the pages will need, once a process, after the first page has been shown.

    Who starts the app opens it at once. What is loaded meanwhile takes the interpreter from the first page,
    and a core from the browser: if the page comes first, Start is there in 0.7 of the time.
    """
    if _begun.acquire(blocking=False):
        threading.Thread(target=_load, name="warm start", daemon=True).start()


def first_answered() -> None:
    """Tell that a session has an answer."""
    _answered.set()


def engines_ready() -> bool:
    """Whether the engines are compiled and loaded, so that nobody waits for that any more."""
    return _ready.is_set()


def _load() -> None:
    """Load the engines, then set all that is loaded apart from what is searched for garbage."""
    if _answered.wait(FIRST_S) or (turns().unanswered and _answered.wait(ANSWER_S)):
        time.sleep(ALONE_S)
    from pages.shared.app.turns import engines

    engines().load()
    gc.collect()
    gc.freeze()  # with all that loaded a full collection stops all sessions for 40 ms
    _ready.set()


POLICY = "Content-Security-Policy"
#: A script within a page; one with a source of its own is no such.
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def security_headers(frame_ancestors: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the headers of every answer.

    Parameters
    ----------
    frame_ancestors : tuple of str
        Origins whose pages may show the app in a frame.
    """
    headers = {
        POLICY: content_policy(frame_ancestors),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
    if not frame_ancestors:  # the older header knows no list of origins; where both are sent it is ignored
        headers["X-Frame-Options"] = "DENY"
    return headers


def content_policy(
    frame_ancestors: tuple[str, ...] = (), scripts: tuple[str, ...] | None = None, forms: str = "'none'"
) -> str:
    """Return the Content-Security-Policy: everything comes from this server, nothing is evaluated.

    Streamlit and Plotly write style elements of their own, and show pictures made in the page (data, blob).
    The library that reads Streamlit's messages computes large integers in a WebAssembly of 300 bytes.

    Parameters
    ----------
    frame_ancestors : tuple of str
    scripts : tuple of str, optional
        Digests of the scripts inside the pages that this is for; by default those of Streamlit's page.
    forms : str, optional
        Where the fields of a page may be sent.
    """
    ancestors = " ".join(frame_ancestors) or "'none'"
    if scripts is None:
        page = (static_files() / "index.html").read_text(encoding="utf-8")
        scripts = ("'wasm-unsafe-eval'", *inline_scripts(page))
    sources = " ".join(("'self'", *scripts))
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {sources}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "base-uri 'none'",
            f"form-action {forms}",
            f"frame-ancestors {ancestors}",
        )
    )


def inline_scripts(page: str) -> list[str]:
    """Return the digests of the scripts inside a page."""
    digests = (hashlib.sha256(script.encode()).digest() for script in INLINE_SCRIPT.findall(page))
    return [f"'sha256-{b64encode(digest).decode()}'" for digest in digests]


class SecurityHeaders:
    """Adds the headers to every answer, refusals and errors too; a policy that an answer brings stays."""

    def __init__(self, app: ASGIApp, *, frame_ancestors: tuple[str, ...] = ()) -> None:
        self.app = app
        chosen = security_headers(frame_ancestors)
        self._headers = [(name.lower().encode(), value.encode()) for name, value in chosen.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and add the headers to the answer."""

        async def with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                sent = list(message.get("headers", ()))
                own = {name.lower() for name, _ in sent} & {POLICY.lower().encode()}
                message["headers"] = [*sent, *(one for one in self._headers if one[0] not in own)]
            await send(message)

        await self.app(scope, receive, with_headers)
