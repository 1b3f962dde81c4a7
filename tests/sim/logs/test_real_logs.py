"""Real logs, none of them shipped: counts and sums are those of another reader.

The variable STRAGGLER_LAB_LOGS names a folder of some. Nothing of the product reads them here twice.
"""

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest

from sim.advice.diagnosis import diagnose
from sim.advice.diagnosis.report import as_json
from sim.logs.formats import read_history
from tests.sim.logs.test_flink import counted
from tests.sim.logs.truth import raw

LOGS = Path(os.environ.get("STRAGGLER_LAB_LOGS", "nowhere"))


def plain(path):
    data = path.read_bytes()
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return pa.CompressedInputStream(pa.py_buffer(data), "zstd").read()
    return data


def of_spark(path):
    told = raw(plain(path))
    if "local" in path.name:
        del told["recorded"]  # Spark 1.x has no times of jobs
    return told


def of_job_history(path):
    rows = [
        json.loads(line) for line in path.read_text().splitlines() if line.lstrip().startswith('{"type":"')
    ]
    events = [
        (row["type"], next(iter(row["event"].values()))) for row in rows if isinstance(row.get("event"), dict)
    ]
    started = [event for kind, event in events if kind.endswith("ATTEMPT_STARTED")]
    fates = {
        fate: sum(kind.endswith(f"ATTEMPT_{fate.upper()}") for kind, _ in events)
        for fate in ("finished", "killed", "failed")
    }
    launch = {event["attemptId"]: event["startTime"] for event in started}
    ended = {
        e["attemptId"]: e["finishTime"] for kind, e in events if "ATTEMPT_" in kind and "finishTime" in e
    }
    return {
        "jobs": sum(kind == "JOB_SUBMITTED" for kind, _ in events),
        "stages": len({event["taskType"] for event in started if event["taskType"] in ("MAP", "REDUCE")}),
        "tasks": len({event["taskid"] for event in started}),
        "copies": len(started),
        **fates,
        "held": sum(ended[key] - launch[key] for key in ended) / 1e3,
    }


def of_ray(path):
    rows = [row for row in json.loads(path.read_text()) if row["type"] == "NORMAL_TASK"]
    return {
        "jobs": len({row["job_id"] for row in rows}),
        "stages": len({(row["job_id"], row["func_or_class_name"]) for row in rows}),
        "tasks": len({row["task_id"] for row in rows}),
        "copies": len(rows),
        "finished": sum(row["state"] == "FINISHED" for row in rows),
        "hosts": len({row["node_id"] for row in rows}),
        "worked": sum(
            event["end_time"] - event["start_time"]
            for row in rows
            for event in row["profiling_data"]["events"]
            if event["event_name"] == "task:execute"
        )
        / 1e3,
    }


def of_json(path):
    data = path.read_bytes()
    return counted(data) if data.startswith(b'{"archive"') else of_ray(path)


def of_swim(path):
    return {"jobs": len(path.read_text().splitlines()), "copies": 0}


READERS = {".jhist": of_job_history, ".json": of_json, ".tsv": of_swim}


def known(path):
    """Whether there is another reader for a file; checksums, licences and tables beside the logs have "
    "none."""
    return (
        path.is_file()
        and path.stat().st_size
        and (path.suffix in READERS or b'"Event"' in plain(path)[:4000])
    )


@pytest.mark.skipif(not LOGS.is_dir(), reason="no folder of real logs is named")
@pytest.mark.parametrize(
    "path", [path for path in sorted(LOGS.rglob("*")) if known(path)] or [LOGS], ids=lambda path: path.name
)
def test_counts_and_sums_of_real_logs_are_those_of_another_reader(path):
    told = READERS.get(path.suffix, of_spark)(path)
    found = diagnose(read_history(path))
    report = as_json(found) | as_json(found)["speculation"]
    copies = found.history.frame("copies")
    report |= {
        "copies": found.counts.copies,
        "recorded": sum(one["recorded"] for one in report["lost"]["jobs"]),
        "held": (copies["end"] - copies["launch"]).sum(),
        "worked": (copies["end"] - copies["began"]).sum(),
    }
    assert {key: report[key] for key in told} == pytest.approx(told)
