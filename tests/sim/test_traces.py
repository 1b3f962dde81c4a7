"""Workload files are read as written, and an untrustworthy file is refused by line."""

from __future__ import annotations

import csv
import hashlib
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.engines.slots.scenario import SlotScenario
from sim.logs import csv_jobs, read, swim, workload_table
from sim.model.fields import BadInput
from sim.model.workload import from_trace

MIB = 2**20
SWIM = "a\t7\t7\t0\t5\t9\nb\t7\t0\t1\t0\t0\nc\t19\t12\t134217728\t0\t0\nd\t30\t11\t134217729\t3\t0\n"
JOBS = "job_id,submit,tasks,size\na,0,10,2.5\nb,1.5,3,1\n"


def refusal(content: str | bytes, **options: object) -> str:
    data = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(BadInput) as refused:
        read(data, "jobs.txt", **options)
    return str(refused.value)


# SWIM.


def test_a_swim_job_has_a_task_for_each_block_of_map_input_and_at_least_one():
    trace = read(SWIM.encode(), "hour.tsv")
    np.testing.assert_array_equal(trace.tasks, [1, 1, 1, 2])
    np.testing.assert_array_equal(trace.arrival, [7, 7, 19, 30])
    assert trace.names == ("a", "b", "c", "d")
    assert trace.size is None


def test_what_is_odd_about_a_swim_file_is_counted():
    trace = read(SWIM.replace("\t9\n", "\t9\tsome/path\n").encode(), "hour.tsv")
    assert trace.notes == (
        "1 job without map input: one task each",
        "1 row with more than six columns: the others are ignored",
        "1 job submitted at the same time as the job before",
    )


@given(st.integers(0, 2**53 - 1), st.integers(1, 2**40))
def test_the_tasks_of_a_swim_job_just_hold_its_bytes(bytes_read, block):
    (tasks,) = read(f"a\t0\t0\t{bytes_read}\t0\t0\n".encode(), "one.tsv", block).tasks
    assert tasks >= 1
    assert (tasks - 1) * block < bytes_read or tasks == 1
    assert int(tasks) * block >= bytes_read


def test_the_default_block_is_that_of_hadoop():
    assert swim.BLOCK == 128 * MIB
    assert read(f"a\t0\t0\t{1024 * MIB}\t0\t0\n".encode()).tasks == 8


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("e\t31\t1\t5\t0", "5 columns; give six: name, submit, gap, map input, shuffle, reduce output"),
        ("e\tsoon\t1\t5\t0\t0", "submit: 'soon' is not accepted; give a number from 0 to 1e+16"),
        ("e\t-31\t1\t5\t0\t0", "submit: '-31' is not accepted"),
        ("e\tnan\t1\t5\t0\t0", "submit: 'nan' is not accepted"),
        ("e\tinf\t1\t5\t0\t0", "submit: 'inf' is not accepted"),
        ("e\t\t1\t5\t0\t0", "submit: '' is not accepted"),
        ("e\t31\t1\t5.5\t0\t0", "map input: '5.5' is not accepted; give a whole number from 0"),
        ("e\t31\t1\t-5\t0\t0", "map input: '-5' is not accepted"),
        ("e\t31\t1\t5\tx\t0", "shuffle: 'x' is not accepted"),
        ("e\t31\t1\t5\t0\t", "reduce output: '' is not accepted"),
        ("b\t31\t1\t5\t0\t0", "name: 'b' is on line 2 too"),
        ("\t31\t1\t5\t0\t0", "name: '' is not accepted"),
    ],
)
def test_a_bad_swim_row_is_named_by_line_and_reason(row, reason):
    assert refusal(f"{SWIM}{row}\nf\t40\t9\t0\t0\t0\n").startswith(f"jobs.txt, line 5: {reason}")


@pytest.mark.parametrize("block", [0, -1, 1.5, "big", float("nan")])
def test_a_block_is_a_whole_number_of_bytes(block):
    assert refusal(SWIM, block=block).startswith(
        f"block: {block!r} is not accepted; give a whole number from 1"
    )


# The minimal CSV.


def test_a_csv_of_jobs_is_read_as_written():
    trace = read(JOBS.encode(), "jobs.csv")
    np.testing.assert_array_equal(trace.arrival, [0, 1.5])
    np.testing.assert_array_equal(trace.tasks, [10, 3])
    np.testing.assert_array_equal(trace.size, [2.5, 1])
    assert (trace.names, trace.source, trace.notes) == (("a", "b"), "jobs.csv", ())
    assert trace.tasks.dtype == np.int64


