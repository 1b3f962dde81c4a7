"""Jobs and pods of Kubernetes, written here as kubectl prints them and read back exactly."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.model.fields import BadInput
from tests.sim.logs.known import ORIGIN, assert_read_back, known
from tests.sim.logs.logs import fates, read

PHASES = {"finished": "Succeeded", "failed": "Failed"}


def stamp(milliseconds):
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def ran(start, end, code=0):
    return {"terminated": {"exitCode": code, "startedAt": stamp(start), "finishedAt": stamp(end)}}


def pod(job, copy, index=True, **more):
    labels = {"job-name": job, "batch.kubernetes.io/job-name": job}
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": job, "controller": True}
    fetched = min(1000, copy.end - copy.launch - 1000)  # until the image is there
    status = {
        "phase": PHASES[copy.fate],
        "startTime": stamp(copy.launch),
        "conditions": [],
        "containerStatuses": [
            {"name": "main", "restartCount": 0, "state": ran(copy.launch + fetched, copy.end)},
            {"name": "aside", "restartCount": 0, "state": ran(copy.launch + fetched, copy.end - 1000)},
        ],
    }
    about = {
        "name": f"{job}-{copy.task}-{copy.number}",
        "namespace": "batch",
        "labels": labels,
        "annotations": {"batch.kubernetes.io/job-completion-index": str(copy.task)} if index else {},
        "creationTimestamp": stamp(copy.launch - copy.waited),
        "ownerReferences": [owner],
    }
    spec = {"containers": [{"name": "main"}], "nodeName": copy.host, "restartPolicy": "Never"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": spec, "status": status | more}


def objects_of(jobs):
    """Return Jobs of one stage, each with the pods of its tasks."""
    found = []
    for job in jobs:
        (stage,) = job.stages
        about = {
            "name": job.name,
            "namespace": "batch",
            "creationTimestamp": stamp(job.submit),
            "labels": {"kueue.x-k8s.io/queue-name": "etl"},
        }
        status = {
            "startTime": stamp(stage.submit),
            "completionTime": stamp(job.end),
            "succeeded": stage.tasks,
            "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": stamp(job.end)}],
        }
        spec = {"completionMode": "Indexed", "completions": stage.tasks, "parallelism": 4, "template": {}}
        found.append(
            {"apiVersion": "batch/v1", "kind": "Job", "metadata": about, "spec": spec, "status": status}
        )
        found += [pod(job.name, copy) for copy in stage.copies]
    return found


def listed(objects, kind="List", **layout):
    around = {"apiVersion": "v1", "items": objects, "kind": kind, "metadata": {"resourceVersion": ""}}
    return json.dumps(around, **layout).encode()


def answer(objects, kind):
    """Return the objects of a kind as the API lists them, where they do not repeat it."""
    of_kind = [
        {key: value for key, value in one.items() if key not in ("kind", "apiVersion")}
        for one in objects
        if one["kind"] == kind
    ]
    around = {"kind": f"{kind}List", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}}
    return json.dumps(around | {"items": of_kind}).encode()


@pytest.fixture(scope="module")
def jobs():
    found = known(stages=1, tasks=40, grain=1000, copied=False)
    for job in found:
        job.stages[0].name = job.name
    assert Counter(copy.fate for job in found for copy in job.stages[0].copies)["failed"] >= 3
    return found


FORMS = {
    "kubectl": lambda found: listed(found, indent=4),
    "pods first": lambda found: listed(found[::-1]),
    "answers of the API": lambda found: answer(found, "Job") + b"\n" + answer(found, "Pod"),
    "objects in a row": lambda found: "\n".join(map(json.dumps, found)).encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_jobs_and_pods_are_read_back_exactly(jobs, form):
    history = read(FORMS[form](objects_of(jobs)), "jobs.json")
    assert history.format == "kubernetes"
    assert history.notes == ()
    told = jobs[::-1] if form == "pods first" else jobs
    assert_read_back(history, told, "bytes")
    assert set(history.jobs["pool"].to_pylist()) == {"etl"}
    copies = history.frame("copies")
    fetched = (copies["began"] - copies["launch"]).tolist()
    assert fetched == [
        min(1.0, end - launch - 1) for launch, end in zip(copies["launch"], copies["end"], strict=True)
    ]


def counted(objects):
    """Count objects by owner and index, with no code of the product."""
    pods = [one for one in objects if one["kind"] == "Pod"]
    states = [one["status"]["containerStatuses"][0]["state"]["terminated"] for one in pods]

    def time(text):
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").timestamp()

    index = "batch.kubernetes.io/job-completion-index"
    return {
        "jobs": sum(one["kind"] == "Job" for one in objects),
        "tasks": len(
            {(one["metadata"]["labels"]["job-name"], one["metadata"]["annotations"][index]) for one in pods}
        ),
        "copies": len(pods),
        "finished": sum(one["status"]["phase"] == "Succeeded" for one in pods),
        "hosts": len({one["spec"]["nodeName"] for one in pods}),
        "worked": sum(time(one["finishedAt"]) - time(one["startedAt"]) for one in states),
    }


def test_a_reader_written_apart_counts_the_same(jobs):
    found = objects_of(jobs)
    history = read(listed(found), "jobs.json")
    copies = history.frame("copies")
    assert counted(found) == {
        "jobs": history.jobs.num_rows,
        "tasks": len(copies[["stage", "task"]].drop_duplicates()),
        "copies": len(copies),
        "finished": fates(history)["finished"],
        "hosts": history.hosts.num_rows,
        "worked": pytest.approx((copies["end"] - copies["began"]).sum()),
    }


def test_pods_alone_are_enough_and_without_an_index_each_is_a_task(jobs):
    (stage,) = jobs[0].stages
    pods = [pod("job 0", copy, index=False) for copy in stage.copies]
    history = read(listed([*pods, pods[0]]), "pods.json")
    assert history.jobs.num_rows == 1
    assert history.stages["tasks"].to_pylist() == [len(pods)]
    assert history.copies["task"].to_pylist() == list(range(len(pods)))
    (job,) = history.jobs.to_pylist()
    created = min(copy.launch - copy.waited for copy in stage.copies)
    assert round(1000 * (job["submit"] + history.origin)) == created
    assert round(1000 * (job["end"] + history.origin)) == stage.end
    assert [note.split(" (")[0] for note in history.notes] == [
        "objects told twice: counted once",
        "Jobs without a completion index: each pod is a task of its own",
    ]


def test_jobs_alone_tell_when_they_ran_and_how_many_tasks_they_had(jobs):
    history = read(listed([one for one in objects_of(jobs) if one["kind"] == "Job"]), "jobs.json")
    assert history.copies.num_rows == 0
    assert history.stages["tasks"].to_pylist() == [40] * 3
    assert history.trace().tasks.tolist() == [40] * 3
    assert any("Jobs without pods" in note and note.endswith("(3)") for note in history.notes)


class Moment:
    """A pod that ran from one second to another."""

    def __init__(self, task, start, end, fate="failed"):
        self.task, self.number, self.fate, self.host, self.waited = task, 0, fate, "n1", 0
        self.launch, self.end = ORIGIN + 1000 * start, ORIGIN + 1000 * end


def test_a_pod_that_was_stopped_from_outside_did_not_fail():
    disrupted = {"conditions": [{"type": "DisruptionTarget", "status": "True"}]}
    pods = [
        pod("a", Moment(0, 0, 9)),
        pod("a", Moment(1, 0, 9), reason="Evicted"),
        pod("a", Moment(2, 0, 9), **disrupted),
        pod(
            "a",
            Moment(3, 0, 9),
            phase="Running",
            containerStatuses=[
                {"restartCount": 0, "state": {"running": {"startedAt": stamp(ORIGIN + 4000)}}}
            ],
        ),
        pod(
            "a",
            Moment(4, 0, 9),
            phase="Pending",
            containerStatuses=[{"restartCount": 0, "state": {"waiting": {"reason": "ImagePullBackOff"}}}],
        ),
    ]
    history = read(listed(pods), "pods.json")
    assert history.frame("copies")["fate"].tolist() == ["failed", "killed", "killed", "unfinished"]
    assert history.frame("copies")["end"].tolist() == [9.0] * 4
    assert any(note.startswith("pods whose containers never ran: left out (1,") for note in history.notes)


def test_a_restart_within_a_pod_is_a_copy_that_failed():
    again = {
        "restartCount": 3,
        "state": ran(ORIGIN + 6000, ORIGIN + 9000),
        "lastState": ran(ORIGIN + 2000, ORIGIN + 4000, code=1),
    }
    history = read(listed([pod("a", Moment(0, 1, 9, "finished"), containerStatuses=[again])]), "pods.json")
    copies = history.frame("copies")
    rows = copies[["task", "copy", "launch", "began", "end", "fate"]].to_numpy().tolist()
    assert rows == [[0, 0, 0.0, 1.0, 3.0, "failed"], [0, 1, 5.0, 5.0, 8.0, "finished"]]
    assert not copies["speculative"].any()
    assert any(
        "restarts within a pod of which it tells nothing: left out (2," in one for one in history.notes
    )


def test_what_belongs_to_no_job_is_passed_over_and_said():
    service = pod("a", Moment(0, 0, 9)) | {"metadata": {"name": "web", "labels": {"app": "web"}}}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    with pytest.raises(BadInput) as refused:
        read(listed([service, node]), "pods.json")
    assert "no job and no task in it: pods of no Job: passed over (1, first: pods.json, line 1)" in str(
        refused.value
    )
    odd = pod("a", Moment(0, 0, 9))
    odd["status"]["startTime"] = "2024-01-01T00:00:00"
    history = read(listed([service, node, odd, pod("a", Moment(1, 0, 9))]), "pods.json")
    assert history.copies.num_rows == 1
    assert [note.split(" (")[0] for note in history.notes] == [
        "pods of no Job: passed over",
        "objects that are neither Jobs nor pods: passed over",
        "objects that cannot be read: left out",
    ]


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_objects_may_stand_in_any_order(dice):
    (job,) = known(jobs=1, stages=1, tasks=8, grain=1000, copied=False)
    job.stages[0].name = job.name
    found = objects_of([job])
    dice.shuffle(found)
    assert_read_back(read(listed(found), "jobs.json"), [job], "bytes")


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_list_cut_off_is_read_as_far_as_it_goes(data):
    jobs = known(jobs=1, stages=1, tasks=4, grain=1000, copied=False)
    whole = listed(objects_of(jobs))
    begun = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        history = read(begun, "jobs.json")
    except BadInput:
        return
    made = {(copy.launch, copy.end, copy.fate) for copy in jobs[0].stages[0].copies}
    found = history.frame("copies")
    times = [[round(1000 * (time + history.origin)) for time in found[name]] for name in ("launch", "end")]
    assert set(zip(*times, found["fate"], strict=True)) <= made
    assert any("cut off: read as far as they go (1," in note for note in history.notes)
