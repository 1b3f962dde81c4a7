"""What the server accepts and refuses, asked without a browser."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest

from tests.browser.server import Server, serve


def handshake(server: Server, host: str) -> int:
    """Ask for the socket of the app under the name `host`; return the status of the answer."""
    connection = http.client.HTTPConnection("localhost", server.port, timeout=10)
    headers = {
        "Host": host,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "c3RyYWdnbGVyLWxhYiE9PQ==",
    }
    try:
        connection.request("GET", "/_stcore/stream", headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_this_machine_may_open_a_session(server: Server, host: str) -> None:
    assert handshake(server, f"{host}:{server.port}") == 101


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example"])
def test_a_page_that_renames_its_host_may_not(server: Server, host: str) -> None:
    assert handshake(server, f"{host}:{server.port}") == 403


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="toolbarMod"), serve(tmp_path, "--client.toolbarMod=viewer"):
        pass
