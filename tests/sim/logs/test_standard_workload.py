"""The Standard Workload Format, as jobs to simulate and as a history."""

from __future__ import annotations

import hashlib
import io
import re
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.logs import read as read_workload
from sim.logs import swf
from sim.logs.formats import read_history
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.logs import read, zipped, zstd
from tests.sim.logs.swf_lines import HEADER, LINE, drawn, swf_lines
from tests.sim.logs.written import WRITTEN

JOBS = drawn()
PROCESSORS = [job["got"] if job["got"] > 0 else job["asked"] for job in JOBS]


def test_jobs_to_simulate_are_read_back():
    trace = read_workload(swf_lines(JOBS), "cluster.swf")
    assert trace.names == tuple(str(job["number"]) for job in JOBS)
    assert trace.arrival.tolist() == [job["submit"] for job in JOBS]
    assert trace.tasks.tolist() == PROCESSORS
    assert trace.size.tolist() == [job["run"] for job in JOBS]
    assert trace.notes[0].startswith("processors are taken as tasks, each as long as its job")


def test_a_reader_apart_counts_the_same_work():
    table = np.loadtxt(io.BytesIO(swf_lines(JOBS)), comments=";")
    processors = np.where(table[:, 4] > 0, table[:, 4], table[:, 7])
    trace = read_workload(swf_lines(JOBS))
    assert (trace.tasks * trace.size).sum() == (processors * table[:, 3]).sum()
    history = read_history(Upload("a.swf", swf_lines(JOBS)))
    assert np.allclose(history.jobs["end"], table[:, 1:4].sum(axis=1))


def test_a_history_has_jobs_and_no_copies():
    history = read(swf_lines(JOBS), "cluster.swf")
    assert (history.format, history.copies.num_rows, history.origin) == ("swf", 0, 1_700_000_000)
    assert history.stages["tasks"].to_pylist() == PROCESSORS
    told = history.jobs.to_pylist()
    fates = {1: "finished", 0: "failed", 5: "killed"}
    for one, job in zip(told, JOBS, strict=True):
        assert one == {
            "job": str(job["number"]),
            "name": "",
            "group": str(job["user"]),
            "pool": str(job["queue"]),
            "submit": job["submit"],
            "end": job["submit"] + job["wait"] + job["run"],
            "fate": fates[job["status"]],
        }
    assert history.slots.to_pylist() == [{"time": 0.0, "slots": 128}]
    trace, alone = history.trace(), read_workload(swf_lines(JOBS))
    assert (trace.arrival.tolist(), trace.tasks.tolist()) == (alone.arrival.tolist(), alone.tasks.tolist())


ODD = [
    ({"run": -1, "status": 5}, "jobs without a run time, as they never ran: left out"),
    ({"run": 0}, "jobs without a run time, as they never ran: left out"),
    ({"submit": -1}, "jobs without a submit time: left out"),
    ({"got": -1, "asked": -1}, "jobs without a number of processors: left out"),
    ({"status": 2}, "parts of jobs that were stopped and went on: left out, their summary counts"),
    ({"status": 3}, "parts of jobs that were stopped and went on: left out, their summary counts"),
]


