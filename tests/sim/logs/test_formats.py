"""The other formats: their traps, and their common contents."""

import io
import json
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.logs.compact import as_parquet
from sim.logs.formats import FORMATS, read_history, table
from sim.logs.samples import slurm, spark
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.known import known
from tests.sim.logs.logs import fates, read, small, zstd
from tests.sim.logs.test_dask import as_report
from tests.sim.logs.test_flink import answers, archive
from tests.sim.logs.test_kubernetes import listed, objects_of
from tests.sim.logs.test_tez import in_a_row
from tests.sim.logs.written import WRITTEN

HOUR = 1_700_000_000_000


def durations(history):
    found = history.frame("copies")
    return (found["end"] - found["began"]).round(3).tolist()


# MapReduce


def jhist(events):
    package = "org.apache.hadoop.mapreduce.jobhistory"
    head = [
        "Avro-Json",
        '{"type":"record","name":"Event","fields":[{"name":"type","type":"JOB_SUBMITTED"}]}',
        "",
    ]
    rows = [
        json.dumps({"type": kind, "event": {f"{package}.X": event}}, separators=(",", ":"))
        for kind, event in events
    ]
    return ("\n".join([*head, *rows]) + "\n").encode()


def attempt(kind, task, number, start, end, outcome="FINISHED", **more):
    letter = kind[0].lower()
    name = f"attempt_1_0001_{letter}_{task:06}_{number}"
    status = {"FINISHED": "SUCCEEDED"}.get(outcome, outcome)
    begins = {"taskid": "t", "attemptId": name, "startTime": HOUR + start, "trackerName": "h1"}
    ends = {
        "taskid": "t",
        "attemptId": name,
        "finishTime": HOUR + end,
        "hostname": "h1",
        "taskStatus": status,
    }
    extra = {key: more.pop(key) for key in ("avataar", "locality") if key in more}
    return [(f"{kind}_ATTEMPT_STARTED", begins | extra), (f"{kind}_ATTEMPT_{outcome}", ends | more)]


def mapreduce(wrap=lambda value: value):
    counters = {
        "groups": [
            {
                "name": "FileSystemCounter",
                "counts": [
                    {"name": "FILE_BYTES_READ", "value": 9},
                    {"name": "HDFS_BYTES_READ", "value": 70},
                    {"name": "MAP_INPUT_RECORDS", "value": 6},
                    {"name": "GC_TIME_MILLIS", "value": 40},
                ],
            }
        ]
    }
    return [
        (
            "JOB_SUBMITTED",
            {
                "jobid": "job_1_0001",
                "jobName": "sort",
                "userName": "ann",
                "submitTime": HOUR,
                "jobQueueName": "etl",
            },
        ),
        ("JOB_INITED", {"jobid": "job_1_0001", "launchTime": HOUR + 50, "totalMaps": 3, "totalReduces": 1}),
        *attempt(
            "MAP", 0, 0, 100, 1100, avataar=wrap("VIRGIN"), locality=wrap("NODE_LOCAL"), counters=counters
        ),
        *attempt("MAP", 1, 0, 100, 3100, "KILLED", avataar=wrap("VIRGIN")),
        *attempt("MAP", 1, 1, 2000, 3000, avataar=wrap("SPECULATIVE")),
        *attempt("REDUCE", 0, 0, 500, 4000, sortFinishTime=HOUR + 3200),
        ("TASK_FINISHED", {"counters": counters}),
        ("JOB_FINISHED", {"jobid": "job_1_0001", "finishTime": HOUR + 4100}),
    ]


