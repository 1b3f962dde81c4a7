"""Fields of single Spark events.

Most bytes of a TaskEnd event are accumulators and metrics. They stand behind what is needed, so only
what is before them is parsed, and bytes read are looked up in the text.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from sim.traces.records import NAN
from theory.shown import quoted

_READ = re.compile(rb'"(?:Remote|Local) Bytes Read":(\d+)|"Input Metrics":\{"Bytes Read":(\d+)')


def task_end(line: bytes) -> dict[str, Any]:
    """Parse a TaskEnd event without its accumulators and metrics, of which only bytes read are kept."""
    cut = line.find(b',"Accumulables":[')
    if cut > 0:
        try:
            event = orjson.loads(line[:cut] + b"}}")
            event["Task Info"]["Launch Time"], event["Task End Reason"]
            event["bytes"] = _bytes_read(line, cut)
            return event
        except (KeyError, TypeError, ValueError):
            pass  # keys in another order than Spark's
    event = orjson.loads(line)
    event["bytes"] = bytes_in(event.get("Task Metrics") or {})
    return event


def bytes_in(metrics: dict[str, Any]) -> float:
    """Return the bytes a copy read, from its parsed metrics; NaN if it has none."""
    shuffle, taken = metrics.get("Shuffle Read Metrics") or {}, metrics.get("Input Metrics") or {}
    parts = [shuffle.get("Remote Bytes Read"), shuffle.get("Local Bytes Read"), taken.get("Bytes Read")]
    known = [int(part) for part in parts if part is not None]
    return float(sum(known)) if known else NAN


def _bytes_read(line: bytes, begin: int) -> float:
    """Look up the bytes a copy read from its input and from shuffles; NaN if the event has no metrics."""
    metrics = line.find(b'"Task Metrics":{', begin)
    if metrics < 0:
        return NAN
    total, found = 0, False
    for shuffled, taken in _READ.findall(line, metrics):
        total += int(shuffled or taken)
        found = True
    return float(total) if found else NAN


def milliseconds(value: Any) -> float:
    """Return a time in milliseconds; NaN if it is missing, which Spark also writes as 0 or -1."""
    if value is None:
        return NAN
    time = float(value)
    if not time < 1e16:
        raise ValueError(f"{quoted(value)} is no time in milliseconds")
    return time if time > 0 else NAN
