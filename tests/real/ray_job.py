"""A job of Ray, and what Ray tells of it: ``python -m tests.real.ray_job FOLDER``.

Needs ``pip install 'ray[default]'``. Writes the task list as JSON and as YAML, and the timeline, each with
the version of Ray in its name.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from pathlib import Path

#: Tasks of each of two functions; one of the second is slow.
TASKS, SLOW = 30, 17
#: Dates of the list are those of this zone, far from UTC and half an hour off.
ZONE = "Asia/Kolkata"


def main() -> None:
    """Run the job, and write what is told of it."""
    os.environ["TZ"] = ZONE
    time.tzset()
    import ray

    @ray.remote
    def load(number: int) -> int:
        time.sleep(0.15 + 0.02 * (number % 5))
        return number

    @ray.remote
    def fit(loaded: int) -> int:
        time.sleep(3 if loaded == SLOW else 0.2)
        return loaded

    folder = Path(sys.argv[1])
    ray.init(num_cpus=4, include_dashboard=True, logging_level="ERROR")
    ray.get([fit.remote(load.remote(number)) for number in range(TASKS)])
    time.sleep(3)  # workers send their events every second
    command = [str(Path(sys.executable).parent / "ray"), "list", "tasks", "--detail", "--limit", "10000"]
    for form in ("json", "yaml"):
        listed = subprocess.run([*command, "--format", form], capture_output=True, check=True).stdout
        write(folder / f"ray_{ray.__version__}_tasks.{form}.gz", listed)
    plain = folder / "timeline.json"
    ray.timeline(str(plain))
    write(folder / f"ray_{ray.__version__}_timeline.json.gz", plain.read_bytes())
    plain.unlink()
    ray.shutdown()


def write(path: Path, data: bytes) -> None:
    """Write a packed file, the same for the same bytes."""
    path.write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main()