def test_a_job_history_has_maps_and_reduces_as_two_stages():
    history = read(jhist(mapreduce()))
    assert history.format == "jhist"
    assert history.stages["name"].to_pylist() == ["map", "reduce"]
    assert history.stages["parents"].to_pylist() == [[], [0]]
    assert history.stages["tasks"].to_pylist() == [3, 1]
    assert history.frame("copies")["speculative"].tolist() == [False, False, True, False]
    measured = history.frame("copies")[["bytes", "records", "gc", "fetch_wait"]].to_numpy()
    np.testing.assert_array_equal(measured[:2], [[70, 6, 0.04, np.nan], [np.nan] * 4])
    assert history.copies["locality"].to_pylist() == ["NODE_LOCAL", "", "", ""]
    assert history.jobs["pool"].to_pylist() == ["etl"]
    assert fates(history) == {"finished": 3, "killed": 1}
    assert history.jobs.to_pylist()[0]["group"] == "ann"


def test_a_reduce_works_from_when_its_input_is_sorted():
    history = read(jhist(mapreduce()))
    assert durations(history) == [1.0, 3.0, 1.0, 0.8]
    assert history.frame("copies")["launch"].tolist()[-1] == 0.5


def test_fields_of_unions_may_be_written_with_their_type():
    plain, union = read(jhist(mapreduce())), read(jhist(mapreduce(lambda value: {"string": value})))
    assert plain.digest == union.digest
    bare = [
        (kind, {key: value for key, value in event.items() if key != "avataar"})
        for kind, event in mapreduce()
    ]
    assert not read(jhist(bare)).frame("copies")["speculative"].any()


def test_binary_avro_is_refused_with_what_to_do():
    with pytest.raises(BadInput, match="line 1: binary Avro; set mapreduce"):
        read(b"Avro-Binary\n\x00\x01")


# Rumen


def rumen():
    def tried(start, end, result="SUCCESS", host="/rack/h1"):
        return {
            "attemptID": "a",
            "startTime": HOUR + start,
            "finishTime": HOUR + end if end > 0 else -1,
            "result": result,
            "hostName": host,
        }

    maps = [
        {"taskID": "m0", "inputBytes": 64, "attempts": [tried(0, 1000)]},
        {"taskID": "m1", "inputBytes": -1, "attempts": [tried(2000, 3000), tried(0, 3000, "KILLED")]},
        {"taskID": "m2", "attempts": [tried(0, 500, "FAILED"), tried(600, -1, None)]},
    ]
    return {
        "jobID": "job_1",
        "user": "ann",
        "submitTime": HOUR,
        "launchTime": HOUR + 1,
        "outcome": "SUCCESS",
        "finishTime": HOUR + 5000,
        "mapTasks": maps,
        "reduceTasks": [],
    }


@pytest.mark.parametrize("indent", [None, 2])
def test_rumen_objects_may_break_lines_anywhere(indent):
    second = rumen() | {"jobID": "job_2"}
    data = " ".join(json.dumps(job, indent=indent) for job in (rumen(), second)).encode()
    history = read(data)
    assert history.format == "rumen"
    assert history.jobs["job"].to_pylist() == ["job_1", "job_2"]
    found = history.frame("copies")[:5]
    assert found["speculative"].tolist() == [False, False, True, False, False]
    assert np.isnan(found["bytes"]).tolist() == [False, True, True, True, True]
    assert found["host"].astype(str).unique().tolist() == ["h1"]
    assert fates(history) == {"finished": 4, "killed": 2, "failed": 2, "unfinished": 2}


def test_rumen_cut_off_keeps_the_jobs_before():
    data = json.dumps(rumen()) + "\n" + json.dumps(rumen() | {"jobID": "job_2"})
    history = read(data[:-40].encode())
    assert history.jobs.num_rows == 1
    assert any("cut off" in note for note in history.notes)


# Ray


def ray(number, start, end, state="FINISHED", attempt=0, execute=None, **more):
    events = (
        [{"event_name": "task:execute", "start_time": HOUR + execute, "end_time": HOUR + end}]
        if execute
        else []
    )
    return {
        "task_id": f"t{number}",
        "attempt_number": attempt,
        "name": "f",
        "state": state,
        "job_id": "01",
        "func_or_class_name": "f",
        "node_id": "n1",
        "worker_id": "w1",
        "creation_time_ms": HOUR,
        "start_time_ms": None if start is None else HOUR + start,
        "end_time_ms": end and HOUR + end,
        "profiling_data": {"events": events},
    } | more


