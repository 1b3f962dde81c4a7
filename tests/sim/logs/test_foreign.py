"""Files that are not read: each is recognised, and refused with what it is and what to give instead."""

from __future__ import annotations

import io
import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sim.logs import read as read_workload
from sim.logs.foreign import FOREIGN, SACCT, TASK_STREAM
from sim.logs.formats import FORMATS, read_history, table
from sim.logs.samples import slurm, spark
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.depth import each
from tests.documents import PAGES
from tests.sim.logs.logs import ended, job, lines, small, stage
from tests.sim.logs.recorded import found, plain
from tests.sim.logs.test_formats import jhist, mapreduce, night, ray, rumen, sacct
from tests.sim.logs.written import WRITTEN

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
    "the output of squeue or scontrol": [
        as_json({"jobs": [{"account": "a", "array_job_id": 7, "job_state": ["RUNNING"]}], "meta": {}}),
        b"             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n",
        b"JobId=7 JobName=x\n   UserId=ann(1000)\n",
    ],
    "ray timeline": [
        plain(found("ray_*_timeline.json.gz")),
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
        plain(found("spark_*_driver.log.gz")),
        b"24/01/01 00:00:00 INFO SparkContext: Running Spark version 3.5.1\n",
        b"2024-01-01 00:00:00,123 WARN [main] org.apache.hadoop.mapreduce.Job: x\n",
        b"++ id -u\n+ exec spark-submit --deploy-mode client\n"
        b"24/01/01 00:00:00.5 INFO SparkContext: Running Spark version 3.5.1\n",
        b"[2024-01-01T00:00:00] Finished task 1.0 in stage 0.0 (TID 1) in 122813 ms on h (executor 1)\n",
        as_json({"ts": TIME, "level": "INFO", "msg": "Added broadcast_0", "logger": "BlockManagerInfo"}),
    ],
    "the log or the events of a Dask scheduler": [
        b"2026-01-01 00:00:00,123 - distributed.scheduler - INFO - State start\n",
        *(plain(found(f"dask_*_{name}.json.gz")) for name in ("events", "log")),
    ],
    "an answer of Spark's REST API": [as_json([{"status": "COMPLETE", "stageId": 3, "numTasks": 8}])],
    "what kubectl prints for people, or YAML": [
        b"apiVersion: v1\nitems:\n- apiVersion: batch/v1\n  kind: Job\n",
        b"NAME   COMPLETIONS   DURATION   AGE\na      1/1           60s        2d\n",
    ],
    "task_instance of Airflow": [
        b"task_id,dag_id,run_id,start_date,end_date,state\nt,d,r,2024-01-01,2024-01-01,success\n",
        b"dag_id;task_id;start_date\n",
        as_json({"task_instances": [{"task_id": "t", "dag_id": "d", "start_date": f"{TIME}+00:00"}]}),
    ],
    "a log or history of HTCondor": [
        b"000 (123.000.000) 2024-01-01 12:00:00 Job submitted from host: <10.0.0.1:9618>\n...\n",
        b'MyType = "Job"\nProcId = 0\nClusterId = 123\n*** Offset = 0\n',
        json.dumps([{"ClusterId": 123, "ProcId": 0, "JobStatus": 4}], indent=2).encode(),
    ],
    "a file of Snakemake": [
        *(plain(found(f"snakemake_*_{name}.gz")) for name in ("log", "benchmark", "metadata")),
        b"Building DAG of jobs...\nUsing shell: bash\n",
        b"s\th:m:s\tmax_rss\tmax_vms\n1.5\t0:00:01\t10\t20\n",
        as_json({"version": 6, "rule": "sort", "input": [], "starttime": 1.0, "endtime": 2.0}),
    ],
    "a Chrome or PyTorch trace": [
        as_json([{"name": "f", "ph": "B", "ts": 1, "pid": 1, "tid": 1}]),
        json.dumps(
            {
                "schemaVersion": 1,
                "deviceProperties": [],
                "traceEvents": [
                    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1.5, "dur": 2}
                ],
            },
            indent=2,
        ).encode(),
    ],
    "a trace of operations of a training": [
        b"dp_rank,stage,rank,step,optype,start_ts,duration\n0,0,0,23,forward-compute,0.84,0.13\n",
    ],
    "a trace of Jaeger, OpenTelemetry or Zipkin": [
        as_json(
            {
                "data": [
                    {
                        "traceID": "a1",
                        "spans": [
                            {
                                "traceID": "a1",
                                "spanID": "b2",
                                "operationName": "GET /",
                                "references": [],
                                "startTime": 1704067200000000,
                                "duration": 512,
                                "processID": "p1",
                            }
                        ],
                        "processes": {"p1": {"serviceName": "front"}},
                    }
                ]
            }
        ),
        as_json({"resourceSpans": [{"resource": {}, "scopeSpans": []}]}),
        as_json([{"traceId": "a", "id": "b", "timestamp": 1, "localEndpoint": {"serviceName": "front"}}]),
    ],
    "a workload or the jobs of Batsim": [
        b"job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
        b"final_state,starting_time,execution_time,finish_time,waiting_time\n0,w,p,0,4,100,1,COMPLETED,0,9,9,0\n",
        as_json(
            {
                "nb_res": 4,
                "jobs": [{"id": 0, "subtime": 0, "res": 4, "profile": "p"}],
                "profiles": {"p": {"type": "delay", "delay": 9}},
            }
        ),
    ],
    "a public trace of Azure": [
        b"HashOwner,HashApp,HashFunction,Trigger,1,2,3\n",
        b"app,func,end_timestamp,duration\n",
        b"TIMESTAMP,ContextTokens,GeneratedTokens\n",
        b",".join([b"x" * 64 + b"=="] * 3 + [b"0", b"9", b"1.5", b"1", b"2", b"Unknown", b"2", b"4"]) + b"\n",
    ],
    "the job log of Philly": [
        as_json([{"status": "Pass", "vc": "a", "jobid": "app_1", "attempts": [], "submitted_time": "x"}])
    ],
    "the output of qacct or qstat": [
        b"=" * 62 + b"\nqname        all.q\nhostname     n1\n",
        b"job-ID  prior   name       user         state submit/start at     queue\n",
    ],
    "the output of bjobs, bhist or bacct, or lsb.events": [
        b'"JOB_NEW" "10.1" 1527326745 7610 1000 33554438 1\n',
        b"JOBID   USER    STAT  QUEUE      FROM_HOST\n",
        b"Job <7>, User <ann>, Project <default>\n",
        b"\nAccounting information about jobs that are:\n",
        b"Summary of time in seconds spent in various states:\n",
    ],
    "a tar archive": [b"batch_task.csv".ljust(257, b"\0") + b"ustar\x0000" + bytes(300)],
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
    **WRITTEN,
    "tr": b"0.5 2 3.0 2 4\n",
    "tr of 18 numbers": b"1 15 3 " + b" ".join([b"3"] * 15) + b"\n",
    "jobs": b"job_id,submit,tasks\na,0,3\n",
    "swim": b"job0\t1\t1\t100\t0\t0\n",
}


def test_the_documents_have_the_commands_that_a_refusal_gives():
    assert any(TASK_STREAM in page.read_text() for page in PAGES)
    told = [line for page in PAGES for line in re.findall(r"sacct -P -o [\w,]+", page.read_text())]
    assert len(told) >= 3
    assert set(told) == {SACCT}


def test_a_file_of_each_kind_is_tried():
    assert [one.title for one in FOREIGN] == list(FILES)


@each("title, data", [(title, one) for title, all_of in FILES.items() for one in all_of])
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


@pytest.mark.parametrize(
    ("columns", "title"),
    [
        (("dp_rank", "rank", "step", "optype"), "a trace of operations of a training"),
        (("task_id", "dag_id", "start_date"), "task_instance of Airflow"),
    ],
)
def test_a_parquet_file_is_named_by_its_columns(columns, title):
    stored = io.BytesIO()
    pq.write_table(pa.table({column: [1] for column in columns}), stored)
    with pytest.raises(BadInput, match=rf"^a.parquet: this is {title}; .*; give "):
        read_history(Upload("a.parquet", stored.getvalue()))


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
