"""Where the logs of a fleet are that a page looks at: in files in memory, in a folder, on a History Server.

These functions are called in processes for such work. Logs go in batches, so that a large archive is sent to
a process a few times only; a batch whose process ends is looked at again log by log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sim.advice.fleet.discovery import Log, files_in, in_archive, in_folder, logs_of
from sim.advice.fleet.first_look import Look, look_and_read
from sim.advice.fleet.history_server import Application, HistoryServer, applications, download
from sim.logs.foreign import refusing
from sim.logs.formats import alibaba, flink, format_of, google, kubernetes, read_history, tez
from sim.logs.history import History
from sim.logs.source import Upload
from sim.model.fields import BadInput

#: Logs of a fleet, and bytes of one and of all, unpacked from archives.
MOST, MOST_BYTES, MOST_OF_ALL = 1_000, 512 * 2**20, 2 * 2**30
#: Bytes of a log that a History Server sends, and of a fleet whose logs are returned once they are read.
MOST_SENT, MOST_RETURNED = 128 * 2**20, 32 * 2**20
#: Formats of which several files may be one log: its tables, or answers to several questions.
TABLES = (alibaba.KEY, google.KEY, flink.KEY, tez.KEY, kubernetes.KEY)
#: Logs and bytes of a batch, and batches of an archive, each of which is sent once more.
BATCH, BATCH_BYTES, BATCHES = 8, 4 * 2**20, 32
Kind = Literal["upload", "archive", "path", "served"]


@dataclass(frozen=True)
class Place:
    """Where a log is.

    Parameters
    ----------
    log : Log
    kind : str
        "upload" (its files are names of uploads), "archive" (of members of one), "path", or "served".
    file : int
        Which of the uploads is the archive.
    server : HistoryServer or None
        That has it.
    application : Application or None
        Whose log that is there.
    """

    log: Log
    kind: Kind
    file: int = 0
    server: HistoryServer | None = None
    application: Application | None = None


def places_in_files(
    *files: Upload, progress: Callable[[int], None] = lambda number: None
) -> tuple[Place, ...]:
    """Return the logs in files: those in each archive, and the others by their names."""
    found, loose = [], []
    for number, file in enumerate(files):
        if file.data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            found += [Place(log, "archive", number) for log in in_archive(file)]
        else:
            loose.append((file.name, len(file.data)))
    found += [Place(log, "upload") for log in logs_of(loose)]
    if (size := sum(place.log.size for place in found)) > MOST_OF_ALL:
        most = f"{MOST_OF_ALL >> 20:,} MiB"
        raise BadInput(f"fleet: {size >> 20:,} MiB of logs; this page accepts {most}: give a part of them")
    return _bounded(found)


def logs_in_files(*files: Upload, progress: Callable[[int], None] = lambda number: None) -> tuple[Place, ...]:
    r"""Return the logs in files as `places_in_files`; of files that only together are a log, the first.

    Examples
    --------
    >>> log = b"job_id,stage_id,task_id,start_s,end_s\nnightly,map,0,0,4\n"
    >>> [one.log.name for one in logs_in_files(Upload("b.csv", log), Upload("a.csv", log))]
    ['a.csv', 'b.csv']
    """
    found = places_in_files(*files, progress=progress)
    return found[:1] if {format_of(file) for file in files} <= {*TABLES} else found


def places_in_folder(
    folder: str, *named: Upload, progress: Callable[[int], None] = lambda number: None
) -> tuple[Place, ...]:
    """Return the logs in a folder of the server's owner, those in its folders among them."""
    try:
        found = in_folder(Path(folder), inside=True)
    except (BadInput, OSError):  # which would name the place of the folder
        raise BadInput("fleet: the folder of this server has no log, or more than are accepted") from None
    return _bounded([Place(log, "path") for log in found])


def at_time(
    parse: Callable[..., Any],
    when: int,
    *files: Upload,
    progress: Callable[[int], None] = lambda number: None,
) -> Any:
    """Call a function: what it finds at another time is another thing to those who keep what they read."""
    return parse(*files, progress=progress)