def test_a_task_of_ray_works_while_it_executes():
    tasks = [
        ray(0, 10, 1000, execute=800),
        ray(1, 10, 500),
        ray(2, None, None, "PENDING_NODE_ASSIGNMENT"),
        ray(3, 10, 200, "FAILED"),
        ray(3, 300, 900, attempt=1),
        ray(4, 20, None, "RUNNING"),
    ]
    history = read(json.dumps([*tasks, tasks[1]], indent=1).encode())
    assert durations(history) == [0.2, 0.49, 0.19, 0.6, 0.98]
    assert fates(history) == {"finished": 3, "failed": 1, "unfinished": 1}
    assert not history.frame("copies")["speculative"].any()
    assert any("never started: left out (1," in note for note in history.notes)
    assert any("told twice: counted once (1," in note for note in history.notes)


def test_where_ray_tells_no_times_its_changes_of_state_do():
    plain = ray(0, 10, 900), ray(1, 300, 1000, "FAILED", error_type="TASK_CANCELLED")
    states = ("PENDING_ARGS_AVAIL", HOUR), ("RUNNING", HOUR + 10), ("FINISHED", HOUR + 900)
    changes = [{"state": state, "created_ms": time} for state, time in states]
    early = {key: value for key, value in plain[0].items() if not key.endswith("time_ms")} | {
        "events": changes
    }
    first, second = read(json.dumps(plain).encode()), read(json.dumps([early, plain[1]]).encode())
    assert fates(first) == {"finished": 1, "killed": 1}
    assert first.digest == second.digest
    driver = ray(9, 0, 5000, type="DRIVER_TASK")
    answer = {"result": True, "msg": "", "data": {"result": {"total": 3, "result": [*plain, driver]}}}
    assert read(json.dumps(answer).encode()).digest == first.digest


def test_a_task_of_ray_is_submitted_when_it_has_what_it_reads():
    """All tasks are created at once; those of the second function wait for the first, and then for slots."""
    tasks = [ray(number, 10 + number, 1000 + number) for number in range(4)]
    tasks += [ray(4 + number, 1400, 2000, func_or_class_name="g") for number in range(2)]
    for number, task in enumerate(tasks):
        ready = HOUR + (1 if number < 4 else 1004)
        task["events"] = [{"state": "PENDING_ARGS_AVAIL", "created_ms": HOUR}]
        task["events"] += [{"state": "PENDING_NODE_ASSIGNMENT", "created_ms": ready}]
    history = read(json.dumps(tasks).encode())
    assert history.stages["submit"].to_pylist() == [0.001, 1.004]
    assert history.stages["parents"].to_pylist() == [[], [0]]
    assert history.jobs["submit"].to_pylist() == [0.0]


def with_dates(task, zone="", offset=0):
    """Return a task with the times of the list as dates, as the command writes them; profiling stays."""

    def date(value):
        return value and f"{datetime.fromtimestamp(value / 1000 + offset, UTC).replace(tzinfo=None)}{zone}"

    return {key: date(value) if key.endswith("time_ms") else value for key, value in task.items()} | {
        "events": [one | {"created_ms": date(one["created_ms"])} for one in task.get("events", ())]
    }


@pytest.mark.parametrize("hours", [-9.5, 0, 5.75, 14])
def test_local_dates_of_ray_are_put_beside_the_profiling_that_is_in_utc(hours):
    tasks = [ray(0, 10, 1000, execute=800), ray(1, 250, 500), ray(2, 10, None, "RUNNING")]
    tasks[1] |= {"events": [{"state": "RUNNING", "created_ms": HOUR + 250}]}
    plain = read(json.dumps(tasks).encode())
    local = read(json.dumps([with_dates(task, offset=3600 * hours) for task in tasks]).encode())
    assert durations(local) == pytest.approx([0.2, 0.25, 0.99])
    for name in ("jobs", "stages", "copies"):
        pd.testing.assert_frame_equal(local.frame(name), plain.frame(name), rtol=0, atol=1e-6)
    assert local.origin == pytest.approx(plain.origin + 3600 * hours)
    assert any("local times, whose zone is not told: taken as UTC (3," in note for note in local.notes)
    assert not any("zone" in note for note in plain.notes)


