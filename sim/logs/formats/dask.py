"""Task streams of Dask: a performance report, or what ``Client.get_task_stream`` returns, as JSON.

A computation in that JSON whose stop is null still runs.

A report is a web page. No script in it is run: the one block of JSON in it is read as data, and in that the
columns of the task stream. A stage is a group of keys, as the dashboard shows it, and a copy is one
computation on a thread of a worker; transfers run beside the threads and are no part of it. A stream has
no submit times, so a job begins with its first task. Slots are the threads of the workers, which a report
tells, and JSON that also holds what ``Client.nthreads`` returns. Dask has no speculation.

A worker shifts its times to the clock of the scheduler by what it has measured last, so that a computation
may end some milliseconds after the next one of its thread began, and more seem to run than there are threads.

Reference: ``distributed.diagnostics.task_stream`` of Dask 2.0 to 2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from sim.logs.foreign import DASK, TASK_STREAM
from sim.logs.formats.json_items import items
from sim.logs.history import FAILED, FINISHED, UNFINISHED, History
from sim.logs.knows import NO, SOME, YES, Knows
from sim.logs.records import NAN, Records
from sim.logs.source import LONGEST_LINE, Member
from sim.model.fields import BadInput

KEY = "dask"
TITLE = "task stream of Dask (performance report, or JSON)"
KNOWS = Knows(
    system="Dask",
    order=NO,
    submission=NO,
    launch=YES,
    start=NO,
    read=NO,
    written=NO,
    hosts=YES,
    slots=SOME,
    copies=NO,
    again=YES,
)

_STREAM = b'"startstops"'
_BEGIN = re.compile(rb'<script[^>]*type="application/json"[^>]*>')
_END = b"</script>"
_LONGEST_TAG = 256
_COLUMNS = ("start", "duration", "key", "name", "color", "worker", "worker_thread")
#: Prefixes of entries that are not computations. Failed ones are drawn in black.
_BESIDE = ("transfer-", "disk-read-", "disk-write-", "deserialize-")
_FAILED = "black"
_THREADS = re.compile(rb"Workers: \d+ .{0,60}?Threads: (\d+) ", re.DOTALL)
_ESCAPED = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&amp;", "&"))
_GIVE = f"save it again with performance_report, or give {TASK_STREAM}"
#: Seconds by which computations of a thread may overlap through shifts; those of coroutines overlap by more.
_SHIFT = 0.05


class _Computed(NamedTuple):
    """A computation: seconds since 1970, and where it ran."""

    key: Any
    start: float
    #: NaN while it runs.
    stop: float
    worker: str
    thread: str
    failed: bool

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self.stop != self.stop


def recognises(head: bytes, name: str) -> bool:
    r"""Say whether a file that begins like this is a performance report or a task stream.

    Examples
    --------
    >>> recognises(b"<html>\\n<title>Dask Performance Report</title>", "dask-report.html")
    True
    """
    return DASK in head or (head.lstrip()[:1] in (b"[", b"{") and _STREAM in head and b'"key"' in head)


def read(members: Sequence[Member]) -> History:
    """Read task streams, each of which is a job."""
    reader = _Streams()
    for number, member in enumerate(members):
        job = number, member.name
        if DASK in member.head():
            reader.report(member, job)
        else:
            reader.read_stream(member, job)
    reader.close()
    return reader.records.history(KEY, tuple(member.name for member in members))


class _Streams:
    """Computations of any number of task streams."""

    def __init__(self) -> None:
        self.records = Records(per_second=1)
        self.tasks: dict[tuple[int, str], int] = {}
        self.of_stage: dict[int, int] = {}
        #: When the first computation of a stream began, and how many threads there were if that is told.
        self.first: dict[tuple[int, str], float] = {}
        self.threads: dict[tuple[int, str], int] = {}

    def report(self, member: Member, job: tuple[int, str]) -> None:
        """Read a performance report."""
        data = _embedded(member)
        try:
            told = orjson.loads(data)
        except ValueError as error:
            raise BadInput(f"{member.name}: the report is cut off or damaged ({error}); {_GIVE}") from None
        columns = _task_stream(told)
        if columns is None:
            raise BadInput(f"{member.name}: the report has no task stream that can be read; {_GIVE}")
        if threads := _THREADS.search(data):
            self.threads[job] = int(threads[1])
        for number, row in enumerate(zip(*(columns[name] for name in _COLUMNS), strict=True), 1):
            where = f"{member.name}, row {number} of the task stream"
            try:
                middle, duration, key, name, color, worker, thread = row
                if str(name).startswith(_BESIDE):
                    continue
                half = float(duration) / 2
                start, stop = (float(middle) - half) / 1000, (float(middle) + half) / 1000
                one = _Computed(
                    _unescaped(key), start, stop, _unescaped(worker), _unescaped(thread), color == _FAILED
                )
                self.computed(job, one)
            except (TypeError, ValueError, OverflowError) as error:
                self.records.note("rows of a task stream that cannot be read: left out", f"{where}: {error}")

    def read_stream(self, member: Member, job: tuple[int, str]) -> None:
        """Read a task stream as JSON."""
        for line, told in items(member):
            where = f"{member.name}, line {line}"
            try:
                if _counts_threads(told):
                    self.threads[job] = sum(told.values())
                    continue
                for action, start, stop in map(_span, told["startstops"]):
                    if action == "compute":
                        worker = str(told["worker"])
                        thread = f"{worker}-{told.get('thread')}"
                        failed = told.get("status", "OK") != "OK"
                        self.computed(job, _Computed(told["key"], start, stop, worker, thread, failed))
            except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
                self.records.note("tasks that cannot be read: left out", f"{where}: {error!r}")
        if member.truncated:
            self.records.note("files cut off: read as far as they go", member.name)

    def computed(self, stream: tuple[int, str], one: _Computed) -> None:
        """Record one computation."""
        if not 0 < one.start <= (one.start if one.runs else one.stop) < 1e11:
            raise ValueError(f"{one.start} to {one.stop} are no times of a task")
        group, name = _group(one.key)
        job = self.records.job(stream, stream[1])
        self.records.jobs[job].name = stream[1]
        stage = self.records.stage_row((job, group), f"{self.records.jobs[job].job}/{group}")
        told = self.records.stages[stage]
        told.job, told.name = job, name
        self.first[stream] = min(one.start, self.first.get(stream, one.start))
        key = (stage, str(one.key))
        if key not in self.tasks:
            self.of_stage[stage] = self.of_stage.get(stage, -1) + 1
            self.tasks[key] = self.of_stage[stage]
        self.records.copy(
            stage,
            self.tasks[key],
            launch=one.start,
            end=one.stop,
            fate=UNFINISHED if one.runs else FAILED if one.failed else FINISHED,
            host=_host(one.worker),
            slot=one.thread,
        )

    def close(self) -> None:
        """Submit jobs with their first task and end them with their last; say how many slots there were."""
        self._end_before_the_next()
        self.records.censor()
        self.records.end_jobs(())
        before = 0
        for first, stream in sorted((first, stream) for stream, first in self.first.items()):
            threads = self.threads.get(stream, before)
            if threads != before:
                self.records.slot_changes.append((first, threads - before))
            before = threads
        used = {self.records.stages[stage].job for stage in self.records.stage}
        self.records.note(
            "task streams tell no submit times: a job begins with its first task", count=len(used)
        )

    def _end_before_the_next(self) -> None:
        """End computations that overlap the next one of their thread by a shift or less when it begins."""
        records, last, count = self.records, dict[int, int](), 0
        for row in sorted(range(len(records.launch)), key=records.launch.__getitem__):
            before, begun = last.get(records.slot[row], row), records.launch[row]
            if records.launch[before] < begun < records.end[before] <= begun + _SHIFT:
                records.end[before] = begun
                count += 1
            last[records.slot[row]] = row
        text = "computations that overlap the next one of their thread by up to 50 ms: end when it begins"
        records.note(text, count=count)


def _counts_threads(told: dict[str, Any]) -> bool:
    """Say whether an item says how many threads each worker has."""
    return bool(told) and all(isinstance(threads, int) and threads >= 0 for threads in told.values())


def _embedded(member: Member) -> bytes:
    """Return the block of JSON in a web page, of which no other part is kept."""
    data, inside = bytearray(), False
    with member.open() as stream:
        while chunk := stream.read(2**16):
            data += chunk
            if not inside:
                found = _BEGIN.search(data)
                del data[: found.end() if found else -_LONGEST_TAG]
                inside = found is not None
            if inside and (end := data.find(_END, max(0, len(data) - len(chunk) - len(_END)))) >= 0:
                return bytes(data[:end])
            if len(data) > 2 * LONGEST_LINE:
                raise BadInput(f"{member.name}: a report of more than {2 * LONGEST_LINE:,} bytes of JSON")
    return bytes(data) if inside else b""


def _task_stream(told: Any) -> dict[str, list[Any]] | None:
    """Return the columns of the task stream, wherever they stand; None if there are none."""
    todo = [told]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            columns = dict(_pairs(one.get("entries"))) if one.get("type") == "map" else one
            if all(isinstance(columns.get(name), list) for name in _COLUMNS):
                sizes = {len(columns[name]) for name in _COLUMNS}
                return {name: columns[name] for name in _COLUMNS} if len(sizes) == 1 else None
            todo += one.values()
        elif isinstance(one, list):
            todo += [inner for inner in one if isinstance(inner, (dict, list))]
    return None


def _pairs(entries: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and values of a map of Bokeh 3."""
    for one in entries if isinstance(entries, list) else ():
        if isinstance(one, list) and len(one) == 2 and isinstance(one[0], str):
            yield one[0], one[1]


