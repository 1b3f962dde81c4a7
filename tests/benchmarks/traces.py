"""How fast a Spark event log is read: ``python -m tests.benchmarks.traces [MB]``.

A plain log as Spark 4 writes it, with accumulators and metrics, is made in a temporary file. Reading it
is timed beside `orjson.loads` of the same lines in the same run, turn by turn, since machines differ; a
last turn is made in a process of its own, whose peak memory is told.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson

from sim.advice.diagnosis import diagnose
from sim.logs.formats import read_history
from tests.benchmarks.latencies import conclude, held, with_allowance

#: MB/s of a plain log on one core, and peak memory in MB of a log of 500 MB, that are to be reached.
GOAL_SPEED, GOAL_MEMORY = 50, 1_000
TASKS_A_STAGE = 400
ROUNDS = 3
_ACCUMULATORS = (
    *(f"executor{name}" for name in ("DeserializeTime", "DeserializeCpuTime", "RunTime", "CpuTime")),
    *("resultSize", "jvmGCTime", "resultSerializationTime", "memoryBytesSpilled", "diskBytesSpilled"),
    *(f"shuffle.write.{name}" for name in ("bytesWritten", "recordsWritten", "writeTime")),
)
_METRICS = {
    "Executor Deserialize Time": 8,
    "Executor Run Time": 4209,
    "Executor CPU Time": 253006574,
    "Peak Execution Memory": 0,
    "Result Size": 1838,
    "JVM GC Time": 10,
    "Memory Bytes Spilled": 0,
    "Shuffle Read Metrics": {
        "Remote Blocks Fetched": 3,
        "Local Blocks Fetched": 1,
        "Fetch Wait Time": 0,
        "Remote Bytes Read": 73120,
        "Remote Bytes Read To Disk": 0,
        "Local Bytes Read": 881,
        "Total Records Read": 20,
        "Push Based Shuffle": {"Corrupt Merged Block Chunks": 0, "Remote Merged Bytes Read": 0},
    },
    "Shuffle Write Metrics": {"Shuffle Bytes Written": 69, "Shuffle Write Time": 11683404},
    "Input Metrics": {"Bytes Read": 0, "Records Read": 0},
    "Output Metrics": {"Bytes Written": 0, "Records Written": 0},
    "Updated Blocks": [],
}
_MEMORY = {
    f"{kind}{name}": 0
    for kind in ("JVM", "OnHeap", "OffHeap", "ProcessTree")
    for name in ("HeapMemory", "ExecutionMemory", "StorageMemory", "UnifiedMemory", "VMemory", "RSSMemory")
}


def write_log(path: Path, size: int) -> None:
    """Write a log of about `size` bytes."""
    task = stage = 0
    with path.open("w") as log:

        def tell(event: dict) -> None:
            log.write(json.dumps(event, separators=(",", ":")) + "\n")

        for number in range(16):
            info = {"Host": f"host-{number % 8}", "Total Cores": 16}
            tell(
                {
                    "Event": "SparkListenerExecutorAdded",
                    "Timestamp": 1e12,
                    "Executor ID": f"{number}",
                    "Executor Info": info,
                }
            )
        while log.tell() < size:
            now = 1_000_000_000_000 + stage * 60_000
            about = {
                "Stage ID": stage,
                "Stage Attempt ID": 0,
                "Stage Name": "map",
                "Number of Tasks": TASKS_A_STAGE,
                "Parent IDs": [],
                "Submission Time": now,
            }
            tell(
                {
                    "Event": "SparkListenerJobStart",
                    "Job ID": stage,
                    "Submission Time": now,
                    "Stage IDs": [stage],
                }
            )
            tell({"Event": "SparkListenerStageSubmitted", "Stage Info": about})
            for index in range(TASKS_A_STAGE):
                tell(_task("Start", stage, task + index, index, now))
            for index in range(TASKS_A_STAGE):
                tell(_task("End", stage, task + index, index, now))
            tell(
                {
                    "Event": "SparkListenerStageCompleted",
                    "Stage Info": about | {"Completion Time": now + 50_000},
                }
            )
            tell(
                {
                    "Event": "SparkListenerJobEnd",
                    "Job ID": stage,
                    "Completion Time": now + 50_000,
                    "Job Result": {"Result": "JobSucceeded"},
                }
            )
            task, stage = task + TASKS_A_STAGE, stage + 1


def _task(what: str, stage: int, key: int, index: int, now: int) -> dict:
    """Return the event of a task's start or end."""
    ended = what == "End"
    launch = now + 100 + 10_000 * (index // 256)
    info = {
        "Task ID": key,
        "Index": index,
        "Attempt": 0,
        "Partition ID": index,
        "Launch Time": launch,
        "Executor ID": f"{key % 16}",
        "Host": f"host-{key % 8}",
        "Locality": "PROCESS_LOCAL",
        "Speculative": False,
        "Getting Result Time": 0,
        "Finish Time": launch + 1000 + key * 7919 % 9000 if ended else 0,
        "Failed": False,
        "Killed": False,
        "Accumulables": [
            {
                "ID": number,
                "Name": f"internal.metrics.{name}",
                "Update": key,
                "Value": key * 7,
                "Internal": True,
                "Count Failed Values": True,
            }
            for number, name in enumerate(_ACCUMULATORS if ended else ())
        ],
    }
    event = {"Event": f"SparkListenerTask{what}", "Stage ID": stage, "Stage Attempt ID": 0}
    if not ended:
        return event | {"Task Info": info}
    end = {"Task Type": "ShuffleMapTask", "Task End Reason": {"Reason": "Success"}, "Task Info": info}
    return event | end | {"Task Executor Metrics": _MEMORY, "Task Metrics": _METRICS}


def parse_all(path: Path) -> float:
    """Seconds of processor time to parse every line."""
    begun = time.process_time()
    with path.open("rb") as log:
        for line in log:
            orjson.loads(line)
    return time.process_time() - begun


def read_whole(path: Path) -> float:
    """Seconds of processor time to read the history."""
    begun = time.process_time()
    read_history(path)
    return time.process_time() - begun


def one_turn(path: Path) -> float:
    """Read and diagnose a log in this process; print what that takes, and return its peak memory in MB."""
    reading = read_whole(path)
    begun = time.process_time()
    diagnose(read_history(path))
    diagnosing = time.process_time() - begun - reading
    print(f"read in {reading:.2f} s, diagnosed in {diagnosing:.2f} s", flush=True)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Measure and print; return 1 if reading is too slow or takes too much memory."""
    parser = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("log", nargs="?", default="200", help="MB of a log to make (%(default)s), or a log")
    chosen = parser.parse_args()
    if not chosen.log.isdigit():
        held("peak memory", one_turn(Path(chosen.log)), GOAL_MEMORY, "MB")
        return conclude(chosen.allowance)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "app-1"
        write_log(path, int(chosen.log) * 10**6)
        size = path.stat().st_size / 1e6
        rounds = [(parse_all(path), read_whole(path)) for _ in range(ROUNDS)]
        parsed, read = (min(times) for times in zip(*rounds, strict=True))
        ratios = sorted(one / other for one, other in rounds)
        held(f"a log of {size:.0f} MB is read", size / read, GOAL_SPEED, "MB/s", at_least=True)
        print(f"orjson.loads of all lines {size / parsed:.0f} MB/s,", end=" ")
        print(f"ratio {ratios[len(ratios) // 2]:.2f} (from {ratios[0]:.2f} to {ratios[-1]:.2f})", flush=True)
        line = [sys.executable, "-m", "tests.benchmarks.traces", str(path)]
        line.append(f"--allowance={chosen.allowance}")
        return conclude(chosen.allowance) or subprocess.run(line, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
