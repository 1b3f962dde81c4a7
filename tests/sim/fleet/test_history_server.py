"""A History Server is read within limits, and nothing is told of its credentials."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time

import pytest

from sim.advice.fleet import history_server as module
from sim.advice.fleet.history_server import Application, applications, download, history_server, owners
from sim.model.fields import BadInput
from tests.sim.fleet.served import listed, serving

API = "/api/v1/applications"
APPLICATION = Application("app-1", "", "the app_1", "7")


def test_applications_and_attempts_are_listed_and_their_logs_downloaded() -> None:
    asked: list[tuple[str, str]] = []
    answers = {
        f"/spark{API}": listed(app_1=[""], app_2=["2", "1"]),
        f"/spark{API}/app-1/logs": b"zip of 1",
        f"/spark{API}/app-2/1/logs": b"zip of 2/1",
    }
    with serving(answers, asked) as address:
        server = history_server(f"http://ann:s%20cret@{address}/spark/")
        found = applications(server)
        assert [(one.called, one.name, one.changed) for one in found] == [
            ("app-1", "the app_1", "7"),
            ("app-2/2", "the app_2", "7"),
            ("app-2/1", "the app_2", "7"),
        ]
        assert applications(server, 2) == found[:2]
        assert download(server, found[0]) == b"zip of 1"
        assert download(server, found[2]) == b"zip of 2/1"
    assert {authorization for _, authorization in asked} == {"Basic YW5uOnMgY3JldA=="}


def test_a_redirect_is_followed_to_the_same_host_only() -> None:
    asked: list[tuple[str, str]] = []
    with serving({API: listed(app_1=[""])}, asked) as other:
        here = {
            f"{API}/app-1/logs": (302, {"Location": "/moved"}),
            "/moved": b"zip",
            API: (302, {"Location": f"http://{other}{API}"}),
            f"{API}/app-2/logs": (302, {"Location": "file:///etc/passwd"}),
        }
        with serving(here) as address:
            server = history_server(f"http://ann:secret@{address}")
            assert download(server, APPLICATION) == b"zip"
            with pytest.raises(BadInput, match="another host"):
                applications(server)
            with pytest.raises(BadInput, match="status 302"):
                download(server, Application("app-2", "", "", ""))
    assert not asked


def test_an_answer_is_bounded_in_bytes_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {f"{API}/app-1/logs": bytes(2**20), API: listed(app_1=[""])}
    with serving(answers) as address:
        server = history_server(f"http://{address}")
        assert len(download(server, APPLICATION, 2**20)) == 2**20
        with pytest.raises(BadInput, match="is refused"):
            download(server, APPLICATION, 2**20 - 1)
        monkeypatch.setattr(module, "DEADLINE_S", -1.0)
        with pytest.raises(BadInput, match="no answer in time"):
            download(server, APPLICATION)
    monkeypatch.setattr(module, "TIMEOUT_S", 0.05)
    silent = socket.create_server(("127.0.0.1", 0))
    with silent, pytest.raises(BadInput, match="no answer in time"):
        applications(history_server(f"http://127.0.0.1:{silent.getsockname()[1]}"))


DRIPPING = {
    "a header": [b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 50, *[b"z"] * 10_000],
    "the size of a chunk": [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", *[b"0"] * 10_000],
    "a body": [b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", *[b" "] * 10_000],
}


@pytest.mark.parametrize("parts", DRIPPING.values(), ids=DRIPPING)
def test_a_server_that_sends_a_byte_now_and_then_is_left(
    parts: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DEADLINE_S", 0.5)
    begun, done = time.monotonic(), threading.Event()

    def drip(listening: socket.socket) -> None:
        served, _ = listening.accept()
        with served, contextlib.suppress(OSError):
            for part in parts:
                served.sendall(part)
                if done.wait(0.01):
                    return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=drip, args=(listening,), daemon=True)
        server.start()
        with pytest.raises(BadInput, match="no answer in time"):
            applications(history_server(f"http://127.0.0.1:{listening.getsockname()[1]}"))
        assert time.monotonic() - begun < 10  # 100 s of bytes; the time-out between two of them is 30 s
        done.set()
        server.join()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"[" * 200_000, "no list of applications"),
        (b'[{"id": "a", "attempts": 5}]', "no list of applications"),
        (b'[{"id": "a", "name": "\xff"}]', "no list of applications"),
        (b"<html>", "no list of applications"),
        (b'{"id": 1}', "no list of applications"),
        ((401, {}), "credentials"),
        ((403, {}), "refuses access"),
        ((404, {}), "no such thing"),
        ((500, {}), "status 500"),
        ((200, {"Content-Length": "100"}), "broke off"),
    ],
)
def test_what_goes_wrong_is_said_without_the_password(
    answer: bytes | tuple[int, dict[str, str]], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving({API: answer}) as address:
        server = history_server(f"http://ann:secret@{address}")
        with pytest.raises(BadInput, match=said) as error:
            applications(server)
    told = f"{error.value} {error.value.__cause__} {server!r} {caplog.text}"
    assert address in told
    assert "secret" not in told
    assert "ann" not in told


def test_ids_that_would_change_the_path_are_not_listed_and_not_asked_for() -> None:
    with serving({API: b'[{"id": "../x", "name": "x", "attempts": [{}]}]'}) as address:
        server = history_server(f"http://{address}")
        assert applications(server) == []
    with pytest.raises(BadInput, match="is not accepted"):
        download(server, Application("a/../../b", "", "", ""))


@pytest.mark.parametrize(
    "text",
    ["", "history:18080", "ftp://history", "http://", "http://ann:secret@h:port", "http://h/?user=secret"],
)
def test_what_is_no_address_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(BadInput, match=r"^address: give http://HOST:PORT") as error:
        history_server(text)
    assert "secret" not in str(error.value)


def test_the_owner_names_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(module.VARIABLE, raising=False)
    assert owners() is None
    monkeypatch.setenv(module.VARIABLE, "https://ann:secret@h/api/v1")
    found = owners()
    assert found is not None
    assert found.root == "https://h"
    assert found.authorization
