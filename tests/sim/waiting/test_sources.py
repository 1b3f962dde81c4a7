"""Running tasks are found where a log tells of them, and where an application of Spark is asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest

from sim.advice.waiting.driver import VARIABLE, driver, owners, stages_of
from sim.advice.waiting.running import one_of, running_stages
from sim.logs.formats import FORMATS, dask, read_history
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.fleet.served import serving
from tests.sim.logs import test_flink as flink
from tests.sim.logs import test_formats as formats
from tests.sim.logs import test_kubernetes as kubernetes
from tests.sim.logs import test_tez as tez
from tests.sim.logs.known import ORIGIN, Copy
from tests.sim.logs.logs import ended, job, launched, lines, stage, start
from tests.sim.logs.test_cluster_traces import batch_instance, task_events

#: Seconds that siblings took, and the age of the one that runs when the log was written.
TOOK, AGE = (10, 12, 11, 14, 13), 40
BEGIN = 1_700_000_000


def clock(seconds: int) -> str:
    """Return a local time as batch systems write it."""
    return f"{datetime.fromtimestamp(BEGIN + seconds, UTC):%Y-%m-%dT%H:%M:%S}"


# A log of each format, of which the fifth task runs; a second one that ended last says how old it is.


def spark() -> bytes:
    events = [start(), job(0, [0]), stage(0, 7, 0)]
    events += [launched(key, key, 0) for key in range(6)]
    events += [ended(key, key, 0, 1000 * took, read=(0, 8)) for key, took in enumerate(TOOK)]
    return lines([*events, launched(6, 6, 1000 * AGE - 1000), ended(6, 6, 39_000, 1000 * AGE, reason="X")])


def jhist() -> bytes:
    events = [("JOB_SUBMITTED", {"jobid": "job_1_0001", "submitTime": formats.HOUR})]
    for task, took in enumerate(TOOK):
        events += formats.attempt("MAP", task, 0, 0, 1000 * took)
    events += formats.attempt("MAP", 5, 0, 0, 1)[:1]
    return formats.jhist([*events, *formats.attempt("MAP", 6, 0, 1000, 1000 * AGE, "FAILED")])


def ray() -> bytes:
    tasks = [formats.ray(task, 10, 10 + 1000 * took) for task, took in enumerate(TOOK)]
    tasks += [formats.ray(5, 10, None, "RUNNING"), formats.ray(6, 20, 10 + 1000 * AGE, "FAILED")]
    return json.dumps(tasks).encode()


def of_flink() -> bytes:
    rows = [flink.row(task, 0, 0, 1000 * took) for task, took in enumerate(TOOK)]
    running = flink.row(5, 0, 0, -ORIGIN - 1, "RUNNING")
    return json.dumps(flink.one_vertex(*rows, running, state="RUNNING", now=ORIGIN + 1000 * AGE)).encode()


def of_tez() -> bytes:
    def attempt(task: int, end: int = 0, **info: Any) -> dict[str, Any]:
        return tez.lone(
            f"attempt_1_0001_1_00_{task:06}_0", **({"endTime": ORIGIN + end} if end else {}), **info
        )

    told = [attempt(task, 1000 * took) for task, took in enumerate(TOOK)]
    told += [attempt(5, status="RUNNING"), attempt(6, 1000 * AGE, status="FAILED")]
    return json.dumps({"entities": told}).encode()


def of_kubernetes() -> bytes:
    def pod(task: int, end: int, fate: str = "finished", **more: Any) -> dict[str, Any]:
        copy = Copy(task, 0, 1000 * BEGIN, 1000 * (BEGIN + end), fate, "h1", 1, 0)
        made = kubernetes.pod("nightly", copy)
        ran = kubernetes.ran(copy.launch, copy.end)
        return made | {
            "status": made["status"] | {"containerStatuses": [{"restartCount": 0, "state": ran}]} | more
        }

    running = {"running": {"startedAt": kubernetes.stamp(1000 * BEGIN)}}
    late = pod(5, 99, phase="Running", containerStatuses=[{"restartCount": 0, "state": running}])
    pods = [pod(task, took) for task, took in enumerate(TOOK)]
    return kubernetes.listed([*pods, late, pod(6, AGE, "failed")])


def of_dask() -> bytes:
    def task(name: str, end: float | None) -> dict[str, Any]:
        span = {"action": "compute", "start": float(BEGIN), "stop": end and BEGIN + end}
        return {"key": f"f-{name}", "worker": "tcp://h1:1", "thread": 1, "startstops": [span]}

    keys = ("1a2b", "2a2b", "3a2b", "4a2b", "5a2b")
    done = [task(name, took) for name, took in zip(keys, TOOK, strict=True)]
    return json.dumps([*done, task("6a2b", None), task("7a2b", AGE) | {"status": "error"}]).encode()


def of_table() -> bytes:
    rows = [f"nightly,map,{task},0,{took},finished" for task, took in enumerate(TOOK)]
    rows += ["nightly,map,5,0,,running", f"nightly,map,6,1,{AGE},failed"]
    return "\n".join(["job_id,stage_id,task_id,start_s,end_s,status", *rows]).encode()


def sacct() -> bytes:
    rows = [(task, took, "COMPLETED") for task, took in enumerate(TOOK)] + [(5, AGE, "RUNNING")]
    told = [
        f"7_{task}|{state}|{clock(0)}|{clock(0)}|{clock(took) if state != 'RUNNING' else 'Unknown'}|{took}|h1"
        for task, took, state in rows
    ]
    return "\n".join(
        [formats.HEADER, *told, f"7_5.batch|RUNNING|{clock(0)}|{clock(0)}|Unknown|{AGE}|h1"]
    ).encode()


def sacct_json() -> bytes:
    rows = [(task, took, "COMPLETED") for task, took in enumerate(TOOK)] + [(5, AGE, "RUNNING")]
    jobs = [
        {
            "job_id": 8 + task,
            "array": {"job_id": 7, "task_id": {"set": True, "number": task}},
            "state": {"current": [state]},
            "time": {"submission": BEGIN, "start": BEGIN, "elapsed": took}
            | {"end": 0 if state == "RUNNING" else BEGIN + took},
            "nodes": "h1",
        }
        for task, took, state in rows
    ]
    return json.dumps({"meta": {"plugin": {"type": "openapi/dbv0.0.39"}}, "jobs": jobs}).encode()


def pbs() -> bytes:
    def line(at: int, kind: str, task: int, more: str = "") -> str:
        when = f"{datetime.fromtimestamp(BEGIN + at, UTC):%m/%d/%Y %H:%M:%S}"
        return f"{when};{kind};7[{task}].head;user=ann ctime={BEGIN} start={BEGIN} exec_host=h1/0{more}"

    begun = [line(0, "S", task) for task in range(7)]
    done = [line(took, "E", task, f" end={BEGIN + took} Exit_status=0") for task, took in enumerate(TOOK)]
    return "\n".join([*begun, *done, line(AGE, "E", 6, f" end={BEGIN + AGE} Exit_status=1")]).encode()


def alibaba() -> bytes:
    rows = [(task, took, "Terminated") for task, took in enumerate(TOOK)]
    rows += [(5, 0, "Running"), (6, AGE, "Failed")]
    told = [
        {"name": f"i{task}", "task": "M1", "job": "j_1", "status": status, "start": 100}
        | {"end": 100 + end if end else "", "host": "h1"}
        for task, end, status in rows
    ]
    return batch_instance(told)


def google() -> bytes:
    second = 1_000_000
    events = [(700 * second, "", 9, task, "", 0) for task in range(7)]
    events += [(700 * second, "", 9, task, 3, 1) for task in range(7)]
    events += [((700 + took) * second, "", 9, task, 3, 4) for task, took in enumerate(TOOK)]
    return task_events([*events, ((700 + AGE) * second, "", 9, 6, 3, 3)])


def nextflow() -> bytes:
    def row(task: int, status: str, end: int = 0) -> str:
        cells = (f"{task}", f"map ({task})", "map", status, f"{BEGIN}000", f"{BEGIN}000")
        return "\t".join([*cells, f"{BEGIN + end}000" if end else "-"])

    done = [row(task, "COMPLETED", took) for task, took in enumerate(TOOK)]
    head = "\t".join(("task_id", "name", "process", "status", "submit", "start", "complete"))
    return "\n".join([head, *done, row(5, "RUNNING"), row(6, "FAILED", AGE)]).encode()


LIVE: dict[str, Callable[[], bytes]] = {
    "spark": spark,
    "jhist": jhist,
    "ray": ray,
    "flink": of_flink,
    "tez": of_tez,
    "kubernetes": of_kubernetes,
    "dask": of_dask,
    "table": of_table,
    "slurm": sacct,
    "slurm as JSON": sacct_json,
    "pbs": pbs,
    "alibaba2018": alibaba,
    "google2011": google,
    "nextflow": nextflow,
}
#: Formats that list what has ended, or workloads.
ENDED = {"rumen", "sge", "lsf", "wfformat", "swf", "tr", "workload"}


def test_every_format_is_looked_at() -> None:
    assert {one.KEY for one in FORMATS} - ENDED == {name.partition(" ")[0] for name in LIVE}


@pytest.mark.parametrize("name", LIVE)
def test_a_running_task_is_found_with_its_age_and_its_siblings(name: str) -> None:
    history = read_history(Upload("live", LIVE[name]()))
    assert history.format == name.partition(" ")[0]
    (found,) = running_stages(history)
    assert sorted(found.done) == pytest.approx(sorted(TOOK))
    assert found.ages == pytest.approx([AGE], abs=0.02)
    (later,) = running_stages(history, history.origin + history.limits[1] + 60)
    assert later.ages - found.ages == pytest.approx([60])
    with pytest.raises(BadInput, match=r"^at: the log goes on for 20 s after that"):
        list(running_stages(history, history.origin + history.limits[1] - 20))
