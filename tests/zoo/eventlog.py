"""The history of a play as Apache Spark 4 writes it: one event a line, times in whole milliseconds.

Reference: JsonProtocol and EventLoggingListener of Apache Spark (``core/src/main/scala/org/apache/spark``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sim.logs.source import Upload
from tests.zoo.simulator import SENT, Attempt, Play, play
from tests.zoo.worlds import Nature, Setting, Stage, World

#: When the application starts, ms since 1970; its first job may be submitted 5 s later.
EPOCH = 1_790_000_000_000
_READY = 5_000
#: Events of the same millisecond, in this order.
_ORDER = ("TaskEnd", "StageCompleted", "JobEnd", "JobStart", "StageSubmitted", "TaskStart", "ApplicationEnd")
#: Spark's defaults, which its log does not name.
_DEFAULT = (3.0, 0.9)


def event_log(world: World, play: Play) -> str:
    """Return the log of a play."""
    lines = [*_head(world), *_events(world, play)]
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def hour_log(world: World, setting: Setting, number: int, hours: int = 0) -> Upload:
    """Return the log of a play under a setting, so many hours later, of an application of its own."""
    text = event_log(replace(world, setting=setting), play(world, setting, number))
    later = re.sub(r"\b1790\d{9}\b", lambda found: str(int(found[0]) + hours * 3_600_000), text)
    return Upload(f"app-{number}", later.replace(_application(world), f"app-{number}").encode())


def _application(world: World) -> str:
    return f"app-20260921160000-{world.number:04d}"


def milliseconds(seconds: float) -> int:
    """Return a time of the simulator as the log has it."""
    return EPOCH + _READY + round(1000 * seconds)


def host_name(host: int) -> str:
    """Return the name of a host."""
    return f"10.0.0.{host + 1}"


def _head(world: World) -> Iterator[dict[str, Any]]:
    yield {"Event": "SparkListenerLogStart", "Spark Version": "4.0.0"}
    properties = {
        "spark.app.name": f"zoo {world.number}",
        "spark.scheduler.mode": "FIFO",
        "spark.executor.cores": str(world.cluster.executors[0][1]),
        "spark.master": "spark://10.0.0.100:7077",
    }
    if world.setting:
        properties["spark.speculation"] = "true"
        if world.setting != _DEFAULT:
            names = ("multiplier", "quantile", "minTaskRuntime", "task.duration.threshold")
            for name, value in zip(names, world.setting, strict=False):
                seconds = name in names[2:]
                properties[f"spark.speculation.{name}"] = f"{1000 * value:.0f}ms" if seconds else f"{value:g}"
    yield {
        "Event": "SparkListenerEnvironmentUpdate",
        "JVM Information": {},
        "Spark Properties": properties,
        "Hadoop Properties": {},
        "System Properties": {},
        "Metrics Properties": {},
        "Classpath Entries": {},
    }
    yield {
        "Event": "SparkListenerApplicationStart",
        "App Name": f"zoo {world.number}",
        "App ID": _application(world),
        "Timestamp": EPOCH,
        "User": "zoo",
    }
    for number, (host, slots) in enumerate(world.cluster.executors):
        yield {
            "Event": "SparkListenerExecutorAdded",
            "Timestamp": (milliseconds(world.nature.ready) if world.nature.ready else EPOCH + 1_000) + number,
            "Executor ID": str(number),
            "Executor Info": {
                "Host": host_name(host),
                "Total Cores": slots,
                "Log Urls": {},
                "Attributes": {},
                "Resources": {},
                "Resource Profile Id": 0,
            },
        }


def _events(world: World, play: Play) -> list[dict[str, Any]]:
    """Return all other events in order of time."""
    submitted = sorted(range(len(world.jobs)), key=lambda job: play.submits[job])
    number = {job: place for place, job in enumerate(submitted)}
    stage_number: dict[tuple[int, int], int] = {}
    for job in submitted:
        for stage in range(len(world.jobs[job].stages)):
            stage_number[job, stage] = len(stage_number)
    found: list[tuple[int, int, int, dict[str, Any]]] = []

    def put(time: int, event: dict[str, Any]) -> None:
        kind = event["Event"].removeprefix("SparkListener")
        found.append((time, _ORDER.index(kind), len(found), event))

    for job in submitted:
        start, end = milliseconds(play.submits[job]), milliseconds(play.ends[job])
        name, stages = world.jobs[job].name, world.jobs[job].stages
        infos = [
            _stage(stage, stage_number[job, place], stage_number[job, 0])
            for place, stage in enumerate(stages)
        ]
        put(
            start,
            {
                "Event": "SparkListenerJobStart",
                "Job ID": number[job],
                "Submission Time": start,
                "Stage Infos": infos,
                "Stage IDs": [info["Stage ID"] for info in infos],
                "Properties": {"spark.job.description": name},
            },
        )
        put(
            end,
            {
                "Event": "SparkListenerJobEnd",
                "Job ID": number[job],
                "Completion Time": end,
                "Job Result": {"Result": "JobSucceeded"},
            },
        )
        for place, info in enumerate(infos):
            begin, over = (milliseconds(time) for time in play.stages[job, place])
            put(
                begin,
                {
                    "Event": "SparkListenerStageSubmitted",
                    "Stage Info": info | {"Submission Time": begin},
                    "Properties": {"spark.job.description": name},
                },
            )
            put(
                over,
                {
                    "Event": "SparkListenerStageCompleted",
                    "Stage Info": info | {"Submission Time": begin, "Completion Time": over},
                },
            )
    for key, attempt in enumerate(play.attempts):
        stage = world.jobs[attempt.job].stages[attempt.stage]
        of = {"Stage ID": stage_number[attempt.job, attempt.stage], "Stage Attempt ID": 0}
        launch, end = milliseconds(attempt.launch), milliseconds(attempt.end)
        put(launch, {"Event": "SparkListenerTaskStart", **of, "Task Info": _info(key, attempt, stage, 0)})
        told = _end(key, attempt, stage, end, world.nature)
        put(end, {"Event": "SparkListenerTaskEnd", **of, **told})
        if attempt.fate == "lost":
            lost = told | {"Task End Reason": {"Reason": "Resubmitted"}}
            put(end, {"Event": "SparkListenerTaskEnd", **of, **lost})
    last = max(time for time, *_ in found) + 1_000
    put(last, {"Event": "SparkListenerApplicationEnd", "Timestamp": last})
    return [event for *_, event in sorted(found, key=lambda one: one[:3])]


def _stage(stage: Stage, number: int, first: int) -> dict[str, Any]:
    return {
        "Stage ID": number,
        "Stage Attempt ID": 0,
        "Stage Name": stage.name,
        "Number of Tasks": stage.tasks,
        "RDD Info": [],
        "Parent IDs": [first + parent for parent in stage.parents],
        "Details": "",
        "Accumulables": [],
        "Resource Profile Id": 0,
    }


def _info(key: int, attempt: Attempt, stage: Stage, end: int) -> dict[str, Any]:
    at_home = "NODE_LOCAL" if attempt.local else "ANY"
    return {
        "Task ID": key,
        "Index": attempt.task,
        "Attempt": attempt.copy + attempt.again,
        "Partition ID": attempt.task,
        "Launch Time": milliseconds(attempt.launch),
        "Executor ID": str(attempt.executor),
        "Host": host_name(attempt.host),
        "Locality": at_home if stage.homes else "PROCESS_LOCAL",
        "Speculative": attempt.copy > 0,
        "Getting Result Time": 0,
        "Finish Time": end,
        "Failed": bool(end) and attempt.fate == "failed",
        "Killed": bool(end) and attempt.killed,
        "Accumulables": [],
    }


def _end(key: int, attempt: Attempt, stage: Stage, end: int, nature: Nature) -> dict[str, Any]:
    reason: dict[str, Any] = {"Reason": "Success"}
    if attempt.killed:
        reason = {
            "Reason": "TaskKilled",
            "Kill Reason": "another attempt succeeded",
            "Accumulator Updates": [],
        }
    if attempt.fate == "failed":
        reason = {"Reason": "ExceptionFailure", "Class Name": "java.io.IOException", "Description": "no disk"}
    which = (attempt.job, attempt.stage, attempt.task)
    held = max(0, end - milliseconds(attempt.launch) - round(1000 * SENT))
    started = min(held, round(1000 * nature.starts.get(which, 0.0)))
    ran = held - started
    written = 0 if stage.written is None else int(stage.written[attempt.task])
    read, records = int(stage.read[attempt.task]), int(stage.records[attempt.task])
    near = 0 if not stage.parents else read // 4
    shuffled = (read - near, near, records) if stage.parents else (0, 0, 0)
    taken = (0, 0) if stage.parents else (read, records)
    return {
        "Task Type": "ShuffleMapTask",
        "Task End Reason": reason,
        "Task Info": _info(key, attempt, stage, end),
        "Task Metrics": {
            "Executor Deserialize Time": round(500 * SENT) + started,
            "Executor Deserialize CPU Time": 0,
            "Executor Run Time": ran,
            "Executor CPU Time": 0,
            "Peak Execution Memory": 0,
            "Result Size": 0 if attempt.killed else 1200,
            "JVM GC Time": min(ran, round(1000 * attempt.pause)),
            "Result Serialization Time": 0,
            "Memory Bytes Spilled": 0,
            "Disk Bytes Spilled": 0,
            "Shuffle Read Metrics": {
                "Remote Blocks Fetched": 0,
                "Local Blocks Fetched": 0,
                "Fetch Wait Time": min(ran, round(1000 * nature.waits.get(which, 0.0))),
                "Remote Bytes Read": shuffled[0],
                "Remote Bytes Read To Disk": 0,
                "Local Bytes Read": shuffled[1],
                "Total Records Read": shuffled[2],
            },
            "Shuffle Write Metrics": {
                "Shuffle Bytes Written": written,
                "Shuffle Write Time": 0,
                "Shuffle Records Written": written // 90,
            },
            "Input Metrics": {"Bytes Read": taken[0], "Records Read": taken[1]},
            "Output Metrics": {"Bytes Written": 0, "Records Written": 0},
            "Updated Blocks": [],
        },
    }