@pytest.mark.parametrize(("change", "reason"), ODD)
def test_jobs_that_cannot_be_simulated_are_left_out_with_a_reason(change, reason):
    data = swf_lines([JOBS[0], JOBS[1] | change, JOBS[2]])
    trace = read_workload(data, "a.swf")
    assert trace.names == ("1", "3")
    assert f"{reason} (1, first: line 6)" in trace.notes
    history = read(data, "a.swf")
    assert history.jobs["job"].to_pylist() == ["1", "3"]
    assert f"{reason} (1, first: a.swf, line 6)" in history.notes
    with pytest.raises(BadInput, match=f"a.swf: no job in it: {reason} "):
        read_workload(swf_lines([JOBS[1] | change]), "a.swf")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 2 3", "3 cells; give 18 numbers"),
        (LINE.format(**(JOBS[1] | {"run": "x"})), "'x' is no number; give 18 numbers"),
        (LINE.format(**(JOBS[1] | {"number": 1})), "job number: '1' is on line 5 too"),
    ],
)
def test_a_line_that_is_no_job_is_refused_as_a_workload_and_left_out_of_a_history(line, reason):
    data = swf_lines(JOBS[:1]) + f"{line}\n".encode()
    with pytest.raises(BadInput, match=f"a.swf, line 6: {reason}"):
        read_workload(data, "a.swf")
    history = read(data, "a.swf")
    assert history.jobs.num_rows == 1
    assert any("left out (1, first: a.swf, line 6" in note or "told twice" in note for note in history.notes)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_workload_cut_off_has_the_jobs_before(data):
    text = swf_lines(JOBS)
    cut = text[: data.draw(st.integers(len(HEADER), len(text)))]
    whole = cut[len(HEADER) :].count(b"\n")
    try:
        history = read(cut)
    except BadInput:
        assert whole == 0
        return
    assert whole <= history.jobs.num_rows <= whole + 1
    assert history.jobs["job"].to_pylist()[:whole] == [str(job["number"]) for job in JOBS[:whole]]


def test_lines_of_durations_and_tables_are_no_workload_of_this_format():
    for row in ("1 15 3 " + " ".join(["3"] * 15), "job_id,submit,tasks", ";;;", "1 2 -1", "; "):
        assert not swf.recognises(row)
    assert swf.recognises(LINE.format(**JOBS[0]))


@pytest.mark.parametrize("key", [key for key in WRITTEN if key != "swf"])
def test_a_log_is_a_workload_of_its_jobs(key):
    data = WRITTEN[key]
    trace = read_workload(data, "jobs.log")
    of_log = read(data).trace()
    assert trace.arrival.tolist() == of_log.arrival.tolist()
    assert trace.tasks.tolist() == of_log.tasks.tolist()
    assert trace.size.tolist() == of_log.size.tolist()
    assert trace.digest == hashlib.sha256(data).hexdigest()


def test_a_packed_log_and_a_table_are_workloads_too():
    plain = read_workload(WRITTEN["pbs"])
    for data in (zstd(WRITTEN["pbs"]), zipped({"log": WRITTEN["pbs"]})):
        assert read_workload(data, "packed").tasks.tolist() == plain.tasks.tolist()
    rows = b"job_id\tstage_id\ttask_id\tstart_s\tend_s\tsubmit\nn\tm\t0\t2\t5\t\nn\tm\t1\t2\t9\t\n"
    found = read_workload(rows, "table.tsv")
    assert (found.tasks.tolist(), found.size.tolist()) == ([2], [5.0])


def test_a_log_without_a_usable_job_is_no_workload():
    with pytest.raises(BadInput, match=r"a\.csv: no job with a submit time and tasks in it.*; give a CSV"):
        read_workload(b"job_id,stage_id,task_id,start_s,end_s\n,m,0,0,5\n", "a.csv")


@pytest.mark.parametrize("key", WRITTEN)
@pytest.mark.parametrize("word", ["1", "a", '"', " ", "a="])
def test_long_cells_and_lines_are_read_in_a_time_that_grows_with_them(key, word):
    """A search that begins again at each place would take hours here."""
    text = WRITTEN[key].decode()
    lines = text.splitlines()
    longest = word * (100_000 // len(word))
    cell = max(re.findall(r"\w{3,}", lines[-1] if key != "wfformat" else "split_ID0000"), key=len)
    changed = text.replace(cell, longest) if word != '"' or key != "wfformat" else text
    for data in (changed, f"{text}{longest}\n"):
        with suppress(BadInput):
            assert len(" ".join(read(data.encode()).notes)) < 5000


def test_a_line_that_is_too_long_for_a_row_is_passed_over():
    data = WRITTEN["pbs"] + b"x" * (2**20 + 1) + b"\n"
    assert any("lines of more than 1,048,576 bytes: passed over (1" in note for note in read(data).notes)
