"""The app as a visitor meets it: served by Streamlit in a separate process."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.pages.server.asking import status

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its port on this machine, its process, and the file it logs to."""

    port: int
    process: subprocess.Popen[bytes]
    log_file: Path

    @property
    def url(self) -> str:
        """Address without a trailing slash."""
        return f"http://localhost:{self.port}"

    @property
    def log(self) -> str:
        """What the server has said so far."""
        return self.log_file.read_text(errors="replace")

    def is_healthy(self) -> bool:
        """Whether it answers."""
        return status(self.port, "/_stcore/health") == 200


@contextmanager
def serve(folder: Path, *options: str, patience: float = 300, app: str = "app.py") -> Iterator[Server]:
    """Serve an app on a free port, with further `options` of ``streamlit run``, until the block ends.

    Its log goes to `folder`; its path is from the top of the project.

    Raises
    ------
    RuntimeError
        If it does not answer within `patience` seconds; the message has its log.
    """
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", app, f"--server.port={port}"]
    command += ["--server.address=localhost", "--server.headless=true", *options]
    log_file = folder / "server.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
    server = Server(port, process, log_file)
    try:
        _wait_until_healthy(server, patience)
        yield server
    finally:
        process.terminate()
        process.wait(timeout=patience)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(server: Server, patience: float) -> None:
    deadline = time.monotonic() + patience
    while not server.is_healthy():
        if server.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the server did not start; it said:\n{server.log}")
        time.sleep(0.1)
