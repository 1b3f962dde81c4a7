"""Requests that the server accepts and refuses, and the page its first visitor gets."""

from __future__ import annotations

import http.client
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import FIRST, listen
from tests.browser.looks import CHARTS
from tests.browser.server import Server, serve

pytestmark = pytest.mark.browser


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


def test_the_first_visitor_of_a_server_comes_to_the_page_asked_for(
    browser: Browser, tmp_path: Path, complaints: list[str]
) -> None:
    with serve(tmp_path) as fresh:
        page = browser.new_page()
        listen(page, complaints)
        page.goto(f"{fresh.url}/compare?preset=busy&v=1")
        expect(page.get_by_role("heading", name="When jobs of all sizes compete in bursts")).to_be_visible()
        expect(page).to_have_title("Compare · straggler-lab")
        expect(page).to_have_url(re.compile(r"/compare\?.*preset=busy"))
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("link", name="Start")).to_be_visible()  # the app's own navigation
        expect(page.locator(CHARTS).nth(3)).to_be_visible(timeout=FIRST)
        page.close()
    assert not complaints  # such as that there is no such page


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_this_machine_may_open_a_session(server: Server, host: str) -> None:
    assert handshake(server, f"{host}:{server.port}") == 101


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example"])
def test_a_page_that_renames_its_host_may_not(server: Server, host: str) -> None:
    assert handshake(server, f"{host}:{server.port}") == 403


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="toolbarMod"), serve(tmp_path, "--client.toolbarMod=viewer"):
        pass
