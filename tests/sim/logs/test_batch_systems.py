"""Accounting of Slurm, PBS, Grid Engine and LSF: what is written is read back, and a reader apart agrees."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.logs.formats import read_history, slurm
from sim.logs.formats.batch import fate_of_exit
from sim.logs.formats.json_items import items
from sim.logs.history import FAILED, FINISHED, KILLED
from sim.logs.source import Upload, members
from sim.model.fields import BadInput
from tests.sim.logs.batch_runs import ORIGIN, assert_read_back, made, runs, told
from tests.sim.logs.logs import fates, read

RUNS = runs()
STATES = {FINISHED: "COMPLETED", KILLED: "PREEMPTED", FAILED: "FAILED"}


def clock(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat()


def days(seconds: int) -> str:
    """Return an elapsed time as Slurm has it, with days from one on."""
    whole, rest = divmod(seconds, 86400)
    return f"{f'{whole}-' if whole else ''}{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def sacct(those, columns, time=clock, delimiter="|"):
    """Return rows of sacct -P with these columns, and a step of each."""
    lines = [delimiter.join(columns)]
    for run in those:
        name = f"{run.job}_{run.index}" if run.is_array else run.job
        cells = {
            "JobID": name,
            "JobName": run.name,
            "User": run.user,
            "Partition": run.queue,
            "State": STATES[run.fate],
            "Submit": time(run.submit),
            "Start": time(run.launch),
            "End": time(run.end),
            "Elapsed": days(run.end - run.launch),
            "ElapsedRaw": str(run.end - run.launch),
            "NodeList": run.host,
        }
        for more in ("", ".batch"):
            lines.append(delimiter.join((cells | {"JobID": f"{name}{more}"})[column] for column in columns))
    return ("\n".join(lines) + "\n").encode()


WIDE = ("JobID", "JobName", "User", "Partition", "State", "Submit", "Start", "End", "ElapsedRaw", "NodeList")
TURNED = ("NodeList", "Elapsed", "Start", "Partition", "User", "State", "Submit", "JobName", "JobID")


def sacct_json(those, version):
    """Return the answer of sacct --json in the shape of a version: numbers bare or in objects."""

    def number(value):
        if version < 39:
            return value
        return {"set": value is not None, "infinite": False, "number": value or 0}

    jobs = [
        {
            "account": "",
            "array": {
                "job_id": int(run.job) if run.is_array else 0,
                "limits": {"max": {"running": {"tasks": 0}}},
                "task": None,
                "task_id": number(run.index if run.is_array else None),
            },
            "association": {"user": run.user},
            "derived_exit_code": {},
            "job_id": int(run.job) + 10**6 * run.is_array,
            "name": run.name,
            "nodes": run.host,
            "partition": run.queue,
            "state": {"current": [STATES[run.fate]] if version >= 39 else STATES[run.fate], "reason": "None"},
            "steps": [{"step": {"id": "batch"}, "state": "COMPLETED", "time": {"start": number(run.launch)}}],
            "time": {
                "elapsed": run.end - run.launch,
                "eligible": run.submit,
                "end": number(run.end) if version >= 41 else run.end,
                "start": number(run.launch) if version >= 41 else run.launch,
                "submission": run.submit,
            },
            **({} if version >= 40 else {"user": run.user}),
        }
        for run in those
    ]
    plugin = {"type": f"openapi/dbv0.0.{version}"} if version < 41 else {"data_parser": "data_parser/v0.0.41"}
    meta = {"meta": {"plugin": plugin, "Slurm": {"version": {"major": 21}}}}
    answer = {"jobs": jobs, "warnings": []} | meta if version >= 40 else meta | {"errors": [], "jobs": jobs}
    return json.dumps(answer, indent=2 if version == 39 else None).encode()


def pbs(those, old=False):
    """Return accounting of PBS: records Q, S and E, and R where the run was stopped and went on."""
    events = []
    again = Counter((run.job, run.index) for run in those)
    for run in those:
        again[run.job, run.index] -= 1
        place = (f"-{run.index}" if old else f"[{run.index}]") if run.is_array else ""
        job = f"{run.job}{place}.head"
        pairs = (
            f'user={run.user} group=g jobname="{run.name}" queue={run.queue} ctime={run.submit} '
            f"qtime={run.submit} etime={run.submit} start={run.launch} exec_host={run.host}/0*2 "
        )
        moved = again[run.job, run.index] > 0
        status = {FINISHED: 0, KILLED: 271, FAILED: 1}[run.fate]
        ended = f"end={run.end} Exit_status={status} resources_used.walltime=00:00:01"
        events += [
            (run.submit, "Q", job, f"queue={run.queue}"),
            (run.launch, "S", job, pairs),
            (run.end, "R" if moved else "E", job, pairs + ended),
        ]
        if run.is_array:
            events.append((run.end, "E", f"{run.job}[].head", pairs + ended))
    events.sort(key=lambda event: event[0])
    lines = [
        f"{datetime.fromtimestamp(at, UTC):%m/%d/%Y %H:%M:%S};{kind};{job};{pairs}"
        for at, kind, job, pairs in events
    ]
    return ("\n".join(lines) + "\n").encode()


def sge(those, per_second=1):
    """Return accounting of Grid Engine, with a row of a part of a parallel job beside each."""
    lines = ["# Version: 8.1.9", "#"]
    for run in those:
        failed, status = {FINISHED: (0, 0), KILLED: (100, 137), FAILED: (0, 1)}[run.fate]
        times = [str(time * per_second) for time in (run.submit, run.launch, run.end)]
        for part in ("NONE", "1.n9"):
            cells = [run.queue, run.host, "g", run.user, run.name, run.job, "sge", "0", *times, str(failed)]
            cells += [
                str(status),
                str(run.end - run.launch),
                *["0"] * 17,
                "NONE",
                "defaultdepartment",
                "NONE",
                "1",
            ]
            cells += [str(run.index), "1.5", "0.0", "0.0", "-U users", "0.0", part, "1M", "0", "0"]
            lines.append(":".join(cells))
    return ("\n".join(lines) + "\n").encode()


def lsf(those):
    """Return lsb.acct, with records of other kinds between."""
    lines = []
    for run in those:
        name = f"{run.name}[{run.index}]" if run.is_array else run.name
        status, reason = {FINISHED: (64, 0), KILLED: (32, 5), FAILED: (32, 0)}[run.fate]
        lines.append(
            f'"JOB_FINISH" "10.1" {run.end} {run.job} 1000 33554438 1 {run.submit} 0 0 {run.launch} '
            f'"{run.user}" "{run.queue}" "" "" "" "head" "/home" "" "" "" "1700.7" 2 "a" "b" 1 "{run.host}" '
            f'{status} 60.0 "{name}" "echo ""x y"" 9" {" ".join(["-1"] * 19)} "" "default" 0 1 "" "" '
            f'{run.index} 2048 0 "" "" "" "" 0 "" {reason} "" -1 "" "" ""'
        )
        lines.append(f'"EVENT_ADRSV_FINISH" "10.1" {run.end} 1 "x"')
    return ("\n".join(lines) + "\n").encode()


#: Key of the format, and the runs as the system writes them.
WRITTEN = {
    "sacct -P": ("slurm", sacct(RUNS, WIDE)),
    "sacct -P, columns turned, days": ("slurm", sacct(RUNS, TURNED)),
    "sacct -P, seconds since 1970": ("slurm", sacct(RUNS, WIDE, str, "\t")),
    "sacct --json of 21.08": ("slurm", sacct_json(RUNS, 37)),
    "sacct --json of 23.02": ("slurm", sacct_json(RUNS, 39)),
    "sacct --json of 23.11": ("slurm", sacct_json(RUNS, 40)),
    "sacct --json of 24.05": ("slurm", sacct_json(RUNS, 41)),
    "PBS": ("pbs", pbs(RUNS)),
    "Torque": ("pbs", pbs(RUNS, old=True)),
    "Grid Engine": ("sge", sge(RUNS)),
    "Univa Grid Engine": ("sge", sge(RUNS, per_second=1000)),
    "LSF": ("lsf", lsf(RUNS)),
}


@pytest.mark.parametrize("system", WRITTEN)
def test_what_is_written_is_read_back(system):
    key, data = WRITTEN[system]
    history = read(data, "accounting")
    assert history.format == key
    assert_read_back(history, RUNS)
    assert not [note for note in history.notes if "left out" in note]


def test_the_runs_have_each_end_and_tasks_that_were_run_again():
    ends = Counter(run.fate for run in RUNS)
    assert min(ends[fate] for fate in STATES) >= 3
    assert max(Counter((run.job, run.index) for run in RUNS).values()) == 2
    assert len({run.job for run in RUNS}) == 9


# Readers apart: other parsers, which only count.


def seconds_of_sacct(data):
    rows = csv.DictReader(io.StringIO(data.decode()), delimiter="|")
    return [int(row["ElapsedRaw"]) for row in rows if not row["JobID"].endswith(".batch")]


def seconds_of_json(data):
    def seconds(value):
        return value["number"] if isinstance(value, dict) else value

    return [seconds(job["time"]["end"]) - seconds(job["time"]["start"]) for job in json.loads(data)["jobs"]]


def seconds_of_pbs(data):
    lines = re.findall(r"^.{19};[ER];[^\[;]*(?:\[\d+\])?\.head;(.*)$", data.decode(), re.MULTILINE)
    return [int(line.split("end=")[1].split()[0]) - int(line.split("start=")[1].split()[0]) for line in lines]


def seconds_of_sge(data):
    table = np.genfromtxt(io.BytesIO(data), delimiter=":", dtype=str, comments="#")
    table = table[table[:, 41] == "NONE"]
    return (table[:, 10].astype(int) - table[:, 9].astype(int)).tolist()


def seconds_of_lsf(data):
    records = [shlex.split(line) for line in data.decode().splitlines() if "JOB_FINISH" in line]
    return [int(record[2]) - int(record[10]) for record in records]


@pytest.mark.parametrize(
    ("system", "count"),
    [
        ("sacct -P", seconds_of_sacct),
        ("sacct --json of 21.08", seconds_of_json),
        ("sacct --json of 24.05", seconds_of_json),
        ("PBS", seconds_of_pbs),
        ("Grid Engine", seconds_of_sge),
        ("LSF", seconds_of_lsf),
    ],
)
def test_a_reader_apart_counts_the_same(system, count):
    _, data = WRITTEN[system]
    copies = read(data).frame("copies")
    assert sorted((copies["end"] - copies["launch"]).round(6)) == sorted(count(data))


# Order and truncation.


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([name for name in WRITTEN if "json" not in name]), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(system, dice):
    key, data = WRITTEN[system]
    lines = data.splitlines(keepends=True)
    begin = {"slurm": 1, "sge": 2}.get(key, 0)
    rest = lines[begin:]
    if key != "pbs":  # its S comes before its E
        dice.shuffle(rest)
    else:
        rest = [line for line in rest if b";S;" not in line]
        dice.shuffle(rest)
    assert told(read(b"".join([*lines[:begin], *rest]))) == made(RUNS)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(WRITTEN)), st.data())
def test_of_a_file_cut_off_all_runs_before_are_read(system, data):
    key, text = WRITTEN[system]
    end = data.draw(st.integers(0, len(text)))
    try:
        history = read(text[:end])
    except BadInput:
        return
    found = set(told(history))
    odd = found - set(made(RUNS))
    if key == "pbs":  # runs that have begun and not ended
        odd = {one for one in odd if one[4] != "unfinished"}
    assert len(odd) <= 1  # the row that is cut may have lost its last digits
    if "json" in system and end < len(text) - 1:
        assert any("cut off" in note for note in history.notes)


# What is odd about rows.


def test_a_json_value_larger_than_a_chunk_and_numbers_at_its_end_are_read():
    jobs = [{"a": 7 * 10**n, "text": "x" * 40_000} for n in range(8)]
    data = json.dumps({"meta": {"jobs": [1, 2]}, "jobs": jobs, "n": 12}).encode()
    (member,) = members([Upload("a.json", data)])
    assert [job for _, job in items(member, "jobs")] == jobs
    assert not member.truncated
    (member,) = members([Upload("a.json", data[:-30_000])])
    assert [job for _, job in items(member, "jobs")] == jobs[:-1]
    assert member.truncated


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"jobs" 1}', "stands where : is needed"),
        (b'{"jobs": [' + b"9" * 5000 + b"]}", "too many digits"),
        (b'{"jobs": ' + b"[" * 100_000, "nested too deep"),
        (b"[7]", "stands where { is needed"),
    ],
)
def test_what_is_no_such_json_is_refused_by_line(data, reason):
    (member,) = members([Upload("a.json", data)])
    with pytest.raises(BadInput, match=f"a.json, line 1: .*{reason}"):
        list(items(member, "jobs"))


def test_jobs_that_wait_run_or_are_no_job_are_told_in_json():
    answer = json.loads(sacct_json(RUNS[:3], 40))
    first, second, third = answer["jobs"]
    second["state"]["current"] = ["PENDING"]
    second["array"] |= {"task": "1-9", "task_id": {"set": False, "infinite": False, "number": 0}}
    third["state"]["current"] = ["RUNNING"]
    third["time"]["end"] = 0
    del first["time"]
    het = json.loads(json.dumps(third)) | {"het": {"job_id": 77, "job_offset": {"set": True, "number": 2}}}
    het["array"]["job_id"] = 0
    answer["jobs"] += [het, 7, third]
    history = read(json.dumps(answer).encode())
    assert fates(history) == {"unfinished": 2}
    assert ("77", 2) in {row[:2] for row in told(history)}
    text = " ".join(history.notes)
    assert "jobs that cannot be read: left out (2, first: app-1, line 1: time and state" in text
    assert "jobs that never started: left out (1," in text
    assert "copies told twice: counted once (1," in text


def test_a_job_of_pbs_that_still_runs_is_censored_at_the_end_of_the_log():
    lines = pbs(RUNS).splitlines(keepends=True)
    last = max(run.end for run in RUNS)
    begun = f"01/01/2024 00:00:00;S;9[4].head;user=a jobname=x queue=q ctime={ORIGIN} start={ORIGIN + 5}\n"
    history = read(b"".join([*lines, begun.encode()]))
    assert ("9", 4, ORIGIN + 5, last, "unfinished", "") in told(history)


@pytest.mark.parametrize(
    ("pairs", "fate"),
    [
        ("Exit_status=0", FINISHED),
        ("Exit_status=2", FAILED),
        ("Exit_status=143", KILLED),
        ("Exit_status=265", KILLED),
        ("Exit_status=139", FAILED),
        ("Exit_status=-11", KILLED),
        ("Exit_status=-29", KILLED),
        ("Exit_status=-1", FAILED),
        ("Exit_status=1 Resource_List.walltime=00:10:00 resources_used.walltime=00:10:02", KILLED),
        ("Exit_status=0 Resource_List.walltime=00:10:00 resources_used.walltime=00:10:02", FINISHED),
    ],
)
def test_how_a_job_of_pbs_ended(pairs, fate):
    line = f"12/21/2009 15:27:00;E;6.head;user=u start=100 end=700 exec_host=n1/0 {pairs}"
    assert fates(read(line.encode())) == {fate: 1}


def test_rows_that_cannot_be_used_have_a_reason():
    line = "12/21/2009 15:27:00;{};{};user=u start={} end=9000"
    odd = [("E", "x.head", "5"), ("E", "6.head", "soon"), ("D", "6.head", "1"), ("E", "6.head", "0")]
    rows = [line.format("E", "5.head", 8000), *(line.format(*cells) for cells in odd), "yesterday"]
    notes = " ".join(read("\n".join(rows).encode(), "a").notes)
    assert "rows that cannot be read: left out (3, first: a, line 2: 'x.head' is no identifier" in notes
    assert "records without start= and end=: left out (1, first: a, line 5)" in notes

    whole = sge(RUNS[:2]).decode()
    never = whole.splitlines()[2].split(":")
    never[9:11] = ["0", "0"]
    notes = " ".join(read(f"{whole}{':'.join(never)}\na:b\n".encode(), "a").notes)
    assert "jobs that never started: left out (1, first: a, line 7)" in notes
    assert "rows of parts of parallel jobs: passed over (2)" in notes
    assert "rows that cannot be read: left out (1, first: a, line 8: 2 cells;" in notes

    acct = lsf(RUNS[:2]).decode()
    waiting = acct.splitlines()[0].replace(f" 0 0 {RUNS[0].launch} ", " 0 0 0 ")
    strange = acct.splitlines()[0].replace(f' "{RUNS[0].host}" 64 ', f' "{RUNS[0].host}" 1 ')
    notes = " ".join(read(f"{acct}{waiting}\n{strange}\n".encode(), "a").notes)
    assert "jobs that never started: left out (1, first: a, line 5)" in notes
    assert (
        "rows that cannot be read: left out (1, first: a, line 6: status '1' is neither 64 nor 32)" in notes
    )


def test_accounting_in_which_nothing_ran_is_refused_with_the_reason():
    for data, reason in (
        (b"12/21/2009 15:27:00;Q;6.head;queue=q\n", "records of other events than S, E and R: passed over"),
        (b'"EVENT_ADRSV_FINISH" "10.1" 1 2 "x"\n', "records of other kinds: passed over"),
        (sacct_json([], 40), "give a log in which something ran"),
    ):
        with pytest.raises(BadInput, match=f"a: no job and no task in it.*{reason}"):
            read(data, "a")


def test_a_job_of_several_hosts_has_all_of_them():
    line = "12/21/2009 15:27:00;E;6.head;user=u start=100 end=700 exec_host=n1/0+n1/1+n2/0 Exit_status=0"
    assert read(line.encode()).hosts["host"].to_pylist() == ["n1+n2"]
    record = lsf(RUNS[:1]).decode().replace(f'1 "{RUNS[0].host}" 6', '3 "4*n1" "n1" "n2" 6')
    assert read(record.encode()).hosts["host"].to_pylist() == ["n1+n2"]


def test_signals_that_stop_are_told_from_those_of_faults():
    assert {status for status in range(400) if fate_of_exit(status) == KILLED} == {
        base + signal for base in (128, 256) for signal in (1, 2, 9, 10, 12, 15, 24)
    }


def test_times_of_any_writing_of_slurm_are_the_same():
    header = "JobID|State|Start|End|Elapsed|NodeList"
    for elapsed in ("1-02:03", "1-02:03:00", "26:03:00", "1563:00"):
        row = f"7_1|COMPLETED|2018-12-31T08:27|2019-01-01T10:30|{elapsed}|n1"
        history = read(f"{header}\n{row}\n".encode())
        assert history.span == 26 * 3600 + 180
        assert history.notes == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b"JobIDRaw|State|Start|End\n7|COMPLETED|1|2\n",
            "line 1: JobID: missing among the columns; give sacct",
        ),
        (
            b"7_1     COMPLETED 2024-01-01T00:00:00 2024-01-01T00:10:00  n1 \n",
            "without a header; .* leave --noheader",
        ),
        (
            b"JobID State Start\n------ ------ ------\n7 COMPLETED x\n",
            "sacct without -P; its columns are cut",
        ),
        (
            b'{"jobs": [{"account": "a", "job_state": ["RUNNING"]}]}',
            "this is the output of squeue or scontrol",
        ),
        (
            b" JOBID PARTITION     NAME     USER ST       TIME  NODES\n 7 a b c R 1:00 1\n",
            "squeue or scontrol",
        ),
        (b"JobId=7 JobName=x\n   UserId=a(1)\n", "squeue or scontrol"),
        (
            b"=" * 62 + b"\nqname        all.q\nhostname n1\n",
            "qacct or qstat; .*give the file that qacct reads",
        ),
        (b"JOBID   USER    STAT  QUEUE\n7 a RUN q\n", "bjobs, bhist or bacct, or lsb.events; .*lsb.acct"),
    ],
)
def test_what_is_not_read_of_a_batch_system_is_told_what_to_give(data, said):
    with pytest.raises(BadInput, match=said):
        read_history(Upload("jobs.txt", data))


@pytest.mark.parametrize(
    ("array", "name"),
    [
        ({"job_id": 7, "task_id": {"set": True, "infinite": False, "number": 3}}, "7_3"),
        (
            {"job_id": 7, "task_id": {"set": False, "infinite": False, "number": 0}, "task": "1-9%2"},
            "7_[1-9%2]",
        ),
        ({"job_id": 7, "task_id": {"set": True, "infinite": True, "number": 0}, "task": "4"}, "7_[4]"),
        ({"job_id": 0, "task_id": 0}, "9"),
        ({"job_id": 0, "task_id": None}, "9"),
        (None, "9"),
    ],
)
def test_the_name_of_a_job_in_json_is_that_of_sacct(array, name):
    found = slurm.json_row({"job_id": 9, "array": array, "state": "COMPLETED", "time": {}})
    assert (found["JobID"], found["State"], found["Start"]) == (name, "COMPLETED", "")


def test_numbers_that_a_chunk_cuts_are_whole():
    numbers = list(range(10**6, 10**6 + 40_000))
    (member,) = members([Upload("a.json", json.dumps({"jobs": numbers}).encode())])
    assert [number for _, number in items(member, "jobs")] == numbers


def test_a_stage_is_submitted_when_its_job_may_run():
    row = "7_{}|COMPLETED|2024-03-04T07:00:00|2024-03-04T07:{}:00|2024-03-04T08:00:00|60"
    data = "JobID|State|Submit|Eligible|Start|ElapsedRaw\n" + "\n".join(row.format(n, 30 + n) for n in (5, 2))
    history = read(data.encode())
    assert (history.jobs["submit"].to_pylist(), history.stages["submit"].to_pylist()) == ([0.0], [1920.0])
    line = "12/21/2009 15:27:00;E;6.head;user=u ctime=100 qtime=110 etime=150 start=170 end=700 Exit_status=0"
    history = read(line.encode())
    assert (history.jobs["submit"].to_pylist(), history.stages["submit"].to_pylist()) == ([0.0], [50.0])