def places_served(
    server: HistoryServer, *named: Upload, progress: Callable[[int], None] = lambda number: None
) -> tuple[Place, ...]:
    """Return the newest logs of the owner's History Server."""
    runs = applications(server, MOST)
    return tuple(Place(Log(run.called, (), 0), "served", server=server, application=run) for run in runs)


def _bounded(found: Sequence[Place]) -> tuple[Place, ...]:
    """Refuse what is more than one visitor may have looked at."""
    if not found:
        raise BadInput("fleet: no file that could be a log; give logs, or a zip of them")
    if len(found) > MOST:
        raise BadInput(
            f"fleet: {len(found):,} logs; this page accepts {MOST:,}: python -m sim fleet takes more"
        )
    return tuple(found)


def batches(places: Sequence[Place]) -> Iterator[tuple[Place, ...]]:
    """Yield the logs in batches that are looked at in one go.

    Examples
    --------
    >>> places = [Place(Log(f"{number}", (), 2**20), "archive") for number in range(10)]
    >>> [len(batch) for batch in batches(places)]
    [4, 4, 2]
    """
    total = sum(place.log.size for place in places)
    most = max(BATCH_BYTES, total // BATCHES)
    batch: list[Place] = []
    for place in places:
        size = sum(one.log.size for one in batch) + place.log.size
        if batch and (size > most or len(batch) == BATCH or place.kind == "served"):
            yield tuple(batch)
            batch = []
        batch.append(place)
    if batch:
        yield tuple(batch)


def look_at_places(
    places: Sequence[Place],
    known: Mapping[Place, History],
    *files: Upload,
    returned: bool = False,
    progress: Callable[[int], None] = lambda number: None,
) -> list[tuple[Look, History | None]]:
    """Look at some logs; what cannot be read is a look with its reason.

    Parameters
    ----------
    places : sequence of Place
    known : mapping of Place to History
        What has been read of them already.
    *files : Upload
    returned : bool, optional
        Whether what is read is returned, too.
    progress : callable, optional
    """
    found = (_looked(place, files, known.get(place), progress) for place in places)
    return [(one, history if returned else None) for one, history in found]


def _looked(
    place: Place, files: Sequence[Upload], known: History | None, progress: Callable[[int], None]
) -> tuple[Look, History | None]:
    application = place.application.name if place.application else place.log.name
    try:
        source = None if known and place.server else files_at(place, files)
        found, history = look_and_read(place.log, source, MOST_BYTES, known, progress=progress)
    except BadInput as error:
        unread = Look.unread(place.log.name, error, application)
        return replace(unread, reason=_without_paths(place, str(error))), None
    return replace(found, application=application) if place.application else found, history


def _without_paths(place: Place, reason: str) -> str:
    """Return why a log cannot be read; where it is nobody is told."""
    for path in place.log.files if place.kind == "path" else ():
        reason = reason.replace(path, Path(path).name)
    return reason


def files_at(place: Place, files: Sequence[Upload]) -> Sequence[Upload] | None:
    """Return the files of a log; None where they are paths."""
    if place.server is not None and place.application is not None:
        data = download(place.server, place.application, MOST_SENT)
        return [Upload(f"{place.application.id}.zip", data)]
    if place.kind == "archive":
        return files_in(files[place.file], place.log, MOST_BYTES)
    if place.kind == "upload":
        return [file for file in files if file.name in place.log.files]
    return None


def history_at(
    place: Place, *files: Upload, progress: Callable[[int], None] = lambda number: None
) -> History:
    """Read a log."""
    try:
        with refusing([place.log.name]):
            given = files_at(place, files)
            found: Sequence[str | Upload] = place.log.files if given is None else given
            return read_history(*found, most_bytes=MOST_BYTES, progress=progress)
    except BadInput as error:
        raise BadInput(_without_paths(place, str(error))) from None
