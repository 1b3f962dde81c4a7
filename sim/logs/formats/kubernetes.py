"""Jobs and pods of Kubernetes as JSON, as ``kubectl get jobs,pods -o json`` writes them.

A Job is a job of one stage. Its task is the completion index of a pod; where a Job has no indices each pod
is a task of its own. A pod holds its slot from when its node has accepted it, and works while its
containers run: images are fetched in between. Times are whole seconds.

Reference: ``batch/v1`` Job and ``v1`` Pod of Kubernetes 1.21 to 1.34.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sim.logs.formats.json_items import items, read_each
from sim.logs.history import FAILED, FINISHED, KILLED, UNFINISHED, History
from sim.logs.knows import ALONE, NO, SOME, YES, Knows
from sim.logs.records import NAN, Records
from sim.logs.source import Member
from theory.quoting import quoted

KEY = "kubernetes"
TITLE = "list of Kubernetes jobs and pods"
KNOWS = Knows(
    system="Kubernetes",
    order=ALONE,
    submission=SOME,
    launch=YES,
    start=YES,
    read=NO,
    written=NO,
    hosts=SOME,
    slots=NO,
    copies=NO,
    again=YES,
)

_INDEX = "batch.kubernetes.io/job-completion-index"
_OWNER = ("batch.kubernetes.io/job-name", "job-name")
_QUEUE = "kueue.x-k8s.io/queue-name"
#: Reasons for which a pod ends that has not failed by itself.
_STOPPED = ("Evicted", "Preempting", "DeadlineExceeded", "NodeLost", "NodeShutdown", "Shutdown", "Terminated")


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this has objects of Kubernetes.

    Examples
    --------
    >>> recognises(b'{"apiVersion": "v1", "items": [{"apiVersion": "batch/v1", "kind": "Job"', "jobs.json")
    True
    """
    return re.match(rb'\s*[\[{]\s*\{?\s*"(apiVersion|kind)"\s*:', head) is not None and b'"kind"' in head


def read(members: Sequence[Member]) -> History:
    """Read Jobs and pods, in any order."""
    reader = _Objects()
    unreadable = "objects that cannot be read: left out"
    read_each(members, lambda one: items(one, "items"), reader.object, reader.records, unreadable, told=repr)
    reader.close()
    return reader.records.history(KEY, tuple(member.name for member in members))


