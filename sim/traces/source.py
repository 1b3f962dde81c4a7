"""Files of a log as streams of bytes: unpacked while they are read, bounded, never written to disk.

A source is a path (a file, or a folder whose files belong together) or an `Upload`. Containers are
recognised by their first bytes: gzip, Zstandard (any number of frames), LZ4 and Snappy as Spark frames
them, and zip archives, whose members are read in memory and whose paths only name them in messages.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, SupportsIndex

import pyarrow as pa

from sim.fields import BadInput
from sim.files import checked_path, opened
from sim.traces import blocks
from theory.shown import quoted, shortened

#: Bytes of one log after unpacking, unless the caller allows more.
MOST_BYTES = 16 * 2**30
#: Bytes after unpacking to one byte before. Spark logs reach about 60, gzip cannot exceed 1,032.
MOST_RATIO = 400
#: Unpacked bytes up to which no ratio is judged.
_SMALL = 16 * 2**20
#: A longer line is passed over: the largest events of Spark, plans of queries, stay far below.
LONGEST_LINE = 64 * 2**20
_MOST_MEMBERS = 10_000
_HEAD = 2**16
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


@dataclass(frozen=True)
class Upload:
    """A file in memory.

    Parameters
    ----------
    name : str
        Its name in messages.
    data : bytes
        Its content.
    """

    name: str
    data: bytes = field(repr=False)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Hand the content out of the pickle where that is possible, so that it is not copied."""
        data = pickle.PickleBuffer(self.data) if int(protocol) >= 5 else self.data
        return _uploaded, (self.name, data)


def _uploaded(name: str, data: bytes | bytearray) -> Upload:
    return Upload(name, bytes(data))


@dataclass
class Budget:
    """Unpacked bytes that may still be read of all files together."""

    left: int = MOST_BYTES

    def take(self, number: int, name: str) -> None:
        """Take some, or refuse the file."""
        self.left -= number
        if self.left < 0:
            raise BadInput(f"{name}: the files unpack to more bytes than are accepted; give a part of them")


