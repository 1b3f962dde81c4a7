"""Files of visitors: read in a separate process, outside turns, with progress; they belong to a session.

What has been read is kept by the names and contents of the files, so a class that is given one file reads it
once, and nobody sees the name of somebody else's file.

A file has a first look of some seconds. One that takes longer waits for a process for long readings, so that
two or three slow files do not hold up a small one. Files go by what they are expected to take and by what
their session has had (`sim.running.processes.wire`).
"""

from __future__ import annotations

import hashlib
import pickle
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.frame.menu import was_sent
from pages.server.private import DeletedFile, Read, held_files, is_active, session
from pages.shared.app.turns import turns
from pages.shared.words.foreign import literal
from sim.logs.source import Upload
from sim.logs.unpacking import expected_seconds
from sim.model.cached import once
from sim.model.fields import BadInput
from sim.running.processes.child import Limits
from sim.running.processes.jobs import LARGE, Job, Jobs
from sim.running.processes.wire import Shares
from sim.running.processes.worker import Ended
from sim.telling.words import fixed, percent
from theory.quoting import shortened

Found = TypeVar("Found")

#: Bytes of what has been read that are kept, of all sessions together.
KEPT_BYTES = 256 * 2**20
#: Limits of a first look at a file, and how many run at once.
LOOK, LOOKS = Limits(memory=192 * 2**20, seconds=4, patience=15, result=128 * 2**20), 2
#: Limits of reading: small files do not wait for large ones, and no two large ones are read at once.
SMALL = Limits(memory=512 * 2**20, seconds=60, patience=180, result=128 * 2**20)
LARGE_ONES = Limits(memory=1024 * 2**20, seconds=120, patience=360, result=128 * 2**20)
#: Processor seconds that any file may take, beside those expected of it, and clock seconds for each of them.
AT_LEAST_S, PATIENCE = 15, 3
#: Why a first look ends that a longer reading may follow.
FOLLOWED = ("time", "memory", "late")
#: Seconds within which most files are read: nothing is said of the waiting before.
SOON_S = 0.3
#: Seconds between two looks at the session, and between two messages on progress.
TICK_S, PACE_S = 0.1, 0.5
#: Where a session keeps what it has given, and the file whose reading it has cancelled.
KNOWN, CANCELLED = "uploads:known", "uploads:cancelled"
#: Ids of the files that pages have taken up, of all sessions.
_TAKEN_UP: set[str] = set()
#: Said where a page refers to a file that the server does not have.
FILES_GONE = (
    "file: the file you gave is not on this server any more, which may have been started again since; "
    "give it again"
)
_WHY = {
    "memory": "reading it needed more memory than this server allows; give a part of it",
    "time": "reading it took more processor time than this server allows; give a part of it",
    "result": "it holds more than this server keeps of one file; give a part of it",
    "stopped": "reading it was ended; give it again",
    "died": "the process that read it has ended, probably for want of memory on this server; give it again",
    "late": "this server is too busy to read it now; nothing is lost: press “Try again” in a few minutes",
}


class Busy(BadInput):
    """A file has not been read, by no fault of its own: other work kept the server busy."""


def may_be_read(error: BadInput) -> bool:
    """Whether a file that was not read may be: the server was busy, or the visitor has cancelled it."""
    return isinstance(error, Busy) or st.session_state.get(CANCELLED) is not None


class Readers(NamedTuple):
    """Processes for a first look at small files, and for long readings of small and of large ones."""

    look: Jobs
    small: Jobs
    large: Jobs


@once
def _readers() -> Readers:
    """Return the processes that read files, for all sessions."""
    shares = Shares()
    return Readers(Jobs(LOOKS, LOOK, shares), Jobs(1, SMALL, shares), Jobs(1, LARGE_ONES, shares))


@once
def _read() -> Read:
    """Return what has been read for all sessions."""
    return Read(KEPT_BYTES, is_active)


