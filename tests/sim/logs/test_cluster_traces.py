"""The public traces of Alibaba 2018 and Google 2011: what is written is read; a reader apart agrees."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.logs.formats import read_history
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.logs import fates, read

INDEX = 1.8
AFTER = 2**63 - 1


def spans(random, base, count):
    """Return durations of one stage: its base times a Pareto law, capped, in whole seconds."""
    luck = np.minimum((1 - random.random(count)) ** (-1 / INDEX), 25.0)
    return np.maximum(1, base * luck).astype(int).tolist()


# Alibaba


def batch(seed=1, jobs=5):
    """Return tasks and instances of jobs: a graph M1, M2, R3_1_2, J4_3, and a task outside it."""
    random = np.random.default_rng([seed, 38])
    tasks, instances = [], []
    for job in range(jobs):
        now = {"": 1000 * job + 1}
        for name in ("M1", "M2", "R3_1_2", "J4_3", "task_Nzg3="):
            begin = max(now.get(one, 0) for one in ["", *name.split("_")[1:]])
            durations = spans(random, random.uniform(5, 50), int(random.integers(2, 9)))
            for index, span in enumerate(durations):
                instances.append(
                    {
                        "name": f"ins_{random.integers(10**9)}",
                        "task": name,
                        "job": f"j_{job}",
                        "status": "Failed" if index == 1 and job == 2 else "Terminated",
                        "start": begin,
                        "end": begin + span,
                        "host": f"m_{random.integers(6)}",
                    }
                )
            now[name.split("_")[0].lstrip("MRJ")] = begin + max(durations)
            tasks.append((name, len(durations), f"j_{job}", begin, begin + max(durations)))
    return tasks, instances


def batch_instance(instances):
    return "".join(
        f"{one['name']},{one['task']},{one['job']},1,{one['status']},{one['start']},{one['end']},{one['host']},"
        "1,1,50,60,0.1,0.2\n"
        for one in instances
    ).encode()


def batch_task(tasks):
    return "".join(
        f"{name},{count},{job},1,Terminated,{begin},{end},100.0,0.3\n"
        for name, count, job, begin, end in tasks
    ).encode()


def both(tasks, instances):
    return [
        Upload("batch_task.csv", batch_task(tasks)),
        Upload("batch_instance.csv", batch_instance(instances)),
    ]


def told_instances(history):
    copies, stages = history.frame("copies"), history.frame("stages")
    names = stages["stage"].reindex(copies["stage"]).tolist()
    columns = (copies[column] for column in ("launch", "end", "fate", "host"))
    return sorted(zip(names, *columns, strict=True))


def made_instances(instances):
    ends = {"Terminated": "finished", "Failed": "failed"}
    return sorted(
        (f"{one['job']}/{one['task']}", one["start"], one["end"], ends[one["status"]], one["host"])
        for one in instances
    )


def test_instances_and_tasks_of_alibaba_are_read_back():
    tasks, instances = batch()
    history = read_history(*both(tasks, instances))
    assert history.format == "alibaba2018"
    assert told_instances(history) == made_instances(instances)
    stages = history.frame("stages")
    found = zip(
        stages["name"], stages["tasks"], history.frame("jobs")["job"].reindex(stages["job"]), strict=True
    )
    assert sorted(found) == sorted((name, count, job) for name, count, job, _, _ in tasks)
    assert stages[["submit", "end"]].to_numpy().tolist() == [[begin, end] for *_, begin, end in tasks]
    parents = {
        name: {stages["name"][one] for one in row}
        for name, row in zip(stages["name"], stages["parents"], strict=True)
    }
    assert parents == {
        "M1": set(),
        "M2": set(),
        "R3_1_2": {"M1", "M2"},
        "J4_3": {"R3_1_2"},
        "task_Nzg3=": set(),
    }
    jobs = history.frame("jobs")
    assert jobs["submit"].tolist() == [1000 * job + 1 for job in range(5)]
    assert jobs["fate"].tolist() == ["finished", "finished", "failed", "finished", "finished"]
    assert history.origin == 0


def test_instances_alone_and_in_any_order_are_the_same_copies():
    _, instances = batch()
    random = np.random.default_rng(4)
    for _ in range(3):
        history = read(batch_instance(instances))
        assert told_instances(history) == made_instances(instances)
        random.shuffle(instances)
    frame = pd.read_csv(pd.io.common.BytesIO(batch_instance(instances)), header=None)
    counted = (frame[6] - frame[5]).groupby([frame[2], frame[1]]).agg(["size", "sum", "max"])
    copies, stages = history.frame("copies"), history.frame("stages")
    lasted = (copies["end"] - copies["began"]).groupby(stages["stage"].reindex(copies["stage"]).to_numpy())
    assert lasted.agg(["size", "sum", "max"]).to_numpy().tolist() == counted.to_numpy().tolist()


def test_tasks_alone_are_jobs_without_copies():
    tasks, _ = batch()
    history = read(batch_task(tasks))
    assert history.copies.num_rows == 0
    trace = history.trace()
    assert trace.tasks.tolist() == [
        sum(count for _, count, of, _, _ in tasks if of == f"j_{job}") for job in range(5)
    ]


def test_an_instance_launched_again_is_a_copy_and_what_is_odd_is_told():
    row = "{},M1,j_1,1,{},{},{},m_1,1,2,50,60,0.1,0.2"
    rows = [
        row.format("a", "Terminated", 100, 400),
        row.format("a", "Interrupted", 200, 400),
        row.format("b", "Failed", 100, 150),
        row.format("b", "Terminated", 160, 300),
        row.format("b", "Terminated", 160, 300),
        row.format("c", "Running", 100, 0),
        row.format("d", "Terminated", 100, 0),
        row.format("e", "Terminated", 0, 100),
        row.format("f", "Waiting", "", ""),
        row.format("g", "Lost", 1, 2),
        row.format("h", "Terminated", "x", 2),
        row.format("i", "Terminated", -3, 2),
        "a,b,c",
        "i,M1,,1,Terminated,1,2,m_1,1,2,50,60,0.1,0.2",
        "R2_1_7,0,j_1,1,Terminated,1,2,1,1",
    ]
    history = read("\n".join(rows).encode(), "i.csv")
    found = history.frame("copies")
    assert found["task"].tolist() == [0, 0, 1, 1, 2, 3]
    assert found["speculative"].tolist() == [False, True, False, False, False, False]
    assert fates(history) == {"finished": 2, "killed": 1, "failed": 1, "unfinished": 2}
    assert found["end"].tolist()[-2:] == [400.0, 400.0]
    text = " ".join(history.notes)
    assert "instances that started outside the time of the trace: left out (1, first: i.csv, line 8)" in text
    assert "instances that never started: left out (1, first: i.csv, line 9)" in text
    assert "rows that cannot be read: left out (6, first: i.csv, line 10: 'Lost' is no status)" in text
    assert "copies told twice: counted once (1, first: i.csv, line 5)" in text


def test_a_stage_whose_parents_are_not_in_the_file_has_none():
    history = read(b"R2_1_7,3,j_1,1,Terminated,5,9,1,1\nM1_Stg4,2,j_1,1,Terminated,1,5,1,1\n")
    assert history.stages["parents"].to_pylist() == [[1], []]
    assert any("parents that are no stage: left out (1)" in note for note in history.notes)


# Google


def google(seed=2, jobs=6):
    """Return events in order of time, and the copies that they tell: job, task, launch, end, fate, host."""
    random = np.random.default_rng([seed, 39])
    events, copies = [], []
    for job in range(jobs):
        key, submit = 6_250_000_000 + job, 600_000_000 + 10_000_000 * job
        for task, span in enumerate(spans(random, random.uniform(5, 80), 3 + job)):
            events.append((submit, "", key, task, "", 0))
            now = submit + int(random.integers(1, 30)) * 1_000_000
            ends = random.choice(["4", "5", "3 4", "2 4", "6", "2 2 4"], p=[0.6, 0.1, 0.1, 0.1, 0.05, 0.05])
            for end in map(int, ends.split()):
                host = int(random.integers(4))
                events.append((now, "", key, task, host, 1))
                if random.random() < 0.2:
                    events.append((now + 1, "", key, task, host, 8))
                over = now + span * 1_000_000 + int(random.integers(1000))
                events.append((over, "", key, task, host, end))
                fate = {3: "failed", 4: "finished"}.get(end, "killed")
                copies.append((str(key), task, now, over, fate, str(host)))
                events.append((over, "", key, task, "", 0))
                now = over + 2_000_000
            events.pop()
    return sorted(events, key=lambda event: event[0]), sorted(copies)


def task_events(events):
    return "".join(
        f"{at},{missing},{job},{task},{host},{kind},user,2,9,0.025,0.01,0.0004,0\n"
        for at, missing, job, task, host, kind in events
    ).encode()


def told_copies(history):
    copies, jobs = history.frame("copies"), history.frame("jobs")["job"]
    names = jobs.reindex(history.frame("stages")["job"].reindex(copies["stage"]))
    times = ((1e6 * copies[column]).round().astype(int) for column in ("launch", "end"))
    return sorted(zip(names, copies["task"], *times, copies["fate"], copies["host"], strict=True))


def test_events_of_google_are_read_back():
    events, copies = google()
    history = read(task_events(events))
    assert history.format == "google2011"
    assert told_copies(history) == copies
    assert set(Counter(copy[4] for copy in copies)) == {"finished", "failed", "killed"}
    jobs = history.frame("jobs")
    assert jobs["submit"].tolist() == [600 + 10.0 * job for job in range(6)]
    assert (jobs["end"] * 1e6).round().astype(int).tolist() == [
        max(copy[3] for copy in copies if copy[0] == job) for job in jobs["job"]
    ]
    assert history.stages["tasks"].to_pylist() == [3, 4, 5, 6, 7, 8]
    assert not history.frame("copies")["speculative"].any()


def test_parts_of_the_trace_are_one_and_a_reader_apart_counts_the_same():
    events, copies = google(seed=3)
    lines = task_events(events).splitlines(keepends=True)
    parts = [Upload(f"part-{n:05}-of-00500.csv", b"".join(lines[n * 40 : n * 40 + 40])) for n in range(9)]
    history = read_history(*[part for part in parts if part.data])
    assert told_copies(history) == copies
    frame = pd.DataFrame(events, columns=["at", "missing", "job", "task", "host", "kind"])
    frame = frame[~frame["kind"].isin([0, 8])].sort_values(["job", "task", "at"])
    starts, ends = (frame[frame["kind"].eq(1) == begins]["at"].to_numpy() for begins in (True, False))
    assert sum(copy[3] - copy[2] for copy in told_copies(history)) == int((ends - starts).sum())


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_trace_cut_off_has_the_copies_before_and_those_that_ran_on(data):
    events, copies = google(seed=4)
    text = task_events(events)
    cut = text[: data.draw(st.integers(0, len(text)))]
    try:
        history = read(cut)
    except BadInput:
        return
    found = [copy for copy in told_copies(history) if copy[4] != "unfinished"]
    assert len(set(found) - set(copies)) <= 1  # the time of the last row is at its beginning; its fate is not
    lines = cut.count(b"\n")
    running = Counter(event[2:4] for event in events[:lines] if event[5] == 1)
    running.subtract(event[2:4] for event in events[:lines] if event[5] in (2, 3, 4, 5, 6))
    assert abs(history.copies.num_rows - len(found) - sum(running.values())) <= 1


def test_what_began_before_the_trace_or_ends_after_it_is_a_lower_bound():
    rows = [
        (0, "", 1, 0, "", 0),
        (0, "", 1, 0, 7, 1),
        (0, "2", 1, 1, 7, 1),
        (5_000_000, "1", 1, 2, 7, 1),
        (6_000_000, "", 1, 3, 7, 1),
        (7_000_000, "", 1, 3, 8, 1),
        (9_000_000, "", 1, 0, 7, 4),
        (9_000_000, "", 1, 1, 7, 4),
        (9_000_000, "", 1, 2, 7, 4),
        (AFTER, "", 1, 3, 7, 4),
        (AFTER, "", 1, 4, 7, 1),
        (8_000_000, "", 1, 5, "", 5),
    ]
    history = read(task_events(rows) + b"1,2,3\n5,,1,1,,9,u,1,1,,,,\n-5,,1,1,,1,u,1,1,,,,\n", "e.csv")
    found = history.frame("copies")
    assert found["complete"].tolist() == [False, False, False, False]
    assert found["end"].tolist() == [9.0] * 4
    assert fates(history) == {"finished": 3, "unfinished": 1}
    assert history.jobs.to_pylist()[0]["fate"] == "unfinished"
    text = " ".join(history.notes)
    for said in (
        "copies that began before the trace: lower bounds (3, first: e.csv, line 7)",
        "tasks scheduled while they ran: their first start is used (1, first: e.csv, line 6)",
        "tasks that never started: left out (1, first: e.csv, line 11)",
        "tasks that ended and never ran: left out (1, first: e.csv, line 12)",
        "rows that cannot be read: left out (3, first: e.csv, line 13: 3 cells; an event has 13)",
        "jobs submitted before the trace began: their waits are lower bounds (1)",
    ):
        assert said in text


def test_a_trace_in_which_nothing_ran_is_refused_with_the_first_reason():
    with pytest.raises(BadInput, match=r"e\.csv: no job and no task in it: tasks that ended and never ran"):
        read(b"5,,1,1,,4,u,1,1,,,,\n", "e.csv")
