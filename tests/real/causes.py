"""A real Spark cluster whose tasks are slow for a known cause: ``python -m tests.real.causes FOLDER``.

Each query joins two small tables, and its tasks sleep for every row they join, times luck of their attempt,
times a factor of their worker. Rows sleep inside the JVM, so that tasks need hardly any processor. Four
workers of two cores have addresses of their own, by which the log tells hosts apart. The event log goes to
FOLDER/logs.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.real.writers import LIGHT

#: Cores of a worker, and what tells its executor how slow it is to be.
CORES, SLOWNESS = 2, "SLOWNESS_OF_THIS_WORKER"
#: Mean seconds between queries, and what those before them are called, while programs start.
PAUSE, WARM_UP = 4.0, "warm-up"
#: Tasks of a join, and those that write what it reads.
TASKS, MAPS = 12, 10
#: Rows that the usual task joins, the milliseconds it sleeps for each, and what makes their bytes.
ROWS, SLEEP, PAD = 40, 20, "concat(uuid(), uuid(), uuid(), uuid())"
#: Deviation of the logarithm of luck, and by what a straggler takes longer.
SPREAD, STRAGGLE = 0.1, (4, 8)
#: Of all applications: each join is one by sorting, with a partition for each key; no query is compiled.
SETTINGS = {
    "spark.driver.extraJavaOptions": LIGHT,
    "spark.executor.extraJavaOptions": LIGHT,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.ui.enabled": "false",
    "spark.eventLog.enabled": "true",
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.locality.wait": "0s",
    "spark.shuffle.compress": "false",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
    "spark.sql.shuffle.partitions": str(TASKS),
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
}


@dataclass(frozen=True)
class Cause:
    """What makes tasks slow, and how queries are run.

    Parameters
    ----------
    workers : list of float
        By what factor tasks take longer on each.
    large : int
        Times the rows that one partition of every second query has.
    stragglers : float
        Share of attempts that take much longer.
    settings : dict of str to str
        More of Spark.
    queries : int
        How many are measured.
    seed : int
        Of arrivals.
    """

    workers: list[float] = field(default_factory=lambda: [1.0] * 4)
    large: int = 1
    stragglers: float = 0.0
    settings: dict[str, str] = field(default_factory=dict)
    queries: int = 40
    seed: int = 1

    def run(self, folder: Path) -> Path:
        """Run it in a process of its own; return its log."""
        (folder / "logs").mkdir(parents=True)
        (folder / "cause.json").write_text(json.dumps(asdict(self)))
        with (folder / "driver.log").open("w") as log:
            command = [sys.executable, "-m", "tests.real.causes", str(folder)]
            subprocess.run(command, check=True, timeout=1200, stdout=log, stderr=log)
        (found,) = (folder / "logs").iterdir()
        return found


def query(session: Any, cause: Cause, keys: list[int], number: int) -> None:
    """Run a query; a copy of a task has luck of its own, that of the number of its attempt."""
    large = cause.large if number % 2 else 1
    attempt = "reflect('java.lang.Thread', 'currentThread')"  # its name has the number
    one, two, three = (f"(pmod(xxhash64({attempt}, {of}), 1000000) + 0.5) / 1000000" for of in range(3))
    low, high = STRAGGLE
    luck = f"exp({SPREAD} * sqrt(-2 * ln({one})) * cos(2 * pi() * {two}))"
    luck += f" * if({three} < {cause.stragglers}, {low} + {high - low} * {two}, 1)"
    slowness = f"cast(reflect('java.lang.System', 'getenv', '{SLOWNESS}') as double)"
    sleep = f"reflect('java.lang.Thread', 'sleep', cast(round({SLEEP} * {luck} * {slowness}) as bigint))"

    known = f"array({', '.join(map(str, keys))})"
    rows = session.range(0, ROWS * (TASKS + large - 1), 1, MAPS)
    # the rows of a large key are spread over all maps
    place = f"if(id % {TASKS + large - 1} < {TASKS}, id % {TASKS + large - 1}, 0)"
    left = rows.selectExpr(f"{known}[int({place})] as key", f"{PAD} as pad")
    right = session.range(0, TASKS, 1, 1).selectExpr(f"{known}[int(id)] as key")
    done = left.join(right, "key").selectExpr(f"{sleep} as slept", "length(pad) as size").collect()
    assert len(done) == ROWS * (TASKS + large - 1)


def keys_of(session: Any) -> list[int]:
    """Return a key for each partition."""
    rows = session.range(0, 100 * TASKS).selectExpr("id", f"pmod(hash(int(id)), {TASKS}) as place").collect()
    found = {row["place"]: row["id"] for row in reversed(rows)}
    return [found[place] for place in range(TASKS)]


@contextlib.contextmanager
def cluster(
    told: Sequence[object], folder: Path, cores: int = CORES, home: Path | None = None
) -> Iterator[str]:
    """Run a master and workers, each with what it is told in `SLOWNESS`; yield the master's address."""
    if home is None:
        import pyspark

        home = Path(pyspark.__file__).parent
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": LIGHT,
    }
    begin = [str(home / "bin" / "spark-class")]
    master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port)]
    started = []
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "daemons.log").open("a") as log:
        try:
            command = [*begin, *master, "--webui-port", "0"]
            started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
            for number, value in enumerate(told, start=2):
                worker = ["org.apache.spark.deploy.worker.Worker", "--host", f"127.0.0.{number}"]
                size = ["--cores", str(cores), "--memory", "700m", "--webui-port", "0", address]
                own = environment | {SLOWNESS: str(value), "SPARK_LOCAL_IP": f"127.0.0.{number}"}
                started.append(subprocess.Popen([*begin, *worker, *size], env=own, stdout=log, stderr=log))
            yield address
        finally:
            for one in reversed(started):
                one.terminate()
            for one in started:
                one.wait(30)


def main() -> None:
    """Run the application."""
    from pyspark.sql import SparkSession

    folder = Path(sys.argv[1]).absolute()
    cause = Cause(**json.loads((folder / "cause.json").read_text()))
    settings = SETTINGS | {
        "spark.eventLog.dir": (folder / "logs").as_uri(),
        "spark.cores.max": str(CORES * len(cause.workers)),
    }
    with cluster(cause.workers, folder) as address:
        builder = SparkSession.builder.appName("causes").master(address)
        for name, value in (settings | cause.settings).items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        context, chance, failed = session.sparkContext, random.Random(cause.seed), []

        def named(name: str, number: int) -> None:
            context.setJobDescription(name)
            try:
                query(session, cause, keys, number)
            except BaseException:
                failed.append(name)
                raise

        context.setJobDescription(WARM_UP)
        keys = keys_of(session)
        for number in range(6):
            named(WARM_UP, number)
        threads = [
            threading.Thread(target=named, args=(f"query {number}", number))
            for number in range(cause.queries)
        ]
        for thread in threads:
            time.sleep(chance.expovariate(1 / PAUSE))
            thread.start()
        for thread in threads:
            thread.join()
        session.stop()
        if failed:
            sys.exit(f"failed: {failed}")


if __name__ == "__main__":
    main()
