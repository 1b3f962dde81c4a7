"""History of Tez: entities of the timeline server in each form, written here and read back exactly."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.logs.formats import read_history
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.known import ORIGIN, assert_read_back, known
from tests.sim.logs.logs import fates, read, zipped

STATES = {"finished": "SUCCEEDED", "killed": "KILLED", "failed": "FAILED"}


def entity(kind, name, info, *events, **more):
    events = [{"timestamp": time, "eventtype": what, "eventinfo": {}} for what, time in events]
    filters = more.pop("primaryfilters", {})
    return {
        "events": events,
        "entitytype": kind,
        "entity": name,
        "domain": "d",
        "relatedentities": {},
        "primaryfilters": filters,
        "otherinfo": info,
    } | more


def counters(**groups):
    return {
        "counterGroups": [
            {
                "counterGroupName": group,
                "counters": [{"counterName": name, "counterValue": value} for name, value in counts.items()],
            }
            for group, counts in groups.items()
        ]
    }


COUNTERS = "org.apache.tez.common.counters."


def attempt(name, copy):
    counted = {
        f"{COUNTERS}FileSystemCounter": {"FILE_BYTES_READ": 5, "HDFS_BYTES_READ": copy.bytes - 1},
        f"{COUNTERS}TaskCounter": {"SHUFFLE_BYTES": 1, "GC_TIME_MILLIS": 250, "INPUT_RECORDS_PROCESSED": 8},
        "TaskCounter_part_1_INPUT_part_0": {"SHUFFLE_BYTES": 1},
    }
    info = {
        "creationTime": copy.launch - copy.waited - 1,
        "startTime": copy.launch,
        "endTime": copy.end,
        "timeTaken": copy.end - copy.launch,
        "status": STATES[copy.fate],
        "nodeId": f"{copy.host}:45454",
        "containerId": f"container_{copy.host}",
        "counters": counters(**counted),
    }
    events = ("TASK_ATTEMPT_FINISHED", copy.end), ("TASK_ATTEMPT_STARTED", copy.launch)
    return entity("TEZ_TASK_ATTEMPT_ID", name, info, *events)


def entities(number, job):
    """Return what the timeline server has of a DAG, by the file of the Tez UI's zip."""
    of = f"1700000000000_0001_{number + 1}"
    plan = {
        "dagName": job.name,
        "version": 2,
        "vertices": [],
        "edges": [
            {"inputVertexName": job.stages[parent].name, "outputVertexName": stage.name}
            for stage in job.stages
            for parent in stage.parents
        ],
    }
    dag = entity(
        "TEZ_DAG_ID",
        f"dag_{of}",
        {"startTime": job.submit + 5, "endTime": job.end, "status": "SUCCEEDED", "user": "ann"},
        ("DAG_FINISHED", job.end),
        ("DAG_SUBMITTED", job.submit),
        primaryfilters={"dagName": [job.name], "queueName": ["etl"]},
    )
    found = {
        "application": entity(
            "TEZ_APPLICATION",
            "tez_application_1",
            {"config": {"tez.am.speculation.enabled": "true", "tez.am.resource.memory.mb": "1024"}},
        ),
        "dag-extra-info": entity("TEZ_DAG_EXTRA_INFO", f"dag_{of}", {"dagPlan": plan}),
        "dag": dag,
        "vertices": [],
        "tasks": [],
        "task_attempts": [],
    }
    for place, stage in enumerate(job.stages):
        name = f"{of}_{place:02}"
        info = {
            "vertexName": stage.name,
            "numTasks": stage.tasks,
            "initTime": stage.submit - 7,
            "startTime": stage.submit,
            "endTime": stage.end,
            "status": "SUCCEEDED",
        }
        found["vertices"].append(entity("TEZ_VERTEX_ID", f"vertex_{name}", info))
        for copy in stage.copies:
            task = f"{name}_{copy.task:06}"
            found["tasks"].append(entity("TEZ_TASK_ID", f"task_{task}", {"status": "SUCCEEDED"}))
            found["task_attempts"].append(attempt(f"attempt_{task}_{copy.number}", copy))
    return found


