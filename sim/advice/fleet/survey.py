"""All logs of a fleet, looked at in parallel processes; then the remedy for those with most to win.

Each log is looked at by itself: what goes wrong with it, even the death of its process, is a row with its
reason.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from sim.advice.fleet import first_look as first
from sim.advice.fleet.discovery import Log, in_archive, in_folder, is_archive
from sim.advice.fleet.first_look import UNTOLD, Advised, Look, advised, files_of_log, untold
from sim.advice.fleet.history_server import (
    Application,
    HistoryServer,
    applications,
    download,
    history_server,
    is_address,
)
from sim.kernel.folder import cache_folder
from sim.logs.formats import read_history
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.model.files import checked_path, not_read, opened, regular
from sim.running.code_digest import of_logs
from sim.running.parallel import Player
from sim.running.processes.child import Limits
from sim.running.processes.wire import STEPS, Steps
from sim.running.processes.worker import Ended, Worker
from theory.quoting import quoted, visible

# Looks that are kept in a file, by the digest of log and code: a second look reads only what is new.
#
# The first line says what the file is; any other file is refused and stays as it is. Then there is a line
# of JSON for each look, appended when it is made, so that what was interrupted goes on.

#: Name of the folder and the file of the user's own, and bytes from which the looks are begun anew.
FOLDER, FILE, MOST_KEPT_BYTES = "fleet", "kept_looks.jsonl", 64 * 2**20
#: The first line of the file.
FIRST = b'{"straggler-lab": "looks at a fleet", "format": 1}\n'
_GIVE = "give a new file, or one that this option has made"


class Kept:
    """Looks by digest.

    Parameters
    ----------
    path : Path or None
        The file, which is made if it is not there; None keeps the looks in memory only.
    sources : iterable of str, optional
        Files and folders of logs: the file may not be among them.

    Raises
    ------
    BadInput
        If the file is not one of looks, is a source, or cannot be read or written.

    Examples
    --------
    >>> kept = Kept(None)
    >>> kept.keep("0123", Look("a", "a", "spark"))
    >>> kept.get("0123").format, kept.get("4567")
    ('spark', None)
    """

    def __init__(self, path: Path | None, sources: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._looks: dict[str, Look] = {}
        self._file: int | None = None
        if path is None:
            return
        try:
            checked_path(path)
            not_read("keep", str(path), sources)
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = _lines(path)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            # the same file until the end, whatever its name leads to by then
            self._file = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
            weakref.finalize(self, os.close, self._file)
            if lines is None:
                os.ftruncate(self._file, 0)
                os.write(self._file, FIRST)
        except (OSError, RuntimeError) as error:  # the latter from resolving a path
            why = getattr(error, "strerror", None) or "a circle of links"
            raise BadInput(f"keep: {quoted(str(path))} is not accepted ({why}); {_GIVE}") from None
        for line in lines or ():
            self._take(line)

    def _take(self, line: bytes) -> None:
        """Take a line of the file; one that was cut off, or is of other code, is passed over."""
        try:
            told = orjson.loads(line)
            if told["code"] == of_logs():
                self._looks[str(told["digest"])] = Look.of_json(told["look"])
        except (ValueError, KeyError, TypeError):
            return

    def get(self, digest: str) -> Look | None:
        """Return the look at a log of this digest, if there is one."""
        return self._looks.get(digest)

    def keep(self, digest: str, look: Look) -> None:
        """Keep a look, in memory and in the file."""
        with self._lock:
            self._looks[digest] = look
            if self._file is None:
                return
            line = json.dumps({"code": of_logs(), "digest": digest, "look": look.as_json}).encode() + b"\n"
            try:
                whole = os.write(self._file, line) == len(line)  # at once: another process may append, too
            except OSError:
                whole = False
            if not whole:  # a full disk: the answer does not depend on it
                self._file = None


def _lines(path: Path) -> list[bytes] | None:
    """Return the lines of a file of looks, None where it is to be begun; another file is an `OSError`."""
    found = regular(path)
    if found is None or not found.st_size:
        return None
    with opened(path) as file:
        if file.readline(len(FIRST)) != FIRST:
            raise OSError(0, "it is not a file of kept looks, and stays as it is")
        if found.st_size > MOST_KEPT_BYTES:
            return None
        return file.read(MOST_KEPT_BYTES).splitlines()


def of_the_user() -> Path | None:
    """Return the file in the user's cache; None where there is no safe place for it."""
    folder = cache_folder(FOLDER)
    return None if folder is None else folder / FILE


