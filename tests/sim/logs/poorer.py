"""One history as formats that know less would have it: by what each declares, and as files that it writes.

`known_by` takes away what a format does not know, for every format that is declared. `WRITERS` write files in
the grammar of some, which are read as any other.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from sim.logs.compact import as_table
from sim.logs.formats import FORMATS, knows_of, read_history
from sim.logs.history import FAILED, FINISHED, SCHEMAS, UNFINISHED, History, together, with_order
from sim.logs.knows import ALONE, NO
from sim.logs.source import Upload

#: Formats of which a log of what has run can be made: the others make up when a task was launched.
RECORDING = tuple(one.KEY for one in FORMATS if one.KNOWS.launch != NO)
#: What no format declares, and few have.
_BESIDE = ("gc", "fetch_wait")
#: A clock that is slower, so that whole seconds tell what milliseconds do.
SLOWER = {"slurm": 1000.0}
_EPOCH = 1_700_000_000


def with_columns(history: History, table: str, **columns: Any) -> History:
    """Return a history with other columns of a table."""
    one = getattr(history, table)
    for name, values in columns.items():
        field = one.schema.field(name)
        if not isinstance(values, pa.Array):
            values = pa.array(values, pa.string() if pa.types.is_dictionary(field.type) else field.type)
        place = one.schema.get_field_index(name)
        one = one.set_column(place, field, values.cast(field.type))
    return replace(history, **{table: one})


def known_by(history: History, key: str) -> History:
    """Return what a format would have of a history: no more than it declares to know."""
    knows, rows, stages = knows_of(key), history.copies.num_rows, history.stages.num_rows
    if knows.order == ALONE:
        history = _arrays(history)
    lost = list(_BESIDE) if key not in ("spark", "table") else []
    lost += ["bytes", "records"] * (knows.read == NO) + ["written", "records_written"] * (knows.written == NO)
    copies: dict[str, Any] = dict.fromkeys(lost, [np.nan] * rows)
    if key not in ("spark", "table"):  # others tell when the work itself began
        began = history.frame("copies")["began"] + history.frame("copies")["start"].fillna(0.0)
        copies |= {"began": began.to_numpy(), "start": [np.nan] * rows}
    if knows.start == NO:
        copies |= {"began": history.copies["launch"].combine_chunks(), "start": [np.nan] * rows}
    if knows.hosts == NO:
        copies |= dict.fromkeys(("host", "slot"), [""] * rows)
        history = replace(history, hosts=history.hosts[:0])
    if key not in ("spark", "table"):
        copies["locality"] = [""] * rows
        history = replace(history, settings={})
    history = with_columns(history, "copies", **copies)
    if knows.order == NO:
        history = with_columns(history, "stages", parents=[[]] * stages)
    if knows.submission == NO:
        launch = history.frame("copies").groupby("stage")["launch"].min()
        of = history.frame("stages")["job"].loc[launch.index]
        first = launch.groupby(of.to_numpy()).min().reindex(range(history.jobs.num_rows))
        history = with_columns(history, "jobs", submit=first.to_numpy())
        history = with_columns(history, "stages", submit=[np.nan] * stages)
    if knows.slots == NO:
        free = together(history.frame("copies"))
        told = pa.Table.from_pandas(free, SCHEMAS["slots"], preserve_index=False)
        history = replace(history, slots=told, slots_from="copies")
    return with_order(replace(history, format=key, files=(key,)), knows.order)


def asked_alike(history: History, key: str) -> History:
    """Return a history with the jobs that a format has, and all else that is known of them.

    A batch system has a job for each stage; without submissions a job begins with its first task.
    """
    if knows_of(key).order == ALONE:
        return _arrays(history)
    if knows_of(key).submission != NO:
        return history
    first = known_by(history, key).jobs["submit"].to_numpy()
    own = np.fmax(history.stages["submit"].to_numpy(), first[history.stages["job"].to_numpy()])
    return with_columns(with_columns(history, "jobs", submit=first), "stages", submit=own)


def _arrays(history: History) -> History:
    """Return a history in which each stage is a job of its own."""
    jobs, stages = history.frame("jobs"), history.frame("stages")
    of = jobs.loc[stages["job"]].reset_index(drop=True)
    for name in ("submit", "end"):
        of[name] = stages[name].fillna(of[name]).to_numpy()
    of["job"], of["name"] = stages["stage"], stages["name"]
    stages = stages.assign(job=np.arange(len(stages)), parents=[[]] * len(stages))
    tables = {"jobs": of, "stages": stages}
    made = {
        name: pa.Table.from_pandas(one, SCHEMAS[name], preserve_index=False) for name, one in tables.items()
    }
    return replace(history, **made)


# Files


def rows(history: History) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Yield each copy with its stage and its job."""
    jobs, stages = history.jobs.to_pylist(), history.stages.to_pylist()
    for copy in history.copies.to_pylist():
        stage = stages[copy["stage"]]
        yield copy, stage, jobs[stage["job"]]


def milliseconds(seconds: float | None) -> int | None:
    """Return a time in milliseconds since 1970; None if it is not known."""
    return None if seconds is None or seconds != seconds else 1000 * _EPOCH + round(1000 * seconds)


def tabled(history: History, *, parents: bool = True) -> list[Upload]:
    """Return a table of copies, jobs and stages, with or without what stages wait for."""
    table = as_table(history)
    kept = table.filter(pa.compute.is_in(table["record"], pa.array(["copy", "job", "stage", "slots"])))
    if not parents:
        place = kept.schema.get_field_index("parents")
        kept = kept.set_column(place, "parents", pa.array([""] * kept.num_rows))
    stream = io.BytesIO()
    csv.write_csv(kept, stream)
    return [Upload("copies.csv", stream.getvalue())]