def test_dates_of_ray_with_a_zone_are_exact():
    tasks = [ray(0, 10, 1000, execute=800), ray(1, 250, 500)]
    told = read(json.dumps([with_dates(task, zone="+02:00", offset=7200) for task in tasks]).encode())
    assert told.origin == pytest.approx(read(json.dumps(tasks).encode()).origin)
    assert durations(told) == pytest.approx([0.2, 0.25])
    assert not told.notes


def test_a_time_of_ray_that_is_none_is_named():
    with pytest.raises(BadInput, match="line 1: '12:60 h' is not a time"):
        read(json.dumps([ray(0, 10, 20) | {"start_time_ms": "12:60 h"}]).encode())


def as_yaml(tasks):
    """Return tasks as YAML as `ray list tasks` writes it, by default with --detail."""
    return yaml.dump(tasks, indent=4, explicit_start=True, sort_keys=False, explicit_end=True).encode()


def test_tasks_of_ray_may_be_yaml():
    tasks = [
        ray(0, 10, 1000, execute=800),
        ray(1, 10, 500, name="job: 7"),
        ray(2, None, None, "PENDING"),
        ray(3, 10, 200, "FAILED", required_resources={"CPU": 1.0}),
        ray(3, 300, 900, attempt=1),
        ray(4, 20, None, "RUNNING", job_id="02", error_type=None),
    ]
    states = [{"state": "RUNNING", "created_ms": float(HOUR + 5)}, {"state": "FINISHED", "created_ms": 1e12}]
    tasks[1] |= {"events": states, "error_message": "a: 1\n\n-   task_id: x\n  state: 'odd' " + "word " * 60}
    tasks[0]["profiling_data"]["events"][0] |= {"extra_data": {"start_time": 3, "end_time": 4}}
    for some in (tasks, [task | {"task_log_info": {"start_time": 1}} for task in tasks]):
        history = read(as_yaml(some))
        assert history.format == "ray"
        assert history.digest == read(json.dumps(some).encode()).digest
    assert fates(history) == {"finished": 3, "failed": 1, "unfinished": 1}


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_yaml_of_ray_cut_off_does_not_end_in_an_error(data):
    text = as_yaml([ray(0, 10, 20, execute=15), ray(1, 10, 30)])
    begun = text[: data.draw(st.integers(0, len(text)))]
    try:
        history = read(begun)
    except BadInput:
        return
    assert history.copies.num_rows <= 2


# Slurm

HEADER = "JobID|State|Submit|Start|End|ElapsedRaw|NodeList"


def sacct(*rows, header=HEADER):
    return ("\n".join([header, *rows]) + "\n").encode()


def night(row, end="2024-03-04T09:00:00", elapsed="3600", state="COMPLETED"):
    return f"{row}|{state}|2024-03-04T07:00:00|2024-03-04T08:00:00|{end}|{elapsed}|n1"


def test_an_array_of_slurm_is_a_job_and_its_steps_are_passed_over():
    rows = [
        night("7_1"),
        night("7_2", state="TIMEOUT"),
        night("7_2.batch"),
        night("7_2.extern"),
        night("7_2.0"),
        night("7_3", state="CANCELLED by 1000"),
        night("7_4", end="Unknown", state="RUNNING"),
        night("8"),
        night("7_5", state="NODE_FAIL"),
        night("9_[1-8%2]", state="PENDING"),
        night("10+1"),
    ]
    history = read(sacct(*rows))
    assert history.jobs["job"].to_pylist() == ["7", "8", "10"]
    assert history.stages["tasks"].to_pylist() == [5, 1, 1]
    assert fates(history) == {"finished": 3, "killed": 2, "unfinished": 1, "failed": 1}
    assert history.span == 7200.0
    assert any("rows of job steps: passed over (3)" in note for note in history.notes)


