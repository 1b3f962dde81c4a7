"""LZ4 and Snappy as Spark writes them: blocks with headers of Java libraries, not the standard frames.

LZ4: LZ4BlockOutputStream of lz4-java: per block the magic, a token (high half: 1 stored, 2 packed),
the packed size, the unpacked size and a checksum, all little-endian. Snappy: SnappyOutputStream of
snappy-java: the magic, two versions, then blocks of a big-endian size and a raw Snappy block.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from io import BufferedReader

import pyarrow as pa

_LZ4 = b"LZ4Block"
_SNAPPY = b"\x82SNAPPY\x00"
#: A block of either library unpacks to at most 32 MiB.
_MOST = 2**25


def _lz4_block(stream: BufferedReader) -> bytes | None:
    """Return the next unpacked block; None at the end."""
    header = stream.read(21)
    if not header:
        return None
    if len(header) < 21 or not header.startswith(_LZ4):
        raise EOFError("truncated or damaged LZ4 block")
    token, packed, unpacked, _ = struct.unpack("<BIII", header[8:])
    if not unpacked:
        return b""  # the end of one stream; another may follow
    data = _exactly(stream, packed)
    if token >> 4 == 1:
        return data
    return _unpacked("lz4_raw", data, unpacked)


def _snappy_block(stream: BufferedReader) -> bytes | None:
    """Return the next unpacked block; None at the end."""
    size = stream.read(4)
    if not size:
        return None
    if size == _SNAPPY[:4]:  # the header of the first or of a further stream
        _exactly(stream, 12)
        return b""
    data = _exactly(stream, int.from_bytes(size, "big"))
    return _unpacked("snappy", data, _varint(data))


FRAMINGS: dict[bytes, Callable[[BufferedReader], bytes | None]] = {_LZ4: _lz4_block, _SNAPPY: _snappy_block}


class Reader:
    """Unpacked bytes of a stream of blocks."""

    def __init__(self, stream: BufferedReader, block: Callable[[BufferedReader], bytes | None]) -> None:
        self._stream, self._block, self._rest = stream, block, b""

    def read(self, number: int) -> bytes:
        """Return at most `number` bytes; none at the end."""
        while not self._rest:
            block = self._block(self._stream)
            if block is None:
                return b""
            self._rest = block
        data, self._rest = self._rest[:number], self._rest[number:]
        return data


def _exactly(stream: BufferedReader, number: int) -> bytes:
    data = stream.read(number) if number <= _MOST else b""
    if len(data) < number:
        raise EOFError("truncated or damaged block")
    return data


def _unpacked(codec: str, data: bytes, size: int) -> bytes:
    if size > _MOST:
        raise EOFError("block larger than its library writes")
    return pa.Codec(codec).decompress(data, size, asbytes=True)


def _varint(data: bytes) -> int:
    """Return the number with which a raw Snappy block begins: its unpacked size."""
    value = 0
    for place, byte in enumerate(data[:5]):
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value
    raise EOFError("damaged Snappy block")