#: Bytes of one log, unpacked; a larger one is for ``python -m sim trace``.
MOST_BYTES = 2 * 2**30
#: Limits of a look at one log, and of its remedy.
LOOK = Limits(memory=2 * 2**30, seconds=600, patience=1800)
ADVISE = Limits(memory=4 * 2**30, seconds=3600, patience=10_800)
WHY = {
    "memory": "it needed more memory than a log of a fleet may",
    "time": "it took more processor time than a log of a fleet may",
    "late": "this machine was too busy for it; it is tried again the next time",
    "result": "what was found in it is too large",
    "stopped": "it was ended",
    "died": "the process that read it has ended, probably for want of memory",
}


@dataclass(frozen=True)
class Item:
    """A log, and where it is.

    Parameters
    ----------
    log : Log
    archive : Path or None
        The archive that it is in.
    server : HistoryServer or None
        That has it, as the log of `application`.
    application : Application or None
    """

    log: Log
    archive: Path | None = None
    server: HistoryServer | None = None
    application: Application | None = None


def items_of(sources: Sequence[str], *, inside: bool = False) -> list[Item]:
    """Return the logs of folders, archives, files and History Servers.

    Parameters
    ----------
    sources : sequence of str
    inside : bool, optional
        Whether files of a folder are left out to which a link leads out of it.

    Raises
    ------
    BadInput
        If a source cannot be read, or has no log.
    """
    found: list[Item] = []
    for source in sources:
        found += _of_server(history_server(source)) if is_address(source) else _of_path(source, inside)
    return found


def _of_server(server: HistoryServer) -> list[Item]:
    runs = applications(server)
    if not runs:
        raise BadInput(f"{server.root}: it knows no application")
    return [Item(Log(run.called, (), 0), server=server, application=run) for run in runs]


def _of_path(source: str, inside: bool) -> list[Item]:
    path = Path(source).absolute()  # a process that reads is in a folder of its own
    try:
        if path.is_dir():
            return [Item(log) for log in in_folder(path, inside=inside)]
        if is_archive(path):
            return [Item(log, path) for log in in_archive(path)]
        with opened(path):
            return [Item(Log(visible(path.name), (str(path),), path.stat().st_size))]
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "unreadable"
        raise BadInput(
            f"fleet: {quoted(source)} is not accepted ({why}); give a folder or an address"
        ) from None


def digest_of(item: Item, progress: Callable[[int], None] = lambda number: None) -> str:
    """Return what tells a log from every other: by its content, or by what a server says of it."""
    state = hashlib.sha256()
    if item.server is not None and item.application is not None:
        state.update(repr((item.server.root, item.application)).encode())
        return state.hexdigest()
    for file in files_of_log(item.log, item.archive, MOST_BYTES):
        name = file.name if isinstance(file, Upload) else Path(file).name
        state.update(os.fsencode(name) + b"\0")  # which need not be text
        if isinstance(file, Upload):
            state.update(file.data)
            continue
        with opened(file) as stream:
            while block := stream.read(2**20):
                state.update(block)
    return state.hexdigest()


def _source(item: Item, progress: Callable[[int], None]) -> Any:
    """Return where the files of a log are, or the files."""
    if item.server is None or item.application is None:
        return item.archive
    data = download(item.server, item.application, progress=progress)
    return [Upload(f"{item.application.id}.zip", data)]


def look_at(item: Item, progress: Callable[[int], None] = lambda number: None) -> Look:
    """Look at a log, in a process for such work."""
    found = first.look(item.log, _source(item, progress), MOST_BYTES, progress=progress)
    return replace(found, application=item.application.name) if item.application else found


def advise_on(item: Item, progress: Callable[[int], None] = lambda number: None) -> Advised:
    """Read a log again and return its remedy, in a process for such work; told are the `STEPS` done."""
    files = files_of_log(item.log, _source(item, lambda number: None), MOST_BYTES)
    steps = Steps(progress)
    return advised(
        read_history(*files, most_bytes=MOST_BYTES), Player(progress=steps), about_to_play=steps.expect
    )