@pytest.mark.parametrize("delimiter", ["|", "|#", "\t", ",", "; "])
def test_any_delimiter_is_recognised(delimiter):
    data = sacct(night("7_1"), night("7_2")).replace(b"|", delimiter.encode())
    assert read(data).digest == read(sacct(night("7_1"), night("7_2"))).digest


def test_elapsed_time_wins_where_the_clock_was_changed():
    history = read(sacct(night("7_1", end="2024-03-04T08:00:01")))
    assert durations(history) == [3600.0]
    assert any("clock change" in note for note in history.notes)
    words = HEADER.replace("ElapsedRaw", "Elapsed")
    assert durations(read(sacct(night("7_1", elapsed="1-01:00:00"), header=words))) == [90000.0]


def test_rows_that_cannot_be_used_are_counted():
    rows = [night("7_1"), "7_2|COMPLETED|short", night("x_y"), night("7_1")]
    history = read(sacct(*rows) + "7_9|COMPLETED|é|é|é|1|n".encode("latin-1") + b"\n")
    assert history.copies.num_rows == 1
    assert {note.split(", first")[0] for note in history.notes} == {
        "rows without the 7 cells of the header: left out (1",
        "rows that cannot be read: left out (2",
        "copies told twice: counted once (1",
        "lines not in UTF-8: read as Latin-1 (1",
    }


def test_a_job_requeued_is_one_task_with_two_copies():
    again = night("7_1").replace("T08:00:00", "T08:30:00")
    history = read(sacct(night("7_1", state="PREEMPTED", elapsed="60", end="2024-03-04T08:01:00"), again))
    assert history.frame("copies")["copy"].tolist() == [0, 1]
    assert not history.frame("copies")["speculative"].any()


@pytest.mark.parametrize("state", ["PREEMPTED", "REQUEUED", "TIMEOUT", "CANCELLED by 1000", "DEADLINE"])
def test_a_job_that_was_stopped_from_outside_did_not_fail(state):
    history = read(sacct(night("7_1", state=state), night("7_2", state="NODE_FAIL"), night("7_3")))
    assert history.frame("copies")["fate"].tolist() == ["killed", "failed", "finished"]
    assert history.frame("copies")["complete"].tolist() == [False, False, True]


def test_a_table_without_ends_is_refused():
    with pytest.raises(BadInput, match="line 1: End: missing"):
        read(b"JobID|State|Start\n1|COMPLETED|2024-01-01T00:00:00\n")


# Lines of durations, SWIM and the CSV of jobs


def test_lines_of_durations_give_arrivals_and_tasks():
    history = read(b"0.5 2 3.0 2 4\n1.5 1 7 7\n2 3 1 1\n")
    assert history.format == "tr"
    assert durations(history) == [2.0, 4.0, 7.0]
    assert history.trace().arrival.tolist() == [0.5, 1.5]
    assert history.trace().size.tolist() == [3.0, 7.0]
    assert any("no job: left out (1, first: app-1, line 3:" in note for note in history.notes)


def test_workload_files_have_no_copies():
    history = read(b"job_id,submit,tasks\na,0,3\nb,5,2\n", "jobs.csv")
    assert (history.copies.num_rows, history.stages["tasks"].to_pylist()) == (0, [3, 2])
    trace = history.trace()
    assert (trace.arrival.tolist(), trace.tasks.tolist(), trace.size) == ([0.0, 5.0], [3, 2], None)


# The table


def csv(*rows, header="job_id,stage_id,task_id,start_s,end_s,status,host"):
    return ("\n".join([header, *rows]) + "\n").encode()