@dataclass
class Member:
    """One file of a log, perhaps packed.

    Parameters
    ----------
    name : str
        Its name in messages.
    packed : callable
        Opens its bytes as they are stored.
    size : int
        How many those are.
    """

    name: str
    packed: Callable[[], BinaryIO]
    size: int
    budget: Budget
    progress: Callable[[int], None]
    #: Whether the packed stream ended in the middle, known after reading.
    truncated: bool = False

    def head(self) -> bytes:
        """Return the first unpacked bytes."""
        quiet = Member(self.name, self.packed, self.size, Budget(), lambda number: None)
        with quiet.open() as stream:
            return stream.read(_HEAD).removeprefix(b"\xef\xbb\xbf")

    def open(self) -> io.BufferedReader:
        """Open the unpacked bytes."""
        stored = self.packed()
        magic = stored.read(10)
        stored.seek(0)
        for begin, reason in _REFUSED.items():
            if magic.startswith(begin):
                raise BadInput(f"{self.name}: this is {reason}")
        counted = _Counted(stored, self.progress)
        return io.BufferedReader(_Unpacked(self, _unpack(magic, counted), counted), 2**20)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number of each line, 1 for the first, and its bytes; one that is too long is empty."""
        with self.open() as stream:
            read = partial(stream.readline, LONGEST_LINE)
            for number, line in enumerate(iter(read, b""), start=1):
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                    while (rest := read()) and not rest.endswith(b"\n"):
                        pass
                    line = b""
                yield number, line


def members(
    sources: Sequence[str | Path | Upload],
    *,
    most_bytes: int = MOST_BYTES,
    progress: Callable[[int], None] = lambda number: None,
) -> list[Member]:
    """Return the files of these sources; those of folders and archives in order of their names.

    Raises
    ------
    BadInput
        If a file cannot be read or is refused.
    """
    budget = Budget(most_bytes)
    found = [member for source in sources for member in _members(source, budget, progress)]
    used = [member for member in found if member.size and not _beside(member.name)]
    if not used:
        names = ", ".join(member.name for member in found) or "no file"
        raise BadInput(f"{names}: the file is empty; give a log with at least one line")
    return used


def _members(
    source: str | Path | Upload, budget: Budget, progress: Callable[[int], None]
) -> Iterator[Member]:
    if isinstance(source, Upload):
        member = Member(
            shortened(source.name), partial(io.BytesIO, source.data), len(source.data), budget, progress
        )
        yield from _of_archive(member, source.data)
        return
    try:
        path = Path(checked_path(source))
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        for file in files:
            if file.is_file() or file is path:
                member = Member(
                    shortened(file.name), partial(opened, file), file.stat().st_size, budget, progress
                )
                yield from _of_archive(member, file)
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise BadInput(f"{quoted(str(source))} is not accepted ({reason}); give the path of a log") from None


def _of_archive(member: Member, stored: Path | bytes) -> Iterator[Member]:
    """Yield the files of a zip archive, or the file itself."""
    with member.packed() as stream:
        if stream.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):  # the second: without files
            yield member
            return
    try:
        with _archive(stored) as archive:
            listed = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError, OSError) as error:
        raise BadInput(f"{member.name}: the archive cannot be read ({error}); give the files in it") from None
    if not listed:
        raise BadInput(f"{member.name}: no file in the archive; give one with a log")
    if len(listed) > _MOST_MEMBERS:
        raise BadInput(f"{member.name}: {len(listed):,} files in it; give at most {_MOST_MEMBERS:,}")
    for info in sorted(listed, key=lambda info: info.filename):
        if info.flag_bits & 1:
            raise BadInput(
                f"{member.name}: {quoted(info.filename)} is encrypted; give the files without a password"
            )
        if info.file_size > _SMALL and info.file_size > MOST_RATIO * max(info.compress_size, 1):
            raise BadInput(_too_dense(f"{member.name}: {quoted(info.filename)}"))
        name = f"{member.name}/{shortened(PurePosixPath(info.filename).name)}"
        opened = partial(_opened_in, stored, info)
        yield Member(name, opened, info.file_size, member.budget, member.progress)


def _archive(stored: Path | bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(stored if isinstance(stored, Path) else io.BytesIO(stored))


def _opened_in(stored: Path | bytes, info: zipfile.ZipInfo) -> BinaryIO:
    """Open a file of an archive, which is closed with it."""
    with _archive(stored) as archive:
        return archive.open(info)  # type: ignore[return-value]


def _beside(name: str) -> bool:
    """Say whether a file lies beside a log and is no part of it: checksums, markers of status."""
    last = PurePosixPath(name).name
    return last.startswith((".", "_", "appstatus_")) or last.endswith(".crc")


def _unpack(magic: bytes, stored: io.RawIOBase) -> Callable[[int], bytes]:
    """Return a function that reads the next unpacked bytes."""
    for begin, framing in blocks.FRAMINGS.items():
        if magic.startswith(begin):
            return blocks.Reader(io.BufferedReader(stored), framing).read
    for begin, codec in _CODECS.items():
        if magic.startswith(begin):
            stream = pa.CompressedInputStream(pa.PythonFile(stored, "r"), codec)
            return lambda number: stream.read(min(number, _STEP))
    return lambda number: stored.read(number) or b""


def _too_dense(name: str) -> str:
    return f"{name}: a packed byte unpacks to more than {MOST_RATIO}; this is refused as a decompression bomb"


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
    """Unpacked bytes of a member, which take from the budget and are judged by their ratio."""

    def __init__(self, member: Member, read: Callable[[int], bytes], stored: _Counted) -> None:
        self._member, self._read, self._stored, self._count = member, read, stored, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        member = self._member
        try:
            data = self._read(len(buffer))
        except zipfile.BadZipFile as error:
            raise BadInput(f"{member.name}: the archive is damaged ({error})") from None
        except (OSError, EOFError):
            member.truncated = True
            return 0
        self._count += len(data)
        member.budget.take(len(data), member.name)
        if self._count > _SMALL and self._count > MOST_RATIO * max(self._stored.count, 1):
            raise BadInput(_too_dense(member.name))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stored.close()
        super().close()
