"""A real Spark cluster whose tasks are slow for a known cause: ``python -m tests.real.causes FOLDER``.

Tasks of the second stage of each job sleep in proportion to the records they read, times luck, times a factor
of their worker. Four workers of two cores have addresses of their own, so that the log tells hosts apart. The
event log goes to FOLDER/logs, the job times to FOLDER/times.json.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

#: Cores of a worker, and what tells its executor how slow it is to be.
CORES, SLOWNESS = 2, "SLOWNESS_OF_THIS_WORKER"
JOBS, TASKS, MAPS = 30, 16, 4
#: Records that the usual task reads, the seconds it sleeps for each, and their bytes.
RECORDS, SECONDS, SIZE = 40, 0.02, 500
#: Mean seconds between jobs.
PAUSE = 3.0


@dataclass(frozen=True)
class Cause:
    """What makes tasks slow, and how jobs are run.

    Parameters
    ----------
    workers : list of float
        By what factor tasks take longer on each.
    large : int
        Times the records that one partition of every second job has.
    pieces : int
        Partitions that the large one is split into.
    stragglers : float
        Share of attempts that take four to eight times as long.
    settings : dict of str to str
        More of Spark.
    seed : int
        Of arrivals and of luck.
    """

    workers: list[float] = field(default_factory=lambda: [1.0] * 4)
    large: int = 1
    pieces: int = 1
    stragglers: float = 0.0
    settings: dict[str, str] = field(default_factory=dict)
    seed: int = 1

    def run(self, python: str, folder: Path) -> None:
        """Run it in a process of its own."""
        folder.mkdir(parents=True)
        (folder / "cause.json").write_text(json.dumps(asdict(self)))
        command = [python, "-m", "tests.real.causes", str(folder)]
        subprocess.run(command, check=True, timeout=500, capture_output=True)


def partition(key: int, pieces: int) -> int:
    """Return the partition of a key; those beyond the usual ones make partition 0 large, or fill more."""
    if key < TASKS:
        return key
    return TASKS + key % (pieces - 1) if pieces > 1 else 0


def job(context: Any, cause: Cause, number: int) -> float:
    """Run a job; return how long it took."""
    large = cause.large if number % 2 else 1
    pieces = cause.pieces if large > 1 else 1
    stragglers, seed = cause.stragglers, 1000 * cause.seed + number

    def rows(part: int, of: Any) -> Iterator[tuple[int, bytes]]:
        for key in range(TASKS):
            yield from ((key, os.urandom(SIZE)) for _ in range(RECORDS // MAPS))
        for extra in range((large - 1) * RECORDS // MAPS):
            yield TASKS + extra, os.urandom(SIZE)

    def sleep(part: int, of: Any) -> Iterator[int]:
        count = sum(1 for _ in of)
        chance = random.Random(f"{seed} {part} {time.time_ns()} {os.getpid()}")  # a copy has luck of its own
        luck = chance.lognormvariate(0, 0.1)
        if chance.random() < stragglers:
            luck *= chance.uniform(4, 8)
        time.sleep(SECONDS * count * luck * float(os.environ.get(SLOWNESS, "1")))
        yield count

    begun = time.monotonic()
    mapped = context.parallelize(range(MAPS), MAPS).mapPartitionsWithIndex(rows)
    spread = mapped.partitionBy(TASKS + pieces - 1, lambda key: partition(key, pieces))
    counts = spread.mapPartitionsWithIndex(sleep).collect()
    assert sum(counts) == RECORDS // MAPS * MAPS * (TASKS + large - 1)
    return time.monotonic() - begun


@contextlib.contextmanager
def cluster(cause: Cause, folder: Path) -> Iterator[str]:
    """Run a master and its workers; yield the master's address."""
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    environment = os.environ | {
        "SPARK_HOME": str(home), "SPARK_WORKER_DIR": str(folder / "work"), "SPARK_NO_DAEMONIZE": "1",
        "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.getcwd(),
    }  # fmt: skip
    begin = [str(home / "bin" / "spark-class")]
    master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port)]
    started = []
    with (folder / "daemons.log").open("w") as log:
        try:
            command = [*begin, *master, "--webui-port", "0"]
            started.append(subprocess.Popen(command, env=environment, stderr=log))
            for number, slowness in enumerate(cause.workers, start=2):
                worker = ["org.apache.spark.deploy.worker.Worker", "--host", f"127.0.0.{number}"]
                size = ["--cores", str(CORES), "--memory", "700m", "--webui-port", "0", address]
                told = environment | {SLOWNESS: str(slowness), "SPARK_LOCAL_IP": f"127.0.0.{number}"}
                started.append(subprocess.Popen([*begin, *worker, *size], env=told, stderr=log))
            yield address
        finally:
            for one in reversed(started):
                one.terminate()
            for one in started:
                one.wait(30)


def main() -> None:
    """Run the application."""
    from pyspark import SparkConf, SparkContext

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.absolute()
    cause = Cause(**json.loads((folder / "cause.json").read_text()))
    (folder / "logs").mkdir()
    settings = {
        "spark.eventLog.enabled": "true", "spark.eventLog.dir": (folder / "logs").as_uri(),
        "spark.ui.enabled": "false", "spark.executor.memory": "512m", "spark.driver.host": "127.0.0.1",
        "spark.executorEnv.PYTHONPATH": os.getcwd(), "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s", "spark.locality.wait": "0s",
        "spark.cores.max": str(CORES * len(cause.workers)),
    } | cause.settings  # fmt: skip
    with cluster(cause, folder) as address:
        conf = SparkConf().setAppName("causes").setMaster(address).setAll(list(settings.items()))
        context = SparkContext(conf=conf)
        chance, times = random.Random(cause.seed), [0.0] * JOBS
        job(context, Cause(workers=cause.workers), 0)  # executors and their Pythons start

        def timed(number: int) -> None:
            times[number] = job(context, cause, number)

        threads = [threading.Thread(target=timed, args=(number,)) for number in range(JOBS)]
        for thread in threads:
            thread.start()
            time.sleep(chance.expovariate(1 / PAUSE))
        for thread in threads:
            thread.join()
        context.stop()
    (folder / "times.json").write_text(json.dumps(times))


if __name__ == "__main__":
    main()
