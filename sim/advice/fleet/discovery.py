"""Finds the logs in a folder or a zip archive: which files are one log, and how many logs there are.

A log is a file, unless several are the parts of one: ``eventlog_v2_*`` and ``events_<n>_<application>`` of
Spark, as EMR and Dataproc keep them, too; ``eventlog`` and ``eventlog-<date>`` in a folder of Databricks; the
jobs of an application of Flink in ``applications/*/jobs``. An archive in a folder is one log.
"""

from __future__ import annotations

import os
import re
import stat
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from sim.logs.formats.spark_files import part_of
from sim.logs.source import Upload, is_beside, listed_archive, open_archive, read_member
from sim.model.fields import BadInput
from sim.model.files import opened
from theory.quoting import quoted, visible

#: Logs that are looked at, and files that are listed to find them.
MOST_LOGS, MOST_FILES = 10_000, 100_000
_JOBS_OF_FLINK = re.compile(r"((?:.+/)?applications/[^/]+)/jobs/[^/]+")
_OF_FLINK = re.compile(r"(?:.+/)?applications/[^/]+/.+")


@dataclass(frozen=True)
class Log:
    """The files of one log.

    Parameters
    ----------
    name : str
        What it is called: its path in the folder or archive, `visible`, since a file system gives any bytes.
    files : tuple of str
        Paths of the files; names of members of an archive.
    size : int
        Bytes as they are stored; of an archive, unpacked.
    changed : int
        When the last of them changed, where they are files in a folder.
    """

    name: str
    files: tuple[str, ...]
    size: int
    changed: int = 0


def logs_of(listed: Iterable[tuple[str, int]]) -> list[Log]:
    """Return the logs among files, by name; the largest are no longer looked for once there are too many.

    Parameters
    ----------
    listed : iterable of (str, int)
        Path of each file from the folder or archive, with ``/`` between its parts, and its bytes.

    Examples
    --------
    >>> found = logs_of([("a/events_1_x", 5), ("a/events_2_x", 7), ("b.jhist", 3), ("b.jhist.crc", 1)])
    >>> [(log.name, len(log.files), log.size) for log in found]
    [('a/x', 2, 12), ('b.jhist', 1, 3)]
    """
    groups: dict[str, list[tuple[str, int]]] = {}
    for path, size in listed:
        if size and (name := _log_name(path)):
            groups.setdefault(name, []).append((path, size))
    if len(groups) > MOST_LOGS:
        raise BadInput(
            f"fleet: {len(groups):,} logs; at most {MOST_LOGS:,} are accepted: give a part of them"
        )
    return [
        Log(visible(name), tuple(path for path, _ in sorted(parts)), sum(size for _, size in parts))
        for name, parts in sorted(groups.items())
    ]


def _log_name(path: str) -> str:
    """Return what the log is called that a file is of; empty if it is of none."""
    if any(part.startswith(".") or part == "__MACOSX" for part in path.split("/")) or is_beside(path):
        return ""
    if of := _JOBS_OF_FLINK.fullmatch(path):
        return of[1]
    if _OF_FLINK.fullmatch(path) and "/jobs/" not in path and PurePosixPath(path).suffix == "":
        return ""  # what Flink archives of the application beside its jobs
    folder, name = PurePosixPath(path).parent, PurePosixPath(path).name
    application = part_of(name)
    if application is None:
        return path
    return str(folder / application) if application else str(folder)


def in_folder(folder: Path, *, inside: bool = False) -> list[Log]:
    """Return the logs of a folder and of those in it; their files are paths.

    Parameters
    ----------
    folder : Path
    inside : bool, optional
        Whether files are left out to which a link leads out of the folder.

    Raises
    ------
    BadInput
        If there are too many files, or none.
    """
    found = listed_in(folder, inside=inside)
    if not found:
        raise BadInput(f"fleet: {quoted(str(folder))} has no file that could be a log")
    return found


def listed_in(folder: Path, *, inside: bool = False) -> list[Log]:
    """Return the logs of a folder as `in_folder`, if there are any."""
    changed: dict[str, int] = {}
    return [
        replace(
            log,
            files=tuple(str(folder / file) for file in log.files),
            changed=max(changed[file] for file in log.files),
        )
        for log in logs_of(_walked(folder, folder.resolve(), inside, changed))
    ]


def _walked(folder: Path, root: Path, inside: bool, changed: dict[str, int]) -> Iterator[tuple[str, int]]:
    """Yield path and bytes of each file, and note when it changed."""
    count = 0
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            try:
                if inside and not path.resolve(strict=True).is_relative_to(root):
                    continue
                found = path.stat()
            except OSError:  # a link to nothing
                continue
            if not stat.S_ISREG(found.st_mode):
                continue
            count += 1
            if count > MOST_FILES:
                raise BadInput(f"fleet: more than {MOST_FILES:,} files in {quoted(str(folder))}; give a part")
            name = path.relative_to(folder).as_posix()
            changed[name] = found.st_mtime_ns
            yield name, found.st_size


def in_archive(archive: Upload | Path) -> list[Log]:
    """Return the logs of a zip archive; their files are names of its members.

    Raises
    ------
    BadInput
        If it cannot be read, or has too many files.
    """
    name = archive.name
    with open_archive(archive) as opened_archive:
        listed = [(info.filename, info.file_size) for info in opened_archive.infolist() if not info.is_dir()]
    if len(listed) > MOST_FILES:
        raise BadInput(f"{name}: {len(listed):,} files in it; give at most {MOST_FILES:,}")
    found = logs_of(listed)
    if not found:
        raise BadInput(f"{name}: no file in the archive that could be a log")
    return found


def files_in(archive: Upload | Path, log: Log, most_bytes: int) -> list[Upload]:
    """Return the files of a log in an archive, unpacked from it and as packed as they are there.

    Raises
    ------
    BadInput
        If one is damaged, encrypted, or too large.
    """
    stored = (
        _kept_open(archive, archive.stat().st_mtime_ns)
        if isinstance(archive, Path)
        else listed_archive(archive)
    )
    left, found = most_bytes, []
    for member in log.files:
        data = read_member(stored, member, archive.name, left)
        left -= len(data)
        found.append(Upload(PurePosixPath(member).name, data))
    return found


@lru_cache(maxsize=1)
def _kept_open(archive: Path, changed: int) -> zipfile.ZipFile:
    """Return an archive on disk that is read log by log: a process reads its list once."""
    return listed_archive(archive)


def is_archive(path: Path) -> bool:
    """Say whether a file is a zip archive."""
    try:
        with opened(path) as file:
            return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    except OSError:
        return False
