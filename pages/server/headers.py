"""Headers that tell a browser what a page of the app may do, and which sites may frame it."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.private import static_files

INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def security_headers(frame_ancestors: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the headers of every answer.

    Parameters
    ----------
    frame_ancestors : tuple of str
        Origins whose pages may show the app in a frame.
    """
    headers = {
        "Content-Security-Policy": content_policy(frame_ancestors),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
    if not frame_ancestors:  # the older header knows no list of origins; where both are sent it is ignored
        headers["X-Frame-Options"] = "DENY"
    return headers


def content_policy(frame_ancestors: tuple[str, ...] = ()) -> str:
    """Return the Content-Security-Policy: everything comes from this server, nothing is evaluated.

    Streamlit and Plotly write style elements of their own, and show pictures made in the page (data, blob).
    The library that reads Streamlit's messages computes large integers in a WebAssembly of 300 bytes.
    """
    ancestors = " ".join(frame_ancestors) or "'none'"
    scripts = " ".join(("'self'", "'wasm-unsafe-eval'", *_inline_scripts()))
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {ancestors}",
        )
    )


def _inline_scripts() -> list[str]:
    """Return the digests of the scripts inside Streamlit's page, as they are installed here."""
    page = (static_files() / "index.html").read_text(encoding="utf-8")
    digests = (hashlib.sha256(script.encode()).digest() for script in INLINE_SCRIPT.findall(page))
    return [f"'sha256-{b64encode(digest).decode()}'" for digest in digests]


class SecurityHeaders:
    """Adds the headers to every answer, refusals and errors too."""

    def __init__(self, app: ASGIApp, *, frame_ancestors: tuple[str, ...] = ()) -> None:
        self.app = app
        chosen = security_headers(frame_ancestors)
        self._headers = [(name.lower().encode(), value.encode()) for name, value in chosen.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and add the headers to the answer."""

        async def with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        await self.app(scope, receive, with_headers)
