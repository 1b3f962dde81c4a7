"""`sim.wait`: wait for a running task, copy or restart it; from numbers, a log, or what runs now."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.advice.fleet.history_server import HistoryServer, is_address
from sim.advice.waiting import driver, report
from sim.advice.waiting.answer import WAIT, Options, Waiting, answered
from sim.advice.waiting.running import one_of, running_stages
from sim.advice.waiting.siblings import Siblings, sizes_in, times_in
from sim.logs.formats import read_history
from sim.logs.history import History
from sim.logs.source import MOST_BYTES, Upload
from sim.model.fields import BadInput
from sim.telling.words import exact
from theory.quoting import quoted, shortened

#: Seconds since 1970 from which times are dates; a log without dates counts from 0.
_DATED = 1e8
#: Other stages that a text names.
_NAMED = 8
#: Formats whose times are local ones without a zone, and what a reader notes of others.
_LOCAL, _LOCAL_NOTE = ("slurm",), "local times, whose zone is not told"
_Times = str | Sequence[float]
_Words = str | Sequence[str]


@dataclass(frozen=True, eq=False)
class WaitResult(Waiting):
    """The answer for the tasks of a stage that still run, and where they are from.

    Parameters
    ----------
    counted_to : str
        Up to when ages are counted, in a sentence; empty where they are given.
    others : tuple of str
        Other stages in which tasks run.
    """

    counted_to: str = ""
    others: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two."""
        return report.sentence(self)

    @property
    def table(self) -> pd.DataFrame:
        """The running tasks, the one with the longest rest first.

        Its columns are `task`, `age` in seconds, `action`, `sure`, the probability that the action is the
        better one, `rest` if one waits with `low` and `high`, its 90 % interval, and `saves`, the mean
        seconds that the action saves.
        """
        rows = [
            (
                *(one.name, one.age, one.action, one.sure),
                *(one.choices[WAIT].rest if one.choices else (np.nan,) * 3),
                one.saves,
            )
            for one in self.tasks
        ]
        return pd.DataFrame(rows, columns=["task", "age", "action", "sure", "rest", "low", "high", "saves"])

    def as_text(self) -> str:
        """Return the answer for a terminal."""
        lines = [report.as_text(self)]
        if self.siblings.name:
            lines += ["", f"Stage: {self.siblings.name}. {self.counted_to}"]
        if self.others:
            more = f" and {len(self.others) - _NAMED} more" if len(self.others) > _NAMED else ""
            lines += [f"Tasks run in other stages, too (--stage): {', '.join(self.others[:_NAMED])}{more}."]
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Return all numbers of the answer, times in seconds."""
        return report.as_json(self) | {"counted_to": self.counted_to, "other_stages": list(self.others)}


def wait(
    *paths: str | Path | Upload | History,
    done: _Times = "",
    running: _Times = "",
    sizes: _Times = "",
    running_sizes: _Times = "",
    hosts: _Words = "",
    running_hosts: _Words = "",
    stage: str = "",
    at: str | float = "",
    application: str = "",
    deadline: str | float | None = None,
    start: str | float = 0.0,
    slots: str = "idle",
    seed: int = 1,
    most_bytes: int = MOST_BYTES,
) -> WaitResult:
    """Say whether to wait for a task that still runs, to start a copy of it, or to restart it.

    Parameters
    ----------
    *paths : str, Path, Upload or History
        A log with tasks that run, or the address of an application of Spark that runs, if no times are given.
        Without either it is the address in ``STRAGGLER_LAB_SPARK``.
    done, running : str or sequence of float, optional
        Durations of the tasks of a stage that are done, and ages of those that are not: seconds, or a text
        such as ``"12, 1.5 min, 1:30"``.
    sizes, running_sizes : str or sequence of float, optional
        Work of each, in one unit for all, such as ``"64MiB 1.5GiB"``.
    hosts, running_hosts : str or sequence of str, optional
        Where each ran or runs.
    stage : str, optional
        Name of a stage of a log; that with the oldest running task without one.
    at : str or float, optional
        Up to when ages are counted: ``"now"``, seconds since 1970, or an ISO time; the last time in the log
        without one.
    application : str, optional
        Id of an application, where the server at an address knows several that run.
    deadline, start : float or str, optional
        Time in which the task has to be done, and time that a copy needs to start: seconds, or a text.
    slots : str, optional
        Whether slots are ``idle``, or tasks wait for them in a ``queue``.
    seed : int, optional
    most_bytes : int, optional
        Bytes of a log accepted after unpacking.

    Returns
    -------
    WaitResult
        `sentence`, `tasks`, `horizons`, `changes`, `table` and the other parts of the answer.

    Raises
    ------
    BadInput
        Naming the argument, what is wrong with it, and what is accepted.

    Examples
    --------
    >>> import sim
    >>> found = sim.wait(done="12 13 11 12.5 14 13 12 11.5 12", running="95")
    >>> found.tasks[0].action, found.sentence[:23]
    ('copy', 'Start a copy of task 10')
    """
    options = Options(
        deadline=None if deadline in (None, "") else _one_time(deadline, "deadline"),
        start=_one_time(start or 0.0, "start"),
        slots=slots,
        seed=seed,
    )
    numbers = {
        "done": _times(done, "done"),
        "running": _times(running, "running"),
        "sizes": _sizes(sizes, "sizes"),
        "running-sizes": _sizes(running_sizes, "running-sizes"),
    }
    names = {"hosts": _words(hosts), "running-hosts": _words(running_hosts)}
    if any(len(one) for one in numbers.values()) or any(names.values()):
        for name, value in {"file": paths, "stage": stage, "at": at, "application": application}.items():
            if value not in ("", ()):
                raise BadInput(f"{name}: it is part of a log; give a log, or times, and not both")
        return _answer(_of_numbers(numbers, names), options)
    if (server := _address(paths)) is not None:
        if at not in ("", "now"):
            raise BadInput(f"at: {quoted(at)} is not accepted of what runs now; leave it out")
        stages = driver.stages_of(server, application)
        counted = f"Ages are counted to the clock of {server.root}."
    else:
        if application:
            raise BadInput("application: it belongs to an address; give http://HOST:PORT of a driver")
        history = read_history(*paths, most_bytes=most_bytes)
        now = _instant(at, history)
        counted = LAST if now is None else f"Ages are counted to {_told(now, history)}."
        stages = list(running_stages(history, now))
    chosen = one_of(stages, stage)
    return _answer(chosen, options, counted, tuple(one.name for one in stages if one is not chosen))


#: What is said of ages in a log, unless a time is given.
LAST = "Ages are counted to the log's last entry; give --at now if it is being written."


def _answer(
    siblings: Siblings, options: Options, counted: str = "", others: tuple[str, ...] = ()
) -> WaitResult:
    answered(siblings, options)  # which refuses a question without a running task
    return WaitResult(siblings, options, counted_to=counted, others=others)


def _address(paths: Sequence[object]) -> HistoryServer | None:
    """Return the server that is to be asked; None if a log is given."""
    if not paths:
        if (found := driver.owners()) is None:
            raise BadInput(
                "file: none is given; give durations with --done and ages with --running, or a log, or "
                "http://HOST:PORT of a driver of Spark"
            )
        return found
    addresses = [one for one in paths if isinstance(one, str) and is_address(one)]
    if addresses and len(paths) > 1:
        raise BadInput("file: an address beside others is not accepted; give one address, or a log")
    return driver.driver(addresses[0]) if addresses else None


def _of_numbers(numbers: Mapping[str, np.ndarray], names: Mapping[str, tuple[str, ...]]) -> Siblings:
    """Return siblings of which all is given."""
    done, ages = numbers["done"], numbers["running"]
    for name, times in {"done": done, "running": ages}.items():
        if (wrong := times[~(times > 1e-6)]).size:
            raise BadInput(f"{name}: {wrong[0]:g} is not accepted; give times above a microsecond")
    parts = {
        "sizes": (numbers["sizes"], done, "done"),
        "running-sizes": (numbers["running-sizes"], ages, "running"),
        "hosts": (names["hosts"], done, "done"),
        "running-hosts": (names["running-hosts"], ages, "running"),
    }
    for name, (part, whole, called) in parts.items():
        if len(part) not in (0, len(whole)):
            raise BadInput(
                f"{name}: {len(part)} for the {len(whole)} of {called}; give one for each, or none"
            )
    return Siblings(
        done,
        ages,
        done_work=numbers["sizes"],
        work=numbers["running-sizes"],
        done_hosts=names["hosts"],
        hosts=names["running-hosts"],
        unit="work",
    )


def _times(value: _Times, name: str) -> np.ndarray:
    """Return seconds, of a text or of numbers."""
    return times_in(value, name) if isinstance(value, str) else _floats(value, name)


def _one_time(value: str | float, name: str) -> float:
    found = _times(value if isinstance(value, str) else [value], name)
    if len(found) != 1:
        raise BadInput(f"{name}: {quoted(value)} is not accepted; give one time, such as 90 or 1.5 min")
    return float(found[0])


def _sizes(value: _Times, name: str) -> np.ndarray:
    """Return sizes, of a text or of numbers.

    Examples
    --------
    >>> _sizes("12, 1.5kB 2MiB", "sizes")
    array([1.200000e+01, 1.500000e+03, 2.097152e+06])
    """
    return sizes_in(value, name) if isinstance(value, str) else _floats(value, name)


def _floats(values: Sequence[float], name: str) -> np.ndarray:
    try:
        return np.atleast_1d(np.asarray(values, float))
    except (TypeError, ValueError):
        raise BadInput(f"{name}: {quoted(values)} is not accepted; give numbers, or a text") from None


def _words(value: _Words) -> tuple[str, ...]:
    """Return names, of a text or one by one."""
    words = re.split(r"[\s,;]+", value.strip()) if isinstance(value, str) else value
    return tuple(shortened(str(one)) for one in words if str(one))


def _instant(at: str | float, history: History) -> float | None:
    """Return a time as the log counts them; None where it is the last one of the log."""
    if at == "":
        return None
    dated = history.origin > _DATED
    zone = _zone() if dated and _is_local(history) else 0.0
    try:
        return float(at) + zone
    except ValueError:
        pass
    accepted = "give now, seconds since 1970, or a time such as 2026-01-31T12:00:00"
    if not dated:
        raise BadInput(f"at: {quoted(at)} is not accepted of a log without dates; give seconds as it does")
    if at == "now":
        return time.time() + zone
    try:
        found = datetime.fromisoformat(str(at))
        if found.tzinfo is None and _is_local(history):
            return found.replace(tzinfo=UTC).timestamp()
        return found.timestamp() + zone
    except (ValueError, OverflowError):
        raise BadInput(f"at: {quoted(at)} is not accepted; {accepted}") from None


def _is_local(history: History) -> bool:
    """Say whether times of a log are local ones, which are read as UTC."""
    return history.format in _LOCAL or any(_LOCAL_NOTE in one for one in history.notes)


def _zone() -> float:
    """Return by how many seconds the clock of this machine is ahead of UTC."""
    offset = datetime.now(UTC).astimezone().utcoffset()
    return offset.total_seconds() if offset else 0.0


def _told(now: float, history: History) -> str:
    try:
        if history.origin <= _DATED and np.isfinite(now):
            return f"{exact(now)} s"
        at = datetime.fromtimestamp(now, UTC)
    except (ValueError, OverflowError, OSError):
        raise BadInput(f"at: {now:g} is no time; give seconds since 1970") from None
    return f"{at.strftime('%Y-%m-%d %H:%M:%S')} {'local time' if _is_local(history) else 'UTC'}"
