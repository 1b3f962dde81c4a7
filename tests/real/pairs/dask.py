"""A workload on workers of Dask: ``python -m tests.real.pairs.dask KEY CHANGE REPEAT FOLDER``.

``DASK_PYTHON`` names a Python with ``pip install distributed==2026.8.0`` if this one has none. Each host is a
worker of its own address. The log is a zip with the task stream of each job, since Dask knows groups of
keys and no jobs. A task of a second stage depends on all of the first.

Workers of ``restart-every`` are started anew before the job is submitted and once nothing runs: jobs after it
come after their gap from then on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from tests.real.pairs.workload import WARM_UP, Job, Stage, Workload, plan

LOG = "dask.zip"
#: What tasks of each stage are called, and what jobs before the measured ones are.
STAGES, WARM_UPS = ("first", "second"), (f"{WARM_UP} 0", f"{WARM_UP} 1")
#: Seconds after which a run is given up.
LONGEST = 900


def run(workload: Workload, repeat: int, folder: Path) -> Path:
    """Run it in a process of its own; return its log."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "workload.json").write_text(json.dumps(asdict(workload)))
    python = os.environ.get("DASK_PYTHON", sys.executable)
    command = [python, "-m", "tests.real.pairs.dask", str(repeat), str(folder)]
    with (folder / "driver.log").open("w") as log:
        subprocess.run(command, check=True, timeout=LONGEST, stdout=log, stderr=log)
    return folder / LOG


def attempt(seconds: float, hosts: list[float], cold: float, *before: object) -> None:
    """Sleep as long as an attempt takes on this worker; longer if it is the first one of its thread."""
    from distributed import get_worker

    worker: Any = get_worker()
    host = int(worker.address.rpartition(":")[0].rpartition(".")[2]) - 2
    known = worker.__dict__.setdefault("_threads_that_are_warm", set())
    thread = threading.get_ident()
    first = thread not in known
    known.add(thread)
    time.sleep(seconds * hosts[host] + cold * first)


def submit(client: Any, workload: Workload, repeat: int, job: Job, number: int) -> list[Any]:
    """Submit the tasks of a job; return all of them."""
    tasks: list[Any] = []
    before: list[Any] = []
    for stage, told in enumerate(job.stages):
        luck = partial(workload.luck, repeat, job.name, stage)
        lasts = [work * luck(task, 0) for task, work in enumerate(told.work)]
        before = [
            client.submit(
                *(attempt, seconds, workload.hosts, workload.cold, *before),
                key=(f"{STAGES[stage]}-{number}", task),
            )
            for task, seconds in enumerate(lasts)
        ]
        tasks += before
    return tasks


def main(workload: Workload, repeat: int, path: Path) -> None:
    """Run a workload, and write its log."""
    import dask
    import distributed

    programs: Any = distributed

    assert not workload.clients
    assert not workload.fails
    assert not workload.spell
    every = int(workload.settings.get("restart-every", 0))
    options = {"nthreads": workload.slots, "dashboard_address": ":0"}
    workers = {
        number: {"cls": distributed.Nanny, "options": options | {"host": f"127.0.0.{number}"}}
        for number in range(2, 2 + len(workload.hosts))
    }
    scheduler = {"cls": distributed.Scheduler, "options": {"host": "127.0.0.1", "dashboard_address": ":0"}}
    # a look some time after a worker left takes one that starts just then for lost
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"}),
        programs.SpecCluster(workers=workers, scheduler=scheduler) as cluster,
        programs.Client(cluster) as client,
    ):
        client.wait_for_workers(len(workers))
        client.get_task_stream()  # is recorded from now on
        names: list[str] = []
        while not workload.cold and len(names) < len(WARM_UPS):
            job = Job(WARM_UP, 0, "small", [Stage([0.1] * 12, [1.0] * 12)] * 2)
            client.gather(submit(client, workload, repeat, job, len(names)))
            names.append(WARM_UPS[len(names)])
        tasks: list[Any] = []
        due = time.monotonic()
        for number, job in enumerate(workload.schedule(repeat)):
            due += job.gap
            time.sleep(max(0, due - time.monotonic()))
            if every and number and number % every == 0:
                programs.wait(tasks)
                tasks = []
                client.restart()
                due = time.monotonic()
            tasks += submit(client, workload, repeat, job, len(names))
            names.append(job.name)
        client.gather(tasks)
        stream, threads = client.get_task_stream(), client.nthreads()
    write(path, names, stream, threads)


def write(path: Path, names: list[str], stream: Any, threads: dict[str, int]) -> None:
    """Write the task stream of each job in order of its keys, with the threads of each worker."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, name in enumerate(names):
            told = [one for one in stream if one["key"][0].endswith(f"-{number}")]
            told.sort(key=lambda one: one["key"])
            archive.writestr(name, json.dumps([*told, threads], default=repr))


if __name__ == "__main__":
    *chosen, repeated, out = sys.argv[1:]
    if chosen:
        print(run(plan()[chosen[0]].changed(chosen[1]), int(repeated), Path(out)))
    else:
        main(
            Workload(**json.loads((Path(out) / "workload.json").read_text())), int(repeated), Path(out) / LOG
        )
