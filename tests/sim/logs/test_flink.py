"""Jobs of Flink: archives and answers of the REST API, written here and read back exactly."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.logs.formats import read_history
from sim.logs.history import FINISHED
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.known import ORIGIN, assert_read_back, known
from tests.sim.logs.logs import fates, read, zipped

STATES = {"finished": "FINISHED", "killed": "CANCELED", "failed": "FAILED"}


def attempt(copy, **more):
    return {
        "subtask": copy.task,
        "status": STATES[copy.fate],
        "attempt": copy.number,
        "endpoint": f"{copy.host}:46133",
        "start-time": copy.launch,
        "end-time": copy.end,
        "duration": copy.end - copy.launch,
        "taskmanager-id": f"tm-{copy.host}",
        "metrics": {"read-bytes": copy.bytes, "read-bytes-complete": True, "write-bytes": 0},
        "status-duration": {"CREATED": 1, "SCHEDULED": copy.waited, "DEPLOYING": 3, "RUNNING": 9},
    } | more


def answers(number, job):
    """Return what the REST API says of a job, by path, in the order in which it is archived."""
    jid = f"{number:032x}"
    ids = [f"{place:032x}" for place in range(len(job.stages))]  # the same in all jobs, as Flink makes them
    vertices = [
        {
            "id": one,
            "name": stage.name,
            "parallelism": stage.tasks,
            "status": "FINISHED",
            "start-time": min(copy.launch for copy in stage.copies),
            "end-time": stage.end,
        }
        for one, stage in zip(ids, job.stages, strict=True)
    ]
    nodes = [
        {"id": one, "parallelism": stage.tasks, "inputs": [{"id": ids[parent]} for parent in stage.parents]}
        for one, stage in zip(ids, job.stages, strict=True)
    ]
    plan = {"jid": jid, "name": job.name, "type": "BATCH", "nodes": nodes}
    found = {
        "/jobs/overview": {"jobs": [{"jid": jid}]},
        f"/jobs/{jid}/plan": {"plan": plan},
        f"/jobs/{jid}/exceptions": {"exceptionHistory": {"entries": []}},
        f"/jobs/{jid}": {
            "jid": jid,
            "name": job.name,
            "state": "FINISHED",
            "start-time": job.submit,
            "end-time": job.end,
            "now": job.end + 9,
            "vertices": vertices,
            "plan": plan,
        },
    }
    for one, stage in zip(ids, job.stages, strict=True):
        path = f"/jobs/{jid}/vertices/{one}"
        found[f"{path}/subtasktimes"] = {"subtasks": [{"subtask": 0, "duration": 1, "timestamps": {}}]}
        for copy in stage.copies:
            found[f"{path}/subtasks/{copy.task}/attempts/{copy.number}"] = attempt(copy)
        current = {copy.task: copy for copy in stage.copies if copy.fate == FINISHED}
        found[path] = {
            "id": one,
            "name": stage.name,
            "parallelism": stage.tasks,
            "now": job.end,
            "subtasks": [
                attempt(copy)
                | {
                    "other-concurrent-attempts": [
                        attempt(other)
                        for other in stage.copies
                        if other.task == task and other is not copy and other.fate == "killed"
                    ]
                }
                for task, copy in current.items()
            ],
        }
    return found


def archive(found, **layout):
    entries = [{"path": path, "json": json.dumps(answer)} for path, answer in found.items()]
    return json.dumps({"archive": entries}, **layout).encode()


def archives(jobs):
    return {f"{number:032x}": archive(answers(number, job)) for number, job in enumerate(jobs)}


@pytest.fixture(scope="module")
def jobs():
    found = known()
    made = Counter(copy.fate for job in found for stage in job.stages for copy in stage.copies)
    assert made["finished"] == 3 * 3 * 12
    assert min(made["killed"], made["failed"]) >= 4
    return found


@pytest.mark.parametrize("layout", [{"separators": (",", ":")}, {"indent": 2}], ids=["dense", "indented"])
def test_archives_are_read_back_exactly(jobs, layout):
    files = [
        Upload(f"job{number}", archive(answers(number, job), **layout)) for number, job in enumerate(jobs)
    ]
    history = read_history(*files)
    assert history.format == "flink"
    assert history.notes == ()
    assert_read_back(history, jobs)
    submits = [round(1000 * (time + history.origin)) for time in history.frame("stages")["submit"]]
    assert submits == [stage.submit for job in jobs for stage in job.stages]  # the first wait for a slot
    assert set(history.copies["slot"].to_pylist()) == {f"tm-h{host}" for host in range(4)}


def test_a_folder_of_archives_is_read_in_either_layout(jobs, tmp_path):
    flat, deep = tmp_path / "flat", tmp_path / "deep"
    flat.mkdir()
    for number, (name, data) in enumerate(archives(jobs).items()):
        (flat / name).write_bytes(data)
        folder = deep / "cluster" / "applications" / f"{number:032x}" / "jobs"
        folder.mkdir(parents=True)
        (folder / name).write_bytes(data)
        summary = {"archive": [{"path": f"/applications/{number:032x}", "json": "{}"}]}
        (folder.parent / "application-summary").write_text(json.dumps(summary))
    assert_read_back(read_history(flat), jobs)
    assert read_history(deep).digest == read_history(flat).digest
    assert read_history(deep / "cluster").digest == read_history(flat).digest
    packed = zipped({f"c/applications/a/jobs/{name}": data for name, data in archives(jobs).items()})
    assert read(packed, "archives.zip").digest == read_history(flat).digest


def test_a_link_out_of_a_folder_is_not_followed(jobs, tmp_path):
    folder, secret = tmp_path / "logs" / "c" / "applications" / "a" / "jobs", tmp_path / "secret"
    folder.mkdir(parents=True)
    first, *others = archives(jobs).values()
    (folder / "job").write_bytes(first)
    secret.write_bytes(others[0])
    (folder / "other").symlink_to(secret)
    assert_read_back(read_history(tmp_path / "logs"), jobs[:1])


@pytest.mark.parametrize("backwards", [False, True])
def test_answers_of_the_rest_api_are_read_in_any_order(jobs, backwards):
    found = [
        answer
        for path, answer in answers(0, jobs[0]).items()
        if path.count("/") in (2, 4) and not path.endswith(("overview", "plan", "exceptions"))
    ]
    data = "\n".join(json.dumps(one) for one in (reversed(found) if backwards else found)).encode()
    history = read(data, "answers.json")
    current = known()[0]  # an attempt that failed has an answer of its own, which was not asked for
    for stage in current.stages:
        stage.copies = [copy for copy in stage.copies if copy.fate != "failed"]
    assert_read_back(history, [current])


def counted(data):
    """Count an archive from what is said of its vertices, with no code of the product."""
    entries = {one["path"]: json.loads(one["json"]) for one in json.loads(data)["archive"]}
    vertices = [one for path, one in entries.items() if path.count("/") == 4 and "subtasks" in one]
    every = [
        one
        for vertex in vertices
        for subtask in vertex["subtasks"]
        for one in [subtask, *subtask.get("other-concurrent-attempts", [])]
        if one["start-time"] >= 0
    ]
    states = Counter(one["status"] for one in every)
    return {
        "jobs": sum(path.count("/") == 2 and "vertices" in one for path, one in entries.items()),
        "stages": len(vertices),
        "tasks": sum(len(vertex["subtasks"]) for vertex in vertices),
        "copies": len(every),
        "finished": states["FINISHED"],
        "killed": states["CANCELED"],
        "hosts": len({one["endpoint"] for one in every}),
        "held": sum(one["end-time"] - one["start-time"] for one in every) / 1e3,
    }


def test_a_reader_written_apart_counts_the_same():
    (job,) = made = known(seed=11, jobs=1)
    job.stages[0].copies = [copy for copy in job.stages[0].copies if copy.fate != "failed"]
    job.stages[1].copies = [copy for copy in job.stages[1].copies if copy.fate != "failed"]
    job.stages[2].copies = [copy for copy in job.stages[2].copies if copy.fate != "failed"]
    data = archive(answers(0, made[0]))
    history, told = read(data), counted(data)
    copies = history.frame("copies")
    assert told == {
        "jobs": history.jobs.num_rows,
        "stages": history.stages.num_rows,
        "tasks": len(copies[["stage", "task"]].drop_duplicates()),
        "copies": len(copies),
        "finished": fates(history)["finished"],
        "killed": fates(history)["killed"],
        "hosts": history.hosts.num_rows,
        "held": pytest.approx((copies["end"] - copies["launch"]).sum()),
    }


def one_vertex(*subtasks, state="FINISHED", **more):
    return {
        "jid": "a",
        "name": "x",
        "state": state,
        "start-time": ORIGIN,
        "end-time": -1,
        "now": ORIGIN + 9000,
        "vertices": [
            {
                "id": "v",
                "name": "map",
                "parallelism": 4,
                "start-time": ORIGIN,
                "end-time": -1,
                "subtasks": list(subtasks),
            }
        ],
    } | more


def row(task, number, start, end, status="FINISHED", **more):
    told = {"subtask": task, "attempt": number, "status": status, "host": "n1"}
    return told | {"start-time": ORIGIN + start if start >= 0 else -1, "end-time": ORIGIN + end} | more


def test_attempts_never_deployed_are_no_copies_and_those_that_run_are_censored_when_asked():
    data = one_vertex(
        row(0, 0, 0, 4000),
        row(1, 0, -1, 5000, "CANCELED"),
        row(1, 1, 100, -ORIGIN - 1, "RUNNING"),
        row(2, 0, 0, 10, "FAILED"),
        row(3, 0, 5, 7, other="odd", metrics={"read-bytes": 8, "read-bytes-complete": False}),
        {"subtask": 3},
        {"attempt": 1, "subtask": "x"},
        state="RUNNING",
    )
    history = read(json.dumps(data).encode())
    assert fates(history) == {"finished": 2, "failed": 1, "unfinished": 1}
    running = history.frame("copies").query("fate == 'unfinished'")
    assert (running["end"] - running["launch"]).tolist() == [8.9]
    assert history.copies["bytes"].null_count == 4
    assert history.stages["tasks"].to_pylist() == [4]
    assert [note.split(" (")[0] for note in history.notes] == [
        "attempts that were never deployed: no copies",
        "attempts that cannot be read: left out",
        "copies launched and never ended: censored at the end of their stage or of the log",
    ]


def test_a_vertex_that_two_jobs_have_is_not_given_to_one_of_them(jobs):
    found = [answers(number, job) for number, job in enumerate(jobs[:2])]
    told = [one[path] for one in found for path in one if path.count("/") == 2 and "overview" not in path]
    vertex = next(one for path, one in found[0].items() if "subtasks" in one and "parallelism" in one)
    history = read("\n".join(map(json.dumps, [*told, vertex])).encode())
    assert history.copies.num_rows == 0
    assert any(
        "several jobs have: left out; give one job at a time (1, first: app-1, line 3)" in note
        for note in history.notes
    )


def test_an_archive_without_a_job_is_refused_with_the_first_reason():
    odd = {"archive": [{"path": "/jobs/overview", "json": "{}"}, {"path": "/jobs/a", "json": "{"}]}
    with pytest.raises(BadInput, match=r"no task in it: entries that cannot be read: left out \(1"):
        read(json.dumps(odd).encode())


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_entries_may_stand_in_any_order(dice):
    (job,) = known(jobs=1, stages=3, tasks=4)
    found = list(answers(0, job).items())
    dice.shuffle(found)
    history = read(archive(dict(found)))
    assert_read_back(history, [job])
    submits = [round(1000 * (time + history.origin)) for time in history.frame("stages")["submit"]]
    assert sorted(submits) == [stage.submit for stage in job.stages]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_an_archive_cut_off_is_read_as_far_as_it_goes(data):
    (job,) = known(jobs=1, stages=2, tasks=3)
    whole = archive(answers(0, job))
    begun = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        history = read(begun)
    except BadInput:
        return
    made = {(copy.launch, copy.end, copy.fate) for stage in job.stages for copy in stage.copies}
    found = history.frame("copies")
    times = [[round(1000 * (time + history.origin)) for time in found[name]] for name in ("launch", "end")]
    assert set(zip(*times, found["fate"], strict=True)) <= made
    assert any("cut off: read as far as they go (1," in note for note in history.notes)
