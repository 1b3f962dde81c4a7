"""A History Server of Spark: its applications, and the log of each as the zip that it offers.

Who runs this program gives the address: on the command line, or in the variable `VARIABLE`, which the pages
use; a visitor never does. The server is reached directly, not through a proxy. A redirect to another host is
refused, an answer has a limit of bytes and of time, and credentials in the address stand in no message.

Reference: the REST API in *Monitoring and Instrumentation* of Apache Spark.
"""

from __future__ import annotations

import base64
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import Message
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, ProxyHandler, Request, build_opener

import orjson

from sim.advice.fleet.discovery import MOST_LOGS
from sim.model.fields import BadInput
from theory.quoting import quoted, shortened

VARIABLE = "STRAGGLER_LAB_HISTORY_SERVER"
#: Seconds without a byte, and for one answer.
TIMEOUT_S, DEADLINE_S = 30.0, 600.0
#: Bytes of the list of applications, and of a log as it is sent.
MOST_LISTED, MOST_PACKED = 64 * 2**20, 512 * 2**20
_BLOCK = 2**18
_ID = re.compile(r"[\w.:+-]{1,200}")


@dataclass(frozen=True)
class HistoryServer:
    """An address.

    Parameters
    ----------
    root : str
        Without credentials, query, and a slash at its end; what is shown.
    authorization : str
        The header that carries the credentials; empty without any.
    kind : str
        What it is the address of, in messages.
    """

    root: str
    authorization: str = field(default="", repr=False)
    kind: str = field(default="a History Server", repr=False)

    @property
    def give(self) -> str:
        """What to give in its place."""
        return f"give the address of {self.kind} of Spark"


@dataclass(frozen=True)
class Application:
    """A run of an application.

    Parameters
    ----------
    id, attempt : str
        The attempt is empty where the server names none.
    name : str
        For people.
    changed : str
        When its log was last written, as the server says; changes where the log does.
    is_over : bool
        Whether it has ended.
    """

    id: str
    attempt: str
    name: str
    changed: str
    is_over: bool = False

    @property
    def called(self) -> str:
        """What tells it from the others.

        Examples
        --------
        >>> Application("app_1", "2", "nightly", "0").called, Application("local-1", "", "x", "0").called
        ('app_1/2', 'local-1')
        """
        return "/".join(filter(None, (self.id, self.attempt)))

    @property
    def path(self) -> str:
        """Where its parts are, below those of all applications."""
        return "/".join(quote(one, safe="") for one in self.called.split("/"))


def is_address(text: str) -> bool:
    """Say whether a text is an address and no path.

    Examples
    --------
    >>> is_address("http://history:18080"), is_address("logs/http")
    (True, False)
    """
    return re.match(r"https?://", text, re.IGNORECASE) is not None


def history_server(text: str, name: str = "address", kind: str = HistoryServer.kind) -> HistoryServer:
    """Read an address.

    Parameters
    ----------
    text : str
        ``http://[user:password@]host[:port][/path]``, or https.
    name : str, optional
        What gives it, in messages.
    kind : str, optional
        What it is the address of, in messages.

    Raises
    ------
    BadInput
        Which never shows the text: it may hold a password.

    Examples
    --------
    >>> history_server("https://ann:secret@history.example.org/spark/")
    HistoryServer(root='https://history.example.org/spark')
    """
    wanted = f"{name}: give http://HOST:PORT of {kind}, as its users open it"
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadInput(wanted) from None
    if parts.scheme not in ("http", "https") or not re.fullmatch(r"[\w.:-]+", host) or parts.query:
        raise BadInput(wanted)
    where = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix("/api/v1")
    if not re.fullmatch(r"[\w./~%-]*", path):
        raise BadInput(wanted)
    root = f"{parts.scheme}://{where}{f':{port}' if port else ''}{path}"
    if parts.username is None:
        return HistoryServer(root, kind=kind)
    told = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return HistoryServer(root, f"Basic {base64.b64encode(told).decode()}", kind)


def owners() -> HistoryServer | None:
    """Return the History Server that the owner of this server names; None if none is named."""
    text = os.environ.get(VARIABLE, "")
    return history_server(text, VARIABLE) if text else None


def applications(server: HistoryServer, most: int = MOST_LOGS) -> list[Application]:
    """Return the runs that a server knows, the newest first, at most so many.

    Raises
    ------
    BadInput
        If it does not answer, or with something else.
    """
    listed = b"".join(blocks(server, f"applications?limit={most}", MOST_LISTED))
    try:
        found = [run for one in orjson.loads(listed) for run in _runs(one)]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(f"{server.root}: the answer is no list of applications; {server.give}") from None
    return found[:most]


def _runs(told: Mapping[str, Any]) -> Iterator[Application]:
    """Yield the attempts of an application; names that no server gives are left out."""
    name, known = str(told["id"]), shortened(str(told.get("name") or told["id"]))
    for one in told.get("attempts") or [{}]:
        attempt = str(one.get("attemptId") or "")
        if _ID.fullmatch(name) and (not attempt or _ID.fullmatch(attempt)):
            changed = one.get("lastUpdatedEpoch") or one.get("lastUpdated") or one.get("endTime") or ""
            yield Application(name, attempt, known, shortened(f"{changed}"), one.get("completed") is True)