def of_ray(history: History) -> list[Upload]:
    """Return what ``ray list tasks --detail --format json`` tells."""
    tasks = [
        {
            "task_id": f"{copy['stage']:08x}{copy['task']:08x}",
            "attempt_number": copy["copy"],
            "name": stage["name"] or stage["stage"],
            "func_or_class_name": stage["name"] or stage["stage"],
            "state": "FINISHED" if copy["fate"] == FINISHED else "FAILED",
            "job_id": f"{history.stages['job'][copy['stage']].as_py():08x}",
            "type": "NORMAL_TASK",
            "node_id": copy["host"],
            "worker_id": copy["slot"],
            "creation_time_ms": milliseconds(job["submit"]),
            "events": [{"state": "PENDING_NODE_ASSIGNMENT", "created_ms": milliseconds(stage["submit"])}],
            "start_time_ms": milliseconds(copy["launch"]),
            "end_time_ms": milliseconds(copy["end"]),
            "profiling_data": {
                "events": [
                    {
                        "event_name": "task:execute",
                        "start_time": milliseconds(copy["began"] + (copy["start"] or 0.0)),
                        "end_time": milliseconds(copy["end"]),
                    }
                ]
            },
            "error_type": None if copy["fate"] in (FINISHED, FAILED) else "TASK_CANCELLED",
        }
        for copy, stage, job in rows(history)
    ]
    return [Upload("tasks.json", json.dumps(tasks).encode())]


def of_dask(history: History) -> list[Upload]:
    """Return what ``get_task_stream`` tells of each job."""
    streams: dict[int, list[dict[str, Any]]] = {}
    for copy, stage, _ in rows(history):
        named = stage["name"] or stage["stage"]
        streams.setdefault(stage["job"], []).append(
            {
                "key": [f"{named}-{copy['stage']:032}", copy["task"]],
                "worker": f"tcp://{copy['host']}:40123",
                "thread": copy["slot"],
                "status": "OK" if copy["fate"] == FINISHED else "error",
                "startstops": [
                    {
                        "action": "compute",
                        "start": _EPOCH + copy["launch"],
                        "stop": _EPOCH + copy["end"],
                    }
                ],
            }
        )
    return [Upload(f"job-{job:04}.json", json.dumps(stream).encode()) for job, stream in streams.items()]


def of_nextflow(history: History) -> list[Upload]:
    """Return the trace of each job, as ``-with-trace`` writes it with all that it has."""
    columns = (
        *("task_id", "hash", "native_id", "name", "process", "status", "attempt"),
        *("submit", "start", "complete", "hostname", "rchar", "wchar"),
    )
    traces: dict[int, list[str]] = {}
    status = {FINISHED: "COMPLETED", FAILED: "FAILED", UNFINISHED: "RUNNING"}
    for number, (copy, stage, _) in enumerate(rows(history)):
        process = stage["name"] or stage["stage"]
        cells = (
            *(number, f"ab/{number:06}", number, f"{process} ({copy['task']})", process),
            *(status.get(copy["fate"], "ABORTED"), copy["copy"] + 1),
            *(milliseconds(one) for one in (stage["submit"], copy["launch"], copy["end"])),
            *(copy["host"], _count(copy["bytes"]), _count(copy["written"])),
        )
        traces.setdefault(stage["job"], ["\t".join(columns)]).append(
            "\t".join("-" if one is None else str(one) for one in cells)
        )
    return [
        Upload(f"trace-{job:04}.txt", ("\n".join(trace) + "\n").encode()) for job, trace in traces.items()
    ]


def _count(value: float | None) -> int | None:
    return None if value is None or value != value else round(value)


def of_slurm(history: History) -> list[Upload]:
    """Return what ``sacct -P`` tells of arrays, on a slower clock: it counts whole seconds."""
    lines = ["JobID|JobName|Account|Partition|State|Submit|Eligible|Start|End|ElapsedRaw|NodeList"]
    state = {FINISHED: "COMPLETED", FAILED: "FAILED", UNFINISHED: "RUNNING"}
    for copy, stage, job in rows(history):
        times = (stage["submit"], stage["submit"], copy["launch"], copy["end"])
        told = [
            "Unknown" if one is None or one != one else str(_EPOCH + round(SLOWER["slurm"] * one))
            for one in times
        ]
        elapsed = round(SLOWER["slurm"] * copy["end"]) - round(SLOWER["slurm"] * copy["launch"])
        cells = (
            *(f"{1 + copy['stage']}_{copy['task']}", stage["name"], job["group"], job["pool"]),
            *(state.get(copy["fate"], "CANCELLED"), *told, elapsed, copy["host"]),
        )
        lines.append("|".join(map(str, cells)))
    return [Upload("sacct.txt", ("\n".join(lines) + "\n").encode())]


#: Kinds of files -> what writes them; the key of their format is before the colon.
WRITERS: Mapping[str, Callable[[History], list[Upload]]] = {
    "table": tabled,
    "table: without parents": lambda history: tabled(history, parents=False),
    "ray": of_ray,
    "dask": of_dask,
    "nextflow": of_nextflow,
    "slurm": of_slurm,
}


def key_of(kind: str) -> str:
    """Return the format of a kind of files."""
    return kind.partition(":")[0]


def rewritten(history: History, kind: str) -> History:
    """Return what is read of a history that is written as another kind of file."""
    return read_history(*WRITERS[kind](history))
