"""Messages to systemd: that the server is up, and regularly that its event loop still runs."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress


def notify(state: str, environment: Mapping[str, str] = os.environ) -> None:
    """Send a state to systemd, as ``sd_notify`` does; nothing where it does not listen."""
    address = environment.get("NOTIFY_SOCKET")
    if not address or not hasattr(socket, "AF_UNIX"):
        return
    if address.startswith("@"):
        address = "\0" + address[1:]  # an abstract name
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.setblocking(False)  # the event loop must not wait for systemd
        with suppress(BlockingIOError):
            line.connect(address)
            line.send(state.encode())


async def watched(environment: Mapping[str, str] = os.environ) -> None:
    """Tell the watchdog three times within its patience that the loop turns, until cancelled."""
    patience = int(environment.get("WATCHDOG_USEC", "0")) / 1e6
    while patience:
        notify("WATCHDOG=1", environment)
        await asyncio.sleep(patience / 3)
