"""Scripts and styles of every page: a bar, looks for other screens, keys, announcements.

They are sent once with Streamlit's own page and are no elements of it: an element would be one message more
for each visitor at each move. `parts` has one file for each idea.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache, lru_cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import segno
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.frame.menu import entries
from pages.server.messages import below
from pages.server.private import base_path, static_files
from sim.telling.glossary import short_terms

if TYPE_CHECKING:
    from pages.shared.controls.control import Panel

# The controls of each page by name and label, from which a teacher makes a link for a class.

#: Controls that are no widget: a room is entered through a door of its own, and a file is in its uploader.
NO_PAGE, NO_WIDGET = "room", "file"


@cache
def panels() -> dict[str, Panel]:
    """Return the controls of each page, in the order of the menu."""
    return {entry.name: import_module(f"{entry.package}.controls").PANEL for entry in entries()}


@cache
def controls() -> bytes:
    """Return page -> name and label of each of its controls, as JSON.

    Examples
    --------
    >>> json.loads(controls())["errata"]
    [['paper', 'Paper']]
    """
    offered = {
        page: [
            (one.link, one.label.replace("**", ""))
            for one in panel.controls.values()
            if one.name != NO_WIDGET
        ]
        for page, panel in panels().items()
        if page != NO_PAGE
    }
    return json.dumps(offered).encode()


# The QR code of a link, made on this server for a class to scan; no other server is asked.

#: Characters of the longest link that has a code a phone can read from a wall; a code could hold 2,953.
LONGEST = 1000


class Unreadable(ValueError):
    """An address that has no code here, and why."""


def qr_code(address: str, host: str) -> bytes:
    """Return the code of an address as SVG.

    Parameters
    ----------
    address : str
        Of a page of this server, with its origin.
    host : str
        Name and port by which this server was asked.

    Raises
    ------
    Unreadable
        If the address is too long, or of another server: else codes could be used for phishing.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or parts.netloc != host or not address.isascii():
        raise Unreadable("address: give the address of a page of this server")
    if len(address) > LONGEST:
        raise Unreadable(
            f"address: {len(address):,} characters are too many for a code that can be read; "
            f"give at most {LONGEST:,}"
        )
    return _drawn(address)


@lru_cache(maxsize=64)  # a class asks for the same link
def _drawn(address: str) -> bytes:
    picture = BytesIO()
    code = segno.make_qr(address, error="l", boost_error=False)  # the fewest, largest squares
    code.save(picture, kind="svg", border=4, dark="#000", light="#fff", omitsize=True, xmldecl=False)
    return picture.getvalue()


PARTS = Path(__file__).parent / "parts"
KINDS = {".js": "text/javascript", ".css": "text/css"}
#: Below the path of the app; the digest lets a browser keep the parts for ever.
FOLDER = "frame"
#: The file of Streamlit that draws charts: by far its largest, and else asked for with the first chart.
CHARTS = "PlotlyChart.*.js"
#: Pages that show no chart at first sight.
WITHOUT_CHARTS = frozenset({"learn", "room"})
#: The script that needs the others, and what the browser applies: for all screens, then for each kind.
SCRIPT = "frame.js"
#: The script that runs before Streamlit's own: modules run in the order of the page.
PLACE = "place.js"
LOOKS = (
    "bar.css",
    "terms.css",
    "animation.css",
    "sandbox.css",
    "reader.css",
    "screens.css",
    "presenter.css",
    "print.css",
)
#: Of these, what is applied only while a script says so: their rules are asked at each change of a chart.
AT_TIMES = ("presenter.css", "print.css")
#: The part that is made here: names and abbreviations with their meanings, for `terms.js`.
GLOSSARY = "glossary.js"