def _span(told: Any) -> tuple[str, float, float]:
    """Return an action with its times, as Dask tells it today and as it did before 2.0; NaN while it runs."""
    action, start, stop = (told["action"], told["start"], told["stop"]) if isinstance(told, dict) else told
    return str(action), float(start), NAN if stop is None else float(stop)


def _group(key: Any) -> tuple[str, str]:
    """Return the group of a key, and its name for people: without what makes it unique.

    Examples
    --------
    >>> _group("('x-1f0a3b5c7d9e1f2a', 0, 1)"), _group(["x-1f0a3b5c7d9e1f2a", 0]), _group("inc-9d1e8f7a")
    (('x-1f0a3b5c7d9e1f2a', 'x'), ('x-1f0a3b5c7d9e1f2a', 'x'), ('inc', 'inc'))
    """
    text = str(key[0]) if isinstance(key, list) and key else str(key)
    listed = isinstance(key, list) or text.startswith("(")
    if text.startswith("("):
        text = text.split(",", 1)[0].strip("()'\"")
    first, *others = text.split("-")
    words = [first]
    for word in others:
        if not word.isalpha() or re.fullmatch(r"[a-f]{8}", word):
            break
        words.append(word)
    name = "data" if re.fullmatch(r"[0-9a-f]{32}", text) else "-".join(words).strip("<>")
    return (text if listed else name), name


def _host(worker: str) -> str:
    """Return the host in the address of a worker.

    Examples
    --------
    >>> _host("tcp://10.0.0.7:34567"), _host("inproc://10.0.0.7/812/4"), _host("gpu-worker")
    ('10.0.0.7', '10.0.0.7', 'gpu-worker')
    """
    return re.sub(r":\d+$", "", worker.rpartition("://")[2].partition("/")[0])


def _unescaped(text: Any) -> str:
    """Return text as it was before Bokeh put it into a page."""
    text = str(text)
    for escaped, plain in _ESCAPED:
        text = text.replace(escaped, plain)
    return text
