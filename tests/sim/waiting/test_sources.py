"""Running tasks are found where a log tells of them, and where an application of Spark is asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sim.advice.waiting.driver import MOST_DONE, MOST_RUNNING, VARIABLE, driver, owners, stages_of
from sim.advice.waiting.running import one_of, running_stages
from sim.logs.formats import FORMATS, read_history
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.documents import blocks
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


def test_stages_of_one_name_are_told_apart_by_their_numbers() -> None:
    twice = [start(), job(0, [0, 1]), stage(0, 1, 0), stage(1, 1, 0)]
    for event in twice[2:]:
        event["Stage Info"]["Stage Name"] = "count"
    events = [*twice, launched(0, 0, 5, of=0), launched(1, 0, 9, of=1), job(1, [2], 70)]
    found = running_stages(read_history(Upload("app", lines(events))))
    assert [one.name.partition("(")[2][:7] for one in found] == ["stage 0", "stage 1"]


def test_a_task_with_a_second_copy_is_one_task_of_the_age_of_the_first() -> None:
    events = [start(), job(0, [0]), stage(0, 2, 0), launched(0, 0, 0), launched(1, 1, 0)]
    events += [ended(1, 1, 0, 9000), launched(2, 0, 9000, speculative=True), launched(3, 1, 9500)]
    (found,) = running_stages(read_history(Upload("app", lines(events))))
    assert (found.tasks, found.ages.tolist(), found.copied) == (("task 0",), [9.5], (True,))


def test_a_task_of_a_stage_that_has_ended_does_not_run() -> None:
    over = [stage(0, 7, 0, 50_000), job(1, [1], 60_000)]
    assert not list(running_stages(read_history(Upload("app", spark() + lines(over)))))


def test_where_only_what_is_done_tells_when_it_began_both_are_counted_from_the_launch() -> None:
    tasks = [formats.ray(task, 10, 10 + 1000 * took, execute=900) for task, took in enumerate(TOOK)]
    late = formats.ray(5, 10, None, "RUNNING")
    (found,) = running_stages(read_history(Upload("live", json.dumps([*tasks, late]).encode())))
    assert found.done == pytest.approx(TOOK)
    late["profiling_data"] = {"events": [{"event_name": "task:execute", "start_time": formats.HOUR + 900}]}
    (found,) = running_stages(read_history(Upload("live", json.dumps([*tasks, late]).encode())))
    assert found.done == pytest.approx([took - 0.89 for took in TOOK])


OVER = threading.Event()


def hold() -> None:
    """Run until it is let go."""
    OVER.wait(60)


def test_what_the_documents_type_for_dask_lists_the_running_tasks() -> None:
    distributed = pytest.importorskip("distributed", reason="needs dask[distributed]")
    (code,) = (one.text for one in blocks("python") if "run_on_scheduler" in one.text)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as c,
        distributed.Client(c) as client,
    ):
        client.get_task_stream()
        done = client.map(lambda number: time.sleep(0.05), range(6), key="nap", pure=False)
        distributed.wait(done)
        OVER.clear()
        late = client.submit(hold, key="nap-77", pure=False)
        try:
            until = time.monotonic() + 30
            while True:
                names: dict[str, Any] = {"client": client, "json": json}
                exec(code, names)
                text = names["told"]
                if '"stop": null' in text or time.monotonic() > until:
                    break
                time.sleep(0.2)
        finally:
            OVER.set()
            late.result()
    (found,) = running_stages(read_history(Upload("live", text.encode())), time.time())
    assert (len(found.done), found.name) == (6, "nap")
    assert 0 < found.ages[0] < 60


# An application of Spark, as its REST API tells it.

API = "/api/v1/applications"


def of_api(
    index: int, status: str, seconds: float, read: tuple[int, int] = (0, 0), **more: Any
) -> dict[str, Any]:
    """Return a task as the REST API of Spark 3 and 4 writes it, with all that is read of it and more."""
    launched = datetime.now(UTC) - timedelta(seconds=seconds)
    metrics = {
        "executorRunTime": 5,
        "inputMetrics": {"bytesRead": read[0], "recordsRead": read[0] // 10},
        "shuffleReadMetrics": {"remoteBytesRead": 0, "localBytesRead": read[1], "recordsRead": read[1] // 10},
    }
    return {
        "taskId": 100 + index,
        "index": index,
        "attempt": 0,
        "launchTime": f"{launched:%Y-%m-%dT%H:%M:%S}.{launched.microsecond // 1000:03}GMT",
        "duration": int(1000 * seconds),
        "host": f"h{index % 2}",
        "status": status,
        "speculative": False,
        "taskMetrics": metrics,
    } | more


def api(tasks: list[dict[str, Any]], **of_stage: Any) -> dict[str, bytes]:
    """Return the answers of an application with one stage that runs."""
    told = {"status": "ACTIVE", "stageId": 3, "attemptId": 0, "name": "count at job.py:7"} | of_stage
    attempts = [{"completed": False, "lastUpdatedEpoch": 7}]
    return {
        API: json.dumps([{"id": "app-1", "name": "nightly", "attempts": attempts}]).encode(),
        f"{API}/app-1/stages": json.dumps([told]).encode(),
        f"{API}/app-1/stages/3/0/taskList": json.dumps(tasks).encode(),
    }


DONE = [of_api(index, "SUCCESS", took, (1000, 8000)) for index, took in enumerate(TOOK)]
LATE = of_api(7, "RUNNING", 95, (500, 4000), duration=60_000)


def test_a_driver_tells_durations_ages_sizes_and_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its clock counts, not ours, and not when the task last said what it has done."""
    others = [
        of_api(5, "FAILED", 3),
        of_api(6, "KILLED", 4),
        of_api(8, "PENDING", 0),
        of_api(0, "RUNNING", 9),
    ]
    others[-1] |= {"taskId": 200, "speculative": True}  # of a task that is done
    late = of_api(7, "RUNNING", 95, (500, 4000), duration=60_000)
    asked: list[tuple[str, str]] = []
    with serving(api([*DONE, *others, late]), asked) as address:
        monkeypatch.setattr("sim.advice.waiting.driver.time", SimpleNamespace(time=lambda: 0.0))
        (found,) = stages_of(driver(f"http://ann:secret@{address}/jobs/"))
    assert (found.name, found.tasks, found.unit) == ("count at job.py:7", ("task 7",), "bytes")
    assert found.done.tolist() == [*TOOK]
    assert found.ages[0] == pytest.approx(95, abs=20)  # between the making of the answer and the asking
    assert (found.done_work.tolist(), found.work.tolist()) == ([9000.0] * 5, [4500.0])
    assert (found.done_hosts, found.hosts) == (("h0", "h1", "h0", "h1", "h0"), ("h1",))
    assert {authorization for _, authorization in asked} == {"Basic YW5uOnNlY3JldA=="}


