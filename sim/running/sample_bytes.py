"""A sample as bytes, exactly, and back: JSON, with arrays as they lie in memory, packed."""

from __future__ import annotations

import base64
import json
import math
import zlib
from typing import Any

import numpy as np

from sim.model.result import Sample, SizeClass

#: Bytes of a sample that is not packed, at most; those of a million jobs have some ten million.
MOST_BYTES = 2**29
#: Fields that are plain numbers.
_PLAIN = ("jobs", "counted", "unfinished", "tasks_arrived", "tasks", "span", "saturated", "seconds")


def to_bytes(sample: Sample) -> bytes:
    """Return a sample as bytes.

    Examples
    --------
    >>> from sim.running.library import compare
    >>> found = compare("small", ["fair+none"], replications=1).policies["fair+none"].samples[0]
    >>> from_bytes(to_bytes(found)).values == found.values
    True
    """
    held = {name: getattr(sample, name) for name in _PLAIN} | {
        "values": [[*key, value] for key, value in sample.values.items()],
        "curves": {name: _written(one) for name, one in sample.curves.items()},
        "classes": [[one.jobs, one.mean, one.p50, one.p95] for one in sample.classes],
        "series": _written(sample.series),
        "holding": _written(sample.holding),
        "log": _written(sample.log),
        "single": {name: _written(one) for name, one in sample.single.items()},
        "unknowable": sorted(sample.unreliable),
        "unknowable_apart": sorted(sample.unreliable_differences),
    }
    return zlib.compress(json.dumps(held).encode(), 1)


def from_bytes(data: bytes) -> Sample:
    """Return the sample that was written as these bytes.

    Raises
    ------
    ValueError
        If they are damaged, or would unpack to more than `MOST_BYTES`.

    Examples
    --------
    >>> from_bytes(b"damaged")
    Traceback (most recent call last):
        ...
    ValueError: no sample: Error -3 while decompressing data: incorrect header check
    """
    try:
        return _sample(json.loads(_unpacked(data)))
    except Exception as error:  # each part has errors of its own
        raise ValueError(f"no sample: {error}") from None


def _unpacked(data: bytes) -> bytes:
    packed = zlib.decompressobj()
    found = packed.decompress(data, MOST_BYTES)
    if not packed.eof:
        raise ValueError(f"cut off, or more than {MOST_BYTES:,} bytes")
    return found


def _sample(held: dict[str, Any]) -> Sample:
    numbers = [value for *_, value in held["values"] if value is not None]
    numbers += [held[name] for name in _PLAIN]
    if not all(isinstance(number, (int, float)) and math.isfinite(number) for number in numbers):
        raise ValueError("not all measures are numbers")
    return Sample(
        values={(measure, statistic): value for measure, statistic, value in held["values"]},
        curves={name: _read(one) for name, one in held["curves"].items()},
        classes=tuple(SizeClass(*one) for one in held["classes"]),
        series=_read(held["series"]),
        holding=_read(held["holding"]),
        log=_read(held["log"]).view(np.recarray),
        single={name: _read(one) for name, one in held["single"].items()},
        unreliable=frozenset(map(tuple, held["unknowable"])),
        unreliable_differences=frozenset(map(tuple, held["unknowable_apart"])),
        **{name: held[name] for name in _PLAIN},
    )


def _written(array: np.ndarray) -> list[Any]:
    kind = array.dtype.descr if array.dtype.names else array.dtype.str
    return [kind, array.shape, base64.b85encode(array.tobytes()).decode()]


def _read(written: list[Any]) -> np.ndarray:
    kind, shape, data = written
    dtype = np.dtype([tuple(field) for field in kind] if isinstance(kind, list) else kind)
    return np.frombuffer(bytearray(base64.b85decode(data)), dtype).reshape(shape)
