"""The logs that a real History Server of Spark offers are read as the files themselves are."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from sim.advice.fleet.discovery import in_folder
from sim.advice.fleet.first_look import Look
from sim.advice.fleet.history_server import applications, history_server
from sim.advice.fleet.survey import Item, Kept, items_of, look_at_all
from sim.model.fields import BadInput

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="needs Java and pip install pyspark"),
]
WAYS = ("collect", "parquet")
#: Seconds until a History Server has read its logs.
PATIENCE_S = 90.0


@contextmanager
def served(logs: Path, count: int) -> Iterator[str]:
    """Start a History Server on loopback; yield its address when it knows so many applications."""
    found = find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = {
        "spark.history.fs.logDirectory": logs.as_uri(),
        "spark.history.ui.port": port,
        "spark.history.fs.update.interval": "1s",
    }
    told = " ".join(f"-D{name}={value}" for name, value in options.items())
    process = subprocess.Popen(
        [
            str(Path(found.origin).parent / "bin" / "spark-class"),
            "org.apache.spark.deploy.history.HistoryServer",
        ],
        env={**os.environ, "SPARK_HISTORY_OPTS": told, "SPARK_LOCAL_IP": "127.0.0.1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address, until = f"http://127.0.0.1:{port}", time.monotonic() + PATIENCE_S
        while True:
            try:
                if len(applications(history_server(address))) == count:
                    break
            except BadInput:  # it does not listen yet
                pass
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        process.wait()


def test_a_history_server_is_read_as_its_files_are(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for way in WAYS:
        command = [sys.executable, "-m", "tests.real.writers", way, str(tmp_path / way)]
        subprocess.run(command, check=True, timeout=300, capture_output=True)
        for log in (tmp_path / way / "logs").iterdir():
            log.rename(logs / log.name)
    direct = look_at_all([Item(log) for log in in_folder(logs)], Kept(None), processes=1)
    with served(logs, len(WAYS)) as address:
        looks = look_at_all(items_of([address]), Kept(None), processes=1)
    assert sorted(one.application for one in looks) == sorted(WAYS)
    assert all(one.is_read for one in looks), [one.reason for one in looks]

    def numbers(of: list[Look]) -> list[tuple[object, ...]]:
        return sorted((one.application, one.jobs, one.tasks, one.lost, one.hours) for one in of)

    assert numbers(looks) == numbers(direct)