def test_a_task_that_ends_between_two_answers_is_done() -> None:
    answers, path = api([]), f"{API}/app-1/stages/3/0/taskList?offset=0"
    runs = [of_api(4, "RUNNING", 13), LATE]
    answers[f"{path}&status=running&length={MOST_RUNNING}"] = json.dumps(runs).encode()
    answers[f"{path}&status=success&length={MOST_DONE}"] = json.dumps(DONE).encode()
    with serving(answers) as address:
        (found,) = stages_of(driver(f"http://{address}"))
    assert (sorted(found.done), found.tasks) == (sorted(TOOK), ("task 7",))


def test_records_count_where_no_bytes_are_told() -> None:
    def without(task: dict[str, Any]) -> dict[str, Any]:
        metrics = task["taskMetrics"]
        parts = {
            name: {"recordsRead": part["recordsRead"]} for name, part in metrics.items() if name[0] in "is"
        }
        return task | {"taskMetrics": parts}

    bare = {key: value for key, value in LATE.items() if key != "taskMetrics"}  # before its first message
    with serving(api([*map(without, DONE), bare])) as address:
        (found,) = stages_of(driver(f"http://{address}"))
    assert (found.unit, found.done_work.tolist()) == ("records", [900.0] * 5)
    assert np.isnan(found.work).all()


