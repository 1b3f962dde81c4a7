"""Make the logs again: ``python -m tests.real.pairs [--systems spark-4.3 ...] [KEY ...]``.

The modules of the systems say which variables name where these are. What is in ``logs`` already is not run
again; a log is kept once it reads the same as what the system wrote, names of stages and of files apart.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa

from sim.logs.formats import read_history
from sim.logs.history import History
from tests.real.pairs.workload import PLAN, Workload, plan

LOGS = PLAN.with_name("logs")
REPEATS = (1, 2)
#: Seconds that attempts may last longer than planned, on average, and how often a run is tried.
LATE, TRIES = 0.1, 3


def wanted(workload: Workload, repeat: int) -> list[str]:
    """Return the changes whose runs are not there, those on the same hosts beside each other."""
    names = ["before", *workload.alternatives]
    names.sort(key=lambda name: workload.changed(name).hosts != workload.hosts)
    return [name for name in names if not packed(workload.key, name, repeat).exists()]


def packed(key: str, name: str, repeat: int, suffix: str = ".zst") -> Path:
    """Return where a log is, or is to be.

    Examples
    --------
    >>> packed("some", "1.5/0.75", 2).name
    '1.5_0.75-2.zst'
    """
    run = f"{name.replace('/', '_')}-{repeat}"
    return next((LOGS / key).glob(f"{run}.*"), LOGS / key / f"{run}{suffix}")


def made(workload: Workload, repeat: int, names: Sequence[str]) -> str:
    """Run a workload under some changes, and keep its logs; return what came of it."""
    system = importlib.import_module(f"tests.real.pairs.{workload.system.partition('-')[0]}")
    with tempfile.TemporaryDirectory() as there, contextlib.ExitStack() as clusters:
        for _, some in groupby(names, lambda name: workload.changed(name).hosts):
            own, alike = {}, [*some]
            if hasattr(system, "hosts_of"):  # what starts slowly is shared
                clusters.close()
                shared = system.hosts_of(
                    workload.changed(alike[0]), Path(there) / f"hosts-of-{alike[0].replace('/', '_')}"
                )
                own["address"] = clusters.enter_context(shared)
            for name in alike:
                if packed(workload.key, name, repeat).exists():  # another process has run it meanwhile
                    continue
                for again in range(TRIES):
                    folder, now = Path(there) / f"{name.replace('/', '_')}-{again}", workload.changed(name)
                    log = system.run(now, repeat, folder, **own)
                    if (more := late(now, repeat, read_history(log))) < LATE:
                        break
                _keep(workload.key, name, repeat, log)
                print(f"{workload.key} {name} {repeat}: {more:.3f} s late, {again + 1} runs", flush=True)
    return f"{workload.key} {repeat}: {', '.join(names)}"


def _keep(key: str, name: str, repeat: int, log: Path) -> None:
    for whole in (log.parent / "logs").glob("*"):
        same(log, whole)
    out = packed(key, name, repeat, "".join(log.suffixes) or ".zst")
    out.parent.mkdir(parents=True, exist_ok=True)
    packs = not log.suffixes
    out.write_bytes(
        pa.Codec("zstd", 19).compress(log.read_bytes(), asbytes=True) if packs else log.read_bytes()
    )


def late(workload: Workload, repeat: int, history: History) -> float:
    """Return by how many seconds first attempts that ended last longer than planned, on average.

    Left out are hosts that are slow for a time, and half of the attempts where the first of a slot are slow.
    """
    jobs, stages, copies = (history.frame(one) for one in ("jobs", "stages", "copies"))
    schedule = {job.name: job for job in workload.schedule(repeat)}
    names = jobs["name"].str.rpartition("/")[2]
    between = stages.groupby("job").cumcount() - workload.system.startswith("spark")  # whose first only reads
    ended = copies[(copies["fate"] == "finished") & (copies["copy"] == 0)]
    more = []
    for one in ended.itertuples():
        job, number = schedule.get(names[stages["job"][one.stage]]), int(between[one.stage])
        host = int(one.host.rpartition(".")[2]) - 2
        if job is None or not 0 <= number < len(job.stages) or (workload.spell and host == 0):
            continue
        luck = workload.luck(repeat, job.name, number, one.task, 0)
        more.append(one.end - one.launch - job.stages[number].work[one.task] * luck * workload.hosts[host])
    return float(np.median(more) if workload.cold else np.mean(more))


def same(one: Path, other: Path) -> None:
    """Raise if two logs do not read the same."""
    mine, its = read_history(one), read_history(other)
    for table in ("jobs", "stages", "copies"):
        names = ["name"] * (table == "stages")
        assert mine.frame(table).drop(columns=names).equals(its.frame(table).drop(columns=names)), table


def main() -> None:
    """Run what is missing, some workloads at a time."""
    parser = argparse.ArgumentParser(prog="python -m tests.real.pairs", description=__doc__)
    parser.add_argument("keys", nargs="*", metavar="KEY")
    parser.add_argument("--systems", nargs="+", default=["spark-4.3", "spark-3.5", "flink-2.3", "dask"])
    parser.add_argument("--processes", type=int, default=3)
    asked = parser.parse_args()
    chosen = [
        one for one in plan().values() if one.system in asked.systems and one.key in (asked.keys or plan())
    ]
    todo = [(one, repeat, runs) for repeat in REPEATS for one in chosen if (runs := wanted(one, repeat))]
    with ThreadPoolExecutor(asked.processes) as threads:
        for said in threads.map(lambda one: made(*one), todo):
            print(said, flush=True)


if __name__ == "__main__":
    main()
