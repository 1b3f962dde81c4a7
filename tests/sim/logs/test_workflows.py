"""Traces of Nextflow and workflows in WfFormat: what is written is read back, and a reader apart agrees."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.advice.diagnosis import diagnose
from sim.logs.formats import read_history
from sim.logs.formats.wfformat import Task, list_schedule
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.logs import fates, read

ORIGIN = 1_700_000_000_000
INDEX = 1.7

# Nextflow


def tasks_of_nextflow(seed=1):
    """Return rows of a run: tasks of three processes, some of which fail and are tried again."""
    random = np.random.default_rng([seed, 40])
    rows, now = [], 0
    for process in ("QC", "ALIGN", "CALL:SORT"):
        base = random.uniform(2000, 9000)
        for index in range(8):
            luck = min((1 - random.random()) ** (-1 / INDEX), 20)
            submit, start = now + 1000, now + 1000 + int(random.integers(100, 3000))
            fails = random.random() < 0.2
            for attempt, fails_now in enumerate([True, False] if fails else [False], start=1):
                end = start + int(base * luck)
                rows.append(
                    {
                        "process": process,
                        "index": index,
                        "name": f"{process} (sample{index})",
                        "status": "FAILED" if fails_now else "COMPLETED",
                        "attempt": attempt,
                        "submit": ORIGIN + submit,
                        "start": ORIGIN + start,
                        "complete": ORIGIN + end,
                        "hostname": f"n{random.integers(3)}",
                        "rchar": int(random.integers(10**9)),
                    }
                )
                submit, start = end + 10, end + 500
        now += 60_000
    return sorted(rows, key=lambda row: row["complete"])


def local(milliseconds):
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{milliseconds % 1000:03}"


def spoken(milliseconds):
    """Return a duration to the second or below it, as Nextflow has it for people."""
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:g}s"
    return f"{milliseconds // 60_000}m {milliseconds % 60_000 / 1000:g}s"


def nextflow(rows, columns, *, raw):
    """Return a trace with these columns."""
    time, span = (str, str) if raw else (local, spoken)
    lines = ["\t".join(columns)]
    for number, row in enumerate(rows, start=1):
        cells = {
            "task_id": str(number),
            "hash": f"ab/{number:06}",
            "native_id": str(4000 + number),
            "name": row["name"],
            "process": row["process"],
            "tag": f"sample{row['index']}",
            "status": row["status"],
            "exit": "0" if row["status"] == "COMPLETED" else "1",
            "attempt": str(row["attempt"]),
            "submit": time(row["submit"]),
            "start": time(row["start"]),
            "complete": time(row["complete"]),
            "duration": span(row["complete"] - row["submit"]),
            "realtime": span(row["complete"] - row["start"]),
            "%cpu": "-",
            "hostname": row["hostname"],
            "rchar": str(row["rchar"]) if raw else f"{row['rchar'] / 2**20} MB",
        }
        lines.append("\t".join(cells[column] for column in columns))
    return ("\n".join(lines) + "\n").encode()


DEFAULT = (
    "task_id",
    "hash",
    "native_id",
    "name",
    "status",
    "exit",
    "submit",
    "duration",
    "realtime",
    "%cpu",
    "rchar",
)
FULL = (
    "hostname",
    "rchar",
    "complete",
    "start",
    "submit",
    "attempt",
    "status",
    "tag",
    "process",
    "name",
    "task_id",
)
ROWS = tasks_of_nextflow()
TRACES = {
    "raw": nextflow(ROWS, FULL, raw=True),
    "for people": nextflow(ROWS, FULL, raw=False),
    "columns of Nextflow": nextflow(ROWS, DEFAULT, raw=False),
    "columns of Nextflow, raw": nextflow(ROWS, DEFAULT, raw=True),
}


@pytest.mark.parametrize("kind", TRACES)
def test_a_trace_of_nextflow_is_read_back(kind):
    history = read(TRACES[kind], "trace.txt")
    assert history.format == "nextflow"
    stages, copies = history.frame("stages"), history.frame("copies")
    assert sorted(stages["name"]) == ["ALIGN", "CALL:SORT", "QC"]
    assert stages["tasks"].tolist() == [8, 8, 8]
    order = {}  # of tasks, as they appear
    for row in ROWS:
        of_process = order.setdefault(row["process"], {})
        of_process.setdefault(row["index"], len(of_process))
    wanted = sorted(
        (
            row["process"],
            order[row["process"]][row["index"]],
            row["start"],
            row["complete"],
            row["status"] == "COMPLETED",
        )
        for row in ROWS
    )
    times = ((1000 * (copies[column] + history.origin)).round().astype(int) for column in ("launch", "end"))
    names = stages["name"].reindex(copies["stage"])
    assert sorted(zip(names, copies["task"], *times, copies["fate"].eq("finished"), strict=True)) == wanted
    assert any(row["attempt"] == 2 for row in ROWS)
    assert copies["copy"].max() == 1
    assert not copies["speculative"].any()
    assert np.isclose(copies["bytes"].sum(), sum(row["rchar"] for row in ROWS))
    (job,) = history.jobs.to_pylist()
    assert round(1000 * (job["submit"] + history.origin)) == min(row["submit"] for row in ROWS)
    assert round(1000 * (job["end"] + history.origin)) == max(row["complete"] for row in ROWS)
    assert (set(copies["host"]) == {""}) == ("columns" in kind)


def test_a_reader_apart_adds_up_the_same_time():
    rows = list(csv.DictReader(io.StringIO(TRACES["for people"].decode()), delimiter="\t"))
    spans = [
        (datetime.fromisoformat(row["complete"]) - datetime.fromisoformat(row["start"])).total_seconds()
        for row in rows
    ]
    copies = read(TRACES["raw"]).frame("copies")
    assert np.allclose(sorted(copies["end"] - copies["began"]), sorted(spans), rtol=0, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(list(TRACES)), st.data())
def test_a_trace_of_nextflow_cut_off_has_the_tasks_before(kind, data):
    text = TRACES[kind]
    cut = text[: data.draw(st.integers(0, len(text)))]
    try:
        history = read(cut)
    except BadInput:
        return
    whole = max(cut.count(b"\n") - 1, 0)
    assert whole <= history.copies.num_rows <= whole + 1


def test_tasks_of_nextflow_that_did_not_run_are_told():
    head, first, *_ = TRACES["raw"].decode().splitlines()
    rows = [
        first,
        first.replace("COMPLETED", "CACHED"),
        first.replace("COMPLETED", "SUBMITTED"),
        first.replace("COMPLETED", "ABORTED"),
        first.replace(str(ROWS[0]["start"]), "-"),
        first.replace(str(ROWS[0]["start"]), "soon"),
        "one\ttwo",
    ]
    assert ROWS[0]["status"] == "COMPLETED"
    history = read("\n".join([head, *rows]).encode(), "t.txt")
    assert fates(history) == {"finished": 1, "killed": 1}
    text = " ".join(history.notes)
    for said in (
        "tasks whose results were kept from an earlier run: left out (1, first: t.txt, line 3)",
        "tasks that never started: left out (1, first: t.txt, line 4)",
        "tasks without a start: left out (1, first: t.txt, line 6)",
        "rows that cannot be read: left out (1, first: t.txt, line 7: 'soon' is no time; give trace.fields",
        "rows without the 11 cells of the header: left out (1, first: t.txt, line 8)",
        "runs whose order of processes is not recorded",
    ):
        assert said in text


@pytest.mark.parametrize(
    ("columns", "lacking"),
    [
        ("task_id\thash\tname\tstatus\tsubmit", "complete"),
        ("task_id\thash\tname\tstatus\tsubmit\tduration", "start"),
    ],
)
def test_a_trace_without_times_is_told_what_to_ask_for(columns, lacking):
    with pytest.raises(
        BadInput, match=f"line 1: {lacking}: missing among the columns .* give trace.fields = "
    ):
        read(f"{columns}\n".encode())


# WfFormat


def workflow(seed=1, width=12, hosts=3, cores=2, **told):
    """Return a workflow of three layers, of which every task of the second waits for two of the first."""
    random = np.random.default_rng([seed, 41])
    tasks, ran = [], []
    for layer, (program, count) in enumerate((("split", width), ("blast", width), ("merge", 1))):
        for index in range(count):
            before = [f"split_ID{(index + step) % width:04}" for step in (0, 1)]
            parents = [[], before, [f"blast_ID{one:04}" for one in range(width)]][layer]
            key = f"{program}_ID{index:04}"
            tasks.append({"name": key, "id": key, "parents": parents, "children": []})
            runtime = round(float(min((1 - random.random()) ** (-1 / INDEX), 20) * (2 + 3 * layer)), 3)
            machine = f"worker-{random.integers(hosts)}"
            ran.append(
                {
                    "id": key,
                    "runtimeInSeconds": runtime,
                    "coreCount": 1,
                    "machines": [machine],
                    "readBytes": 100 + index,
                }
            )
    machines = [{"nodeName": f"worker-{host}", "cpu": {"coreCount": cores}} for host in range(hosts)]
    execution = {
        "makespanInSeconds": 99.0,
        "executedAt": "2024-01-01T00:00:00+00:00",
        "tasks": ran,
        "machines": machines,
    }
    return {
        "name": "blast",
        "schemaVersion": "1.5",
        "workflow": {"specification": {"tasks": tasks, "files": []}, "execution": execution | told},
    }


def as_1_4(instance):
    """Return the same workflow in the shape of schema 1.4, where a task has all of it."""
    execution = instance["workflow"]["execution"]
    tasks = [
        one
        | {
            "runtime": run["runtimeInSeconds"],
            "cores": run["coreCount"],
            "machine": run["machines"][0],
            "bytesRead": run["readBytes"],
        }
        for one, run in zip(instance["workflow"]["specification"]["tasks"], execution["tasks"], strict=True)
    ]
    machines = [
        {"nodeName": one["nodeName"], "cpu": {"count": one["cpu"]["coreCount"]}}
        for one in execution["machines"]
    ]
    rest = {"makespan": execution["makespanInSeconds"], "executedAt": execution["executedAt"]}
    return {
        "name": "blast",
        "schemaVersion": "1.4",
        "workflow": rest | {"tasks": tasks, "machines": machines},
    }


def naive_schedule(tasks, slots):
    """Return starts by looking at all tasks after every end, in whole sweeps."""
    starts, ends = {}, {}
    now = 0.0
    while len(starts) < len(tasks):
        for host in slots:
            for row, task in enumerate(tasks):
                if task.host != host or row in starts:
                    continue
                if any(ends.get(parent, np.inf) > now for parent in task.parents):
                    continue
                used = sum(
                    min(tasks[one].cores, slots[host])
                    for one in starts
                    if tasks[one].host == host and ends[one] > now
                )
                if used + min(task.cores, slots[host]) > slots[host]:
                    break  # none overtakes it
                starts[row], ends[row] = now, now + task.runtime
        later = [end for end in ends.values() if end > now]
        now = min(later) if later else now
    return [starts[row] for row in range(len(tasks))]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_list_schedule_is_that_of_a_naive_one(data):
    count = data.draw(st.integers(1, 14))
    slots = {f"h{host}": float(data.draw(st.integers(1, 4))) for host in range(data.draw(st.integers(1, 3)))}
    tasks = [
        Task(
            "a",
            data.draw(st.integers(1, 5)),
            data.draw(st.sampled_from(sorted(slots))),
            data.draw(st.integers(1, 5)),
            0.0,
            sorted(data.draw(st.sets(st.integers(0, row - 1), max_size=3))) if row else [],
        )
        for row in range(count)
    ]
    assert list_schedule(tasks, slots) == naive_schedule(tasks, slots)


@pytest.mark.parametrize("shape", ["1.5", "1.4"])
def test_a_workflow_is_read_back(shape):
    instance = workflow()
    history = read(json.dumps(as_1_4(instance) if shape == "1.4" else instance, indent=1).encode(), "w.json")
    assert history.format == "wfformat"
    stages, copies = history.frame("stages"), history.frame("copies")
    assert stages["name"].tolist() == ["split", "blast", "merge"]
    assert [list(row) for row in stages["parents"]] == [[], [0], [1]]
    ran = instance["workflow"]["execution"]["tasks"]
    lasted = (copies["end"] - copies["launch"]).round(3).tolist()
    assert lasted == [one["runtimeInSeconds"] for one in ran]
    assert copies["host"].tolist() == [one["machines"][0] for one in ran]
    assert copies["bytes"].tolist() == [one["readBytes"] for one in ran]
    tasks = [
        Task("", one["runtimeInSeconds"], one["machines"][0], 1, 0, parents)
        for one, parents in zip(ran, parents_of(instance), strict=True)
    ]
    starts = naive_schedule(tasks, {f"worker-{host}": 2.0 for host in range(3)})
    assert np.allclose(copies["launch"], starts, rtol=0, atol=1e-6)
    (job,) = history.jobs.to_pylist()
    ends = [start + task.runtime for start, task in zip(starts, tasks, strict=True)]
    assert max(ends) < job["end"] == 99
    assert history.hosts["slots"].to_pylist() == [2, 2, 2]
    assert history.slots["slots"].to_pylist() == [6, 0]
    assert history.slots_from == "log"
    assert datetime.fromtimestamp(history.origin, UTC) == datetime(2024, 1, 1, tzinfo=UTC)
    (note,) = history.notes
    assert re.fullmatch(
        r"start times are not in the format: list-scheduled .* takes \d+ s so, and took 99 s: shares .*", note
    )


def parents_of(instance):
    tasks = instance["workflow"]["specification"]["tasks"]
    rows = {one["id"]: row for row, one in enumerate(tasks)}
    return [[rows[parent] for parent in one["parents"]] for one in tasks]


@pytest.mark.parametrize("lacking", ["machine of a task", "cores of a machine", "all machines"])
def test_without_machines_or_cores_nothing_is_scheduled_and_no_lost_time_told(lacking):
    instance = workflow()
    execution = instance["workflow"]["execution"]
    if lacking == "machine of a task":
        del execution["tasks"][3]["machines"]
    elif lacking == "cores of a machine":
        del execution["machines"][1]["cpu"]
    else:
        del execution["machines"]
    history = read(json.dumps(instance).encode())
    copies = history.frame("copies")
    assert copies["launch"].unique().tolist() == [0.0]
    assert copies["end"].round(3).tolist() == [one["runtimeInSeconds"] for one in execution["tasks"]]
    assert history.jobs["end"].to_pylist() == [None]
    assert any("lost time cannot be told" in note for note in history.notes)
    assert diagnose(history).sentence.startswith("The log does not tell what stragglers cost")


def test_runs_of_one_workflow_have_the_same_tasks():
    runs = [Upload(f"run{seed}.json", json.dumps(workflow(seed)).encode()) for seed in (1, 2, 3)]
    history = read_history(*runs)
    assert history.jobs["job"].to_pylist() == ["blast", "run2.json: blast", "run3.json: blast"]
    stages = history.frame("stages")
    assert stages["name"].tolist() == ["split", "blast", "merge"] * 3
    copies = history.frame("copies")
    by_stage = copies.groupby("stage")["bytes"].apply(list).tolist()
    assert by_stage[:3] == by_stage[3:6] == by_stage[6:]  # they read the same, task by task


@pytest.mark.parametrize("name", ["tasks", "jobs"])
def test_a_program_at_two_depths_is_two_stages(name):
    tasks = [
        {"name": f"a_{n}", "parents": [f"a_{n - 1}"] if n else [], "runtimeInSeconds": 1 + n}
        for n in range(3)
    ]
    data = {"name": "w", "schemaVersion": "1.3", "workflow": {name: tasks}}
    history = read(json.dumps(data).encode())
    assert history.stages["name"].to_pylist() == ["a, depth 0", "a, depth 1", "a, depth 2"]
    assert history.stages["parents"].to_pylist() == [[], [0], [1]]


def test_what_is_no_run_of_a_workflow_is_told_why():
    plan = workflow()
    del plan["workflow"]["execution"]
    circle = workflow()
    circle["workflow"]["specification"]["tasks"][0]["parents"] = ["merge_ID0000"]
    part = workflow()
    del part["workflow"]["execution"]["tasks"][5]["runtimeInSeconds"]
    text = json.dumps(part)
    assert any(
        "tasks without a run time: left out (1, first: w, line 1: 'split_ID0005')" in n
        for n in read(text.encode(), "w").notes
    )
    for instance, reason in (
        (plan, "no task in it has a run time"),
        (circle, "wait for one another in a circle"),
    ):
        with pytest.raises(
            BadInput, match=f"w: no job and no task in it: workflows that cannot be read: .*{reason}"
        ):
            read(json.dumps(instance).encode(), "w")
    with pytest.raises(BadInput, match="files cut off inside a workflow"):
        read(text[:-30].encode(), "w")


def test_a_task_starts_after_all_ends_of_that_time():
    """The first in the list takes both cores, though the other could start at the first of two ends."""
    tasks = [
        Task("a", 2, "h", 1, 0),
        Task("a", 2, "h", 1, 0),
        Task("b", 3, "h", 2, 0, [1]),
        Task("b", 1, "h", 1, 0, [0]),
    ]
    assert list_schedule(tasks, {"h": 2.0}) == naive_schedule(tasks, {"h": 2.0}) == [0, 0, 2, 5]


@pytest.mark.parametrize(("attempts", "tasks"), [(("1", "2"), [2]), (("1", "1"), [3]), (None, [2])])
def test_only_a_further_attempt_is_a_copy_of_a_task_that_failed(attempts, tasks):
    rows = [("FAILED", 100, 200), ("COMPLETED", 300, 400), ("COMPLETED", 100, 900)]
    numbers = (*(attempts or ("", "")), "1")
    lines = [
        "\t".join(
            [
                "P (x)" if place < 2 else "P (y)",
                status,
                str(start),
                str(end),
                "P",
                *([number] if attempts else []),
            ]
        )
        for place, ((status, start, end), number) in enumerate(zip(rows, numbers, strict=True))
    ]
    head = "name\tstatus\tstart\tcomplete\tprocess" + ("\tattempt" if attempts else "")
    assert read("\n".join([head, *lines]).encode()).stages["tasks"].to_pylist() == tasks
