"""The built documents below the app's own address, where an operator has named their folder.

The files are listed once, when the server starts, and nothing else is answered: no path that a browser sends
is opened. A site that is built anew is served whole after a restart.
"""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server.gate import below, told
from pages.server.headers import POLICY, content_policy, inline_scripts
from pages.server.private import base_path

#: Where the documents are, below the path of the app.
FOLDER = "docs"
#: Ending of a file that is served -> its kind, which systems do not agree on.
KINDS = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".ipynb": "application/x-ipynb+json",
    ".txt": "text/plain",
}


class Documents:
    """Answers what is asked of the documents.

    Parameters
    ----------
    app : ASGIApp
    folder : Path
        Of a built site.
    frame_ancestors : tuple of str
        Origins whose pages may show it in a frame.
    """

    def __init__(self, app: ASGIApp, *, folder: Path, frame_ancestors: tuple[str, ...] = ()) -> None:
        self.app = app
        self._files = listed(folder)
        self._base = base_path()
        self._cached = StaticFiles(directory=folder)
        scripts = {one for path in self._files.values() for one in _scripts_of(path)}
        self._headers = {
            "Cache-Control": "no-cache",  # asked for again each time, sent again only if it has changed
            POLICY: content_policy(frame_ancestors, tuple(sorted(scripts)), "'self'"),  # a form is the search
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on."""
        answer = self._answer(scope) if scope["type"] == "http" else None
        await (answer or self.app)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        path = below(scope["path"], self._base)
        if path == FOLDER:
            return RedirectResponse(f"{home()}", 307)
        if path is None or not path.startswith(f"{FOLDER}/"):
            return None
        if scope["method"] not in ("GET", "HEAD"):
            return told("method not allowed", 405)
        file = self._files.get(path.removeprefix(f"{FOLDER}/") or "index.html")
        if file is None or not file.is_file():
            return told("there is no such document", 404)
        kind = KINDS[file.suffix]
        answer = FileResponse(file, media_type=kind, headers=self._headers, stat_result=file.stat())
        unchanged = self._cached.is_not_modified(answer.headers, Headers(scope=scope))
        return NotModifiedResponse(answer.headers) if unchanged else answer


def home() -> str:
    """Return the path below which the documents are served, with a slash at its end."""
    return f"/{base_path().strip('/')}/{FOLDER}/".replace("//", "/")


def listed(folder: Path) -> dict[str, Path]:
    """Return the files of a site by their path below it.

    They are of known kinds; none is hidden, and none lies elsewhere.
    """
    root = folder.resolve()
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        hidden = any(part.startswith(".") for part in name.parts)
        if path.suffix in KINDS and not hidden and path.is_file() and path.resolve() == path:
            found[name.as_posix()] = path
    return found


def _scripts_of(path: Path) -> list[str]:
    """Return the digests of the scripts inside a page; of another file nothing."""
    return (
        inline_scripts(path.read_text(encoding="utf-8", errors="replace")) if path.suffix == ".html" else []
    )
