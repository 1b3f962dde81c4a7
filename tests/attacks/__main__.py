"""Attacks on a server of our own: ``python -m tests.attacks [--share 1] [--seed 1] [--long 15] [CLASS ...]``.

A server of our own on this machine is attacked by one class after the other; behind each an ordinary visitor
must be answered. Said are the tries of each class, what did not hold, the errors in the server's log, its
threads and its memory. The classes are in `tests.attacks.classes`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pages.server.log import MOST_TRACES
from tests.attacks import stranger
from tests.attacks.classes import CLASSES, PATIENCE_S
from tests.attacks.stranger import Stranger, asked
from tests.browser.server import Server, serve

#: Tracebacks that one class may leave in the log: those of ten minutes, twice.
MOST_TRACEBACKS = 2 * MOST_TRACES


@dataclass
class Held:
    """What came of one class."""

    tries: int
    failed: list[str]
    tracebacks: int
    threads: int
    megabytes: float
    seconds: float


async def attack(server: Server, name: str, share: float, seed: int) -> Held:
    """Try one class, then be an ordinary visitor."""
    run, most = CLASSES[name]
    tries, begun = max(1, round(most * share)), time.monotonic()
    before = server.log.count("Traceback")
    failed = await run(server.port, tries, random.Random(f"{seed} {name}"))
    try:
        async with Stranger(server.port, "threshold") as visitor:
            await visitor.run(patience=PATIENCE_S)
        if visitor.exceptions or not visitor.widgets:
            failed.append("an ordinary visitor is not answered")
    except TimeoutError:
        failed.append("an ordinary visitor waits")
    tracebacks = server.log.count("Traceback") - before
    if tracebacks > MOST_TRACEBACKS:
        failed.append(f"{tracebacks} tracebacks in the log")
    folder = Path(f"/proc/{server.process.pid}")
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    return Held(
        tries,
        failed,
        tracebacks,
        int(status["Threads"]),
        int(status["VmRSS"].split()[0]) / 1024,
        time.monotonic() - begun,
    )


def wait_until_ready(port: int, patience: float = 900) -> None:
    """Wait until the engines are compiled."""
    deadline = time.monotonic() + patience
    while asked(port, "GET", "/readyz")[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.5)


def main() -> None:
    """Attack, and say what held; status 1 if something did not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the tries of the deep run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--long", type=float, default=stranger.LONG_S, help="seconds for a page that computes"
    )
    parser.add_argument("classes", nargs="*", default=list(CLASSES))
    asked_for = parser.parse_args()
    stranger.LONG_S = asked_for.long
    total, wrong = 0, False
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as server:
        wait_until_ready(server.port)
        for name in asked_for.classes:
            held = asyncio.run(attack(server, name, asked_for.share, asked_for.seed))
            total += held.tries
            wrong |= bool(held.failed)
            print(
                f"{name}: {held.tries} tries, {len(held.failed)} did not hold; in the log {held.tracebacks} "
                f"tracebacks; {held.threads} threads, {held.megabytes:.0f} MB, {held.seconds:.0f} s",
                flush=True,
            )
            for text, count in Counter(held.failed).most_common(20):
                print(f"    {count} x {text}", flush=True)
        print(f"{total} tries with seed {asked_for.seed}")
        Path(tempfile.gettempdir(), "attacked.log").write_text(server.log)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