def look_here(items: Sequence[Item], told: Callable[[int], None] = lambda number: None) -> list[Look]:
    """Look at logs one after the other in this process; one that cannot be read is a look with its reason.

    Parameters
    ----------
    items : sequence of Item
    told : callable, optional
        Is told 1 for each log that is done.
    """
    looks = []
    for item in items:
        try:
            looks.append(look_at(item))
        except BadInput as error:
            looks.append(Look.unread(item.log.name, error))
        told(1)
    return looks


def look_at_all(
    items: Sequence[Item],
    kept: Kept,
    *,
    processes: int,
    told: Callable[[float], object] = lambda logs: None,
) -> list[Look]:
    """Look at every log that is not kept; return the looks in the order of the items.

    Parameters
    ----------
    items : sequence of Item
    kept : Kept
    processes : int
        How many read at a time, each one log after the other.
    told : callable, optional
        Is told 1 for each log that is looked at, from any thread.
    """
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(items)):
        waiting.put(number)
    found: list[Look | None] = [None] * len(items)
    failed: list[BaseException] = []

    def work() -> None:
        worker = Worker(LOOK)
        try:
            while True:
                number = waiting.get_nowait()
                found[number] = _kept_or_new(worker, items[number], kept)
                told(1)
        except queue.Empty:
            return
        except BaseException as error:
            failed.append(error)
        finally:
            worker.close()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(max(1, min(processes, len(items))))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return [one for one in found if one is not None]


def _kept_or_new(worker: Worker, item: Item, kept: Kept) -> Look:
    """Return the kept look at a log, or look at it."""
    name, called = item.log.name, item.application.name if item.application else ""
    try:
        digest = worker.call(digest_of, item)
        if (known := kept.get(digest)) is not None:
            return known.named(name)
        look = worker.call(look_at, item)
    except BadInput as error:
        return Look.unread(name, error, called)
    except Ended as error:
        return Look.unread(name, WHY[error.reason], called)
    kept.keep(digest, look)
    return look


def most_first(looks: Sequence[Look]) -> list[Look]:
    """Return looks in the order of what can be won: the gain where it is computed, what is lost where not.

    Examples
    --------
    >>> [one.name for one in most_first([Look("a", lost=1.0), Look("b"), Look("c", lost=3.0)])]
    ['c', 'a', 'b']
    """
    return sorted(looks, key=lambda one: (-one.to_win, not one.is_read, one.name))


def advise_on_most(
    items: Sequence[Item],
    looks: Sequence[Look],
    kept: Kept,
    count: int,
    *,
    told: Callable[[float], object] = lambda logs: None,
) -> list[Look]:
    """Return the looks with the remedy for those that lost most.

    Parameters
    ----------
    items, looks : sequence
        Of the same logs, in the same order.
    kept : Kept
    count : int
        For how many logs it is computed at most; those that are kept with it count, too.
    told : callable, optional
        Is told how much more is done, where 1 is a whole log.
    """
    found, worker = list(looks), Worker(ADVISE)
    try:
        for number in most_lost(looks, count):
            done = _Share(told)
            if found[number].advised is None:
                answer, ended = _advised(worker, items[number], done)
                found[number] = replace(found[number], advised=answer)
                if not ended:  # a machine that is busy now need not be the next time
                    kept.keep(worker.call(digest_of, items[number]), found[number])
            done(STEPS)
    finally:
        worker.close()
    return found


def most_lost(looks: Sequence[Look], count: int) -> list[int]:
    """Return the places of the logs that lost most, so many at most, the most first.

    Examples
    --------
    >>> most_lost([Look("a", lost=1.0), Look("b"), Look("c", lost=3.0), Look("d", lost=0.0)], 3)
    [2, 0]
    """
    order = sorted(range(len(looks)), key=lambda number: -(looks[number].lost or 0.0))
    return [number for number in order if (looks[number].lost or 0.0) > 0][:count]


class _Share:
    """Tells what more of a log is done, of what has been of `STEPS`."""

    def __init__(self, told: Callable[[float], object]) -> None:
        self._told, self._done = told, 0

    def __call__(self, done: int) -> None:
        if done > self._done:
            more, self._done = done - self._done, done
            self._told(more / STEPS)


def _advised(worker: Worker, item: Item, done: Callable[[int], None]) -> tuple[Advised, bool]:
    """Return the remedy for a log, and whether the process was ended before it was known."""
    try:
        return worker.call(advise_on, item, progress=done), False
    except BadInput as error:
        return untold(error), False
    except Ended as error:
        told = f"When it was played again {WHY[error.reason]}."
        return Advised(UNTOLD, "cannot be told", told), True
