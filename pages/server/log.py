"""The log of requests: path, status, milliseconds; nothing about a person.

No address, no query, no name of a browser. A path is logged as the kind of thing it is: those of uploads
and downloads have numbers of a session in them, and others may be any text.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Hashable
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server.capacity import Measures
from pages.server.headers import POLICY, content_policy, inline_scripts
from pages.server.messages import CORE, UPLOAD, below, told
from pages.server.private import base_path

# The built documents below the app's own address, where an operator has named their folder.
#
# The files are listed once, when the server starts, and nothing else is answered: no path that a browser
# sends is opened. A site that is built anew is served whole after a restart.

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


LOG = logging.getLogger("straggler_lab")
#: Paths that monitoring asks for every few seconds.
HEALTH = {"healthz", "readyz", "_stcore/health"}
FILES = ("static/", "media/", f"{FOLDER}/", UPLOAD)
#: Loggers of the server, below each of these names.
SERVERS = ("streamlit", "uvicorn", "asyncio", "websockets")
#: Characters of a message and of a traceback that are written; so many alike are within so many seconds.
MOST_TEXT, MOST_TRACE, MOST_ALIKE, ALIKE_S = 500, 8000, 3, 600.0
#: Tracebacks, alike or not, that are written within those seconds; of further ones only where they ended.
MOST_TRACES = 20


def begin() -> None:
    """Write the log to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False


class Calm(logging.Filter):
    """Keeps a visitor from filling the log: texts are shortened, and of records that are alike few written.

    Records are alike that come from one place in the code and, if they have a traceback, end in one place. A
    visitor who forges values of controls can reach many places.

    Parameters
    ----------
    clock : callable, optional
        Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[Hashable, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is written; shorten it."""
        number = self._number(_place(record))
        if number > MOST_ALIKE:
            return False
        text = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", record.getMessage())
        last = " (more of these are left out for some minutes)" if number == MOST_ALIKE else ""
        record.msg, record.args = text[:MOST_TEXT] + last, None
        if record.exc_info and record.exc_info[0] is not None and self._number("traceback") > MOST_TRACES:
            record.msg += f" ({record.exc_info[0].__name__} at {_ended(record)}, without its traceback)"
            record.exc_info = record.exc_text = None
        if record.exc_info and record.exc_info[0] is not None:
            whole = "".join(traceback.format_exception(*record.exc_info))
            record.exc_text = whole if len(whole) <= MOST_TRACE else f"…{whole[-MOST_TRACE:]}"[:MOST_TRACE]
        return True

    def _number(self, place: Hashable) -> int:
        """Return how many records from this place there have been in these minutes, this one included."""
        now = self._clock()
        with self._lock:
            if len(self._seen) > 1000:
                self._seen = {one: seen for one, seen in self._seen.items() if now - seen[0] < ALIKE_S}
            begun, number = self._seen.get(place, (now, 0))
            if now - begun >= ALIKE_S:
                begun, number = now, 0
            self._seen[place] = begun, number + 1
            return number + 1


def _place(record: logging.LogRecord) -> Hashable:
    return record.pathname, record.lineno, record.levelno, _ended(record)


def _ended(record: logging.LogRecord) -> str:
    """Return the file and the line in which an error was raised."""
    trace = record.exc_info[2] if record.exc_info else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""


def calm() -> None:
    """Keep visitors from filling the log; called when the server, and so each of its loggers, is there."""
    guard = Calm()
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in SERVERS:
            logging.getLogger(name).addFilter(guard)
    if logging.lastResort is not None:  # of libraries that have no handler
        logging.lastResort.addFilter(guard)


def kind(path: str | None, pages: frozenset[str]) -> str:
    """Return what a path below the base path is, without anything a visitor has typed."""
    if path is None:
        return "(elsewhere)"
    for start in FILES:
        if path.startswith(start):
            return f"/{start}(file)"
    known = path in pages or CORE.fullmatch(path)
    return f"/{path}" if known else "(unknown)"


class RequestLog:
    """Counts requests and open pages, and logs them if that is wanted.

    Parameters
    ----------
    app : ASGIApp
    measures : Measures
    pages : frozenset of str
        Paths of the pages.
    """

    def __init__(self, app: ASGIApp, *, measures: Measures, pages: frozenset[str]) -> None:
        self.app = app
        self._measures = measures
        self._pages = pages
        self._base = base_path()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, and note how it ended."""
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._visit(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noted)
        finally:
            self._measures.requests.labels(status).inc()
            self._log(scope, scope["method"], status, begun)

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count an open page as a visitor until its socket is closed."""
        begun, accepted = time.perf_counter(), False

        async def noted(message: Message) -> None:
            nonlocal accepted
            if message["type"] == "websocket.accept" and not accepted:
                accepted = True
                self._measures.visitors.inc()
            await send(message)

        try:
            await self.app(scope, receive, noted)
        finally:
            if accepted:
                self._measures.visitors.dec()
            self._log(scope, "SOCKET", 101 if accepted else 403, begun)

    def _log(self, scope: Scope, method: str, status: int, begun: float) -> None:
        """Log one line; none of questions about health, and files of the page only where they failed."""
        path = below(scope["path"], self._base)
        asks_health = path in HEALTH
        is_part = path is not None and path.startswith("static/") and status < 400
        if not (asks_health or is_part):
            took = 1000 * (time.perf_counter() - begun)
            LOG.info("%s %s %d %.0f ms", method, kind(path, self._pages), status, took)
