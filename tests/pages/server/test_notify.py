"""Messages to systemd."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from pages.server.run import notify, watched


@pytest.fixture
def systemd(tmp_path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(tmp_path / "notify"))
    listening.settimeout(5)
    return listening


def test_systemd_hears_that_the_server_is_up(systemd: socket.socket) -> None:
    notify("READY=1", {"NOTIFY_SOCKET": systemd.getsockname()})
    assert systemd.recv(100) == b"READY=1"
    systemd.close()


def test_an_abstract_name_is_understood() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind("\0straggler-lab-test")
        listening.settimeout(5)
        notify("READY=1", {"NOTIFY_SOCKET": "@straggler-lab-test"})
        assert listening.recv(100) == b"READY=1"


def test_elsewhere_nothing_is_told() -> None:
    notify("READY=1", {})
    asyncio.run(watched({}))  # ends at once


def test_where_there_are_no_such_sockets_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket, "AF_UNIX")
    notify("READY=1", {"NOTIFY_SOCKET": "somewhere"})


def test_the_watchdog_hears_of_a_loop_that_turns(systemd: socket.socket) -> None:
    environment = {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "30000"}

    async def three_times() -> None:
        telling = asyncio.create_task(watched(environment))
        for _ in range(3):
            assert await asyncio.to_thread(systemd.recv, 100) == b"WATCHDOG=1"
        telling.cancel()

    asyncio.run(three_times())
    systemd.close()


def test_a_systemd_that_does_not_listen_holds_up_nobody(systemd: socket.socket) -> None:
    for _ in range(1000):  # more than are kept for a listener
        notify("WATCHDOG=1", {"NOTIFY_SOCKET": systemd.getsockname()})
    systemd.close()
