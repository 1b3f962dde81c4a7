"""The start and the end of the server, and the layers that every request passes through."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import FrameType
from typing import NoReturn

import streamlit as st
from starlette.middleware import Middleware

from pages.frame.browser import BrowserParts
from pages.server import log
from pages.server.capacity import MOST_VISITORS, SUMMARY_S, Measures, inside
from pages.server.headers import SecurityHeaders, engines_ready, first_answered, warm_start
from pages.server.log import Documents, home
from pages.server.messages import Gate, Messages
from pages.server.uploads import UploadLimits
from pages.shared.app.turns import turns
from sim.engines import plugins
from sim.model.fields import BadInput
from sim.shell.app import ACCEPTED, documents
from sim.shell.app import VARIABLE as DOCS
from theory.quoting import quoted

# The settings of an operator, read from environment variables.

FRAMES = "STRAGGLER_LAB_FRAME_ANCESTORS"
METRICS = "STRAGGLER_LAB_METRICS"
LOG = "STRAGGLER_LAB_LOG"
VISITORS = "STRAGGLER_LAB_VISITORS"
PROCESS = "STRAGGLER_LAB_PROCESS"
#: An origin as a browser writes it; a star stands for any subdomain.
ORIGIN = re.compile(r"https?://(\*\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?")
ADDRESS = re.compile(r"(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>[0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Settings:
    """How the server is to behave.

    Parameters
    ----------
    frame_ancestors : tuple of str
        Origins whose pages may show the app in a frame, or ``'self'``; none by default.
    metrics : tuple of str and int, optional
        Address and port at which measures are served for Prometheus; nowhere by default.
    log : bool
        Whether requests, and once a minute a summary, are written to the log.
    visitors : int
        How many are let in at the same time, by each process.
    process : int
        Number of this process, by which a proxy knows it; codes of rooms begin with it.
    documents : Path or str, optional
        Folder of the built documents, which is served, or their address; pages link to neither by default.
    """

    frame_ancestors: tuple[str, ...] = ()
    metrics: tuple[str, int] | None = None
    log: bool = False
    visitors: int = MOST_VISITORS
    process: int = 1
    documents: Path | str | None = None


def settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the variables; what cannot be meant ends the start with one line that names the variable."""
    return Settings(
        _origins(environment.get(FRAMES, "")),
        _address(environment.get(METRICS, "")),
        _switch(environment.get(LOG, "")),
        _count(VISITORS, environment.get(VISITORS, ""), MOST_VISITORS, 100_000),
        _count(PROCESS, environment.get(PROCESS, ""), 1, 999),
        _documents(environment.get(DOCS, "")),
    )


def load_policies() -> None:
    """Register the operator's own rules (`sim.engines.plugins`); a bad one ends the start with one line."""
    try:
        plugins.load()
    except BadInput as error:
        raise SystemExit(str(error)) from None


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(text.split())
    for origin in origins:
        if origin != "'self'" and not ORIGIN.fullmatch(origin):
            _refuse(FRAMES, text, "give 'self' or origins such as https://moodle.example.edu")
    return origins


def _address(text: str) -> tuple[str, int] | None:
    if not text:
        return None
    found = ADDRESS.fullmatch(text)
    if found is None or not 1 <= int(found["port"]) <= 65535:
        _refuse(METRICS, text, "give an address and a port such as 127.0.0.1:9101")
    return found["host"].strip("[]"), int(found["port"])


def _switch(text: str) -> bool:
    if text not in ("", "0", "1"):
        _refuse(LOG, text, "give 1 or 0")
    return text == "1"


def _count(name: str, text: str, usual: int, most: int) -> int:
    if not text:
        return usual
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= most):
        _refuse(name, text, f"give a whole number from 1 to {most}")
    return int(text)


def _documents(text: str) -> Path | str | None:
    found = documents(text)
    if text and found is None:
        _refuse(DOCS, text, ACCEPTED)
    return found


def _refuse(name: str, value: str, accepted: str) -> NoReturn:
    raise SystemExit(f"{name}={quoted(value)} is not accepted: {accepted}")


# Messages to systemd: that the server is up, and regularly that its event loop still runs.


