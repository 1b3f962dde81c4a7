"""Workloads on a real standalone Spark: ``python -m tests.real.pairs.spark KEY FOLDER CHANGE-REPEAT ...``.

Run it with a Python that has pyspark. Each worker has an address of its own, tasks sleep in processes of
Python, and each stage reads as many bytes as `workload` says, by a shuffle whose records are of that size.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.real.causes import SLOWNESS, cluster
from tests.real.pairs.workload import BYTES, LEAST, WARM_UP, Job, Stage, Workload, plan
from tests.real.writers import LIGHT

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
#: Tasks of the stages that read a job's input and that end it; they do not sleep.
FIRST, LAST = 4, 2
#: Properties that are kept: they say what ran, and nothing of where.
KEPT = ("spark.speculation", "spark.dynamicAllocation", "spark.scheduler.mode", "spark.executor.cores")
#: Parts of events without which the lab reads the same.
DROPPED = ("Accumulables", "RDD Info", "Details", "Task Executor Metrics", "Stage Infos", "Hadoop Properties")
_DROPPED = ("System Properties", "JVM Information", "Metrics Properties", "Classpath Entries")
#: Attempts of a task whose luck is sent along; Spark gives up at the fourth that fails.
ATTEMPTS = 8


def work(of: Workload, repeat: int, job: Job, number: int, following: list[float], began: float) -> Any:
    """Return what the tasks of a stage do.

    What they need is computed here and sent along, so that a process of Python that Spark starts anew, as it
    does after each copy that lost, has nothing to import.
    """
    stage, cold, spell, hosts, name = job.stages[number], of.cold, of.spell or [0, 0, 1], of.hosts, SLOWNESS
    seconds, fails, written = [], [], []
    for task, usual in enumerate(stage.work):
        attempts = [(repeat, job.name, number, task, attempt) for attempt in range(ATTEMPTS)]
        seconds.append([usual * of.luck(*one) for one in attempts])
        fails.append(of.failing(*attempts[0]))
        size = stage.size[task] if of.skew == "written" else 1.0
        written.append([size_of(size, share, len(stage.work)) for share in following])

    def slept(task: int, rows: Iterator[Any]) -> Iterator[tuple[int, bytes]]:
        import os
        import time

        import pyspark

        for _ in rows:
            pass
        attempt, host = pyspark.TaskContext.get().attemptNumber(), int(os.environ[name])
        since = time.time() - began
        factor = hosts[host] * (spell[2] if host == 0 and spell[0] <= since < spell[1] else 1)
        first = not hasattr(pyspark, "_used")  # of a process, which is what Spark has as a slot
        pyspark._used = True
        late = seconds[task][attempt] * factor + cold * first
        failing = attempt == 0 and fails[task]
        time.sleep(late / 2 if failing else late)
        if failing:
            raise RuntimeError("an attempt of the plan fails")
        return ((place, bytes(size)) for place, size in enumerate(written[task]))

    return slept


def size_of(size: float, share: float, tasks: int) -> int:
    """Return how many bytes one of some tasks writes for one of the next stage."""
    return int(LEAST + BYTES * size * share) // tasks


def submit(context: Any, workload: Workload, repeat: int, job: Job, began: float) -> None:
    """Run a job, and wait for it."""
    context.setJobDescription(job.name)
    context.setLocalProperty("spark.scheduler.pool", job.kind if workload.classes else None)
    read = [[*stage.size] if workload.skew == "read" else [1.0] * len(stage.work) for stage in job.stages]
    read.append([1.0] * LAST)
    input = [size_of(1.0, share, FIRST) for share in read[0]]
    rows = context.parallelize(range(FIRST), FIRST).flatMap(
        lambda _: ((place, bytes(size)) for place, size in enumerate(input))
    )
    for number, _ in enumerate(job.stages):
        task = work(workload, repeat, job, number, read[number + 1], began)
        rows = rows.partitionBy(len(read[number]), int).mapPartitionsWithIndex(task)
    rows.partitionBy(LAST, int).count()


def application(workload: Workload, repeat: int, logs: Path, address: str) -> None:
    """Run a workload on a cluster; its log goes to a folder."""
    from pyspark import SparkConf, SparkContext

    slots, hosts = workload.slots, len(workload.hosts)
    settings = SETTINGS | {
        "spark.eventLog.dir": logs.as_uri(),
        "spark.executor.cores": str(slots),
        "spark.cores.max": str(slots * hosts),
    }
    if workload.settings.get("spark.dynamicAllocation.enabled") == "true":
        settings["spark.dynamicAllocation.maxExecutors"] = str(hosts)
    configuration = SparkConf().setMaster(address).setAppName("pairs")
    for name, value in (settings | workload.settings).items():
        configuration.set(name, value)
    context, failed = SparkContext(conf=configuration), list[str]()

    def run(job: Job, began: float = 0.0) -> None:
        try:
            submit(context, workload, repeat, job, began)
        except BaseException:
            failed.append(job.name)
            raise

    if not workload.cold:
        tasks = 2 * slots * hosts
        run(Job(WARM_UP, 0, "small", [Stage([workload.base / 2] * tasks, [1.0] * tasks)]))
    began = time.time()

    def client(own: list[Job]) -> None:
        for job in own:
            time.sleep(job.gap)
            run(job, began)

    jobs = workload.schedule(repeat)
    if workload.clients:
        shares = [jobs[number :: workload.clients] for number in range(workload.clients)]
        threads = [threading.Thread(target=client, args=(share,)) for share in shares]
        for thread in threads:
            thread.start()
    else:
        threads = [threading.Thread(target=run, args=(job, began)) for job in jobs]
        for job, thread in zip(jobs, threads, strict=True):
            time.sleep(job.gap)
            thread.start()
    for thread in threads:
        thread.join()
    context.stop()
    if failed:
        sys.exit(f"failed: {failed}")


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


def main() -> None:
    """Run a workload under some changes, one application after the other."""
    key, folder, *names = sys.argv[1:]
    runs = [
        (plan()[key].changed(name), int(repeat)) for name, _, repeat in (one.rpartition("-") for one in names)
    ]
    where = Path(folder).absolute()
    for hosts, some in groupby(zip(names, runs, strict=True), lambda one: one[1][0].hosts):
        with cluster(range(len(hosts)), where / "cluster", runs[0][0].slots) as address:
            for name, (workload, repeat) in some:
                name = name.replace("/", "_")
                logs = where / f"{name}.logs"
                logs.mkdir()
                application(workload, repeat, logs, address)
                (found,) = logs.iterdir()
                found.rename(where / f"{name}.whole")
                (where / f"{name}.log").write_bytes(stripped((where / f"{name}.whole").read_bytes()))


if __name__ == "__main__":
    main()
