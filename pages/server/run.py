"""The start and the end of the server, and what every request passes through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache

import streamlit as st
from starlette.middleware import Middleware

from pages.server import log
from pages.server.gate import Gate
from pages.server.headers import SecurityHeaders
from pages.server.measures import SUMMARY_S, Measures
from pages.server.notify import notify, watched
from pages.server.settings import Settings, settings
from pages.server.uploads import UploadLimits
from pages.shared.app.capacity import inside
from pages.shared.app.frame import engines_ready, warm_start
from pages.shared.app.turns import turns


@cache
def chosen() -> Settings:
    """Return what the operator has chosen, read once a process."""
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
        Paths of the pages.
    """
    known = frozenset({"", *pages})
    return [
        Middleware(log.RequestLog, measures=measures(), pages=known),
        Middleware(SecurityHeaders, frame_ancestors=chosen().frame_ancestors),
        Middleware(Gate, ready=engines_ready),
        Middleware(UploadLimits),
    ]


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Compile, measure and log while the server runs."""
    turns().on_answer = measures().answered
    inside().most = chosen().visitors
    warm_start()
    address = chosen().metrics
    end_metrics = measures().serve(*address) if address else None
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
        if end_metrics:
            end_metrics()


async def _summaries() -> None:
    """Log a line a minute while there is somebody."""
    while True:
        await asyncio.sleep(SUMMARY_S)
        if line := measures().summary():
            log.LOG.info(line)
