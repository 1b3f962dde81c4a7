"""Samples that outlive the process: a folder from which a sweep resumes after a kill or a reboot.

One SQLite file holds them: one file is easier to copy and to count than a hundred thousand, a sample is in it
whole or not at all, and a second process that would write to it is noticed. It holds numbers, no pickles: to
open such a folder runs nothing that is in it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import logging
import math
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from sim.engines.plugins import Source, ensure, sources
from sim.model.fields import BadInput, fields_of
from sim.model.files import checked_path, opened, regular
from sim.model.result import Sample, SizeClass
from sim.running import code_digest
from sim.running.code_digest import check_same, digest
from theory.quoting import quoted, visible

if TYPE_CHECKING:
    from sim.model.policy import Policy
    from sim.model.result import Comparison, Sample
    from sim.model.scenario import Scenario
    from sim.model.trace import Trace
    from sim.model.workload import Jobs


# Work items, which other processes can run: one policy, one replication, one point; the answer is a sample.
#
# A process draws the jobs of a replication once for the policies it runs on them, and compiles each rule
# once.


class Work(Protocol):
    """An experiment as its executors see it (`sim.running.experiment.Experiment`)."""

    @property
    def scenario(self) -> Scenario:
        """What is simulated."""

    @property
    def policies(self) -> tuple[Policy, ...]:
        """What is compared."""

    @property
    def trace(self) -> Trace | None:
        """Where jobs are from, unless they are drawn."""

    def only(self, place: int) -> Work:
        """Return the part that the policy at this place needs."""

    def few(self) -> Work:
        """Return the policies on a few jobs."""

    def jobs(self, replication: int) -> Jobs:
        """Jobs of one replication."""

    def run(
        self,
        policy: Policy,
        replication: int,
        jobs: Jobs,
        progress: Callable[[int], object] = ...,
    ) -> Sample:
        """Run one policy once."""

    def compared(self, replications: list[list[Sample]]) -> Comparison:
        """Collect replications, in order."""


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One policy, run once.

    Parameters
    ----------
    work : Experiment
        With this policy alone.
    replication : int
        Which luck.
    code : str
        Digest of the code that asks (`sim.running.code_digest`).
    sources : tuple of Source
        Where rules of one's own are from (`sim.engines.plugins`).
    """

    work: Work
    replication: int
    code: str
    sources: tuple[Source, ...] = ()


def work_item(work: Work, replication: int, place: int) -> WorkItem:
    """Return the work item for the policy at this place of an experiment."""
    only = work.only(place)
    return WorkItem(only, replication, digest(), sources(only.policies))


def run(one: WorkItem) -> Sample:
    """Run a work item, in whichever process this is.

    Raises
    ------
    BadInput
        If this process has other code than the one that asks, or cannot have a rule.
    """
    check_same(one.code)
    ensure(one.sources)
    (policy,) = one.work.policies
    return one.work.run(policy, one.replication, _drawn(one.work, one.replication))


def preparation(work: Work) -> list[WorkItem]:
    """Return work items that need the compiled code of an experiment, and little time."""
    few = work.few()
    return [work_item(few, 0, place) for place in range(len(few.policies))]


def prepare(few: list[WorkItem]) -> None:
    """Run work items for the sake of the code that they compile."""
    for one in few:
        run(one)


_lock = threading.Lock()
_last: dict[Any, Jobs] = {}


def _drawn(work: Work, replication: int) -> Jobs:
    """Return the jobs of a replication; those drawn last are kept, for another policy comes next."""
    key = work.scenario, work.trace.digest if work.trace else "", replication
    with _lock:
        found = _last.get(key)
    if found is None:
        found = work.jobs(replication)
        with _lock:
            _last.clear()
            _last[key] = found
    return found


# A sample as bytes, exactly, and back: JSON, with arrays as they lie in memory, packed.

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


_LOG = logging.getLogger(__name__)

