"""The start and the end of the server, and what every request passes through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import cache

import streamlit as st
from starlette.middleware import Middleware

from pages.frame.browser import BrowserParts
from pages.server import log
from pages.server.capacity import inside
from pages.server.frame import engines_ready, first_answered, warm_start
from pages.server.gate import Gate
from pages.server.headers import SecurityHeaders
from pages.server.measures import SUMMARY_S, Measures
from pages.server.messages import Messages
from pages.server.notify import notify, watched
from pages.server.settings import METRICS, Settings, load_policies, settings
from pages.server.uploads import UploadLimits
from pages.shared.app.turns import turns


@cache
def chosen() -> Settings:
    """Return what the operator has chosen, read once a process."""
    load_policies()
    return settings()


@cache
def measures() -> Measures:
    """Return the measures of this process."""
    return Measures(lambda: turns().waiting, engines_ready)


def middleware(pages: Iterable[str]) -> list[Middleware]:
    """Return what every request passes through, the outermost first.

    Parameters
    ----------
    pages : iterable of str
        Names of the pages, the first as the one that opens.
    """
    first, *_ = names = list(pages)
    known = frozenset({"", *names})
    return [
        Middleware(log.RequestLog, measures=measures(), pages=known),
        Middleware(SecurityHeaders, frame_ancestors=chosen().frame_ancestors),
        Middleware(Gate, ready=engines_ready),
        Middleware(Messages, refused=measures().refused_message),
        Middleware(BrowserParts, pages=known, first=first),
        Middleware(UploadLimits),
    ]


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Compile, measure and log while the server runs."""
    log.calm()
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
    """Note that somebody has an answer, and how long it took."""
    first_answered()
    measures().answered(seconds)


async def _summaries() -> None:
    """Log a line a minute while there is somebody."""
    while True:
        await asyncio.sleep(SUMMARY_S)
        if line := measures().summary():
            log.LOG.info(line)
