"""The program `straggler-lab`: how it starts the server and opens the app; its verbs are those of `sim`.

That it serves the app where it is installed is tried in `tests.test_wheel`.
"""

from __future__ import annotations

import http.server
import os
import runpy
import socket
import sys
import threading
import webbrowser
from pathlib import Path

import pytest

from sim.shell import app
from sim.shell import verbs as shell
from sim.telling.palette import INSTALLED, place
from tests.pages.server.made_site import site


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the words with which Streamlit is started."""
    words: list[str] = []
    monkeypatch.setattr(sys, "argv", ["straggler-lab"])
    monkeypatch.setattr(runpy, "run_module", lambda name, **more: words.extend([name, *sys.argv[1:]]))
    monkeypatch.setattr(app, "_opened", lambda *where: words.append(f"{where[2]} {where[3]}"))
    return words


def test_it_starts_the_app_on_a_free_port_of_this_machine(begun: list[str]) -> None:
    with socket.create_server(("localhost", 0)) as taken:
        app.USUAL_PORT, usual = taken.getsockname()[1], app.USUAL_PORT
        assert app.main([]) == 0
        port = app.USUAL_PORT
        app.USUAL_PORT = usual
    options = dict(word[2:].split("=") for word in begun if word.startswith("--"))
    assert options.keys() == {"server.address", "server.port", "server.headless"}
    assert options["server.address"] == "localhost"
    assert int(options["server.port"]) != port
    assert begun[begun.index("run") + 1] == str(Path(__file__).resolve().parents[2] / "app.py")
    assert f"http://localhost:{options['server.port']}/ True" in begun


def test_it_serves_the_network_and_opens_what_is_asked_for(begun: list[str]) -> None:
    assert app.main(["--lan", "127.0.0.1", "--open", "compare?v=1&preset=busy", "--no-browser"]) == 0
    assert {"--server.address=127.0.0.1", "--server.allowedHosts=127.0.0.1"} <= set(begun)
    (opened,) = (word for word in begun if word.startswith("http"))
    assert opened.startswith("http://127.0.0.1:")
    assert opened.endswith("/compare?v=1&preset=busy False")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--open", "http://elsewhere/"], "open: 'http://elsewhere/' is not accepted"),
        (["--open", "//elsewhere/"], "open: '//elsewhere/' is not accepted"),
        (["--open", "a\nb"], "open: "),
        (
            ["--docs", "nowhere"],
            "docs: 'nowhere' is not accepted; give a folder that sphinx-build has filled",
        ),
        (["--lan", "192.0.2.1"], "lan: '192.0.2.1' is not accepted"),  # an address that nobody has
        (["--port", "1"], "unrecognized arguments: --port"),
        (["nonsense"], "argument run | sweep"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(
    words: list[str], said: str, begun: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.main(words) == 2
    assert capsys.readouterr().err.startswith(f"straggler-lab: {said}")
    assert "streamlit" not in begun


@pytest.mark.parametrize("named", ["", "https://docs.example.edu/lab"])
def test_the_documents_are_named_to_the_server(
    named: str, begun: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRAGGLER_LAB_DOCS", "")  # so that it is as before in the end
    folder = site(tmp_path / "site").resolve()
    assert app.main(["--docs", named or str(folder)]) == 0
    assert os.environ["STRAGGLER_LAB_DOCS"] == (f"{named}/" if named else str(folder))


def test_verbs_are_those_of_sim(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main(["presets"]) == 0
    ours = capsys.readouterr().out
    assert shell.main(["presets"]) == 0
    assert capsys.readouterr().out == ours > ""
    assert all(name in app.parser().format_help() for name in shell.VERBS)


def test_the_browser_is_opened_once_the_server_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked, opened = [], []

    class Slow(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200 if len(asked) > 2 else 503)
            self.end_headers()

        def log_message(self, *words: object) -> None:
            pass

    monkeypatch.setattr(webbrowser, "open", opened.append)
    with http.server.HTTPServer(("localhost", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        app._opened("localhost", port, "http://the/page", True)
        app._opened("localhost", port, "http://the/other", False)
        server.shutdown()
    assert opened == ["http://the/page"]
    assert asked == ["/_stcore/health"] * 4
    assert capsys.readouterr().out == "straggler-lab: http://the/page\nstraggler-lab: http://the/other\n"


def test_an_installed_app_is_found_before_a_file_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "app.py").touch()  # of another package
    assert place(tmp_path) == tmp_path / "app.py"
    (tmp_path / INSTALLED).mkdir()
    (tmp_path / INSTALLED / "app.py").touch()
    assert place(tmp_path) == tmp_path / INSTALLED / "app.py"
