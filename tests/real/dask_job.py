"""A job of Dask, and what Dask tells of it: ``python -m tests.real.dask_job FOLDER``.

Needs ``pip install distributed bokeh``. Writes the performance report, the task stream with the threads of
each worker, and the events and the log of the scheduler, each with the version of Dask in its name.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import distributed
from distributed import Client, LocalCluster, performance_report

from tests.real.ray_job import write

#: Tasks of each of two functions, one of the second slow; workers and the threads of each.
TASKS, SLOW, WORKERS, THREADS = 60, 17, 2, 4


def load(number: int) -> int:
    """Return the number after a while."""
    time.sleep(0.1 + 0.02 * (number % 5))
    return number


def fit(loaded: int) -> int:
    """Return the number after a while, or after a long while."""
    time.sleep(3 if loaded == SLOW else 0.15)
    return loaded


def main() -> None:
    """Run the job, and write what is told of it."""
    folder = Path(sys.argv[1])
    page = folder / "report.html"
    with LocalCluster(n_workers=WORKERS, threads_per_worker=THREADS) as cluster, Client(cluster) as client:
        with performance_report(str(page)):
            client.gather(client.map(fit, client.map(load, range(TASKS))))
        told = {
            "stream": [*client.get_task_stream(), client.nthreads()],
            "events": client.get_events(),
            "log": client.get_scheduler_logs(),
        }
    begin = f"dask_{distributed.__version__}"
    for name, value in told.items():
        write(folder / f"{begin}_{name}.json.gz", json.dumps(value, default=repr).encode())
    write(folder / f"{begin}_report.html.gz", page.read_bytes())
    page.unlink()


if __name__ == "__main__":
    main()