def attached(key: str) -> list[Upload]:
    """Return the files of an uploader, by its key in the session, whether it has been drawn yet or not.

    Raises
    ------
    BadInput
        If one is not on the server, any more or at all.
    """
    value = st.session_state.get(key)
    given = value if isinstance(value, list) else [] if value is None else [value]
    if any(isinstance(file, DeletedFile) for file in given):
        raise BadInput(FILES_GONE)
    files = {file.file_id: Upload(file.name, file.getvalue()) for file in given}
    known = _known()
    if not files and was_sent():
        return [file for file, _ in known.get(key, {}).values()]
    if files or key in known:
        digests = {name: (file, digest(file)) for name, file in files.items()}
        _free(known.get(key, {}).keys() - digests.keys())
        known[key] = digests
        _TAKEN_UP.update(digests)
    return list(files.values())


def digest(file: Upload) -> str:
    """Return the SHA-256 of a file's content, which is computed once for a file that is attached."""
    for files in _known().values():
        for known, found in files.values():
            if known.data is file.data:
                return found
    return hashlib.sha256(file.data).hexdigest()


def taken_up(there: Collection[str]) -> set[str]:
    """Return which of all the files that are on the server, by their ids, a page has taken up."""
    _TAKEN_UP.intersection_update(there)
    return set(_TAKEN_UP)


def free_left(folder: str) -> None:
    """Free the files of pages outside a folder, whose uploaders Streamlit forgets."""
    for key in [key for key in st.session_state.get(KNOWN, {}) if not key.startswith(f"{folder}.")]:
        _free(_known().pop(key))


def _known() -> dict[str, dict[str, tuple[Upload, str]]]:
    """Return files and digests of this session, by the key of their uploader and their id."""
    known: dict[str, dict[str, tuple[Upload, str]]] = st.session_state.setdefault(KNOWN, {})
    return known


def _free(ids: Iterable[str]) -> None:
    """Give up what the server holds of files; the browser does so, too, for those that it removes."""
    if manager := held_files():
        for name in ids:
            _TAKEN_UP.discard(name)
            manager.remove_file(session(), name)


def read_files(
    parse: Callable[..., Found],
    files: Sequence[Upload],
    meanwhile: Callable[[], object] = lambda: None,
    size: int | None = None,
    known: Sequence[Any] | None = None,
    key: Hashable = None,
) -> Found:
    """Return what a function makes of files in another process, and show how far it is.

    The answer is kept, and not to be changed. The reading of a session that has moved on is ended.

    Parameters
    ----------
    parse : callable
        ``parse(*files, progress=...)`` with `sim.logs.source.Upload` values; a function of a module of
        `sim`, or a `functools.partial` of one. It may tell its `progress` how many bytes more are read.
    files : sequence of Upload
    meanwhile : callable, optional
        Draws what need not wait for the answer; called at most once, when that does not come soon.
    size : int, optional
        Bytes that are read, where they are not in the files themselves.
    known : sequence, optional
        What is made of the files already, which `parse` takes instead of them.
    key : hashable, optional
        What the answer is kept by, of `key_of`.

    Raises
    ------
    BadInput
        What `parse` has raised, or why the files could not be read; `Busy` where the server is busy.
    """
    key = key_of(parse, files) if key is None else key
    found = _read().get(key, session())
    if found is None:
        found = (_followed(key, parse, files, meanwhile, size, files if known is None else known),)
        _read().keep(key, found, session())
    answer: Found = found[0]
    return answer


def key_of(parse: Callable[..., Any], files: Sequence[Upload]) -> Hashable:
    """Return what tells that which a function makes of files from all else."""
    return pickle.dumps(parse), tuple((file.name, digest(file)) for file in files)


def kept(key: Hashable) -> Any:
    """Return what was made of files; None if nothing is kept."""
    found = _read().get(key, session())
    return None if found is None else found[0]


def keep(key: Hashable, found: object) -> None:
    """Keep what was made of files, for this session and for others that give the same."""
    _read().keep(key, (found,), session())


def prepare(parse: Callable[..., Any], files: Callable[[], Sequence[Upload]]) -> None:
    """Let a process for first looks read these, so that it is loaded when a visitor comes with a file."""
    _readers().look.prepare(parse, lambda: tuple(files()))


