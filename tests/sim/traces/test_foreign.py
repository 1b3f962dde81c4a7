"""Files that are not read: each is recognised, and refused with what it is and what to give instead."""

from __future__ import annotations

import json

import pytest

from sim.fields import BadInput
from sim.traces import read as read_workload
from sim.traces.foreign import FOREIGN, SACCT
from sim.traces.formats import FORMATS, read_history, table
from sim.traces.samples import slurm, spark
from sim.traces.source import Upload
from tests.sim.traces.logs import ended, job, lines, small, stage
from tests.sim.traces.test_formats import jhist, mapreduce, night, ray, rumen, sacct

TIME = "2024-01-01T00:00:00"


def aligned(row, width=20):
    return "".join(f"{cell:>{width}} " for cell in row)


def as_json(value):
    return json.dumps(value).encode()


#: Files of each kind, as the systems write them.
FILES = {
    "the output of sacct without -P": [
        "\n".join(
            [aligned(("JobID", "State", "Start", "End")), aligned(["-" * 20] * 4)]
            + [aligned((f"7_{task}", "COMPLETED", TIME, TIME)) for task in range(3)]
        ).encode()
    ],
    "the output of sacct without a header": [
        sacct(night("7_1"), night("7_2"), header="").lstrip(),
        b"8.batch|FAILED|2024-01-01T00:00:00|9\n",
        b"8_[3-9%2]|CANCELLED by 1000|Unknown|0\n",
        b"9+1|TIMEOUT|2024-01-01T00:00:00|9\n",
    ],
    "the output of sacct --json": [
        as_json({"meta": {"plugin": {"type": "openapi/slurmdbd"}}, "jobs": [{"job_id": 7}]}),
        json.dumps({"jobs": [], "meta": {"plugin": {"type": "openapi/dbv0.0.38"}}}, indent=2).encode(),
    ],
    "ray timeline": [
        as_json(
            [
                {
                    "cat": "task::f",
                    "name": "task::f",
                    "pid": "h",
                    "tid": "w",
                    "ts": 1e15,
                    "dur": 1e6,
                    "ph": "X",
                    "args": {"task_id": "ab", "job_id": "01", "attempt_number": 0},
                }
            ]
        ),
    ],
    "the table of ray list tasks": [
        b"\n======== List: 2024-01-01 00:00:00.000000 ========\nStats:\n------\nTotal: 1\n",
    ],
    "ray list tasks of Ray 2.0 to 2.2": [
        as_json([{"task_id": "ab", "name": "f", "scheduling_state": "FINISHED", "type": "NORMAL_TASK"}])
    ],
    "a job history of Hadoop 1": [
        b'Meta VERSION="1" .\nJob JOBID="job_201001010000_0001" JOBNAME="sort" SUBMIT_TIME="1" .\n',
        b'Job JOBID="job_201001010000_0001" JOBNAME="sort" .\n',
    ],
    "the configuration of a MapReduce job": [
        b'<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n<property><name>a</name></property>',
    ],
    "a log of messages of Spark or Hadoop": [
        b"24/01/01 00:00:00 INFO SparkContext: Running Spark version 3.5.1\n",
        b"2024-01-01 00:00:00,123 WARN [main] org.apache.hadoop.mapreduce.Job: x\n",
    ],
    "an answer of Spark's REST API": [as_json([{"status": "COMPLETE", "stageId": 3, "numTasks": 8}])],
    "a trace in the Standard Workload Format": [
        b"; Version: 2.2\n; MaxNodes: 128\n1 0 10 600 4 -1 -1 4 600 -1 1 1 1 1 1 -1 -1 -1\n",
        b"    1   15     10   600  4  -1 -1 4 600.5 -1 1 1 1 1 1 -1 -1 -1\n",
    ],
    "accounting of PBS": [b"01/02/2024 15:27:00;Q;6.head;queue=q\n01/02/2024 15:28:00;E;6.head;user=u\n"],
    "what kubectl prints for people, or YAML": [
        b"apiVersion: v1\nitems:\n- apiVersion: batch/v1\n  kind: Job\n",
        b"NAME   COMPLETIONS   DURATION   AGE\na      1/1           60s        2d\n",
    ],
    "task_instance of Airflow": [
        b"task_id,dag_id,run_id,start_date,end_date,state\nt,d,r,2024-01-01,2024-01-01,success\n",
        b"dag_id;task_id;start_date\n",
    ],
    "a trace of Nextflow": [
        b"task_id\thash\tnative_id\tname\tstatus\texit\tsubmit\n1\tab/cd\t7\tx\tDONE\t0\t1\n"
    ],
    "task_events of the Google cluster of 2011": [
        b"0,,6251812952,0,,0,user,2,9,0.025,0.01,0.0004,0\n",
        b"5612000000,,6251812952,3,317808204,1,user,2,9,0.025,0.01,0.0004,0\n",
    ],
    "batch_instance or batch_task of the Alibaba cluster of 2018": [
        b"ins_1,M1,j_7,1,Terminated,86400,86460,m_1,1,1,50,60,0.1,0.2\n",
        b"M1,2,j_7,1,Terminated,86400,86460,100.0,0.3\n",
    ],
    "a workflow in WfFormat": [
        as_json({"name": "blast", "schemaVersion": "1.5", "workflow": {"execution": {}}})
    ],
    "a web page": [b"<!DOCTYPE html>\n<html>", b"\n<html lang='en'>"],
}
#: Files that are read.
READ = {
    "spark": lines(small()),
    "sample": spark(speculation=False).data,
    "jhist": jhist(mapreduce()),
    "rumen": json.dumps(rumen()).encode(),
    "ray": json.dumps([ray(0, 0, 1000)]).encode(),
    "table": table.template().encode(),
    "semicolons": b"job_id;task_id;start_s;end_s\na;0;0;1\n",
    "slurm": slurm(arrays=2).data,
    "sacct": sacct(night("7_1")),
    "tr": b"0.5 2 3.0 2 4\n",
    "tr of 18 numbers": b"1 15 3 " + b" ".join([b"3"] * 15) + b"\n",
    "jobs": b"job_id,submit,tasks\na,0,3\n",
    "swim": b"job0\t1\t1\t100\t0\t0\n",
}


