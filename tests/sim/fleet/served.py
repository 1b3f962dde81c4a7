"""A History Server of our own on loopback, for tests: its answers are a dictionary."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: What a path answers with: bytes; or a status and headers.
Answers = Mapping[str, bytes | tuple[int, dict[str, str]]]


@contextmanager
def serving(answers: Answers, asked: list[tuple[str, str]] | None = None) -> Iterator[str]:
    """Serve answers by path, with its query or without; yield the address without scheme."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if asked is not None:
                asked.append((path, self.headers.get("Authorization", "")))
            key = self.path if self.path in answers else path
            answer = answers.get(key, (404, {}))
            if isinstance(answer, bytes):
                answer = 200, {"Content-Length": f"{len(answer)}", "X-Body": key}
            self.send_response(answer[0])
            for name, value in answer[1].items():
                self.send_header(name, value)
            self.end_headers()
            body = answers.get(answer[1].get("X-Body", ""), b"")
            self.wfile.write(body if isinstance(body, bytes) else b"")

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def listed(**attempts: list[str]) -> bytes:
    """Return a list of applications, each with attempts of these ids; "" is one without."""
    return json.dumps(
        [
            {
                "id": name.replace("_", "-"),
                "name": f"the {name}",
                "attempts": [
                    {"lastUpdatedEpoch": 7, "completed": True} | ({"attemptId": one} if one else {})
                    for one in ids
                ],
            }
            for name, ids in attempts.items()
        ]
    ).encode()