#: The file in the folder, and what its tables are; a folder of another format is refused.
NAME, FORMAT = "samples.sqlite", "1"
#: What the first bytes of such a file are: those of SQLite, and far behind them a number that is ours.
_THEIRS = "it holds something else, or samples of an earlier version; give an empty folder, or a new one"
_SQLITE, _OURS_AT, _OURS = b"SQLite format 3\0", 68, 0x73747261
#: Milliseconds for which a write waits for another process, which is then taken for a second run.
PATIENCE_MS = 2000
_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE sample (
    unit TEXT PRIMARY KEY, policy TEXT NOT NULL, replication INTEGER NOT NULL, seconds REAL NOT NULL,
    found BLOB NOT NULL
) WITHOUT ROWID;
"""


def description(experiment: Work, **more: object) -> dict[str, str]:
    """Return what tells an experiment from others, by name, as a folder remembers it.

    Parameters
    ----------
    experiment : Experiment
    **more
        What else tells it from others, such as the values of a sweep.
    """
    scenario = experiment.scenario
    fields = {name: repr(getattr(scenario, name)) for name in fields_of(type(scenario))}
    trace = experiment.trace.digest if experiment.trace else "none"
    policies = "; ".join(policy.text for policy in experiment.policies)
    named = {name: repr(value) for name, value in more.items()}
    told = {"engine": scenario.ENGINE, "policies": policies, "workload": trace}
    own = {f"file {visible(source.name)}": source.digest for source in sources(experiment.policies)}
    return told | own | fields | named


class SampleStore:
    """A folder in which the samples of one experiment are kept, to be used in a ``with``.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there.
    about : mapping
        What tells the experiment from others (`description`).

    Raises
    ------
    BadInput
        If the folder holds something else, was made by other code or for another experiment, is in use, or
        cannot be written to.
    """

    def __init__(self, folder: str | Path, about: Mapping[str, str]) -> None:
        self.folder = folder
        self._ours = {"format": FORMAT, "code": code_digest.told(), **about}
        with self._refusing():
            path = Path(checked_path(folder))
            path.mkdir(0o755, exist_ok=True)  # whatever the umask: others may not change samples
            if not self._is_ours(path):
                raise self._refused(_THEIRS)
            self._file = sqlite3.connect(
                path / NAME, isolation_level=None, timeout=PATIENCE_MS / 1000, check_same_thread=False
            )
        try:
            with self._refusing():
                self._open()
        except BaseException:
            self._file.close()
            raise

    def found(self, work: Work, replication: int, place: int) -> Sample | None:
        """Return what is kept of the run of one policy; None if nothing is. What is damaged is logged."""
        with self._refusing():
            row = self._file.execute(
                "SELECT found FROM sample WHERE unit = ?", (_unit(work, replication, place),)
            ).fetchone()
        try:
            return from_bytes(row[0]) if row else None
        except ValueError as error:
            _LOG.warning(
                "keep: replication %d of %s in %s is damaged (%s) and is computed again",
                replication,
                work.policies[place].text,
                quoted(str(self.folder)),
                error,
            )
            return None

    def put(self, work: Work, replication: int, place: int, sample: Sample) -> None:
        """Keep what the run of one policy has given; when this returns no kill takes it away."""
        policy, unit = work.policies[place].text, _unit(work, replication, place)
        row = unit, policy, replication, sample.seconds, to_bytes(sample)
        with self._refusing():
            self._file.execute("INSERT OR REPLACE INTO sample VALUES (?, ?, ?, ?, ?)", row)

    def __len__(self) -> int:
        with self._refusing():
            return int(self._file.execute("SELECT count(*) FROM sample").fetchone()[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def _is_ours(self, folder: Path) -> bool:
        """Whether a folder is empty or has a file of samples: to open any other would change it."""
        found = regular(folder / NAME)
        if found is None:
            return not any(folder.iterdir())
        with opened(folder / NAME) as file:
            head = file.read(_OURS_AT + 4)
        return not head or (head.startswith(_SQLITE) and head[_OURS_AT:] == _OURS.to_bytes(4, "big"))

    def _open(self) -> None:
        """Take the file for this process, and make it or see that it is of this experiment."""
        self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
        if not self._file.execute("PRAGMA application_id").fetchone()[0]:
            self._file.execute(f"PRAGMA application_id = {_OURS}")  # before all else: a kill leaves it ours
        self._file.execute("PRAGMA journal_mode = WAL")  # a commit is one write, and survives a kill
        self._file.execute("BEGIN IMMEDIATE")
        tables = {
            name for (name,) in self._file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        if not tables:
            for statement in filter(str.strip, _TABLES.split(";")):
                self._file.execute(statement)
            self._file.executemany("INSERT INTO about VALUES (?, ?)", self._ours.items())
        elif tables != {"about", "sample"}:
            raise self._refused(_THEIRS)
        else:
            self._compare(dict(self._file.execute("SELECT name, value FROM about")))
        self._file.execute("COMMIT")

    def _compare(self, theirs: Mapping[str, str]) -> None:
        """Refuse a file that was made by other code, or for another experiment."""
        for name in sorted({*theirs, *self._ours}, key=["format", "code", *self._ours, *theirs].index):
            there, here = theirs.get(name, "not given"), self._ours.get(name, "not given")
            if there != here:
                what = "made by other code" if name in ("format", "code") else "of another experiment"
                raise self._refused(
                    f"it is {what}: {name} is {_brief(there)} there, {_brief(here)} here; give another folder"
                )

    @contextlib.contextmanager
    def _refusing(self) -> Iterator[None]:
        """Turn what the system says into a line that names the option."""
        try:
            yield
        except OSError as error:
            raise self._refused(f"it cannot be written ({error.strerror})") from None
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                raise self._refused("another run is writing to it") from None
            if "malformed" in str(error) or "not a database" in str(error):
                raise self._refused(f"{NAME} is damaged ({error}); give another folder") from None
            raise self._refused(
                f"it cannot be written ({error}); what it holds stays, and the same line goes on from there"
            ) from None

    def _refused(self, reason: str) -> BadInput:
        return BadInput(f"keep: {quoted(str(self.folder))} is not used; {reason}")


def _unit(work: Work, replication: int, place: int) -> str:
    """Return what a run is found by, which is all that decides what it gives."""
    trace = work.trace.digest if work.trace else ""
    key = repr((work.scenario, trace, work.policies[place].text, replication))
    return hashlib.sha256(key.encode()).hexdigest()


def _brief(text: str) -> str:
    return quoted(text).strip("'\"")