def test_of_several_stages_the_one_with_the_oldest_task_comes_first() -> None:
    answers = api([*DONE, of_api(7, "RUNNING", 95)])
    (told,) = json.loads(answers[f"{API}/app-1/stages"])
    both = [told, told | {"stageId": 4}, told | {"stageId": 5, "status": "PENDING"}]
    answers[f"{API}/app-1/stages"] = json.dumps(both).encode()
    older = [*DONE, of_api(9, "RUNNING", 300)]
    answers[f"{API}/app-1/stages/4/0/taskList"] = json.dumps(older).encode()
    with serving(answers) as address:
        found = stages_of(driver(f"http://{address}"))
    assert [one.name for one in found] == [f"count at job.py:7 (stage {number})" for number in (4, 3)]
    assert one_of(found, "count at job.py:7 (stage 3)") is found[1]


def test_a_history_server_is_asked_for_the_application_that_runs() -> None:
    answers = api([*DONE, LATE])
    applications = [
        {"id": "app-0", "attempts": [{"completed": True}]},
        {"id": "app-1", "attempts": [{"completed": False}]},
        {
            "id": "app-2",
            "attempts": [{"completed": False, "attemptId": "2"}, {"completed": True, "attemptId": "1"}],
        },
    ]
    twice = {
        f"{API}/app-2/2/stages{key.partition('stages')[2]}": answers[key] for key in answers if "app" in key
    }
    answers |= {f"{API}/app-2/2/stages": answers[f"{API}/app-1/stages"], **twice}
    answers[API] = json.dumps(applications).encode()
    with serving(answers) as address:
        server = driver(f"http://{address}")
        assert stages_of(server, "app-1")[0].tasks == stages_of(server, "app-2")[0].tasks == ("task 7",)
        for application, said in (
            ("", "application: 2 run; give one of app-1 or app-2/2"),
            ("app-3", "application: 'app-3' does not run; give one of app-1 or app-2/2"),
            ("app-0", "application: 'app-0' has ended; `sim trace` reads its log"),
        ):
            with pytest.raises(BadInput) as refused:
                stages_of(server, application)
            assert str(refused.value) == said


GIVE = "give the address of a driver's pages or of a History Server of Spark"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {f"{API}/app-1/stages": b"[]"},
            "no task of app-1 runs now; ask the driver while one does: a History Server sees",
        ),
        ({f"{API}/app-1/stages/3/0/taskList": json.dumps(DONE).encode()}, "no task of app-1 runs now; ask"),
        ({API: b"[]"}, f"no application runs there; {GIVE}"),
        ({API: b'[{"id": "app-1", "attempts": [{"completed": true}]}]'}, "no application runs there; "),
        ({API: b"<html>"}, f"the answer is no list of applications; {GIVE}"),
        ({f"{API}/app-1/stages": b"{}"}, f"the answer is no list of stages or tasks; {GIVE}"),
        ({f"{API}/app-1/stages": b"[3]"}, "the answer is no list of stages or tasks; "),
        ({f"{API}/app-1/stages": b'[{"stageId": 3}]'}, "the answer is no list of tasks; "),
        ({f"{API}/app-1/stages/3/0/taskList": b'[{"taskId": "x"}]'}, "the answer is no list of tasks; "),
        ({f"{API}/app-1/stages/3/0/taskList": (500, {})}, f"it answers with status 500; {GIVE}"),
        ({f"{API}/app-1/stages": (302, {"Location": "http://127.0.0.1:9/"})}, "it leads to another host"),
    ],
)
def test_what_goes_wrong_is_said_without_the_password(changed: dict[str, Any], said: str) -> None:
    with serving(api([*DONE, LATE]) | changed) as address, pytest.raises(BadInput) as refused:
        stages_of(driver(f"http://ann:secret@{address}"))
    assert str(refused.value).startswith(f"http://{address}: {said}")


def test_an_answer_of_any_length_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.advice.waiting.driver.MOST_LISTED", 2**10)
    with (
        serving(api([*DONE, LATE])) as address,
        pytest.raises(BadInput, match="of more than 0 MiB is refused"),
    ):
        stages_of(driver(f"http://{address}"))


def test_the_owner_names_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert owners() is None
    monkeypatch.setenv(VARIABLE, "http://ann:secret@driver:4040/jobs/")
    assert (found := owners()) is not None
    assert (found.root, "secret" in repr(found)) == ("http://driver:4040", False)
    monkeypatch.setenv(VARIABLE, "http://ann:secret@")
    with pytest.raises(BadInput, match=f"^{VARIABLE}: give http://HOST:PORT of a driver's pages") as refused:
        owners()
    assert "secret" not in str(refused.value)
