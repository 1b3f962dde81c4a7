"""A job of Spark, and what Spark tells of it: ``python -m tests.real.spark_job FOLDER``.

Needs Java and ``pip install pyspark``. Writes the event log and the messages of the driver, each with the
version of Spark in its name. Both have paths of this machine: run a copy of the script that lies elsewhere.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

#: Tasks of the first stage, one of which is slow, and of the second.
TASKS, SLOW, REDUCERS = 12, 7, 4
SETTINGS = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def nap(number: int, rows: Iterator[int]) -> Iterator[tuple[int, int]]:
    """Return what is summed up, after a while."""
    time.sleep(3 if number == SLOW else 0.2)
    return ((row % REDUCERS, row) for row in rows)


def run() -> None:
    """Run the job, in a program that spark-submit has started."""
    from pyspark import SparkContext

    with SparkContext(appName="naps") as context:
        rows = context.parallelize(range(1000), TASKS)
        rows.mapPartitionsWithIndex(nap).reduceByKey(int.__add__, REDUCERS).collect()


def main() -> None:
    """Submit the job, and write what is told of it."""
    import pyspark

    from tests.real.ray_job import write
    from tests.real.writers import LIGHT

    out, version = Path(sys.argv[1]), pyspark.__version__
    with tempfile.TemporaryDirectory() as folder:
        settings = SETTINGS | {
            "spark.eventLog.dir": Path(folder).as_uri(),
            "spark.driver.extraJavaOptions": LIGHT,
        }
        given = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        submit = str(Path(sys.executable).parent / "spark-submit")
        command = [submit, "--master", "local[4]", *given, __file__]
        messages = subprocess.run(command, capture_output=True, check=True).stderr
        (events,) = Path(folder).glob("local-*")
        write(out / f"spark_{version}_events.gz", events.read_bytes())
        write(out / f"spark_{version}_driver.log.gz", messages)


if __name__ == "__main__":
    main() if len(sys.argv) > 1 else run()
