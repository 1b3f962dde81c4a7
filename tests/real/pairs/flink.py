"""A workload on a session cluster of Flink: ``python -m tests.real.pairs.flink KEY CHANGE REPEAT FOLDER``.

``FLINK_HOME`` names the folder of a Flink with its ``lib``, such as the package ``pyflink`` of
``pip install --no-deps apache-flink-libraries==2.3.0``; a JDK is needed too. Each host is a task manager of
its own address. The log has what the archives of all jobs tell of vertices and attempts, and no settings.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.real.pairs.workload import WARM_UP, Job, Stage, Workload, plan

SOURCE = Path(__file__).with_name("SleepingFlink.java")
#: Jobs before the measured ones: after two, Java still takes 0.1 s more for each attempt.
WARM_UPS = 6
#: Attempts of a task whose luck is drawn; with copies there are two.
ATTEMPTS = 4
#: Seconds after which a run is given up, a cluster has not started, and archives are not there.
LONGEST, START, WRITTEN = 900, 120, 60
_OPENED = ("lang", "net", "io", "nio", "lang.reflect", "text", "time", "util", "util.concurrent")
JAVA = [
    *("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx400m"),
    *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED),
]
#: Of the cluster: memory is told in full, as the scripts of Flink would work it out.
SETTINGS = {
    "jobmanager.rpc.address": "127.0.0.1",
    "jobmanager.bind-host": "127.0.0.1",
    "jobmanager.scheduler": "AdaptiveBatch",
    "rest.address": "127.0.0.1",
    "rest.bind-address": "127.0.0.1",
    "blob.server.port": "0",
    "taskmanager.cpu.cores": "1",
    "taskmanager.memory.framework.heap.size": "128m",
    "taskmanager.memory.framework.off-heap.size": "128m",
    "taskmanager.memory.task.heap.size": "128m",
    "taskmanager.memory.task.off-heap.size": "0",
    "taskmanager.memory.network.min": "128m",
    "taskmanager.memory.network.max": "128m",
    "taskmanager.memory.managed.size": "32m",
    "taskmanager.memory.jvm-metaspace.size": "128m",
    "taskmanager.memory.jvm-overhead.min": "64m",
    "taskmanager.memory.jvm-overhead.max": "64m",
}
#: What the log keeps of an archive.
_KEPT = re.compile(r"/jobs/\w{32}(/plan|/vertices/\w{32}(/subtasks/\d+/attempts/\d+)?)?")


def run(workload: Workload, repeat: int, folder: Path) -> Path:
    """Run it on processes of its own; return its log."""
    assert not workload.clients
    assert not workload.fails
    assert not workload.spell
    assert not workload.cold
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    warm_up = Job(WARM_UP, 0, "small", [Stage([0.1] * 12, [1.0] * 12)] * 2)
    jobs = [*[warm_up] * WARM_UPS, *workload.schedule(repeat)]
    (folder / "jobs.tsv").write_text("".join(line(workload, repeat, job) + "\n" for job in jobs))
    dist = next(lib().glob("flink-dist-*.jar"))
    jar = folder / "sleeping.jar"
    subprocess.run(["javac", "-XDsuppressNotes", "-cp", dist, "-d", folder / "classes", SOURCE], check=True)
    subprocess.run(["jar", "cf", jar, "-C", folder / "classes", "."], check=True)
    with cluster(workload, folder) as port, (folder / "driver.log").open("w") as log:
        told = [str(port), str(jar), str(folder / "jobs.tsv")]
        command = [*JAVA, "-cp", f"{classes()}:{jar}", "SleepingFlink", *told]
        subprocess.run(command, check=True, timeout=LONGEST, stdout=log, stderr=log)
        archives = written(folder / "archives", len(jobs))
    entries = [entry for one in archives for entry in one["archive"] if _KEPT.fullmatch(entry["path"])]
    path = folder / "flink.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"archive": entries}).encode(), mtime=0))
    return path


def line(workload: Workload, repeat: int, job: Job) -> str:
    """Return what `SleepingFlink` is told of a job."""
    gap = "" if job.name == WARM_UP else str(round(1000 * job.gap))
    stages = []
    for number, stage in enumerate(job.stages):
        luck = partial(workload.luck, repeat, job.name, number)
        tasks = [
            ",".join(str(round(1000 * work * luck(task, attempt))) for attempt in range(ATTEMPTS))
            for task, work in enumerate(stage.work)
        ]
        stages.append(";".join(tasks))
    return "\t".join([job.name, gap, *stages])


def lib() -> Path:
    """Return the folder of the jars of Flink."""
    return Path(os.environ["FLINK_HOME"]) / "lib"


def classes() -> str:
    """Return the class path of all processes."""
    return ":".join(
        str(jar) for begin in ("flink-dist", "log4j") for jar in sorted(lib().glob(f"{begin}-*.jar"))
    )


@contextlib.contextmanager
def cluster(workload: Workload, folder: Path) -> Iterator[int]:
    """Run a session cluster; yield the port of its REST API once all slots are there."""
    with socket.create_server(("127.0.0.1", 0)) as free, socket.create_server(("127.0.0.1", 0)) as other:
        rpc, rest = free.getsockname()[1], other.getsockname()[1]
    (folder / "conf").mkdir(exist_ok=True)
    (folder / "archives").mkdir()
    settings = SETTINGS | {
        "jobmanager.rpc.port": str(rpc),
        "rest.port": str(rest),
        "rest.bind-port": str(rest),
        "jobmanager.archive.fs.dir": (folder / "archives").as_uri(),
        "io.tmp.dirs": str(folder),
        "taskmanager.numberOfTaskSlots": str(workload.slots),
    }
    told = "".join(f"{name}: {json.dumps(value)}\n" for name, value in (settings | workload.settings).items())
    (folder / "conf" / "config.yaml").write_text(told)
    package, begin = "org.apache.flink.runtime", [*JAVA, "-cp", classes()]
    configured = ["--configDir", str(folder / "conf")]
    started: list[subprocess.Popen[bytes]] = []
    with (folder / "daemons.log").open("w") as log:
        try:
            command = [*begin, f"{package}.entrypoint.StandaloneSessionClusterEntrypoint", *configured]
            started.append(subprocess.Popen(command, stdout=log, stderr=log))
            for number, factor in enumerate(workload.hosts, start=2):
                host = f"127.0.0.{number}"
                own = {"host": host, "bind-host": host, "resource-id": f"host-{number}"}
                command = [*begin[:-2], f"-Dpairs.factor={factor}", *begin[-2:]]
                command += [f"{package}.taskexecutor.TaskManagerRunner", *configured]
                command += [f"-Dtaskmanager.{name}={value}" for name, value in own.items()]
                started.append(subprocess.Popen(command, stdout=log, stderr=log))
            await_slots(rest, workload.slots * len(workload.hosts))
            yield rest
        finally:
            for one in reversed(started):
                one.terminate()
            for one in started:
                one.wait(60)


def await_slots(port: int, slots: int) -> None:
    """Wait until a cluster has so many slots."""
    end = time.monotonic() + START
    while time.monotonic() < end:
        with contextlib.suppress(OSError, KeyError):
            answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/overview", timeout=5)
            if json.load(answer)["slots-total"] == slots:
                return
        time.sleep(0.2)
    raise TimeoutError(f"the cluster has no {slots} slots after {START} s")


def written(folder: Path, jobs: int) -> list[dict[str, list[dict[str, str]]]]:
    """Return the archives of so many jobs, once they are written."""
    end = time.monotonic() + WRITTEN
    while time.monotonic() < end:
        with contextlib.suppress(ValueError):
            found = [json.loads(one.read_bytes()) for one in sorted(folder.rglob("jobs/*")) if one.is_file()]
            if len(found) == jobs:
                return found
        time.sleep(0.5)
    raise TimeoutError(f"not all archives of {jobs} jobs are there after {WRITTEN} s")


if __name__ == "__main__":
    key, change, repeated, out = sys.argv[1:]
    print(run(plan()[key].changed(change), int(repeated), Path(out)))
