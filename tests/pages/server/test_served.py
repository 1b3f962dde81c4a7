"""The app served by its own ASGI server, and started with invalid settings."""

from __future__ import annotations

import asyncio
import os
import random
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.frame.menu import entries
from pages.server import run
from pages.server.run import Settings
from tests.benchmarks.room import CODE, Guest, counted, found
from tests.benchmarks.sessions import Visitor
from tests.depth import every
from tests.pages.server.asking import status

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.compiled  # a server that compiles nothing still loads all engines


#: The server of a module, by the file of its log.
served: dict[Path, subprocess.Popen[bytes]] = {}


def threads(log: Path) -> int:
    return len(list(Path(f"/proc/{served[log].pid}/task").iterdir()))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def ports() -> tuple[int, int]:
    return free_port(), free_port()


@pytest.fixture(scope="module")
def log(ports: tuple[int, int], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Serve with uvicorn; return the file of what it says."""
    written = tmp_path_factory.mktemp("uvicorn") / "log"
    environment = {**os.environ, "STRAGGLER_LAB_LOG": "1", "STRAGGLER_LAB_METRICS": f"127.0.0.1:{ports[1]}"}
    command = [sys.executable, "-m", "uvicorn", "app:app", "--port", str(ports[0]), "--no-access-log"]
    with written.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
    served[written] = process
    deadline = time.monotonic() + 120
    while status(ports[0], "/healthz") != 200:
        assert process.poll() is None, written.read_text()
        assert time.monotonic() < deadline, written.read_text()
        time.sleep(0.1)
    yield written
    process.terminate()
    assert process.wait(timeout=30) in (0, -15)


def measured(port: int, name: str) -> float:
    """Return a measure of the server; 0 where it is not told, since nothing was counted under its label."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        told = answer.read().decode()
    one = re.search(rf"^{name} (\S+)", told, re.MULTILINE)
    return float(one[1]) if one else 0.0


def soon(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_visitor_is_answered_counted_and_logged(ports: tuple[int, int], log: Path) -> None:
    async def visit() -> None:
        async with Visitor(f"ws://127.0.0.1:{ports[0]}", "threshold") as one:
            one.charts_wanted = 1
            await one.visit()

    asyncio.run(visit())
    assert status(ports[0], "/_stcore/metrics", patience=30) == 404
    # a chart is seen before the script that drew it has ended, and a socket is closed before it is logged
    soon(lambda: measured(ports[1], "straggler_lab_answer_seconds_count") >= 1)
    soon(lambda: "straggler_lab SOCKET /_stcore/stream 101 " in log.read_text())
    assert measured(ports[1], "process_resident_memory_bytes") > 1e8


def test_it_becomes_ready_without_a_visitor(ports: tuple[int, int], log: Path) -> None:
    deadline = time.monotonic() + 900
    while status(ports[0], "/readyz") != 200:
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.5)


@pytest.mark.parametrize("page", every(3, sorted(entry.name for entry in entries())))
def test_a_class_that_opens_a_page_at_once_is_answered(ports: tuple[int, int], log: Path, page: str) -> None:
    """Who makes what all wait for may not wait for a turn that one of them has."""

    async def visit() -> None:
        query = "v=1&claim=xl-fig4-alpha2" if page == "reproductions" else ""  # a table alone has no chart
        async with Visitor(f"ws://127.0.0.1:{ports[0]}", page, query, patience=300) as one:
            one.charts_wanted = int(page not in ("room", "start"))  # which have none at first
            await one.visit()

    async def all_at_once() -> None:
        await asyncio.gather(*[visit() for _ in range(5)])

    asyncio.run(all_at_once())


def test_an_answer_that_a_page_does_not_offer_is_not_counted(ports: tuple[int, int], log: Path) -> None:
    """A text in the place of an option, as no browser sends it: Streamlit hands it on."""

    async def in_a_room() -> None:
        base, dice = f"ws://127.0.0.1:{ports[0]}", random.Random(1)
        async with Guest(base, "room") as teacher:
            await teacher.press("Open a room")
            await teacher.until(lambda: found(teacher, CODE))
            query = f"room={found(teacher, CODE)[0][0][1]}"
            async with Guest(base, "room", query) as stranger, Guest(base, "room", query) as student:
                await teacher.press("Ask it")  # for a number; the next one offers options
                for one in (stranger, student):
                    await one.until(lambda one=one: one.sliders and "Send" in one.buttons)
                    one.forget()
                await teacher.press("Ask it")
                for one in (stranger, student):
                    await one.until(lambda one=one: one.radios)
                    await one.choose(dice)
                for state in stranger.states.values():
                    state.string_value = "![x](http://away.example/x.png)"
                await stranger.press("Send")
                await stranger.until(lambda: found(stranger, re.compile("is not accepted; give one of")))
                await student.press("Send")
                await teacher.until(lambda: counted(teacher))
                assert counted(teacher) == 1
                assert not found(teacher, re.compile("away"))

    asyncio.run(in_a_room())


def test_a_stranger_ends_no_room_and_starts_no_threads(ports: tuple[int, int], log: Path) -> None:
    """Streamlit empties the caches of all visitors when it is told so, by anybody."""

    def refused() -> float:
        return measured(ports[1], r'straggler_lab_refused_messages_total\{kind="BackMsg.clear_cache"\}')

    async def told() -> None:
        base = f"ws://127.0.0.1:{ports[0]}"
        async with Guest(base, "room") as teacher:
            await teacher.press("Open a room")
            await teacher.until(lambda: found(teacher, CODE))
            code = found(teacher, CODE)[0][0][1]
            before = threads(log)
            async with Guest(base, "threshold") as stranger:
                await stranger.until(lambda: stranger.sliders)
                for _ in range(20):
                    await stranger.socket.send(BackMsg(clear_cache=True).SerializeToString())
                    await stranger._send()
                for _ in range(300):  # a socket that closes drops what is not read yet
                    if await asyncio.to_thread(refused) >= 20:
                        break
                    await asyncio.sleep(0.1)
            async with Guest(base, "room", f"room={code}") as student:
                await student.until(lambda: found(student, re.compile("You are in")))
            assert threads(log) <= before + 10  # a script of a visitor is one

    asyncio.run(told())
    assert refused() == 20


def test_a_setting_that_cannot_be_meant_ends_the_start_in_one_line() -> None:
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    environment = {
        **os.environ,
        "STRAGGLER_LAB_METRICS": "everywhere",
        "STREAMLIT_SERVER_PORT": str(free_port()),
    }
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "STRAGGLER_LAB_METRICS='everywhere' is not accepted: give an address and a port" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_leaves_the_pages_served(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = taken.getsockname()
        monkeypatch.setattr(run, "chosen", lambda: Settings(metrics=address))
        run._serve_measures()()
    assert caplog.messages[0].startswith("STRAGGLER_LAB_METRICS: the measures are not served: ")
