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

import pyarrow as pa

from sim.logs.formats import read_history
from tests.real.pairs.workload import PLAN, Workload, plan

LOGS = PLAN.with_name("logs")
REPEATS = (1, 2)


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
                    workload.changed(alike[0]), Path(there) / f"hosts of {alike[0].replace('/', '_')}"
                )
                own["address"] = clusters.enter_context(shared)
            for name in alike:
                folder = Path(there) / name.replace("/", "_")
                _keep(workload.key, name, repeat, system.run(workload.changed(name), repeat, folder, **own))
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