def _followed(
    key: Hashable,
    parse: Callable[..., Any],
    files: Sequence[Upload],
    meanwhile: Callable[[], object],
    size: int | None,
    given: Sequence[Any],
) -> Any:
    """Wait for the reading of files, and say so."""
    names = shortened(", ".join(file.name for file in files))
    if st.session_state.get(CANCELLED) == key:
        st.button("Read it", on_click=_cancel, args=(None,), key="uploads:again")
        raise BadInput(f"{names}: reading was cancelled; press “Read it”, or give another file")
    stored = sum(len(file.data) for file in files) if size is None else size
    expected = sum(expected_seconds(file.data) for file in files)
    progress = _Progress(names, key, meanwhile)
    owner = session() or None
    with ExitStack() as joined:  # a first look stays joined: a page that runs again does not take it again
        with turns().lent():
            for jobs, limits in _ways(stored, expected if size is None else None):
                one = jobs.joined(
                    key, parse, *given, amount=stored, owner=owner, expected=expected, limits=limits
                )
                job = joined.enter_context(one)
                progress.watch(jobs, job)
                if job.ended not in FOLLOWED:
                    break
            progress.clear()
        try:
            return job.result()
        except Ended as error:
            if error.reason != "late":
                raise BadInput(f"{names}: {_WHY[error.reason]}") from None
    st.button("Try again", icon=":material/refresh:", key="uploads:busy")
    raise Busy(f"{names}: {_WHY['late']}")


def _ways(stored: int, expected: float | None) -> list[tuple[Jobs, Limits]]:
    """Return which processes read files, one after the other, and within what limits.

    Parameters
    ----------
    stored : int
        Bytes of the files.
    expected : float or None
        Seconds that reading them should take at most; None of a log that the owner of the server offers.
    """
    readers = _readers()
    jobs, limits = (readers.large, LARGE_ONES) if stored > LARGE else (readers.small, SMALL)
    if expected is not None and limits.seconds is not None:
        seconds = min(AT_LEAST_S + expected, limits.seconds)
        limits = replace(limits, seconds=seconds, patience=PATIENCE * seconds)
    return [(jobs, limits)] if stored > LARGE else [(readers.look, LOOK), (jobs, limits)]


class _Progress:
    """Shows how far the reading of files is.

    Parameters
    ----------
    names : str
    key : hashable
        What a button cancels.
    meanwhile : callable
        Called once, when the answer does not come soon.
    """

    def __init__(self, names: str, key: Hashable, meanwhile: Callable[[], object]) -> None:
        self._names, self._key, self._meanwhile = names, key, meanwhile
        self._place = st.empty()
        self._bar: DeltaGenerator | None = None
        self._begun, self._told = time.monotonic(), 0.0

    def watch(self, jobs: Jobs, job: Job) -> None:
        """Show the progress of a job until it is done; if the visitor has moved on, the script ends."""
        while not job.wait(TICK_S):
            st.session_state.get("any")
            now = time.monotonic()
            if now - self._begun < SOON_S or now - self._told < PACE_S:
                continue
            if self._bar is None:
                self._bar = _shown(self._place, self._key)
                self._meanwhile()
            self._told = now
            self._bar.progress(job.share, literal(_said(self._names, job, jobs.place(job), now)))

    def clear(self) -> None:
        """Take away what was shown."""
        self._place.empty()


def _shown(place: DeltaGenerator, key: Hashable) -> DeltaGenerator:
    """Draw where progress is shown, and a button to cancel; return the former."""
    box = place.container()
    bar = box.empty()
    box.button(
        "Cancel", icon=":material/close:", on_click=_cancel, args=(key,), key=f"uploads:cancel:{hash(key)}"
    )
    return bar


def _said(names: str, job: Job, before: int, now: float) -> str:
    if job.begun is None:
        others = "another file is" if before == 0 else f"{before + 1} others are"
        return f"{names}: waits until {others} read … {fixed(now - job.asked, 0)} s"
    share = f"{percent(job.share)}, " if 0 < job.share < 1 else ""
    return f"Reading {names} … {share}{fixed(now - job.begun, 0)} s"


def _cancel(key: Hashable) -> None:
    st.session_state[CANCELLED] = key