def notify(state: str, environment: Mapping[str, str] = os.environ) -> None:
    """Send a state to systemd, as ``sd_notify`` does; nothing where it does not listen."""
    address = environment.get("NOTIFY_SOCKET")
    if not address or not hasattr(socket, "AF_UNIX"):
        return
    if address.startswith("@"):
        address = "\0" + address[1:]  # an abstract name
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.setblocking(False)  # the event loop must not wait for systemd
        with suppress(BlockingIOError):
            line.connect(address)
            line.send(state.encode())


async def watched(environment: Mapping[str, str] = os.environ) -> None:
    """Tell the watchdog three times within its patience that the loop turns, until cancelled."""
    patience = int(environment.get("WATCHDOG_USEC", "0")) / 1e6
    while patience:
        notify("WATCHDOG=1", environment)
        await asyncio.sleep(patience / 3)


#: Open files that the server asks for: each session has four, and a shell allows 256 or 1,024.
FILES = 16_384
#: Seconds from the signal that ends the server until it has gone, even with open connections.
LAST_S = 1.0


@cache
def chosen() -> Settings:
    """Return what the operator has chosen, read once a process."""
    load_policies()
    return settings()


@cache
def measures() -> Measures:
    """Return the measures of this process."""
    return Measures(lambda: turns().waiting, engines_ready)


def address_of_documents() -> str:
    """Return the address below which the documents are, with a slash at its end; empty if there are none."""
    there = chosen().documents
    return home() if isinstance(there, Path) else there or ""


def middleware(pages: Iterable[str]) -> list[Middleware]:
    """Return what every request passes through, the outermost first.

    Parameters
    ----------
    pages : iterable of str
        Names of the pages, the first as the one that opens.
    """
    first, *_ = names = list(pages)
    known = frozenset({"", *names})
    ancestors, folder = chosen().frame_ancestors, chosen().documents
    served = []
    if isinstance(folder, Path):
        served.append(Middleware(Documents, folder=folder, frame_ancestors=ancestors))
    return [
        Middleware(log.RequestLog, measures=measures(), pages=known),
        Middleware(SecurityHeaders, frame_ancestors=ancestors),
        Middleware(Gate, ready=engines_ready),
        *served,
        Middleware(Messages, refused=measures().refused_message),
        Middleware(BrowserParts, pages=known, first=first),
        Middleware(UploadLimits),
    ]


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Compile, measure and log while the server runs."""
    log.calm()
    end_in_time()
    allow_files()
    turns().on_answer = _answered
    inside().most = chosen().visitors
    warm_start()
    end_metrics = _serve_measures()
    tasks = [asyncio.create_task(watched())]
    if chosen().log:
        log.begin()
        tasks.append(asyncio.create_task(_summaries()))
    notify("READY=1")
    try:
        yield
    finally:
        notify("STOPPING=1")
        for task in tasks:
            task.cancel()
        end_metrics()


def allow_files() -> None:
    """Let this process open as many files as its user may give it, up to `FILES`."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):  # macOS knows a limit that it does not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def end_in_time() -> None:
    """Let the signals that end the server end it within `LAST_S`.

    The server waits for requests that it is answering, and a body that does not come would keep it for ever.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # only there may signals be handled
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)
        if callable(before):
            signal.signal(number, partial(_end, before))


def _end(before: Callable[[int, FrameType | None], object], number: int, frame: FrameType | None) -> None:
    timer = threading.Timer(LAST_S, os._exit, (0,))
    timer.daemon = True
    timer.start()
    before(number, frame)


def _serve_measures() -> Callable[[], None]:
    """Serve the measures if that is wanted and can be done; return what ends that."""
    address = chosen().metrics
    if address:
        try:
            return measures().serve(*address)
        except OSError as error:
            log.LOG.warning("%s: the measures are not served: %s", METRICS, error)
    return lambda: None


def _answered(seconds: float) -> None:
    """Note that a session has an answer, and how long it took."""
    first_answered()
    measures().answered(seconds)


async def _summaries() -> None:
    """Log a line per minute while there are visitors."""
    while True:
        await asyncio.sleep(SUMMARY_S)
        if line := measures().summary():
            log.LOG.info(line)
