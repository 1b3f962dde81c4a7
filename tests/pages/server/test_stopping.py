"""Two seconds after any signal nothing is left of a server or a shell line that compiles.

What ends with a parent that is killed while it reads or computes is tried in `tests.sim.processes`.
"""

from __future__ import annotations

import contextlib
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

from sim.kernel import cache
from tests.depth import some
from tests.pages.server.asking import status as answered
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


def alive(mark: str) -> list[int]:
    """Return the processes with a mark in their environment: whoever is their parent by now."""
    found = []
    for path in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if path.name.isdigit() and f"MARK={mark}".encode() in (path / "environ").read_bytes():
                found.append(int(path.name))
    return [one for one in found if status(one)[0] != "Z"]


def kept(folder: Path) -> int:
    """Return how many functions are in a cache, every one of which can be read."""
    files = list(folder.rglob("*.nb[ci]"))
    for one in files:
        cache._unsealed(one)
    return len(files)


def soon(condition: Callable[[], object], patience: float = 120) -> float:
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < patience
        time.sleep(0.02)
    return time.monotonic() - begun


SOCKET = """GET /_stcore/stream HTTP/1.1
Host: localhost
Upgrade: websocket
Connection: Upgrade
Sec-WebSocket-Version: 13
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==

"""
#: Signals to the server, an interrupt of all that belongs to a terminal, and that terminal closed.
ENDS = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "interrupt", "terminal"]


@pytest.mark.parametrize("how", some(ENDS, ENDS.index("SIGTERM")))
def test_nothing_is_left_of_a_server_that_compiles(how: str, tmp_path: Path) -> None:
    """While a page is open."""
    port = free_port()
    mark = str(tmp_path)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "MARK": mark}
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
    soon(lambda: answered(port, "/healthz") == 200)
    server = started.pid if how != "terminal" else children(started.pid)[0]
    soon(lambda: len(children(server)) == 2)
    soon(lambda: len(list((tmp_path / "cache").rglob("*.nbc"))) > 0)
    with socket.create_connection(("localhost", port)) as page:
        page.sendall(SOCKET.replace("\n", "\r\n").encode())
        assert b" 101 " in page.recv(1000)
        assert len(alive(mark)) >= 3
        if how == "terminal":
            os.close(master)
        elif how == "interrupt":
            os.killpg(server, signal.SIGINT)
        else:
            os.kill(server, getattr(signal, how))
        took = soon(lambda: not alive(mark), 30)
    started.wait(30)
    if how != "terminal":
        os.close(master)
    assert took <= MOST_S
    assert kept(tmp_path / "cache") > 0
    assert "Traceback" not in (tmp_path / "log").read_text()


#: What is interrupted, and whether all that belongs to the terminal or the program alone. The first file is
#: there when the loop of the engine is compiled: that of this one takes least.
LINES = ("compile gang", "run --preset aktas-beta3 --replications 100")
INTERRUPTED = [(line, whom) for line in LINES for whom in ("one", "all")]


def heard() -> None:
    """Let a program hear interrupts: in the background of a shell they are ignored, and that is inherited."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(("line", "whom"), some(INTERRUPTED, 0, 3))
def test_an_interrupt_ends_a_shell_line_that_compiles(line: str, whom: str, tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "MARK": str(tmp_path)}
    command, pipe = [sys.executable, "-m", "sim", *line.split()], subprocess.PIPE
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
        preexec_fn=heard,
    ) as started:
        soon(lambda: len(list(tmp_path.rglob("*.nbi"))) > 0)
        (os.kill if whom == "one" else os.killpg)(started.pid, signal.SIGINT)
        assert soon(lambda: not alive(str(tmp_path)), 30) <= MOST_S
        said, complaint = started.communicate()
    assert (started.returncode, said) == (130, "")
    assert complaint.startswith("sim: interrupted")
    assert len(complaint.splitlines()) == 1
    assert kept(tmp_path) > 0
