"""Paths that are open or refused, and the health checks."""

from __future__ import annotations

import pytest
from starlette.types import Receive, Scope, Send
from streamlit import config

from pages.server.headers import SecurityHeaders
from pages.server.messages import LONGEST, LONGEST_LINK, Gate, below
from tests.pages.server.asking import ask, page


async def forbidden(scope: Scope, receive: Receive, send: Send) -> None:
    """Stand for Streamlit where a request must not reach it."""
    raise AssertionError(f"{scope['path']} was handed on")


@pytest.fixture
def gate() -> Gate:
    return Gate(page, ready=lambda: True)


@pytest.mark.parametrize("path", ["/", "/compare", "/no-such-page", "/static/js/x.js", "/media/1.csv"])
def test_pages_and_their_parts_are_open(gate: Gate, path: str) -> None:
    assert ask(gate, path).body == "a page"


@pytest.mark.parametrize("path", ["/_stcore/health", "/_stcore/host-config", "/_stcore/stream"])
def test_what_a_page_asks_for_is_open(gate: Gate, path: str) -> None:
    assert ask(gate, path).body == "a page"


@pytest.mark.parametrize(
    "path",
    [
        *("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/message", "/_stcore"),
        *("/_stcore/agent/interact", "/_stcore/agent/mcp", "/_stcore/agent/openapi.json"),
        *("/_stcore/bidi-components/a/b.js", "/_stcore/upload_file", "/_stcore/upload_file/a/b/c"),
        *("/component/a/index.html", "/auth/login", "/auth/logout", "/oauth2callback", "/app/static/x"),
        *("/compare/_stcore/metrics", "/compare/_stcore/health", "/a\n/_stcore/metrics"),
    ],
)
def test_what_no_page_asks_for_is_not(path: str) -> None:
    assert ask(Gate(forbidden, ready=lambda: True), path).status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT"])
def test_a_page_can_only_be_read(method: str) -> None:
    assert ask(Gate(forbidden, ready=lambda: True), "/compare", method).status == 405


@pytest.mark.parametrize(
    ("method", "status"), [("PUT", 200), ("DELETE", 200), ("OPTIONS", 200), ("POST", 405)]
)
def test_files_are_put_and_taken_away(gate: Gate, method: str, status: int) -> None:
    assert ask(gate, "/_stcore/upload_file/session/file", method).status == status


def test_a_link_that_no_page_could_be_told_of_is_answered_in_words(gate: Gate) -> None:
    base = "http://" + "h" * 253 + ":65535/a/base/path/compare?"  # an address with the longest name of a host
    assert len(base) + LONGEST_LINK <= LONGEST
    assert ask(gate, "/compare", query="x" * LONGEST_LINK).body == "a page"
    refused = ask(Gate(forbidden, ready=lambda: True), "/compare", query="x" * (LONGEST_LINK + 1))
    assert refused.status == 414
    assert "open the page without what follows the question mark" in refused.body


def test_it_is_alive_before_it_is_ready() -> None:
    ready = False
    gate = Gate(forbidden, ready=lambda: ready)
    assert ask(gate, "/healthz").status == 200
    assert ask(gate, "/readyz").status == 503
    assert "compiled" in ask(gate, "/readyz").body
    ready = True
    assert ask(gate, "/readyz").status == 200


def test_health_is_told_to_whoever_asks_by_address() -> None:
    assert ask(Gate(forbidden, ready=lambda: True), "/healthz", host="192.0.2.1:8501").status == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost@evil.example", ""])
def test_another_name_of_the_server_is_refused(host: str) -> None:
    assert ask(Gate(forbidden, ready=lambda: True), "/compare", host=host).status == 421


@pytest.mark.parametrize("origin", [None, "http://localhost:8501", "https://localhost:8501"])
def test_a_page_of_this_server_opens_a_socket(gate: Gate, origin: str | None) -> None:
    given = {"origin": origin} if origin else {}
    asked = ask(gate, "/_stcore/stream", kind="websocket", host="localhost:8501", **given)
    assert asked.kinds == ["websocket.accept"]


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://localhost:9999",
        "http://127.0.0.1:8501",
        "null",
        "https://x@y",
        "http://[",
        "",
    ],
)
def test_a_page_of_another_server_does_not(origin: str) -> None:
    gate = Gate(forbidden, ready=lambda: True)
    asked = ask(gate, "/_stcore/stream", kind="websocket", host="localhost:8501", origin=origin)
    assert asked.kinds == ["websocket.close"]


@pytest.mark.parametrize(
    ("path", "base", "rest"),
    [
        ("/lab/compare", "lab", "compare"),
        ("/lab/compare", "/lab/", "compare"),
        ("/lab", "lab", ""),
        ("/lab/", "lab", ""),
        ("/labor/compare", "lab", None),
        ("/compare", "lab", None),
        ("/compare", "", "compare"),
    ],
)
def test_a_path_is_taken_below_the_base_path(path: str, base: str, rest: str | None) -> None:
    assert below(path, base) == rest


def test_below_a_base_path_the_same_is_refused_and_nothing_is_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = config.get_option
    monkeypatch.setattr(
        config, "get_option", lambda name: "lab" if name == "server.baseUrlPath" else known(name)
    )
    assert ask(Gate(page, ready=lambda: True), "/lab/compare").status == 200
    gate = Gate(forbidden, ready=lambda: True)
    assert ask(gate, "/lab/_stcore/metrics").status == 404
    assert ask(gate, "/lab/readyz").status == 200
    assert ask(gate, "/compare").status == 404


def test_a_refusal_has_the_headers_too() -> None:
    answer = ask(SecurityHeaders(Gate(forbidden, ready=lambda: True)), "/_stcore/metrics")
    assert answer.status == 404
    assert answer.headers["x-frame-options"] == "DENY"
