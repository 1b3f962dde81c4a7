"""Headers that tell a browser what a page of the app may do, and which sites may frame it."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.private import static_files

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
