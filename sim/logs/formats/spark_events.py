"""Fields of single Spark events.

Most bytes of a TaskEnd event are accumulators and blocks. What is needed stands before and between them,
so only that is parsed.
"""

from __future__ import annotations

from typing import Any

import orjson

from sim.logs.records import NAN, Measured
from theory.shown import quoted

_METRICS = b'"Task Metrics":{'


def task_end(line: bytes) -> dict[str, Any]:
    """Parse a TaskEnd event without its accumulators; `measured` is what its metrics say."""
    cut = line.find(b',"Accumulables":[')
    if cut > 0:
        try:
            event = orjson.loads(line[:cut] + b"}}")
            event["Task Info"]["Launch Time"], event["Task End Reason"]
            told = event["Task Metrics"] if "Task Metrics" in event else _metrics(line, cut)
            event["measured"] = measured(told or {})
            return event
        except (AttributeError, KeyError, TypeError, ValueError):
            pass  # keys in another order than Spark's
    event = orjson.loads(line)
    event["measured"] = measured(event.get("Task Metrics") or {})
    return event


def measured(metrics: dict[str, Any]) -> Measured:
    """Return what a copy read, wrote, collected and waited, from its metrics; NaN where they do not tell.

    Examples
    --------
    >>> found = measured({"JVM GC Time": 20, "Input Metrics": {"Bytes Read": 700, "Records Read": 7}})
    >>> found.bytes, found.records, found.gc, found.written
    (700.0, 7.0, 0.02, nan)
    """
    shuffle, taken = metrics.get("Shuffle Read Metrics") or {}, metrics.get("Input Metrics") or {}
    given, output = metrics.get("Shuffle Write Metrics") or {}, metrics.get("Output Metrics") or {}
    collected, waited = metrics.get("JVM GC Time"), shuffle.get("Fetch Wait Time")
    started = metrics.get("Executor Deserialize Time")
    return Measured(
        _sum(shuffle.get("Remote Bytes Read"), shuffle.get("Local Bytes Read"), taken.get("Bytes Read")),
        _sum(shuffle.get("Total Records Read"), taken.get("Records Read")),
        NAN if collected is None else collected / 1000,
        NAN if waited is None else waited / 1000,
        NAN if started is None else started / 1000,
        _sum(
            given.get("Shuffle Bytes Written"),
            output.get("Bytes Written"),
            metrics.get("Disk Bytes Spilled"),
        ),
        _sum(given.get("Shuffle Records Written"), output.get("Records Written")),
    )


def _metrics(line: bytes, begin: int) -> dict[str, Any]:
    """Parse the metrics of an event up to the blocks that it updated, which may be many."""
    begin = line.find(_METRICS, begin)
    if begin < 0:
        return {}
    begin += len(_METRICS) - 1
    end = line.find(b',"Updated Blocks":', begin)
    metrics: dict[str, Any] = orjson.loads(line[begin:end] + b"}" if end > 0 else line[begin:].rstrip()[:-1])
    return metrics


def _sum(*parts: int | None) -> float:
    """Return the sum of the numbers that are given; NaN if none is."""
    known = [part for part in parts if part is not None]
    return float(sum(known)) if known else NAN


def milliseconds(value: Any) -> float:
    """Return a time in milliseconds; NaN if it is missing, which Spark also writes as 0 or -1."""
    if value is None:
        return NAN
    time = float(value)
    if not time < 1e16:
        raise ValueError(f"{quoted(value)} is no time in milliseconds")
    return time if time > 0 else NAN
