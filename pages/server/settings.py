"""The settings of an operator, read from environment variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pages.server.capacity import MOST_VISITORS
from sim.engines import plugins
from sim.model.fields import BadInput
from sim.shell.app import ACCEPTED, documents
from sim.shell.app import VARIABLE as DOCS
from theory.quoting import quoted

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
