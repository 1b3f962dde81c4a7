"""A Chromium without a debugger: it opens a page as a visitor's does, and only reports what it shows.

Playwright listens to every request, for which the browser notes where in a script each was made. Plotly's
file makes one while it begins, and to note where takes longer than all the rest of that: 0.4 s that no
visitor waits.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.browser.chromium import FLAGS, required_chromium

#: Seconds between two looks at a page, and until a browser must have started.
LOOK_S, PATIENCE_S = 0.01, 60.0


class Plain:
    """The browser, asked through its debugging socket with nothing of it switched on.

    Parameters
    ----------
    socket : ClientConnection
        To the browser itself.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = count(1)

    def opened(self, address: str) -> str:
        """Open a page and return what names it."""
        target = self._ask("Target.createTarget", url=address)["targetId"]
        session: str = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return session

    def answer(self, session: str, expression: str) -> Any:
        """Return what an expression is on a page; None where it fails, or while the page changes."""
        asked = self._ask("Runtime.evaluate", session, expression=expression, returnByValue=True)
        return asked.get("result", {}).get("value")

    def wait_for(self, session: str, selector: str, number: int, patience: float = 120) -> None:
        """Wait until a page shows so many elements.

        Raises
        ------
        TimeoutError
            If it does not within so many seconds.
        """
        seen = f"document.querySelectorAll({json.dumps(selector)}).length"
        deadline = time.monotonic() + patience
        while (self.answer(session, seen) or 0) < number:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{selector}: not {number} of them after {patience:g} s")
            time.sleep(LOOK_S)

    def _ask(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        page = {"sessionId": session} if session else {}
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters, **page}))
        while True:
            message = json.loads(self._socket.recv(PATIENCE_S))
            if message.get("id") == number:
                result: dict[str, Any] = message.get("result", {})
                return result


@contextmanager
def uninspected() -> Iterator[Plain]:
    """Run the browser, without a window and with an empty cache."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        line = [str(required_chromium()), "--headless", *FLAGS, "--window-size=1366,768"]
        line += ["--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"]
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with connect(_socket_of(Path(folder)), max_size=None) as socket:
                yield Plain(socket)
        finally:
            process.terminate()
            process.wait()


def _socket_of(folder: Path) -> str:
    """Return the address of the browser's debugging socket, which it writes into its folder."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            port, path = (folder / "DevToolsActivePort").read_text().split()
        except (OSError, ValueError):
            time.sleep(LOOK_S)
        else:
            return f"ws://127.0.0.1:{port}{path}"
    raise TimeoutError(f"the browser did not start within {PATIENCE_S:g} s")