class _Objects:
    """Jobs, and the pods of each."""

    def __init__(self) -> None:
        self.records = Records(per_second=1)
        self.seen: set[str] = set()
        self.told_jobs: set[str] = set()
        #: Pods of a stage without an index.
        self.of_stage: dict[int, int] = {}
        self.with_pods: set[str] = set()

    def object(self, told: dict[str, Any], where: str) -> None:
        """Read a Job or a pod; lists of one kind do not repeat it in their objects."""
        spec = told.get("spec") or {}
        kind = told.get("kind") or ("Pod" if "containers" in spec else "Job" if "template" in spec else "")
        if kind == "Job":
            self.job(told, where)
        elif kind == "Pod":
            self.pod(told, where)
        else:
            self.records.note(
                "objects that are neither Jobs nor pods: passed over", f"{where}: kind {quoted(str(kind))}"
            )

    def job(self, told: dict[str, Any], where: str) -> None:
        about, spec, status = told["metadata"], told.get("spec") or {}, told.get("status") or {}
        name = _name(about, about["name"])
        if self._told_twice(f"Job {name}", where):
            return
        ends = {
            str(one.get("type")): _time(one.get("lastTransitionTime"))
            for one in status.get("conditions") or ()
            if str(one.get("status")) == "True"
        }
        end = _time(status.get("completionTime"))
        fate = FINISHED if end == end or "Complete" in ends else FAILED if "Failed" in ends else UNFINISHED
        if end != end:
            end = ends.get("Complete", ends.get("Failed", NAN))
        start, created = _time(status.get("startTime")), _time(about.get("creationTimestamp"))
        stage = self.records.stages[self._stage(name)]
        job = self.records.jobs[stage.job]
        job.submit, job.end, job.fate = (created if created == created else start), end, fate
        job.pool = str((about.get("labels") or {}).get(_QUEUE) or "")
        job.group = next((str(one.get("name")) for one in about.get("ownerReferences") or ()), "")
        stage.submit, stage.end = (start if start == start else created), end
        tasks = spec.get("completions") or status.get("succeeded") or spec.get("parallelism")
        stage.tasks = max(int(tasks or 1), 0)
        self.told_jobs.add(job.job)

    def pod(self, told: dict[str, Any], where: str) -> None:
        about, status = told["metadata"], told.get("status") or {}
        labels = (about.get("labels") or {}) | (about.get("annotations") or {})
        owners = [one.get("name") for one in about.get("ownerReferences") or () if one.get("kind") == "Job"]
        owner = next((one for one in [*owners, *map(labels.get, _OWNER)] if one), None)
        if owner is None:
            self.records.note("pods of no Job: passed over", where)
            return
        if self._told_twice(f"Pod {_name(about, about['name'])}", where):
            return
        runs = [one.get("state") or {} for one in status.get("containerStatuses") or ()]
        begun = [_time((one.get("terminated") or one.get("running") or {}).get("startedAt")) for one in runs]
        ended = [_time((one.get("terminated") or {}).get("finishedAt")) for one in runs]
        launch, began, end = _time(status.get("startTime")), _least(begun), _most(ended)
        fate = _fate(status)
        if began != began:
            self.records.note("pods whose containers never ran: left out", where)
            return
        name = _name(about, str(owner))
        self.with_pods.add(name)
        stage = self._stage(name)
        task = self._task(stage, labels.get(_INDEX))
        host = (told.get("spec") or {}).get("nodeName")
        launch = launch if launch <= began else began
        if before := _before(status):
            first, last, restarts = before
            self.records.copy(
                stage, task, launch=min(launch, first), began=first, end=last, fate=FAILED, host=host
            )
            launch = began
            self.records.note(
                "restarts within a pod of which it tells nothing: left out", where, count=restarts - 1
            )
        self.records.copy(
            stage,
            task,
            launch=launch,
            began=began,
            end=end if fate != UNFINISHED else NAN,
            fate=fate,
            host=host,
        )
        job = self.records.jobs[self.records.stages[stage].job]
        created = _time(about.get("creationTimestamp"))
        if job.job not in self.told_jobs and not job.submit <= created and created == created:
            job.submit = self.records.stages[stage].submit = created

    def _told_twice(self, key: str, where: str) -> bool:
        if key in self.seen:
            self.records.note("objects told twice: counted once", where)
            return True
        self.seen.add(key)
        return False

    def _task(self, stage: int, index: Any) -> int:
        if index is not None:
            return int(index)
        self.of_stage[stage] = self.of_stage.get(stage, -1) + 1
        return self.of_stage[stage]

    def _stage(self, name: str) -> int:
        row = self.records.stage_row(name)
        stage = self.records.stages[row]
        stage.job, stage.name = self.records.job(name), name.rpartition("/")[2]
        self.records.jobs[stage.job].name = stage.name
        return row

    def close(self) -> None:
        """Say what is missing, and censor what never ended."""
        lacking = [name for name in self.told_jobs if name not in self.with_pods]
        self.records.note(
            "Jobs without pods: when they ran is known, their tasks are not; give kubectl get jobs,pods -o "
            "json before pods are removed",
            count=len(lacking),
        )
        self.records.note(
            "Jobs without a completion index: each pod is a task of its own", count=len(self.of_stage)
        )
        self.records.censor()
        self.records.end_jobs(self.told_jobs)


def _fate(status: dict[str, Any]) -> str:
    """Return how a pod ended; one that was stopped from outside did not fail."""
    phase = str(status.get("phase"))
    if phase != "Failed":
        return FINISHED if phase == "Succeeded" else UNFINISHED
    stopped = str(status.get("reason")) in _STOPPED or any(
        one.get("type") == "DisruptionTarget" and str(one.get("status")) == "True"
        for one in status.get("conditions") or ()
    )
    return KILLED if stopped else FAILED


def _before(status: dict[str, Any]) -> tuple[float, float, int] | None:
    """Return when the last run before a restart began and ended, and the number of restarts."""
    restarted = [one for one in status.get("containerStatuses") or () if int(one.get("restartCount") or 0)]
    runs = [(one.get("lastState") or {}).get("terminated") or {} for one in restarted]
    first, last = (
        _least([_time(one.get("startedAt")) for one in runs]),
        _most([_time(one.get("finishedAt")) for one in runs]),
    )
    if first != first or last != last:
        return None
    return first, last, max(int(one["restartCount"]) for one in restarted)


def _name(about: dict[str, Any], name: str) -> str:
    """Return the name of a Job or pod with its namespace."""
    return f"{about.get('namespace') or 'default'}/{name}"


def _least(times: list[float]) -> float:
    return min((time for time in times if time == time), default=NAN)


def _most(times: list[float]) -> float:
    return max((time for time in times if time == time), default=NAN)


def _time(value: Any) -> float:
    """Return a time in seconds since 1970; NaN if it is missing, which is also written as the year 1.

    Examples
    --------
    >>> _time("2024-01-01T00:00:00Z"), _time("0001-01-01T00:00:00Z"), _time(None)
    (1704067200.0, nan, nan)
    """
    if value is None:
        return NAN
    time = datetime.fromisoformat(str(value))
    if time.tzinfo is None:
        raise ValueError(f"{quoted(str(value))} is a time without a zone")
    return time.timestamp() if time.year >= 1970 else NAN
