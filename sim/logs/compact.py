"""A history as one table in the format of `sim.logs.formats.table`, and as a Parquet file of it."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sim.logs.formats.table import MEASURED, SCHEMA
from sim.logs.history import History


def as_table(history: History) -> pa.Table:
    """Return a history as one table in this format."""
    rows: list[dict[str, Any]] = [
        {"record": "log", "name": "format", "value": history.format},
        {"record": "log", "name": "origin", "value": repr(history.origin)},
        {"record": "log", "name": "slots_from", "value": history.slots_from},
        {"record": "log", "name": "order_from", "value": history.order_from},
    ]
    rows += [{"record": "setting", "name": name, "value": value} for name, value in history.settings.items()]
    rows += [{"record": "note", "value": note} for note in history.notes]
    rows += [{"record": "host"} | row for row in history.hosts.to_pylist()]
    rows += [
        {"record": "slots", "start_s": row["time"], "slots": row["slots"]}
        for row in history.slots.to_pylist()
    ]
    jobs, stages = history.jobs.to_pylist(), history.stages.to_pylist()
    for job in jobs:
        rows.append(
            {"record": "job", "job_id": job["job"], "name": job["name"], "group": job["group"]}
            | {"pool": job["pool"]}
            | {"submit_s": job["submit"], "end_s": job["end"], "status": job["fate"]}
        )
    keys = [
        {"job_id": jobs[stage["job"]]["job"] if stage["job"] >= 0 else "", "stage_id": stage["stage"]}
        for stage in stages
    ]
    for stage, key in zip(stages, keys, strict=True):
        parents = ";".join(stages[parent]["stage"] for parent in stage["parents"])
        rows.append(
            {"record": "stage", "name": stage["name"], "parents": parents, "tasks": stage["tasks"]}
            | {"submit_s": stage["submit"], "end_s": stage["end"]}
            | {"writes": stage["writes"] or "", "reads": stage["reads"] or ""}
            | key
        )
    told = pa.Table.from_pylist([{name: row.get(name) for name in SCHEMA.names} for row in rows], SCHEMA)
    return pa.concat_tables([told, _copies(history, keys)]).unify_dictionaries()


def _copies(history: History, keys: list[dict[str, str]]) -> pa.Table:
    """Return the copies in this format, column by column: there may be millions."""
    frame = history.frame("copies")
    stage = pa.array(frame["stage"].to_numpy(), pa.int32())
    columns: dict[str, Any] = {name: pa.nulls(len(frame), SCHEMA.field(name).type) for name in SCHEMA.names}
    for name in ("job_id", "stage_id"):
        columns[name] = pa.array([key[name] for key in keys], pa.string()).take(stage).dictionary_encode()
    columns["record"] = pa.array(["copy"] * len(frame), pa.string()).dictionary_encode()
    for name, source in (
        ("task_id", "task"),
        ("copy_no", "copy"),
        ("start_s", "launch"),
        ("began_s", "began"),
        ("end_s", "end"),
        ("status", "fate"),
        ("complete", "complete"),
        ("host", "host"),
        ("slot", "slot"),
        ("locality", "locality"),
        ("speculative", "speculative"),
        *((column, name) for name, column in MEASURED.items()),
    ):
        columns[name] = history.copies[source].combine_chunks().cast(SCHEMA.field(name).type)
    return pa.table(columns, schema=SCHEMA)


def as_parquet(history: History) -> bytes:
    """Return a history as a Parquet file in this format."""
    stream = io.BytesIO()
    pq.write_table(as_table(history), stream, compression="zstd")
    return stream.getvalue()
