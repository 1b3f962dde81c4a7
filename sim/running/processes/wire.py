"""Values over a pipe between two of our processes: pickled, with large buffers sent beside, not copied.

Each message is its number of parts, the size of each, and the parts: a pickle, then the buffers that NumPy
arrays, Arrow tables and `sim.logs.source.Upload` hand out of it (protocol 5).
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO

#: Parts of a message, at most: a table of a thousand columns in a hundred chunks is far below.
MOST_PARTS = 1_000_000


class Closed(Exception):
    """The other side has gone."""


class TooLarge(Exception):
    """A message has more bytes than its reader accepts."""


def send(stream: BinaryIO, value: Any) -> None:
    """Send a value.

    Raises
    ------
    Closed
        If nobody reads any more.
    """
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    sizes = [len(part) for part in parts]
    try:
        stream.write(struct.pack(f"<Q{len(parts)}Q", len(parts), *sizes))
        for part in parts:
            stream.write(part)
        stream.flush()
    except (OSError, ValueError):  # a broken pipe; a stream that is closed already
        raise Closed from None


def receive(stream: BinaryIO, most_bytes: int | None = None) -> Any:
    """Receive a value; arrays in it may be written to.

    Raises
    ------
    Closed
        If the other side has gone, or goes in the middle.
    TooLarge
        If it has more than `most_bytes`.
    """
    (count,) = struct.unpack("<Q", _read(stream, 8))
    if count > MOST_PARTS:
        raise TooLarge
    sizes = struct.unpack(f"<{count}Q", _read(stream, 8 * count))
    if most_bytes is not None and sum(sizes) > most_bytes:
        raise TooLarge
    head, *buffers = [_read(stream, size) for size in sizes]
    return pickle.loads(head, buffers=buffers)


def _read(stream: BinaryIO, size: int) -> bytearray:
    """Read so many bytes; the interpreter is free for others between two pieces."""
    data = bytearray(size)
    view, filled = memoryview(data), 0
    while filled < size:
        try:
            got = stream.readinto(view[filled:])  # type: ignore[attr-defined]
        except (OSError, ValueError):
            raise Closed from None
        if not got:
            raise Closed
        filled += got
    return data
