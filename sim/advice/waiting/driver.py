"""The running stages of an application of Spark, asked of its driver or of a History Server.

Who runs this program gives the address: on the command line, or in the variable `VARIABLE`, which the pages
and other programs use; a visitor never does. What holds of a History Server holds here
(`sim.advice.fleet.history_server`). Ages are counted to the clock of the server, which writes its time into
each answer; what a running task has read is that up to its last message to the driver.

A History Server sees tasks only when Spark has written them to the log, whose buffer a small stage does not
fill before it ends.

Reference: the REST API in *Monitoring and Instrumentation* of Apache Spark.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np
import orjson

from sim.advice.fleet.history_server import (
    MOST_LISTED,
    Application,
    HistoryServer,
    applications,
    blocks,
    history_server,
)
from sim.advice.waiting.siblings import Siblings
from sim.model.fields import BadInput
from sim.telling.words import listed
from theory.quoting import quoted, shortened

VARIABLE = "STRAGGLER_LAB_SPARK"
KIND = "a driver's pages or of a History Server"
#: Stages that are asked for, and tasks of each: those that are done, and those that run.
MOST_STAGES, MOST_DONE, MOST_RUNNING = 20, 20_000, 2_000


def driver(text: str, name: str = "file") -> HistoryServer:
    """Read the address of a driver's pages, or of a History Server.

    Raises
    ------
    BadInput
        Which never shows the text: it may hold a password.

    Examples
    --------
    >>> driver("http://driver:4040/jobs/").root
    'http://driver:4040'
    """
    found = history_server(text, name, KIND)
    return replace(found, root=found.root.removesuffix("/jobs").removesuffix("/stages"))


def owners() -> HistoryServer | None:
    """Return the driver or History Server that the owner of this server names; None if none is named."""
    text = os.environ.get(VARIABLE, "")
    return driver(text, VARIABLE) if text else None


def stages_of(server: HistoryServer, application: str = "") -> list[Siblings]:
    """Return the stages of an application in which tasks run, the one with the oldest task first.

    Parameters
    ----------
    server : HistoryServer
    application : str, optional
        Its id, where the server knows several that run.

    Raises
    ------
    BadInput
        If the server does not answer, no such application runs, or no task of it.
    """
    one = _running(applications(server), application, server)
    clock = _Clock()
    at = f"applications/{one.path}/stages"
    active = _listed(server, f"{at}?status=active", clock)
    try:
        told = [stage for stage in active if stage.get("status", "ACTIVE") == "ACTIVE"][:MOST_STAGES]
        names = Counter(str(stage["name"]) for stage in told)
        found = []
        for stage in told:
            number, attempt = int(stage["stageId"]), int(stage["attemptId"])
            below = f"{at}/{number}/{attempt}/taskList?offset=0"
            runs = _listed(server, f"{below}&status=running&length={MOST_RUNNING}", clock)
            now = clock.now
            done = _listed(server, f"{below}&status=success&length={MOST_DONE}", clock)
            name = shortened(str(stage["name"]))
            name = name if names[str(stage["name"])] == 1 else f"{name} (stage {number})"
            found.append(_siblings(name, [*runs, *done], now))
    except BadInput:
        raise
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(f"{server.root}: the answer is no list of tasks; {server.give}") from None
    late = [stage for stage in found if len(stage.ages)]
    if not late:
        lags = "ask the driver while one does: a History Server sees tasks late"
        raise BadInput(f"{server.root}: no task of {one.called} runs now; {lags}")
    return sorted(late, key=lambda stage: -stage.ages.max())


def _running(known: list[Application], application: str, server: HistoryServer) -> Application:
    """Return the application that is asked for, or the only one that runs."""
    asked = [one for one in known if application in (one.id, one.called)] if application else known
    runs = [one for one in asked if not one.is_over]
    if len(runs) == 1:
        return runs[0]
    if asked and not runs and application:
        raise BadInput(f"application: {quoted(application)} has ended; `sim trace` reads its log")
    others = [one.called for one in known if not one.is_over]
    if not others:
        raise BadInput(f"{server.root}: no application runs there; {server.give}")
    wrong = f"{quoted(application)} does not run" if application else f"{len(others)} run"
    raise BadInput(f"application: {wrong}; give one of {listed(others[:5], 'or')}")


class _Clock:
    """The time of a server, as it writes it into each answer; that of this machine where it does not."""

    def __init__(self) -> None:
        self.now = time.time()

    def read(self, headers: Message) -> None:
        """Read the time of an answer."""
        try:
            self.now = parsedate_to_datetime(headers["Date"]).timestamp()
        except (TypeError, ValueError):
            self.now = time.time()


def _listed(server: HistoryServer, path: str, clock: _Clock) -> list[Mapping[str, Any]]:
    data = b"".join(blocks(server, path, MOST_LISTED, clock.read))
    try:
        found = orjson.loads(data)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadInput(f"{server.root}: the answer is no list of stages or tasks; {server.give}")
    return found


def _siblings(name: str, tasks: Iterable[Mapping[str, Any]], now: float) -> Siblings:
    """Return the tasks of a stage; one that is told twice is as it was told last."""
    every = {int(one["taskId"]): one for one in tasks}.values()
    done = [one for one in every if one["status"] == "SUCCESS" and one.get("duration", 0) > 0]
    over = {int(one["index"]) for one in every if one["status"] == "SUCCESS"}
    copies = [one for one in every if one["status"] == "RUNNING" and int(one["index"]) not in over]
    copies.sort(key=lambda one: one["launchTime"])
    first = {int(one["index"]): one for one in reversed(copies)}  # a task with a second copy is one task
    runs, often = list(first.values()), Counter(int(one["index"]) for one in copies)
    ages = [
        now - datetime.fromisoformat(one["launchTime"].replace("GMT", "+00:00")).timestamp() for one in runs
    ]
    unit = max(("bytes", "records"), key=lambda one: sum(_read(task, one) > 0 for task in done))
    return Siblings(
        np.array([one["duration"] / 1000 for one in done]),
        np.maximum(ages, 1e-3),
        name=name,
        tasks=tuple(f"task {index}" for index in first),
        copied=tuple(often[index] > 1 for index in first),
        done_work=np.array([_read(one, unit) for one in done]),
        work=np.array([_read(one, unit) for one in runs]),
        done_hosts=tuple(shortened(str(one.get("host") or "")) for one in done),
        hosts=tuple(shortened(str(one.get("host") or "")) for one in runs),
        unit=unit,
    )


def _read(task: Mapping[str, Any], unit: str) -> float:
    """Return what a task has read so far, its input and its part of shuffles; NaN if nothing is told."""
    metrics = task.get("taskMetrics") or {}
    input_, shuffle = metrics.get("inputMetrics") or {}, metrics.get("shuffleReadMetrics") or {}
    parts = (
        [input_.get("bytesRead"), shuffle.get("remoteBytesRead"), shuffle.get("localBytesRead")]
        if unit == "bytes"
        else [input_.get("recordsRead"), shuffle.get("recordsRead")]
    )
    whole = sum(float(one) for one in parts if one)
    return whole if whole > 0 else float("nan")