def as_zip(jobs, **layout):
    return zipped(
        {
            f"{number}/{name}.json": json.dumps({name: told}, **layout).encode()
            for number, job in enumerate(jobs)
            for name, told in entities(number, job).items()
        }
    )


def in_a_row(jobs):
    """Return all entities of some jobs, one after the other."""
    return [
        one
        for number, job in enumerate(jobs)
        for told in entities(number, job).values()
        for one in (told if isinstance(told, list) else [told])
    ]


def as_events(told):
    """Return the events of entities as SimpleHistoryLoggingService writes them: a start, and an end."""
    for one in told:
        if one["entitytype"] != "TEZ_TASK_ATTEMPT_ID":
            yield one
            continue
        info, (end, start) = one["otherinfo"], one["events"]
        place = {name: info[name] for name in ("nodeId", "containerId")}
        for event, known_then in (
            (start, {"startTime": info["startTime"], "status": "RUNNING"} | place),
            (end, info),
        ):
            moment = [{"ts": event["timestamp"], "eventtype": event["eventtype"]}]
            yield one | {"events": moment, "otherinfo": known_then}


@pytest.fixture(scope="module")
def jobs():
    return known()


FORMS = {
    "zip of the Tez UI": lambda jobs: as_zip(jobs, indent=2),
    "answers of the timeline server": lambda jobs: zipped(
        {
            f"{kind}.json": json.dumps(
                {"entities": [one for one in in_a_row(jobs) if one["entitytype"] == kind]}
            ).encode()
            for kind in {one["entitytype"] for one in in_a_row(jobs)}
        }
    ),
    "entities in a row": lambda jobs: "".join(json.dumps(one) for one in in_a_row(jobs)).encode(),
    "entities backwards": lambda jobs: "\n".join(json.dumps(one) for one in in_a_row(jobs)[::-1]).encode(),
    "events": lambda jobs: "\x01\n".join(json.dumps(one) for one in as_events(in_a_row(jobs))).encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_entities_are_read_back_exactly(jobs, form):
    history = read(FORMS[form](jobs), "tez")
    assert history.format == "tez"
    assert history.notes == ()
    order = [history.jobs["name"].to_pylist().index(job.name) for job in jobs]
    assert_read_back(history, [job for _, job in sorted(zip(order, jobs, strict=True))])
    assert history.settings == {"tez.am.speculation.enabled": "true"}
    assert set(history.jobs["pool"].to_pylist()) == {"etl"}
    assert set(history.jobs["group"].to_pylist()) == {"ann"}
    copies = history.frame("copies")
    assert set(copies["gc"]) == {0.25}
    assert set(copies["records"]) == {8}
    assert set(copies["slot"]) == {f"container_h{host}" for host in range(4)}


def counted(told):
    """Count entities from their tasks' identifiers and events, with no code of the product."""
    of = {
        kind: [one for one in told if one["entitytype"] == f"TEZ_{kind}_ID"]
        for kind in ("DAG", "VERTEX", "TASK", "TASK_ATTEMPT")
    }
    times = [{one["eventtype"]: one["timestamp"] for one in every["events"]} for every in of["TASK_ATTEMPT"]]
    return {
        "jobs": len(of["DAG"]),
        "stages": len(of["VERTEX"]),
        "tasks": len({one["entity"] for one in of["TASK"]}),
        "copies": len(of["TASK_ATTEMPT"]),
        "fates": Counter(one["otherinfo"]["status"] for one in of["TASK_ATTEMPT"]),
        "held": sum(one["TASK_ATTEMPT_FINISHED"] - one["TASK_ATTEMPT_STARTED"] for one in times) / 1e3,
    }


def test_a_reader_written_apart_counts_the_same():
    jobs = known(seed=5)
    history, told = read(as_zip(jobs), "dag.zip"), counted(in_a_row(jobs))
    copies = history.frame("copies")
    assert told == {
        "jobs": history.jobs.num_rows,
        "stages": history.stages.num_rows,
        "tasks": len(copies[["stage", "task"]].drop_duplicates()),
        "copies": len(copies),
        "fates": {STATES[fate]: count for fate, count in fates(history).items()},
        "held": pytest.approx((copies["end"] - copies["launch"]).sum()),
    }


def lone(name="attempt_1_0001_1_00_000000_0", **info):
    return entity("TEZ_TASK_ATTEMPT_ID", name, {"startTime": ORIGIN, "status": "SUCCEEDED"} | info)


def test_an_attempt_alone_is_a_job_of_one_task():
    history = read(json.dumps(lone(endTime=ORIGIN + 60_000, nodeId="h:1")).encode())
    assert history.jobs.to_pylist() == [
        {
            "job": "dag_1_0001_1",
            "name": "",
            "group": "",
            "pool": "",
            "submit": 0.0,
            "end": 60.0,
            "fate": "finished",
        }
    ]
    (copy,) = history.copies.to_pylist()
    assert (copy["launch"], copy["end"], copy["host"]) == (0.0, 60.0, "h")


def test_a_task_works_from_when_its_inputs_are_merged():
    waited = counters(**{f"{COUNTERS}TaskCounter": {"SHUFFLE_PHASE_TIME": 2000, "MERGE_PHASE_TIME": 3000}})
    (copy,) = read(json.dumps(lone(endTime=ORIGIN + 9000, counters=waited)).encode()).copies.to_pylist()
    assert (copy["launch"], copy["began"], copy["end"]) == (0.0, 3.0, 9.0)


def test_what_is_odd_is_counted():
    told = [
        lone(endTime=ORIGIN + 4000),
        lone(endTime=ORIGIN + 5000, status="KILLED"),  # its output was lost after it had ended
        lone("attempt_1_0001_1_00_000001_0", status="RUNNING"),
        lone("attempt_1_0001_1_00_000002_0", startTime=0, endTime=ORIGIN + 3000, status="KILLED"),
        lone("attempt_odd"),
        entity("MAPREDUCE_JOB", "job_1", {}),
    ]
    history = read(json.dumps({"entities": told}).encode())
    assert fates(history) == {"finished": 1, "unfinished": 1}
    assert [note.split(" (")[0] for note in history.notes] == [
        "copies ended twice: counted once",
        "entities that cannot be read: left out",
        "entities of other systems than Tez: passed over",
        "attempts that never started: no copies",
        "copies launched and never ended: censored at the end of their stage or of the log",
    ]


def test_entities_of_another_system_are_refused_with_the_reason():
    with pytest.raises(BadInput, match=r"no task in it: entities of other systems than Tez: passed over \(1"):
        read(json.dumps({"entities": [entity("MAPREDUCE_JOB", "job_1", {})]}).encode())


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([list, lambda told: list(as_events(told))]))
def test_entities_and_events_may_stand_in_any_order(dice, form):
    (job,) = known(jobs=1, stages=3, tasks=4)
    found = form(in_a_row([job]))
    dice.shuffle(found)
    assert_read_back(read(json.dumps({"entities": found}).encode()), [job])


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_history_cut_off_is_read_as_far_as_it_goes(data):
    (job,) = known(jobs=1, stages=2, tasks=3)
    whole = json.dumps({"entities": in_a_row([job])}).encode()
    begun = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        history = read_history(Upload("dag.json", begun))
    except BadInput:
        return
    made = {(copy.launch, copy.end, copy.fate) for stage in job.stages for copy in stage.copies}
    found = history.frame("copies")
    times = [[round(1000 * (time + history.origin)) for time in found[name]] for name in ("launch", "end")]
    assert set(zip(*times, found["fate"], strict=True)) <= made
    assert any("cut off: read as far as they go (1," in note for note in history.notes)