def test_the_template_has_every_column_and_kind_of_record():
    history = read(table.template().encode())
    assert fates(history) == {"finished": 4, "killed": 1}
    assert history.stages["parents"].to_pylist() == [[], [0]]
    assert history.settings == {"speculation": "true"}
    assert history.slots.to_pylist() == [{"time": 0.0, "slots": 4}]
    assert history.notes == ()
    text = table.__doc__
    assert all(column in text for column in table.SCHEMA.names)
    assert set(table.template().splitlines()[0].split(",")) <= set(table.SCHEMA.names)


def test_a_table_of_copies_alone_is_enough():
    history = read(
        csv("a,m,0,0,4,,", "a,m,1,0,9,killed,n1", "a,m,1,5,9,finished,n2", "b,m,0,2,,,", "b,m,1,2,3,failed,")
    )
    assert fates(history) == {"finished": 2, "killed": 1, "failed": 1, "unfinished": 1}
    assert history.frame("copies")["speculative"].tolist() == [False, False, True, False, False]
    assert history.jobs["end"].to_pylist() == [9.0, 9.0]


def test_a_copy_on_a_host_that_is_there_twice_is_counted_once():
    """Clones that were killed together say the same, and are two."""
    rows = ["a,m,0,0,4,finished,n1", "a,m,1,0,9,finished,n1", "a,m,2,0,4,killed,n1", "a,m,2,0,4,killed,n1"]
    history = read(csv(*rows, *rows[:2]))
    assert fates(history) == {"finished": 2, "killed": 2}
    assert not history.frame("copies")["speculative"][:2].any()
    assert any("another: counted once (2)" in note for note in history.notes)


def test_tasks_with_names_are_numbered_in_order_of_appearance():
    ids = ["m_000004", "m_000001", "m_000004", "7", "16e2", "1600", "007", "12345678901234567890"]
    rows = "".join(f"a,s,{one},{at},{at + 1}\n" for at, one in enumerate(ids))
    history = read(f"job_id,stage_id,task_id,start_s,end_s\n{rows}a,t,7,0,1\na,t,3,0,1\n".encode(), "t.csv")
    found = history.frame("copies").sort_values(["stage", "launch"], kind="stable")
    assert found["task"].tolist() == [0, 1, 0, 2, 3, 4, 2, 5, 3, 7]
    assert found["copy"].tolist()[:3] == [0, 0, 1]
    assert history.stages["tasks"].to_pylist() == [6, 2]
    assert any("task_id is a name: tasks numbered in order of appearance (1)" in n for n in history.notes)
    table = pa.table(
        {"job_id": ["a"] * 3, "task_id": ["x", "y", "x"], "start_s": [0.0, 0, 5], "end_s": [4.0, 9, 6]}
    )
    stream = io.BytesIO()
    pq.write_table(table, stream)
    assert read(stream.getvalue(), "t.parquet").frame("copies")["task"].tolist() == [0, 0, 1]


def test_what_was_measured_of_a_copy_may_be_given():
    rows = (
        "job_id,task_id,start_s,end_s,input_bytes,input_records,gc_s,fetch_wait_s,locality,record,pool\n"
        "a,0,0,4,7,3,0.5,0.25,RACK_LOCAL,,\na,1,0,4,,,,,,,\na,,,9,,,,,,job,etl\n"
    )
    history = read(rows.encode(), "t.csv")
    found = history.frame("copies")[["bytes", "records", "gc", "fetch_wait"]].to_numpy()
    np.testing.assert_array_equal(found, [[7, 3, 0.5, 0.25], [np.nan] * 4])
    assert history.copies["locality"].to_pylist() == ["RACK_LOCAL", ""]
    assert history.jobs["pool"].to_pylist() == ["etl"]
    assert history.notes == ()