def test_the_digest_is_that_of_the_bytes():
    assert read(JOBS.encode()).digest == hashlib.sha256(JOBS.encode()).hexdigest()


def same_jobs(content: bytes) -> None:
    trace, plain = read(content), read(JOBS.encode())
    for column in ("arrival", "tasks", "size"):
        np.testing.assert_array_equal(getattr(trace, column), getattr(plain, column))
    assert trace.names == plain.names


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + JOBS.encode(),
        JOBS.replace("\n", "\r\n").encode(),
        JOBS.replace("\n", "\r").encode(),
        JOBS.replace(",", ";").encode(),
        JOBS.replace(",", "\t").encode(),
        JOBS.rstrip().encode(),
        b"\n" + JOBS.replace("\n", "\n\n").encode() + b",,,\n",
        b'"Job_ID", SUBMIT,tasks,size \n"a", 0 ,10,2.5\nb, "1.5",3.0,1e0\n',
        b"size,tasks,submit,job_id\n2.5,10,0,a\n1,3,1.5,b\n",
    ],
    ids=[
        "byte order mark",
        "crlf",
        "cr",
        "semicolon",
        "tab",
        "no last break",
        "blank rows",
        "quoted",
        "order",
    ],
)
def test_spellings_that_spreadsheets_write_mean_the_same_jobs(content):
    same_jobs(content)


def test_other_columns_are_ignored_and_noted():
    trace = read(b"user,job_id,submit,queue,tasks\nann,a,0,q1,3\n")
    assert trace.notes == ("columns ignored: user, queue",)
    assert trace.size is None


def test_rows_out_of_order_are_sorted_and_noted_and_ties_stay_in_order():
    trace = read(b"job_id,submit,tasks,size\nlate,9,1,1\nx,2,2,2\ny,2,3,3\nz,0,4,4\n")
    assert trace.names == ("z", "x", "y", "late")
    np.testing.assert_array_equal(trace.tasks, [4, 2, 3, 1])
    np.testing.assert_array_equal(trace.size, [4, 2, 3, 1])
    assert trace.notes == (
        "2 rows submitted before the row above it: sorted by submit time",
        "1 job submitted at the same time as the job before",
    )


def test_jobs_of_equal_times_stay_in_the_order_of_the_file():
    submit = [second % 3 for second in range(300)]
    text = "job_id,submit,tasks\n" + "".join(f"{job},{second},1\n" for job, second in enumerate(submit))
    names = read(text.encode()).names
    assert [int(name) for name in names] == sorted(range(300), key=lambda job: submit[job])


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda name: name.strip() == name
)


@settings(max_examples=50)
@given(
    st.dictionaries(
        NAMES | st.sampled_from(['"', "a,b", "line\nbreak", "x;y\tz", "é"]),
        st.tuples(st.floats(0, 1e16), st.integers(1, 10**9), st.floats(1e-300, 1e12)),
        min_size=1,
    ),
    st.sampled_from(",;\t"),
)
def test_what_the_csv_module_writes_is_read_back_exactly(jobs, delimiter):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["job_id", "submit", "tasks", "size"])
    ordered = sorted(jobs.items(), key=lambda job: job[1][0])
    writer.writerows([name, *numbers] for name, numbers in ordered)
    trace = read(text.getvalue().encode(), "jobs.csv")
    assert trace.names == tuple(name for name, _ in ordered)
    rows = list(zip(trace.arrival.tolist(), trace.tasks.tolist(), trace.size.tolist(), strict=True))
    assert rows == [numbers for _, numbers in ordered]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("c,x,1,1", "submit: 'x' is not accepted; give a number from 0 to 1e+16"),
        ("c,,1,1", "submit: '' is not accepted"),
        ("c,-1,1,1", "submit: '-1' is not accepted"),
        ("c,nan,1,1", "submit: 'nan' is not accepted"),
        ("c,1e999,1,1", "submit: '1e999' is not accepted"),
        ('c,"1,5",1,1', "submit: '1,5' is not accepted"),
        ("c,2024-01-01,1,1", "submit: '2024-01-01' is not accepted"),
        ("c,1,0,1", "tasks: '0' is not accepted; give a whole number from 1 to 1000000000"),
        ("c,1,-3,1", "tasks: '-3' is not accepted"),
        ("c,1,2.5,1", "tasks: '2.5' is not accepted"),
        ("c,1,1e10,1", "tasks: '1e10' is not accepted"),
        ("c,1,NaN,1", "tasks: 'NaN' is not accepted"),
        ("c,1,1,0", "size: '0' is not accepted; give a number above 0 up to 1e+12"),
        ("c,1,1,-2", "size: '-2' is not accepted"),
        ("c,1,1,inf", "size: 'inf' is not accepted"),
        ("c,1,1,", "size: '' is not accepted"),
        ("c,1,1", "3 cells; give 4 as in the header"),
        ("c,1,1,1,1", "5 cells; give 4 as in the header"),
        ("b,1,1,1", "job_id: 'b' is on line 3 too; give each job its own"),
        (" ,1,1,1", "job_id: '' is not accepted; give each job a name"),
        ('"c"d,1,1,1', "the row cannot be split into cells"),
    ],
)
def test_a_bad_csv_row_is_named_by_line_and_reason(row, reason):
    assert refusal(f"{JOBS}{row}\nlast,5,1,1\n").startswith(f"jobs.txt, line 4: {reason}")


