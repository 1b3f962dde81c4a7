"""Files of a log as streams of bytes: unpacked while they are read, bounded, never written to disk.

A source is a path (a file, or a folder whose files belong together) or an `Upload`, packed or not
(`sim.logs.unpacking`), or a zip archive, whose members are read in memory and whose paths only name
them in messages.
"""

from __future__ import annotations

import io
import logging
import os
import pickle
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, SupportsIndex, TypeVar

from sim.logs.foreign import HEAD, reason
from sim.logs.unpacking import MOST_RATIO, SMALL, too_dense, unpacked
from sim.model.fields import BadInput
from sim.model.files import checked_path, opened
from theory.quoting import quoted, shortened, visible

#: Bytes of one log after unpacking, unless the caller allows more.
MOST_BYTES = 16 * 2**30
#: A longer line is passed over: the largest events of Spark, plans of queries, stay far below.
LONGEST_LINE = 64 * 2**20
_MOST_MEMBERS = 10_000
#: Files deeper in a folder that are part of it: Flink archives the jobs of an application so, from 2.3 on.
_DEEPER = ("applications/*/jobs/*", "*/applications/*/jobs/*")


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

    def head(self, size: int = HEAD) -> bytes:
        """Return the first unpacked bytes, at most so many."""
        quiet = Member(self.name, self.packed, self.size, Budget(), lambda number: None)
        with quiet.open() as stream:
            return stream.read(size).removeprefix(b"\xef\xbb\xbf")

    def open(self) -> io.BufferedReader:
        """Open the unpacked bytes."""
        return unpacked(self.name, self.packed(), self.progress, self.budget.take, self._end_early)

    def _end_early(self) -> None:
        self.truncated = True

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
    used = [member for member in found if member.size and not is_beside(member.name)]
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
        for file in files_of(path):
            if file.is_file() or file is path:
                member = Member(
                    shortened(file.name), partial(opened, file), file.stat().st_size, budget, progress
                )
                yield from _of_archive(member, file)
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise BadInput(f"{quoted(str(source))} is not accepted ({reason}); give the path of a log") from None


def files_of(path: Path) -> list[Path]:
    """Return a file, or the files of a folder; of deeper ones none to which a link leads out of it."""
    if not path.is_dir():
        return [path]
    root = path.resolve()
    deeper = [file for pattern in _DEEPER for file in sorted(path.glob(pattern))]
    return sorted(path.iterdir()) + [file for file in deeper if file.resolve().is_relative_to(root)]


def _of_archive(member: Member, stored: Path | bytes) -> Iterator[Member]:
    """Yield the files of a zip archive, or the file itself."""
    with member.packed() as stream:
        if stream.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):  # the second: without files
            yield member
            return
    with _listing_refused(member.name), _archive(stored) as archive:
        listed = [info for info in archive.infolist() if not info.is_dir()]
    if not listed:
        raise BadInput(f"{member.name}: no file in the archive; give one with a log")
    if len(listed) > _MOST_MEMBERS:
        raise BadInput(f"{member.name}: {len(listed):,} files in it; give at most {_MOST_MEMBERS:,}")
    for info in sorted(listed, key=lambda info: info.filename):
        _check_member(info, member.name)
        name = f"{member.name}/{shortened(PurePosixPath(info.filename).name)}"
        opened = partial(_opened_in, stored, info, name)
        yield Member(name, opened, info.file_size, member.budget, member.progress)


def _check_member(info: zipfile.ZipInfo, archive: str) -> None:
    """Refuse a file of an archive that is encrypted, or would become too much."""
    name = f"{archive}: {quoted(info.filename)}"
    if info.flag_bits & 1:
        raise BadInput(f"{name} is encrypted; give the files without a password")
    if info.file_size > SMALL and info.file_size > MOST_RATIO * max(info.compress_size, 1):
        raise BadInput(too_dense(name))