class BrowserParts:
    """Adds the parts to Streamlit's page and serves them, and codes of links.

    Parameters
    ----------
    app : ASGIApp
    pages : frozenset of str
        Paths of the pages below the path of the app.
    first : str
        Name of the page that is at the path of the app itself.
    """

    def __init__(self, app: ASGIApp, *, pages: frozenset[str], first: str) -> None:
        self.app = app
        self._base = base_path()
        #: With a slash at its end: addresses in the page are relative. Streamlit adds it where it is missing.
        self._home = f"/{self._base.strip('/')}/".replace("//", "/")
        self._pages = pages - {first}
        self._first = first
        self._parts = parts()
        self._plain = with_parts(streamlit_page(), digest(self._parts))
        self._page = with_charts(self._plain, charts_script())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is asked of the parts, or hand on."""
        answer = await self._answer(scope) if scope["type"] == "http" else None
        await (answer or self.app)(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response | None:
        path = below(scope["path"], self._base)
        if path is None or not scope["path"].startswith(self._home):
            return None
        if path in self._pages:
            page = self._plain if path in WITHOUT_CHARTS else self._page
            return Response(page, media_type="text/html", headers={"Cache-Control": "no-cache"})
        if path == self._first:  # the menu knows this page by the path of the app
            query = scope["query_string"].decode("latin-1")
            return RedirectResponse(self._home + (f"?{query}" if query else ""), 307)
        if path == f"{FOLDER}/qr.svg":
            asked = QueryParams(scope["query_string"]).get("address", "")
            return await run_in_threadpool(code_of, asked, Headers(scope=scope).get("host", ""))
        if path == f"{FOLDER}/controls.json":
            known = await run_in_threadpool(controls)
            return Response(known, media_type="application/json", headers={"Cache-Control": "no-cache"})
        folder, _, name = path.rpartition("/")
        if folder.startswith(f"{FOLDER}/") and name in self._parts:
            return Response(
                self._parts[name],
                media_type=KINDS[Path(name).suffix],
                headers={"Cache-Control": "public, immutable, max-age=31536000"},
            )
        return None


def code_of(address: str, host: str) -> Response:
    """Return the QR code of an address of this server as a picture; what is no such address is refused."""
    try:
        picture = qr_code(address, host)
    except Unreadable as error:
        return PlainTextResponse(f"{error}\n", 400, headers={"Cache-Control": "no-store"})
    return Response(picture, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


def parts() -> dict[str, bytes]:
    """Return the content of each part by its name."""
    files = {path.name: path.read_bytes() for path in sorted(PARTS.iterdir()) if path.suffix in KINDS}
    return files | {GLOSSARY: f"export const TERMS = {json.dumps(short_terms())};\n".encode()}


def digest(content: dict[str, bytes]) -> str:
    """Return what is different when any part is."""
    return hashlib.sha256(b"\0".join(content.values())).hexdigest()[:12]


def streamlit_page() -> str:
    """Return the page that Streamlit serves at every path."""
    return (static_files() / "index.html").read_text(encoding="utf-8")


def with_parts(page: str, version: str) -> str:
    """Return Streamlit's page with the parts; addresses are relative as its own are.

    Examples
    --------
    >>> page = with_parts("<head></head>", "0a").splitlines()
    >>> page[1]
    '<script type="module" src="./frame/0a/place.js"></script>'
    >>> page[-2]
    '<script type="module" src="./frame/0a/frame.js"></script>'
    """
    place, script = (
        f'<script type="module" src="./{FOLDER}/{version}/{name}"></script>' for name in (PLACE, SCRIPT)
    )
    head, end, body = page.replace("<head>", f"<head>\n{place}", 1).partition("</head>")
    looks = [
        f'<link rel="stylesheet" media="{"not all" if name in AT_TIMES else "all"}" '
        f'href="./{FOLDER}/{version}/{name}">'
        for name in LOOKS
    ]
    return "\n".join([head, *looks, script, end + body])


def charts_script() -> str | None:
    """Return the name of Streamlit's file that draws charts; None if there is no such or more than one."""
    found = [path.name for path in (static_files() / "static" / "js").glob(CHARTS)]
    return found[0] if len(found) == 1 else None


def with_charts(page: str, script: str | None) -> str:
    """Return a page that has the file which draws charts loaded while the server makes the first answer.

    All that the app itself consists of comes first, on a slow network, too.

    Examples
    --------
    >>> with_charts("<head></head>", "a.js").splitlines()[1]
    '<link rel="modulepreload" fetchpriority="low" crossorigin href="./static/js/a.js" data-charts>'
    """
    if script is None:
        return page
    link = (
        f'<link rel="modulepreload" fetchpriority="low" crossorigin href="./static/js/{script}" data-charts>'
    )
    head, end, body = page.partition("</head>")
    return "\n".join([head, link, end + body])
