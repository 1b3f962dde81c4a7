"""Two seconds after the end of a server no process of it is left, whatever ended it and whatever they did."""

from __future__ import annotations

import http.client
import os
import pty
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.depth import some
from tests.pages.server.test_served import free_port

ROOT = Path(__file__).resolve().parents[3]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
pytestmark = [pytest.mark.compiled, LINUX]
#: Seconds after which nothing may be left.
MOST_S = 2.0


def status(process: int) -> tuple[str, int]:
    """Return the state of a process and its parent; "Z" if it has gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "Z", 0
    return fields[0], int(fields[1])


def children(parent: int) -> list[int]:
    numbers = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    return [one for one in numbers if status(one)[1] == parent and status(one)[0] != "Z"]


def soon(condition: Callable[[], object], patience: float = 120) -> float:
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < patience
        time.sleep(0.02)
    return time.monotonic() - begun


def is_up(port: int) -> bool:
    connection = http.client.HTTPConnection("localhost", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


SOCKET = """GET /_stcore/stream HTTP/1.1
Host: localhost
Upgrade: websocket
Connection: Upgrade
Sec-WebSocket-Version: 13
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==

"""
ENDS = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "terminal"]


@pytest.mark.parametrize("how", some(ENDS, ENDS.index("SIGTERM")))
def test_nothing_is_left_of_a_server_that_compiles(how: str, tmp_path: Path) -> None:
    """While a page is open. What ends with a parent that is killed is tried in `tests.sim.processes`, too."""
    port = free_port()
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    master, slave = pty.openpty()
    command = [
        *([] if how != "terminal" else ["setsid", "--ctty", "--wait"]),
        *(sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"),
        *("--server.address=localhost", "--server.headless=true"),
    ]
    with (tmp_path / "log").open("wb") as log:
        started = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=slave, stdout=log, stderr=log, start_new_session=True
        )
    os.close(slave)
    soon(lambda: is_up(port))
    server = started.pid if how != "terminal" else children(started.pid)[0]
    soon(lambda: len(children(server)) == 2)
    soon(lambda: len(list((tmp_path / "cache").rglob("*.nbc"))) > 0)
    with socket.create_connection(("localhost", port)) as page:
        page.sendall(SOCKET.replace("\n", "\r\n").encode())
        assert b" 101 " in page.recv(1000)
        there = [server, *children(server)]
        if how == "terminal":
            os.close(master)
        else:
            os.kill(server, getattr(signal, how))
        took = soon(lambda: all(status(one)[0] == "Z" for one in there), 30)
    started.wait(30)
    if how != "terminal":
        os.close(master)
    assert took <= MOST_S
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) > 0  # what was compiled is kept
