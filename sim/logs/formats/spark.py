"""Event logs of Apache Spark 1.x to 4.x: one JSON event per line.

Which of several files are parts of one application is told by `sim.logs.formats.spark_files`. Most of
the bytes of a log are metrics at the end of TaskEnd events: see `sim.logs.formats.spark`.

A copy that may not commit has done all its work and is killed. So is one whose executor was preempted: it
did not fail by itself.

Reference: JsonProtocol of Apache Spark, ``core/src/main/scala/org/apache/spark/util/JsonProtocol.scala``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from sim.logs.formats import spark_files
from sim.logs.formats.spark_files import (
    ALGORITHM,
    EXECUTORS,
    MASTER,
    OF_SIZE,
    PLATFORM,
    PLATFORMS,
    WRITE_SETTINGS,
    applications,
    has_written,
    launcher,
    of_plan,
    of_profile,
    of_stage,
    told,
)
from sim.logs.history import FAILED, FINISHED, KILLED, History
from sim.logs.knows import SOME, YES, Knows
from sim.logs.records import NAN, Measured, Records, Stage
from sim.logs.source import Member
from theory.quoting import quoted

# Fields of single Spark events.
#
# Most bytes of a TaskEnd event are accumulators and blocks. What is needed stands before and between them,
# so only that is parsed.

_METRICS = b'"Task Metrics":{'


def task_end(line: bytes) -> dict[str, Any]:
    """Parse a TaskEnd event without its accumulators; `measured` is what its metrics say."""
    cut = line.find(b',"Accumulables":[')
    if cut > 0:
        try:
            event = orjson.loads(line[:cut] + b"}}")
            event["Task Info"]["Launch Time"], event["Task End Reason"]
            told = event["Task Metrics"] if "Task Metrics" in event else _metrics(line, cut)
            event["measured"] = measured(told or {})
            return event
        except (AttributeError, KeyError, TypeError, ValueError):
            pass  # keys in another order than Spark's
    event = orjson.loads(line)
    event["measured"] = measured(event.get("Task Metrics") or {})
    return event


def measured(metrics: dict[str, Any]) -> Measured:
    """Return what a copy read, wrote, collected and waited, from its metrics; NaN where they do not tell.

    Examples
    --------
    >>> found = measured({"JVM GC Time": 20, "Input Metrics": {"Bytes Read": 700, "Records Read": 7}})
    >>> found.bytes, found.records, found.gc, found.written
    (700.0, 7.0, 0.02, nan)
    """
    shuffle, taken = metrics.get("Shuffle Read Metrics") or {}, metrics.get("Input Metrics") or {}
    given, output = metrics.get("Shuffle Write Metrics") or {}, metrics.get("Output Metrics") or {}
    collected, waited = metrics.get("JVM GC Time"), shuffle.get("Fetch Wait Time")
    started = metrics.get("Executor Deserialize Time")
    return Measured(
        _sum(shuffle.get("Remote Bytes Read"), shuffle.get("Local Bytes Read"), taken.get("Bytes Read")),
        _sum(shuffle.get("Total Records Read"), taken.get("Records Read")),
        NAN if collected is None else collected / 1000,
        NAN if waited is None else waited / 1000,
        NAN if started is None else started / 1000,
        _sum(
            given.get("Shuffle Bytes Written"),
            output.get("Bytes Written"),
            metrics.get("Disk Bytes Spilled"),
        ),
        _sum(given.get("Shuffle Records Written"), output.get("Records Written")),
    )


def _metrics(line: bytes, begin: int) -> dict[str, Any]:
    """Parse the metrics of an event up to the blocks that it updated, which may be many."""
    begin = line.find(_METRICS, begin)
    if begin < 0:
        return {}
    begin += len(_METRICS) - 1
    end = line.find(b',"Updated Blocks":', begin)
    metrics: dict[str, Any] = orjson.loads(line[begin:end] + b"}" if end > 0 else line[begin:].rstrip()[:-1])
    return metrics


def _sum(*parts: int | None) -> float:
    """Return the sum of the numbers that are given; NaN if none is."""
    known = [part for part in parts if part is not None]
    return float(sum(known)) if known else NAN


def milliseconds(value: Any) -> float:
    """Return a time in milliseconds; NaN if it is missing, which Spark also writes as 0 or -1."""
    if value is None:
        return NAN
    time = float(value)
    if not time < 1e16:
        raise ValueError(f"{quoted(value)} is no time in milliseconds")
    return time if time > 0 else NAN


KEY = "spark"
TITLE = "Spark event log"
KNOWS = Knows(
    system="Spark",
    order=YES,
    submission=YES,
    launch=YES,
    start=SOME,
    read=SOME,
    written=SOME,
    hosts=YES,
    slots=SOME,
    copies=YES,
    how="spark.speculation",
    again=YES,
)

_NAME = b'"Event":"'
_SETTING = re.compile(
    r"spark\.(speculation(\..+)?|task\.cpus|executor\.cores|scheduler\.mode|app\.name|dynamicAllocation\.enabled|"
    rf"{'|'.join((*WRITE_SETTINGS, *spark_files.EXECUTOR_SETTINGS))})"
)
_COMMITTED_BY_ANOTHER = "Finish but did not commit"
# YARN says "Container ... was preempted" or "Exit status: -102".
_PREEMPTED = re.compile(r"preempt|exit status: -102", re.IGNORECASE)


def recognises(head: bytes, name: str) -> bool:
    """Say whether a file that begins like this is a Spark event log.

    Examples
    --------
    >>> recognises(b'{"Event":"SparkListenerLogStart","Spark Version":"4.0.0"}', "app-1")
    True
    """
    return b"SparkListener" in head and re.search(rb'"Event"\s*:', head) is not None


def read(members: Sequence[Member]) -> History:
    """Read event logs, several applications side by side."""
    groups = applications(members)
    records = Records(per_second=1000)
    for number, parts in enumerate(groups):
        reader = _Application(records, f"{number + 1}/" if len(groups) > 1 else "")
        for part in parts:
            reader.read(part)
        reader.close()
        if len(reader.profiles) > 1:  # a slot of one takes no task of another
            records.note("applications of several resource profiles, of which slots are not told apart")
            records.slot_changes.clear()
    names = tuple(member.name for parts in groups for member in parts)
    return records.history(KEY, names)


class _Application:
    """The events of one application.

    Parameters
    ----------
    records : Records
        What they are put into.
    prefix : str
        Put before identifiers where there are several applications.
    """

    def __init__(self, records: Records, prefix: str) -> None:
        self.records, self.prefix = records, prefix
        self.handlers: dict[str, Callable[[dict[str, Any]], None]] = {
            "SparkListenerTaskStart": self.task_start,
            "SparkListenerTaskEnd": self.task_end,
            "SparkListenerJobStart": self.job_start,
            "SparkListenerJobEnd": self.job_end,
            "SparkListenerStageSubmitted": self.stage,
            "SparkListenerStageCompleted": self.stage,
            "SparkListenerExecutorAdded": self.executor_added,
            "SparkListenerExecutorRemoved": self.executor_removed,
            "SparkListenerResourceProfileAdded": self.profile_added,
            "SparkListenerEnvironmentUpdate": self.environment,
            "SparkListenerLogStart": self.log_start,
            "SparkListenerApplicationStart": self.application_start,
            "SparkListenerApplicationEnd": self.application_end,
            "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart": self.execution_start,
        }
        self.named = {name.encode(): name for name in self.handlers}
        self.rows: dict[int, int] = {}
        self.started: set[int] = set()
        self.ended: set[int] = set()
        self.jobs: dict[int, int] = {}
        self.job_ends: dict[int, tuple[float, str]] = {}
        self.listed: dict[int, list[int]] = {}
        self.parents: dict[int, list[int]] = {}
        self.attempts: dict[int, dict[int, int]] = {}
        self.executors: dict[str, tuple[str, int]] = {}
        self.preempted: set[str] = set()
        self.lost: list[tuple[int, str]] = []
        self.roots: dict[str, str] = {}  # of an SQL execution that which it is a part of
        self.plans: dict[str, str] = {}  # of such a root with what it writes
        self.execution: dict[int, str] = {}  # the root of a job, by its row
        self.written: set[int] = set()  # stages that have written by their metrics
        self.profiles: set[int] = set()  # resource profiles of stages
        self.cpus = 1
        self.came: Counter[int] = Counter()  # cores -> executors with so many
        self.before: dict[str, str | None] = {}  # settings of applications before this one
        self.over = NAN

    def read(self, member: Member) -> None:
        """Read one file."""
        for number, line in member.lines():
            begin = line.find(_NAME, 0, 100)
            if begin >= 0:
                begin += len(_NAME)
                name = self.named.get(line[begin : line.find(b'"', begin, begin + 80)])
                if name is None and line.endswith(b"\n"):
                    continue
            else:
                name = ""
            try:
                self._event(name or "", line)
            except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
                if line.strip():
                    last = not line.endswith(b"\n")
                    what = "the last line is cut off" if last else "lines that are no event: left out"
                    reason = str(error).partition(":")[0]
                    self.records.note(what, f"{member.name}, line {number}: {reason}")
        if member.truncated:
            self.records.note("packed files cut off: read as far as they go", member.name)

    def _event(self, name: str, line: bytes) -> None:
        if name == "SparkListenerTaskEnd" and line.endswith(b"\n"):
            event = task_end(line)
        else:
            event = orjson.loads(line)
            name = name or event["Event"]
            if name == "SparkListenerTaskEnd":
                event["measured"] = measured(event.get("Task Metrics") or {})
        if name in self.handlers:
            self.handlers[name](event)

    # Each event

    def log_start(self, event: dict[str, Any]) -> None:
        self.records.settings["spark.version"] = str(event["Spark Version"])

    def application_start(self, event: dict[str, Any]) -> None:
        if event.get("App ID"):
            self.records.settings[f"{self.prefix}application"] = str(event["App ID"])

    def application_end(self, event: dict[str, Any]) -> None:
        self.over = float(event["Timestamp"])

    def environment(self, event: dict[str, Any]) -> None:
        for name, value in event["Spark Properties"].items():
            if _SETTING.fullmatch(name):
                self._set(name, str(value))
            for begin, platform in PLATFORMS.items():
                if name.startswith(begin):
                    self._set(PLATFORM, platform)
        if launched := launcher(str(event["Spark Properties"].get(MASTER, ""))):
            self._set(MASTER, launched)
        algorithm = (event.get("Hadoop Properties") or {}).get(ALGORITHM)
        if algorithm is not None:
            self.records.settings.setdefault(f"spark.hadoop.{ALGORITHM}", str(algorithm))
        self.cpus = max(1, int(event["Spark Properties"].get("spark.task.cpus", 1)))

    def profile_added(self, event: dict[str, Any]) -> None:
        for name, value in of_profile(event).items():
            self._set(name, value)

    def _set(self, name: str, value: str) -> None:
        """Keep a setting; where several are given, the last."""
        self.before.setdefault(name, self.records.settings.get(name))
        self.records.settings[name] = value

    def executor_added(self, event: dict[str, Any]) -> None:
        info = event["Executor Info"]
        slots = int(info["Total Cores"]) // self.cpus
        executor, time, host = str(event["Executor ID"]), float(event["Timestamp"]), str(info["Host"])
        if executor in self.executors:
            self.records.note("executors added twice: counted once", executor)
            return
        self.executors[executor] = (host, slots)
        self.came[int(info["Total Cores"])] += executor != "driver"  # which is all there is in local mode
        self.records.slot_changes.append((time, slots))
        there = sum(slots for where, slots in self.executors.values() if where == host)
        self.records.host_slots[host] = max(there, self.records.host_slots.get(host, 0))

    def executor_removed(self, event: dict[str, Any]) -> None:
        executor = str(event["Executor ID"])
        if _PREEMPTED.search(str(event.get("Removed Reason") or "")):
            self.preempted.add(executor)
        _, slots = self.executors.pop(executor, ("", 0))
        if slots:
            self.records.slot_changes.append((float(event["Timestamp"]), -slots))

    def job_start(self, event: dict[str, Any]) -> None:
        number = int(event["Job ID"])
        stages = [int(stage) for stage in event["Stage IDs"]]
        submit = milliseconds(event.get("Submission Time"))
        if number in self.jobs:
            self.records.note("jobs started twice: counted once", f"job {number}")
            return
        row = self.jobs[number] = self.records.job((self.prefix, number), f"{self.prefix}{number}")
        job = self.records.jobs[row]
        properties = event.get("Properties") or {}
        job.submit = submit
        job.name = str(properties.get("spark.job.description") or properties.get("callSite.short") or "")
        job.group = str(properties.get("spark.jobGroup.id") or "")
        job.pool = str(properties.get("spark.scheduler.pool") or "")
        if execution := properties.get("spark.sql.execution.id"):
            self.execution[row] = self.roots.get(str(execution), str(execution))
        for stage in stages:
            self.listed.setdefault(stage, []).append(row)

    def execution_start(self, event: dict[str, Any]) -> None:
        """Keep what an execution writes; a command may run its query as an execution within its own."""
        execution, root = event["executionId"], event.get("rootExecutionId")
        whole = self.roots[str(execution)] = str(execution if root is None else root)
        writes = of_plan(event.get("sparkPlanInfo") or {}, str(event.get("physicalPlanDescription") or ""))
        if self.plans.get(whole, "") in ("", "other"):
            self.plans[whole] = writes or self.plans.get(whole, "")

    def job_end(self, event: dict[str, Any]) -> None:
        fate = FINISHED if event["Job Result"]["Result"] == "JobSucceeded" else FAILED
        self.job_ends[int(event["Job ID"])] = (milliseconds(event.get("Completion Time")), fate)

    def stage(self, event: dict[str, Any]) -> None:
        info = event["Stage Info"]
        row = self._stage(int(info["Stage ID"]), int(info.get("Stage Attempt ID", 0)))
        stage = self.records.stages[row]
        stage.name, stage.tasks = str(info.get("Stage Name", "")), int(info["Number of Tasks"])
        self.profiles.add(int(info.get("Resource Profile Id", 0)))
        stage.submit = _later(milliseconds(info.get("Submission Time")), stage.submit)
        stage.end = _later(milliseconds(info.get("Completion Time")), stage.end)
        self.parents[row] = [int(parent) for parent in info.get("Parent IDs") or ()]
        stage.reads = "shuffle" if self.parents[row] else ""
        if has_written(info):
            self.written.add(row)

    def task_start(self, event: dict[str, Any]) -> None:
        info = event["Task Info"]
        key, launch = int(info["Task ID"]), milliseconds(info["Launch Time"])
        if key in self.started:
            self.records.note("copies launched twice: counted once", f"task ID {key}")
        elif key not in self.ended:
            self._copy(event, info, key, launch)
        self.started.add(key)

    def task_end(self, event: dict[str, Any]) -> None:
        info, reason = event["Task Info"], event.get("Task End Reason") or {}
        why = reason.get("Reason")
        key, launch, end = (
            int(info["Task ID"]),
            milliseconds(info["Launch Time"]),
            milliseconds(info.get("Finish Time")),
        )
        if why == "Resubmitted":  # repeats a copy that finished and whose output was lost
            self.records.note("copies reported again after their output was lost: not counted twice")
            return
        if key in self.ended:
            self.records.note("copies ended twice: counted once", f"task ID {key}")
            return
        row = self.rows.get(key)
        if row is None:
            row = self._copy(event, info, key, launch)
        self.ended.add(key)
        if why == "Success":
            self.records.finish(row, end, FINISHED)
        elif why == "TaskKilled" or info.get("Killed"):
            whole = str(reason.get("Kill Reason") or "").startswith(_COMMITTED_BY_ANOTHER)
            self.records.finish(row, end, KILLED, complete=whole)
        elif why == "TaskCommitDenied":  # another copy was let, or it will be tried again
            self.records.finish(row, end, KILLED, complete=True)
        else:
            self.records.finish(row, end, FAILED)
            if why == "ExecutorLostFailure":
                self._executor_lost(row, info, reason)
        self.records.measure(row, event["measured"])

    def _executor_lost(self, row: int, info: dict[str, Any], reason: dict[str, Any]) -> None:
        """Keep a copy that was lost with its executor: `close` knows whether that was preempted."""
        executor = str(info.get("Executor ID"))
        self.lost.append((row, executor))
        if _PREEMPTED.search(str(reason.get("Loss Reason") or "")):
            self.preempted.add(executor)

    def _copy(self, event: dict[str, Any], info: dict[str, Any], key: int, launch: float) -> int:
        stage = self._stage(int(event["Stage ID"]), int(event.get("Stage Attempt ID", 0)))
        row = self.rows[key] = self.records.copy(
            stage,
            int(info["Index"]),
            launch=launch,
            host=info.get("Host"),
            slot=f"{self.prefix}{info.get('Executor ID', '')}",
            locality=info.get("Locality"),
            speculative=bool(info.get("Speculative", False)),
        )
        return row

    def _stage(self, number: int, attempt: int) -> int:
        name = f"{self.prefix}{number}" + (f".{attempt}" if attempt else "")
        row = self.records.stage_row((self.prefix, number, attempt), name)
        self.attempts.setdefault(number, {})[attempt] = row
        return row

    # After the last event

    def close(self) -> None:
        """Join stages with jobs and parents, and end what never ended."""
        self._end_jobs()
        stages = self.records.stages
        for number, attempts in self.attempts.items():
            for attempt, row in attempts.items():
                stages[row].job = self._job_of(number, stages[row].submit)
                stages[row].parents = self._parents(row, attempts.get(attempt - 1))
                self.records.note("stages without a job in the log", count=int(stages[row].job < 0))
        self._time_jobs()
        self._tell_writers()
        self._preempt()
        self._tell_sizes()
        self.records.censor(self.over)
        if self.prefix:  # another application does not get these executors
            self.records.slot_changes += [(self.over, -slots) for _, slots in self.executors.values()]

    def _end_jobs(self) -> None:
        for number, (end, fate) in self.job_ends.items():
            if number in self.jobs:
                job = self.records.jobs[self.jobs[number]]
                job.end, job.fate = end, fate
            else:
                self.records.note("jobs whose start is not in the log: not counted", f"job {number}")
        going = [number for number in self.jobs if number not in self.job_ends]
        self.records.note("jobs that had not ended", f"job {going[0]}" if going else "", len(going))

    def _time_jobs(self) -> None:
        """Give jobs without times of their own, as in Spark 1.x, those of their stages."""
        stages: dict[int, list[Stage]] = {}
        for stage in self.records.stages:
            stages.setdefault(stage.job, []).append(stage)
        for number, row in self.jobs.items():
            job, own = self.records.jobs[row], stages.get(row, [])
            if job.submit != job.submit:
                job.submit = min((stage.submit for stage in own if stage.submit == stage.submit), default=NAN)
            if job.end != job.end and number in self.job_ends:
                job.end = max((stage.end for stage in own if stage.end == stage.end), default=NAN)

    def _tell_writers(self) -> None:
        """Say of stages with what they write: by metrics and plan, by their names, or by the plan alone.

        Where the plan writes and no metrics tell in which stage, it is the last one.
        """
        stages, last = self.records.stages, dict[str, int]()
        for row, stage in enumerate(stages):
            execution = self.execution.get(stage.job, "")
            plan, named = self.plans.get(execution, ""), of_stage(stage.name)
            stage.writes = named or ((plan or "other") if row in self.written else "")
            if plan:
                last[execution] = max(row, last.get(execution, -1))
        told = {self.execution.get(stages[row].job) for row in self.written}
        for execution, row in last.items():
            if execution not in told and not stages[row].writes:
                stages[row].writes = self.plans[execution]

    def _tell_sizes(self) -> None:
        """Keep how many executors came with how many cores, and note applications of other sizes."""
        settings = self.records.settings
        if came := spark_files.read(settings.get(EXECUTORS, "")) + self.came:
            settings[EXECUTORS] = told(came)
        others = [
            name
            for name, value in self.before.items()
            if OF_SIZE.fullmatch(name) and value not in (None, settings[name])
        ]
        self.records.note(
            "settings of the size of executors that differ between applications: the last is taken",
            others[0] if others else "",
            len(others),
        )

    def _preempt(self) -> None:
        """Call copies killed whose executor was preempted."""
        rows = [row for row, executor in self.lost if executor in self.preempted]
        self.records.note("copies whose executor was preempted: killed, not failed", count=len(rows))
        for row in rows:
            self.records.finish(row, self.records.end[row], KILLED)

    def _parents(self, row: int, attempt_before: int | None) -> list[int]:
        """Return the rows of the stages whose output this one reads, and of its attempt before."""
        stages = self.records.stages
        parents = {
            _run_before(self.attempts.get(parent, {}), stages, stages[row].submit)
            for parent in self.parents.get(row, ())
        }
        return sorted(parent for parent in parents | {attempt_before} if parent is not None and parent != row)

    def _job_of(self, stage: int, submit: float) -> int:
        """Return the row of the first job that lists a stage and was active when it was submitted."""
        listing = self.listed.get(stage, [])
        jobs = self.records.jobs
        active = [row for row in listing if jobs[row].submit <= submit and not jobs[row].end < submit]
        return min(active or listing, default=-1)


def _run_before(attempts: dict[int, int], stages: list[Any], submit: float) -> int | None:
    """Return the last attempt of a parent that had ended when its child was submitted."""
    ended = [row for row in attempts.values() if stages[row].end <= submit]
    return max(ended, key=lambda row: stages[row].end, default=None)


def _later(time: float, otherwise: float) -> float:
    return time if time == time else otherwise