@contextmanager
def open_archive(source: Path | Upload) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive, or refuse it."""
    with listed_archive(source) as archive:
        yield archive


def listed_archive(source: Path | Upload) -> zipfile.ZipFile:
    """Return a zip archive with its list read, to be closed, or refuse it."""
    with _listing_refused(shortened(source.name)):
        return _archive(source if isinstance(source, Path) else source.data)


def read_member(archive: zipfile.ZipFile, member: str, name: str, most_bytes: int) -> bytes:
    """Return a file of an archive of this name, or refuse it."""
    info = archive.getinfo(member)
    _check_member(info, shortened(name))
    told = f"{shortened(name)}/{shortened(PurePosixPath(member).name)}"
    if info.file_size > most_bytes:
        raise BadInput(f"{told}: it has more bytes than are accepted of one log; give it alone")
    with _damage_refused(told):
        return archive.read(info)


@contextmanager
def _listing_refused(name: str) -> Iterator[None]:
    """Refuse an archive whose list of files cannot be read."""
    try:
        yield
    except Exception as error:
        raise BadInput(
            f"{name}: the archive cannot be read ({reason(error)}); give the files in it"
        ) from None


def _archive(stored: Path | bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(stored if isinstance(stored, Path) else io.BytesIO(stored))


def _opened_in(stored: Path | bytes, info: zipfile.ZipInfo, name: str) -> BinaryIO:
    """Open a file of an archive, which is closed with it."""
    with _damage_refused(name), _archive(stored) as archive:
        return _Packed(archive.open(info), name)  # type: ignore[return-value]


@contextmanager
def _damage_refused(name: str) -> Iterator[None]:
    """Refuse a file of an archive for whatever its unpacking raises: each method has errors of its own."""
    try:
        yield
    except MemoryError:
        raise
    except NotImplementedError as error:
        raise BadInput(f"{name}: {reason(error)}; pack it with deflate, or give the file itself") from None
    except Exception as error:
        raise BadInput(
            f"{name}: the archive is damaged ({reason(error)}); pack it again, or give the file itself"
        ) from None


class _Packed(io.RawIOBase):
    """A file of an archive, which is refused if it is damaged."""

    def __init__(self, stored: IO[bytes], name: str) -> None:
        self._stored, self._name = stored, name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, number: int = -1) -> bytes:
        with _damage_refused(self._name):
            return self._stored.read(number)

    def seek(self, place: int, whence: int = 0) -> int:
        with _damage_refused(self._name):
            return self._stored.seek(place, whence)

    def tell(self) -> int:
        return self._stored.tell()

    def close(self) -> None:
        self._stored.close()
        super().close()


def is_beside(name: str) -> bool:
    """Say whether a file lies beside a log and is no part of it: checksums, status, settings of a job.

    Examples
    --------
    >>> is_beside("logs/appstatus_app-1"), is_beside("logs/app-1")
    (True, False)
    """
    last = PurePosixPath(name).name
    return last.startswith((".", "_", "appstatus_")) or last.endswith((".crc", "_conf.xml"))


# Histories that the owner of a server offers: the contents of one folder, by name.
#
# The variable `VARIABLE` names the folder. A visitor chooses among the names of `offered` and never sends a
# path: what is opened is what this module has listed. A link that leads out of the folder is not listed,
# nor is a folder in it with such a link.

Found = TypeVar("Found")

VARIABLE = "STRAGGLER_LAB_TRACES"
#: Names that are offered at most: nobody reads a longer menu.
MOST = 500


def offered() -> dict[str, Path]:
    """Return the histories of the server's owner, by name: files, and folders of the parts of one log.

    Returns
    -------
    dict of str to Path
        Empty if no folder is named, or if it cannot be read, which is logged.
    """
    named = os.environ.get(VARIABLE, "")
    if not named:
        return {}
    try:
        return listed(Path(named))
    except OSError as error:
        logging.getLogger(__name__).warning("%s: %r cannot be read (%s)", VARIABLE, named, error.strerror)
        return {}


def listed(folder: Path) -> dict[str, Path]:
    """Return the logs in a folder by name, each with its real path, in order of the names."""
    root = folder.resolve(strict=True)
    found = {}
    for entry in sorted(root.iterdir()):
        if not entry.name.startswith(".") and (path := _inside(entry, root)) is not None:
            found[visible(entry.name)] = path  # which a menu can show and a link hold
            if len(found) == MOST:
                break
    return found


def _inside(entry: Path, root: Path) -> Path | None:
    """Return the real path of a log if all of it lies below the root; None if not, or if it is no log."""
    try:
        path = entry.resolve(strict=True)
        if not path.is_relative_to(root):
            return None
        if path.is_file():
            return path
        parts = list(path.iterdir()) if path.is_dir() and path != root else []
        within = path != root and all(part.resolve(strict=True).is_relative_to(root) for part in parts)
        found = within and any(part.is_file() for part in files_of(path))
    except OSError:  # a link to nothing, a folder that may not be read
        return None
    return path if found else None


def state(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return name, size and time of each file of a log, by which a change is known; nothing if it is gone."""
    try:
        files = files_of(path)
        return tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    except OSError:
        return ()


def read_offered(
    parse: Callable[..., Found],
    path: str,
    state: object,
    *named: Upload,
    progress: Callable[[int], None] = lambda number: None,
) -> Found:
    """Return what a function makes of a log of this folder.

    Parameters
    ----------
    parse : callable
        ``parse(path, progress=...)``.
    path : str
        Of `offered`.
    state : object
        Of `state`: a log that has changed is read again by those who keep what they have read.
    *named : Upload
        Its name, without content; for those who say what is being read.
    progress : callable, optional
        As of `sim.logs.formats.read_history`.
    """
    return parse(path, progress=progress)
