"""Packed bytes unpacked while they are read: gzip, Zstandard, LZ4 and Snappy as Spark frames them.

What is packed is recognised by its first bytes. How many bytes one packed byte may become is bounded.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from io import BufferedReader
from typing import BinaryIO

import pyarrow as pa

from sim.model.fields import BadInput

# LZ4 and Snappy as Spark writes them: blocks with headers of Java libraries, not the standard frames.
#
# LZ4: LZ4BlockOutputStream of lz4-java: per block the magic, a token (high half: 1 stored, 2 packed), the
# packed size, the unpacked size and a checksum, all little-endian. Snappy: SnappyOutputStream of
# snappy-java: the magic, two versions, then blocks of a big-endian size and a raw Snappy block.

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


#: Bytes after unpacking to one byte before. Spark logs reach about 60, gzip cannot exceed 1,032.
MOST_RATIO = 400
#: Unpacked bytes up to which no ratio is judged.
SMALL = 16 * 2**20
#: Seconds of processor time that a stored byte may take, plain and packed: dense tables take 1e-5 s a byte.
_PLAIN_S, _PACKED_S = 1e-5, 1e-4
# A truncated stream loses what was unpacked since the last read: little if reads are small.
_STEP = 2**14

_CODECS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
_REFUSED = {
    b"\x80\x02": "a Python pickle, which is never opened",
    b"\x80\x03": "a Python pickle, which is never opened",
    b"\x80\x04": "a Python pickle, which is never opened",
    b"\x80\x05": "a Python pickle, which is never opened",
    b"ZV": "packed with LZF; set spark.eventLog.compression.codec to zstd, or unpack the file",
    b"BZh": "packed with bzip2; unpack the file",
    b"\xfd7zXZ": "packed with xz; unpack the file",
    b"7z\xbc\xaf": "a 7z archive; give a zip, or the files",
    b"Rar!": "a rar archive; give a zip, or the files",
}


def unpacked(
    name: str,
    stored: BinaryIO,
    progress: Callable[[int], None],
    take: Callable[[int, str], None],
    cut_off: Callable[[], None],
) -> io.BufferedReader:
    """Open the unpacked bytes of a file.

    Parameters
    ----------
    name : str
        Its name in messages.
    stored : file
        Its bytes as they are stored.
    progress : callable
        Is told how many of those have been read more.
    take : callable
        Is told how many unpacked bytes have been read more, of what file; may refuse them.
    cut_off : callable
        Is called if the packed stream ends in the middle.

    Raises
    ------
    BadInput
        If the file is of a kind that is not read.
    """
    magic = stored.read(10)
    stored.seek(0)
    for begin, reason in _REFUSED.items():
        if magic.startswith(begin):
            raise BadInput(f"{name}: this is {reason}")
    counted = _Counted(stored, progress)
    return io.BufferedReader(_Unpacked(name, _unpack(magic, counted), counted, take, cut_off), 2**20)


def expected_seconds(data: bytes) -> float:
    """Return the processor time that a file may take that is what its first bytes say.

    Examples
    --------
    >>> expected_seconds(b"job_id,task_id" * 1000), expected_seconds(bytes([0x1F, 0x8B]) * 500)
    (0.14, 0.1)
    """
    packed = (*_CODECS, *FRAMINGS, b"PK", b"PAR1")
    return len(data) * (_PACKED_S if data.startswith(packed) else _PLAIN_S)


def too_dense(name: str) -> str:
    """Say that a file is refused for what it would become."""
    return f"{name}: a packed byte unpacks to more than {MOST_RATIO}; this is refused as a decompression bomb"


def _unpack(magic: bytes, stored: io.RawIOBase) -> Callable[[int], bytes]:
    """Return a function that reads the next unpacked bytes."""
    for begin, framing in FRAMINGS.items():
        if magic.startswith(begin):
            return Reader(io.BufferedReader(stored), framing).read
    for begin, codec in _CODECS.items():
        if magic.startswith(begin):
            stream = pa.CompressedInputStream(pa.PythonFile(stored, "r"), codec)
            return lambda number: stream.read(min(number, _STEP))
    return lambda number: stored.read(number) or b""


class _Counted(io.RawIOBase):
    """A stored file that tells how many of its bytes have been read."""

    def __init__(self, stored: BinaryIO, progress: Callable[[int], None]) -> None:
        self._stored, self._progress, self.count = stored, progress, 0

    def readable(self) -> bool:
        return True

    def read(self, number: int = -1) -> bytes:
        data = self._stored.read(number)
        self.count += len(data)
        self._progress(len(data))
        return data

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stored.close()
        super().close()


class _Unpacked(io.RawIOBase):
    """Unpacked bytes of a file, which are taken from a budget and judged by their ratio."""

    def __init__(
        self,
        name: str,
        read: Callable[[int], bytes],
        stored: _Counted,
        take: Callable[[int, str], None],
        cut_off: Callable[[], None],
    ) -> None:
        self._name, self._read, self._stored, self._count = name, read, stored, 0
        self._take, self._cut_off = take, cut_off

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._read(len(buffer))
        except (OSError, EOFError, pa.ArrowException):
            self._cut_off()
            return 0
        self._count += len(data)
        self._take(len(data), self._name)
        if self._count > SMALL and self._count > MOST_RATIO * max(self._stored.count, 1):
            raise BadInput(too_dense(self._name))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stored.close()
        super().close()