def test_rows_of_a_table_that_cannot_be_used_are_counted():
    rows = [
        "a,m,0,0,4,,",
        "a,m,-1,0,4,,",
        "a,m,1.5,0,4,,",
        "a,m,2,-1,4,,",
        "a,m,3,0,inf,,",
        "a,m,4,0,4,odd,",
        "a,m",
    ]
    history = read(csv(*rows))
    assert history.copies.num_rows == 1
    assert any(
        "rows that cannot be read: left out (5, first: app-1, line 3:" in note for note in history.notes
    )


def test_a_table_without_a_needed_column_is_refused():
    with pytest.raises(BadInput, match="line 1: job_id: missing among the columns"):
        read(b"task_id,start_s,end_s\n1,0,1\n")


@pytest.mark.parametrize(
    "log",
    [
        Upload("a", b""),
        spark(speculation=True),
        spark(speculation=False),
        slurm(arrays=3),
        Upload("job.jhist", jhist(mapreduce())),
        Upload("rumen", json.dumps(rumen()).encode()),
        Upload("t.csv", table.template().encode()),
        Upload("a.tr", b"0.5 2 3.0 2 4\n"),
        Upload("jobs.csv", b"job_id,submit,tasks\na,0,3\n"),
        *(Upload(key, data) for key, data in WRITTEN.items()),
    ],
    ids=lambda log: log.name,
)
def test_the_compact_file_says_the_same_as_the_log(log):
    history = read(small()) if not log.data else read_history(log)
    again = read_history(Upload("history.parquet", as_parquet(history)))
    assert again.digest == history.digest
    assert (again.format, again.notes, again.origin) == (history.format, history.notes, history.origin)
    for name in ("jobs", "stages", "copies", "hosts", "slots"):
        one, other = (found.frame(name).astype(str).to_numpy().tolist() for found in (history, again))
        assert one == other


def test_every_format_recognises_its_own_and_no_other():
    own = {
        "spark": spark(speculation=False).data,
        "jhist": jhist(mapreduce()),
        "rumen": json.dumps(rumen()).encode(),
        "ray": json.dumps([ray(0, 10, 20)]).encode(),
        "flink": archive(answers(0, known(jobs=1)[0])),
        "tez": json.dumps(in_a_row(known(jobs=1))).encode(),
        "kubernetes": listed(objects_of(known(jobs=1, stages=1, grain=1000, copied=False))),
        "dask": as_report(known(jobs=1, copied=False)[0]),
        "table": csv("a,m,0,0,4,,"),
        "slurm": slurm(arrays=1).data,
        **WRITTEN,
        "tr": b"0.5 2 3.0 2 4\n",
        "workload": b"a\t0\t0\t5\t0\t0\n",
    }
    assert list(own) == [one.KEY for one in FORMATS]
    for key, data in own.items():
        head = data if key != "spark" else b'{"Event":"SparkListenerLogStart"}'
        assert next(one.KEY for one in FORMATS if one.recognises(head, "x")) == key
        assert read(data).format == key


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["jhist", "rumen", "ray", "table", "slurm", "tr"]), st.data())
def test_no_file_cut_off_or_with_a_line_missing_ends_in_an_error(key, data):
    text = {
        "jhist": jhist(mapreduce()),
        "rumen": json.dumps(rumen(), indent=1).encode(),
        "table": table.template().encode(),
        "ray": json.dumps([ray(0, 10, 20), ray(1, 10, 30)], indent=1).encode(),
        "slurm": slurm(arrays=1, tasks=5).data,
        "tr": b"0.5 2 3.0 2 4\n1.5 1 7 7\n",
    }[key]
    if data.draw(st.booleans()):
        text = text[: data.draw(st.integers(0, len(text)))]
    else:
        rows = text.splitlines(keepends=True)
        del rows[data.draw(st.integers(0, len(rows) - 1))]
        text = b"".join(rows)
    try:
        history = read(text)
    except BadInput:
        return
    assert sum(fates(history).values()) == history.copies.num_rows
    assert history.slots.num_rows <= 3


def test_a_packed_table_is_read_too():
    assert read(zstd(csv("a,m,0,0,4,,"))).copies.num_rows == 1
