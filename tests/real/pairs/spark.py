"""Workloads on a real standalone Spark: ``python -m tests.real.pairs.spark KEY CHANGE REPEAT FOLDER``.

The variables SPARK_4_3 and SPARK_3_5 name the folders of the two versions (that of the package pyspark). Each
worker has an address of its own. Tasks are of Java: a process of Python is started anew after each copy that
lost, which takes longer than some tasks.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.real.causes import cluster
from tests.real.pairs.workload import BYTES, LEAST, WARM_UP, Job, Stage, Workload, plan
from tests.real.writers import LIGHT

SOURCE = Path(__file__).with_name("SleepingSpark.java")
#: Jobs before the measured ones, attempts of a task whose luck is drawn, and seconds of a run at most.
WARM_UPS, ATTEMPTS, LONGEST = 3, 5, 900
SETTINGS = {
    "spark.driver.extraJavaOptions": LIGHT,
    "spark.executor.extraJavaOptions": LIGHT,
    "spark.ui.enabled": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.locality.wait": "0s",
    "spark.shuffle.compress": "false",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
}
#: Properties that are kept: they say what ran, and nothing of where.
KEPT = ("spark.speculation", "spark.dynamicAllocation", "spark.scheduler.mode", "spark.executor.cores")
#: Parts of events without which the lab reads the same.
DROPPED = ("Accumulables", "RDD Info", "Details", "Task Executor Metrics", "Stage Infos", "Hadoop Properties")
_DROPPED = ("System Properties", "JVM Information", "Metrics Properties", "Classpath Entries")


@contextlib.contextmanager
def hosts_of(workload: Workload, folder: Path) -> Iterator[str]:
    """Run a cluster for a workload; yield the address of its master."""
    with cluster(range(len(workload.hosts)), folder, workload.slots, home(workload)) as address:
        yield address


def home(workload: Workload) -> Path:
    """Return the folder of the version that a workload runs on."""
    return Path(os.environ[workload.system.upper().replace("-", "_").replace(".", "_")])


def run(workload: Workload, repeat: int, folder: Path, address: str = "") -> Path:
    """Run it on a cluster that is there, or on its own; return its log, stripped."""
    folder = folder.absolute()
    logs = folder / "logs"
    logs.mkdir(parents=True)
    if not address:
        with hosts_of(workload, folder / "cluster") as own:
            return run(workload, repeat, folder / "run", own)
    slots, hosts = workload.slots, len(workload.hosts)
    settings = SETTINGS | {
        "spark.eventLog.dir": logs.as_uri(),
        "spark.executor.cores": str(slots),
        "spark.cores.max": str(slots * hosts),
    }
    if workload.settings.get("spark.dynamicAllocation.enabled") == "true":
        settings["spark.dynamicAllocation.maxExecutors"] = str(hosts)
    given = [f"--conf={name}={value}" for name, value in (settings | workload.settings).items()]
    (folder / "jobs.tsv").write_text("".join(f"{line}\n" for line in told(workload, repeat)))
    jar = made(home(workload))
    submit = [home(workload) / "bin" / "spark-submit", "--master", address, "--class", "SleepingSpark"]
    with (folder / "driver.log").open("w") as log:
        command = [*submit, *given, jar, folder / "jobs.tsv"]
        subprocess.run(
            command, check=True, timeout=LONGEST, stdout=log, stderr=log, env=_environment(workload)
        )
    (whole,) = logs.iterdir()
    path = folder / "log"
    path.write_bytes(stripped(whole.read_bytes()))
    return path


def _environment(workload: Workload) -> dict[str, str]:
    return os.environ | {"SPARK_HOME": str(home(workload)), "SPARK_LOCAL_IP": "127.0.0.1"}


@cache
def made(spark: Path) -> Path:
    """Compile the tasks for a version of Spark, once; return the jar."""
    folder = Path(tempfile.mkdtemp())
    jar = folder / "sleeping.jar"
    every = f"{spark / 'jars'}/*"
    subprocess.run(["javac", "-XDsuppressNotes", "-cp", every, "-d", folder / "classes", SOURCE], check=True)
    subprocess.run(["jar", "cf", jar, "-C", folder / "classes", "."], check=True)
    return jar


def told(workload: Workload, repeat: int) -> Iterator[str]:
    """Yield the lines that `SleepingSpark` reads."""
    spell = workload.spell or [0, 0, 1]
    spell = [1000 * spell[0], 1000 * spell[1], spell[2]]
    facts = (workload.slots, round(1000 * workload.cold), ";".join(map(str, spell)), workload.clients)
    yield "\t".join(map(str, (";".join(map(str, workload.hosts)), *facts)))
    tasks = 2 * workload.slots * len(workload.hosts)
    if not workload.cold:
        before = Job(WARM_UP, 0, "small", [Stage([0.1] * tasks, [1.0] * tasks)] * 2)
        yield from [line(workload, repeat, before)] * WARM_UPS
    for job in workload.schedule(repeat):
        yield line(workload, repeat, job)


def line(workload: Workload, repeat: int, job: Job) -> str:
    """Return what `SleepingSpark` is told of a job."""
    warms = job.name == WARM_UP
    stages = []
    for number, stage in enumerate(job.stages):
        tasks = []
        for task, (work, size) in enumerate(zip(stage.work, stage.size, strict=True)):
            names = [(repeat, job.name, number, task, attempt) for attempt in range(ATTEMPTS)]
            lasts = ",".join(str(round(1000 * work * (1 if warms else workload.luck(*one)))) for one in names)
            fails = int(not warms and workload.failing(*names[0]))
            reads = round(LEAST + BYTES * (size if workload.skew == "read" else 1.0))
            tasks.append(f"{lasts}:{fails}:{reads}:{size if workload.skew == 'written' else 1.0}")
        stages.append(";".join(tasks))
    gap = "" if warms else str(round(1000 * job.gap))
    return "\t".join([job.name, job.kind if workload.classes else "", gap, *stages])


def stripped(log: bytes) -> bytes:
    """Return an event log without what tells of the machine, and what the lab does not read."""
    lines = []
    for line in log.splitlines():
        event = json.loads(line)
        if event["Event"].endswith(("BlockManagerAdded", "BlockManagerRemoved", "ApplicationStart")):
            event = {key: event[key] for key in event if key not in ("User", "Block Manager ID")}
        if "Spark Properties" in event:
            told = {key: value for key, value in event["Spark Properties"].items() if key.startswith(KEPT)}
            event = {
                "Event": event["Event"],
                "Spark Properties": told | {"spark.master": "spark://master:7077"},
            }
        if "Properties" in event:
            kept = ("spark.job.description", "spark.jobGroup.id", "spark.scheduler.pool")
            event["Properties"] = {key: value for key, value in event["Properties"].items() if key in kept}
        if "Stage Info" in event:
            event["Stage Info"]["Stage Name"] = event["Stage Info"]["Stage Name"].partition(" at ")[0]
        if event.get("Task End Reason", {}).get("Reason") == "ExceptionFailure":
            event["Task End Reason"] = {"Reason": "ExceptionFailure"}
        lines.append(json.dumps(_without(event), separators=(",", ":")).encode())
    return b"\n".join(lines) + b"\n"


def _without(value: Any) -> Any:
    match value:
        case dict():
            kept = (one for one in value.items() if one[0] not in (*DROPPED, *_DROPPED))
            return {key: _without(one) for key, one in kept}
        case list():
            return [_without(one) for one in value]
    return value


if __name__ == "__main__":
    key, change, repeated, out = sys.argv[1:]
    print(run(plan()[key].changed(change), int(repeated), Path(out)))