def test_the_first_of_several_bad_rows_is_named():
    assert refusal(f"{JOBS}c,1,0,1\nd,1,1,1\ne,1,x,1\n").startswith("jobs.txt, line 4: tasks: '0'")


def test_lines_are_counted_as_an_editor_does():
    broken = '\r\n\r\njob_id,submit,tasks\r\n"name\r\nof two lines",0,1\r\n\r\nb,1,none\r\n'
    assert refusal(broken).startswith("jobs.txt, line 7: tasks: 'none'")


def test_a_quotation_without_end_is_named_where_it_begins():
    assert refusal(f'{JOBS}"c,1,1,1\nd,2,1,1\n').startswith("jobs.txt, line 4: the row cannot be split")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "jobs.txt: the file is empty"),
        (" \n\n", "jobs.txt: the file is empty"),
        (b"\xef\xbb\xbf", "jobs.txt: the file is empty"),
        ("job_id,submit,tasks\n", "jobs.txt, line 1: no job below the header"),
        ("\njob_id,submit\na,0\n", "jobs.txt, line 2: tasks: missing among the columns job_id, submit"),
        ("submit,tasks\n0,1\n", "jobs.txt, line 1: job_id: missing"),
        ("job_id,tasks,start\na,0,1\n", "jobs.txt, line 1: submit: missing"),
        ("job_id,submit,tasks,tasks\na,0,1,1\n", "jobs.txt, line 1: tasks: two columns have this name"),
        ("hello world\n", "jobs.txt, line 1: 'hello world' is not the start of a workload; give a CSV"),
        ("a,0,1\nb,1,2\n", "jobs.txt, line 1: 'a,0,1' is not the start of a workload"),
        ("a\t0\t1\n", r"jobs.txt, line 1: 'a\t0\t1' is not the start of a workload"),
        (JOBS.encode() + b"caf\xe9,9,1,1\n", "jobs.txt, line 4: the file is not UTF-8 text"),
        (JOBS.encode("utf-16"), "jobs.txt, line 1: the file is not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_workload_is_refused(content, reason):
    assert refusal(content).startswith(reason)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_other_bytes_are_refused_by_name(content):
    assert refusal(content).startswith("jobs.txt")


@pytest.mark.parametrize("content", [SWIM, JOBS], ids=["swim", "csv"])
def test_more_rows_than_a_run_can_use_are_refused(content, monkeypatch):
    jobs = read(content.encode()).arrival.size
    monkeypatch.setattr(workload_table, "MOST_ROWS", jobs)
    assert read(content.encode()).arrival.size == jobs
    monkeypatch.setattr(workload_table, "MOST_ROWS", jobs - 1)
    assert f"too many rows; give at most {jobs - 1} jobs" in refusal(content)


# Files.


def test_a_file_is_read_by_its_path_and_called_by_its_name(tmp_path):
    path = tmp_path / "hour.tsv"
    path.write_text(SWIM, encoding="utf-8")
    for source in (path, str(path)):
        trace = read(source)
        assert (trace.source, trace.names) == ("hour.tsv", ("a", "b", "c", "d"))
    assert read(path, "upload.tsv").source == "upload.tsv"


def test_a_path_that_cannot_be_read_is_refused(tmp_path):
    for path in (tmp_path / "absent.csv", tmp_path):
        with pytest.raises(
            BadInput, match=r"^workload: '.*' is not accepted \(.+\); give the path of a file"
        ):
            read(path)


def test_the_template_is_a_workload_that_runs():
    trace = read(csv_jobs.template().encode(), "template.csv")
    assert trace.size is not None
    assert trace.notes == ()
    scenario = SlotScenario(arrivals="trace", tasks="trace", size="trace")
    assert from_trace(trace, scenario, 0).n == len(csv_jobs.template().splitlines()) - 1