def download(
    server: HistoryServer,
    application: Application,
    most_bytes: int = MOST_PACKED,
    progress: Callable[[int], None] = lambda number: None,
) -> bytes:
    """Return the zip with the log of a run.

    Raises
    ------
    BadInput
        If it is too large, or does not come.
    """
    if not _ID.fullmatch(application.id) or not _ID.fullmatch(application.attempt or "1"):
        raise BadInput(f"application: {quoted(application.called)} is not accepted; give an id of the server")
    found = []
    for block in blocks(server, f"applications/{application.path}/logs", most_bytes):
        found.append(block)
        progress(len(block))
    return b"".join(found)


class _SameHost(HTTPRedirectHandler):
    """Follows redirects to the same host, port and scheme only."""

    max_redirections = 5

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the request that follows."""
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        if (before.scheme, before.hostname, before.port) != (after.scheme, after.hostname, after.port):
            fp.close()
            raise _Elsewhere
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Noting(HTTPConnection):
    """A connection that notes itself and its socket, so that they can be ended (`_ended_at`)."""

    def __init__(self, noted: list[Any], host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._noted = noted

    def connect(self) -> None:
        """Connect; the answer is read from the socket when the connection has let go of it."""
        self._noted.append(self)
        super().connect()
        self._noted.append(self.sock)


class _NotingSecurely(_Noting, HTTPSConnection):
    """The same over TLS."""


class _Opening(HTTPHandler, HTTPSHandler):
    """Opens connections that note themselves."""

    def __init__(self, noted: list[Any]) -> None:
        super().__init__()
        self._noted = noted

    def http_open(self, req: Request) -> HTTPResponse:
        """Return the answer to a request."""
        return self.do_open(partial(_Noting, self._noted), req)

    def https_open(self, req: Request) -> HTTPResponse:
        """Return the answer to a request over TLS."""
        return self.do_open(partial(_NotingSecurely, self._noted), req)


class _Elsewhere(Exception):
    """A redirect leads to another host."""


def blocks(
    server: HistoryServer,
    path: str,
    most_bytes: int,
    told: Callable[[Message], object] = lambda headers: None,
) -> Iterator[bytes]:
    """Yield an answer of the REST API part by part.

    Parameters
    ----------
    server : HistoryServer
    path : str
        Below ``/api/v1``; what others have named in it is quoted.
    most_bytes : int
        A longer answer is refused.
    told : callable, optional
        Given the headers of the answer.

    Raises
    ------
    BadInput
        If it does not come, is too long, or is of another host.
    """
    headers = {"Accept": "*/*", "User-Agent": "straggler-lab"}
    if server.authorization:
        headers["Authorization"] = server.authorization
    noted: list[Any] = []
    opener = build_opener(ProxyHandler({}), _SameHost, _Opening(noted))
    over, count = time.monotonic() + DEADLINE_S, 0
    with _refusing(server), _ended_at(over, noted):
        response: HTTPResponse
        with opener.open(
            Request(f"{server.root}/api/v1/{path}", headers=headers), timeout=TIMEOUT_S
        ) as response:
            told(response.headers)
            while block := response.read1(_BLOCK):
                count += len(block)
                if count > most_bytes:
                    raise BadInput(
                        f"{server.root}: an answer of more than {most_bytes >> 20:,} MiB is refused"
                    )
                if time.monotonic() > over:
                    raise TimeoutError
                yield block
            if time.monotonic() > over:  # what was ended here looks as if it broke off
                raise TimeoutError
            if response.length:
                raise BadInput(f"{server.root}: the answer broke off; try again")


@contextmanager
def _ended_at(over: float, noted: list[Any]) -> Iterator[None]:
    """End connections at a time by `time.monotonic`; what goes wrong after it is a `TimeoutError`.

    A time-out of a socket is none: a server that sends a byte now and then, as of a header, never meets it.
    """

    def end() -> None:
        for one in noted:
            if (ours := getattr(one, "sock", one)) is not None:
                with suppress(OSError):
                    ours.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(over - time.monotonic(), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, HTTPException):
        if time.monotonic() > over:
            raise TimeoutError from None
        raise
    finally:
        timer.cancel()


@contextmanager
def _refusing(server: HistoryServer) -> Iterator[None]:
    """Say what went wrong with a server, without what is in the request."""
    shown, give = server.root, server.give
    try:
        yield
    except _Elsewhere:
        raise BadInput(f"{shown}: it leads to another host, which is not followed; {give}") from None
    except HTTPError as error:
        error.close()
        told = {401: "it asks for credentials", 403: "it refuses access", 404: "it has no such thing"}
        said = told.get(error.code, f"it answers with status {error.code}")
        raise BadInput(f"{shown}: {said}; {give}") from None
    except TimeoutError:
        raise BadInput(f"{shown}: no answer in time; try again later") from None
    except URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise BadInput(f"{shown}: no answer in time; try again later") from None
        why = getattr(error.reason, "strerror", None) or type(error.reason).__name__
        raise BadInput(f"{shown}: it cannot be reached ({why}); {give}") from None
    except (OSError, HTTPException) as error:
        raise BadInput(f"{shown}: the answer broke off ({type(error).__name__}); try again") from None
