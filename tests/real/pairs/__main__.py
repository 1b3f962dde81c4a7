"""Make the logs again: ``python -m tests.real.pairs --systems spark-4.3 ... --pythons PYTHON ... [KEY ...]``.

Each PYTHON is one in whose environment a system is installed. What is in ``logs`` already is not run again;
each log is packed once it reads the same as what the system wrote, names of stages and of files apart.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa

from sim.logs.formats import read_history
from tests.real.pairs.workload import PLAN, Workload, plan

ROOT, LOGS = Path(__file__).resolve().parents[3], PLAN.with_name("logs")
REPEATS = (1, 2)
#: Seconds that a run may take over what is planned.
PATIENCE = 600


def wanted(workload: Workload, repeat: int) -> list[str]:
    """Return the runs of a repetition that are not there, those on the same hosts beside each other."""
    names = sorted(
        ["before", *workload.alternatives], key=lambda name: workload.changed(name).hosts != workload.hosts
    )
    runs = [f"{name}-{repeat}" for name in names]
    return [run for run in runs if not packed(workload.key, run).exists()]


def packed(key: str, run: str, suffix: str = ".zst") -> Path:
    """Return where a log is, or is to be.

    Examples
    --------
    >>> packed("some", "1.5/0.75-2").name
    '1.5_0.75-2.zst'
    """
    name = run.replace("/", "_")
    there = (one for one in (LOGS / key).glob(f"{name}.*"))
    return next(there, LOGS / key / f"{name}{suffix}")


def made(workload: Workload, runs: list[str], python: str) -> str:
    """Run a workload, and pack its logs; return what came of it."""
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there)
        if not workload.system.startswith("spark"):
            system = importlib.import_module(f"tests.real.pairs.{workload.system.partition('-')[0]}")
            for number, run in enumerate(runs):
                name, _, repeat = run.rpartition("-")
                log = system.run(workload.changed(name), int(repeat), folder / str(number))
                _kept(workload.key, run, "".join(log.suffixes), log.read_bytes())
            return f"{workload.key}: {', '.join(runs)}: done"
        with (folder / "driver.txt").open("w") as told:
            command = [python, "-m", "tests.real.pairs.spark", workload.key, there, *runs]
            span = sum(job.gap for job in workload.schedule(1))
            environment = os.environ | {"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": python}
            patience = len(runs) * (span + PATIENCE)
            ended = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=told, stderr=told, timeout=patience
            )
        for run in runs:
            log, whole = (folder / f"{run.replace('/', '_')}.{one}" for one in ("log", "whole"))
            if log.exists():
                same(log, whole)
                _kept(
                    workload.key, run, ".zst", pa.Codec("zstd", 19).compress(log.read_bytes(), asbytes=True)
                )
        end = (folder / "driver.txt").read_text()[-2000:] if ended.returncode else ""
    return f"{workload.key}: {', '.join(runs)}: {'failed' if end else 'done'} {end}"


def _kept(key: str, run: str, suffix: str, log: bytes) -> None:
    out = packed(key, run, suffix)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(log)


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
    parser.add_argument("--systems", nargs="+", default=["spark-4.3"])
    parser.add_argument("--pythons", nargs="+", required=True, help="of an environment with each system")
    parser.add_argument("--processes", type=int, default=3)
    asked = parser.parse_args()
    chosen = [
        one for one in plan().values() if one.system in asked.systems and one.key in (asked.keys or plan())
    ]
    todo = [(one, runs) for repeat in REPEATS for one in chosen if (runs := wanted(one, repeat))]
    pythons = dict(zip(asked.systems, asked.pythons, strict=True))
    with ThreadPoolExecutor(asked.processes) as threads:
        for said in threads.map(lambda one: made(*one, pythons[one[0].system]), todo):
            print(said, flush=True)


if __name__ == "__main__":
    main()