def test_a_file_of_each_kind_is_tried():
    assert [one.title for one in FOREIGN] == list(FILES)


@pytest.mark.parametrize(
    ("title", "data"), [(title, one) for title, all_of in FILES.items() for one in all_of]
)
def test_what_is_not_read_is_named_with_what_to_give(title, data):
    assert [one.title for one in FOREIGN if one.recognises(data)] == [title]
    with pytest.raises(BadInput) as refused:
        read_history(Upload("given.log", data))
    text = str(refused.value)
    assert text.startswith(f"given.log: this is {title}; ")
    assert text.count("; give ") == 1
    assert len(text) < 400
    with pytest.raises(BadInput) as refused:
        read_workload(data, "given.log")
    assert str(refused.value) == text


@pytest.mark.parametrize("name", READ)
def test_what_is_read_is_not_refused(name):
    assert not [one.title for one in FOREIGN if one.recognises(READ[name])]
    assert read_history(Upload(name, READ[name])).jobs.num_rows
    assert {one.KEY for one in FORMATS} >= {read_history(Upload(name, READ[name])).format}


def test_a_spark_log_whose_properties_hold_other_json_is_read():
    strange = json.dumps({"apiVersion": "v1", "kind": "List", "stageId": 1, "numTasks": 2, "ph": 1, "jid": 0})
    log = [job(0, [0], 0, **{"spark.job.description": strange}), stage(0, 1, 0), ended(0, 0, 0, 100)]
    assert read_history(Upload("app-1", lines(log))).jobs["name"].to_pylist() == [strange]


@pytest.mark.parametrize("missing", ["State", "Start", "JobID"])
def test_a_column_that_sacct_was_not_asked_for_is_named(missing):
    columns = [one for one in ("JobID", "State", "Submit", "Start", "End", "Elapsed") if one != missing]
    data = ("|".join(columns) + "\n" + "|".join(["1"] * 5) + "\n").encode()
    if missing == "JobID":
        with pytest.raises(BadInput, match="is not the start of a known log"):
            read_history(Upload("jobs.txt", data))
        return
    with pytest.raises(BadInput) as refused:
        read_history(Upload("jobs.txt", data))
    assert str(refused.value) == f"jobs.txt, line 1: {missing}: missing among the columns; give {SACCT}"


def test_times_since_1970_are_read():
    row = night("7_1").split("|")
    row[2:5] = ["1709535600", "1709539200", "1709542800"]
    plain, epoch = (read_history(Upload("jobs.txt", sacct(one))) for one in (night("7_1"), "|".join(row)))
    assert epoch.digest == plain.digest
    assert epoch.origin == plain.origin


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (
            sacct(night("7_1").replace("2024-03-04T08", "4 Mar 08")),
            "line 2: '4 Mar 08:00:00' is not a time; run sacct with SLURM_TIME_FORMAT=standard",
        ),
        (
            sacct("7_1|COMPLETED", "7_2|COMPLETED"),
            "rows without the 7 cells of the header: left out (2, first: a.log, line 2)",
        ),
        (
            sacct(night("7_1", state="PENDING")),
            "jobs that never started: left out (1, first: a.log, line 2)",
        ),
        (
            b"job_id,task_id,start_s,end_s\na,0,x,1\na,1,y,1\n",
            "rows that cannot be read: left out (2, first: a.log, line 2",
        ),
        (
            b'[{"task_id": "a", "attempt_number": 0, "state": "FINISHED"}]',
            "tasks without times, which --detail tells: left out (1, first: a.log, line 1)",
        ),
    ],
)
def test_where_all_rows_were_left_out_the_first_reason_is_said(data, reason):
    with pytest.raises(BadInput) as refused:
        read_history(Upload("a.log", data))
    text = str(refused.value)
    assert text.startswith("a.log: no job and no task in it: ")
    assert reason in text
    assert text.endswith("; give a log in which something ran")


def test_settings_beside_a_job_history_are_passed_over(tmp_path):
    (tmp_path / "job_1_0001.jhist").write_bytes(jhist(mapreduce()))
    (tmp_path / "job_1_0001_conf.xml").write_bytes(FILES["the configuration of a MapReduce job"][0])
    assert read_history(tmp_path).format == "jhist"
