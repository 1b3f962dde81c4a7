"""Compare against the least that four charts cost: ``python -m tests.benchmarks.ratio``.

A trivial page of four Plotly charts of 200 points and a slider (`tests.benchmarks.trivial`), with the same
settings of Streamlit, and Compare take turns: so the speed of the machine, and what else runs on it, cancels
out. Beside seconds there is what depends on others little or not at all: messages and their bytes, processor
time of the server, and what the browser spends on scripts and layout for a move.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, CDPSession, Page

from tests.benchmarks.cold import CHART
from tests.benchmarks.latencies import conclude, held, with_allowance
from tests.benchmarks.page import LOAD, pressed, settle
from tests.benchmarks.sessions import Visitor
from tests.browser.chromium import launched
from tests.browser.plain import uninspected
from tests.browser.server import Server, serve

#: Name -> file that is served, and the address of the page.
PAGES = {
    "trivial": ("tests/benchmarks/trivial.py", ""),
    "Compare": ("app.py", "compare?v=2&preset=light&precision=10"),
}
TRIVIAL, OURS = PAGES
#: Steps of the slider to values that nobody has seen, and back and forth between two that are known.
FIRST, KNOWN = ["ArrowRight"] * 8, ["ArrowLeft", "ArrowRight"] * 8
#: What the browser counts, in seconds of its own.
COUNTED = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration", "TaskDuration")
KB_GOAL = 70


@dataclass
class Watched:
    """A page in a browser of its own, and what its moves have cost."""

    server: Server
    page: Page
    counters: CDPSession
    costs: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    received: list[int] = field(default_factory=list)

    def note(self, message: bytes | str) -> None:
        """Note a message from the server."""
        self.received.append(len(message))

    def move(self, key: str) -> None:
        """Move the slider and note what that costs."""
        before = self._counted()
        self.received.clear()
        waited = pressed(self.page, self.page.get_by_role("slider", name=LOAD), key)
        settle(self.page)
        self.costs["seconds until all charts are others"].append(waited)
        for name, value in self._counted().items():
            self.costs[name].append(value - before[name])
        self.costs["messages"].append(len(self.received))
        self.costs["kB of messages"].append(sum(self.received) / 1000)

    def _counted(self) -> dict[str, float]:
        found = self.counters.send("Performance.getMetrics")["metrics"]
        counted = {one["name"]: one["value"] for one in found if one["name"] in COUNTED}
        return counted | {"processor seconds of the server": processor(self.server)}


def processor(server: Server) -> float:
    """Return the processor seconds of a server so far."""
    user, system = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def opened(browser: Browser, name: str, server: Server) -> Watched:
    """Show a page in a window of its own."""
    page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
    counters = page.context.new_cdp_session(page)
    counters.send("Performance.enable")
    watched = Watched(server, page, counters)
    page.on("websocket", lambda socket: socket.on("framereceived", watched.note))
    page.goto(f"{server.url}/{PAGES[name][1]}")
    page.locator('[data-testid="stPlotlyChart"]').nth(3).wait_for(timeout=300_000)
    settle(page)
    return watched


async def sent(server: Server, name: str) -> tuple[int, int]:
    """Return messages and bytes of a visit whose answer is known."""
    page, _, query = PAGES[name][1].partition("?")
    async with Visitor(server.url.replace("http", "ws", 1), page, query) as visitor:
        await visitor.visit()
        await visitor.rest()
        return visitor.messages, visitor.bytes


def moves(rounds: int) -> None:
    """Let both pages take turns, and print what a visit and a move cost."""
    with ExitStack() as stack:
        folders = {name: Path(stack.enter_context(tempfile.TemporaryDirectory())) for name in PAGES}
        servers = {
            name: stack.enter_context(serve(folder, app=PAGES[name][0])) for name, folder in folders.items()
        }
        for name, server in servers.items():
            asyncio.run(sent(server, name))  # whose answer may still have to be found
            messages, size = asyncio.run(sent(server, name))
            print(f"{name}, a visit: {messages} messages, {size / 1000:.1f} kB")
            if name == OURS:
                held("kB of a visit", size / 1000, KB_GOAL)
        browser = stack.enter_context(launched())
        both = {name: opened(browser, name, server) for name, server in servers.items()}
        for title, keys, goal in (("first answer", FIRST, 2.0), ("known answer", KNOWN * rounds, 1.3)):
            for one in both.values():
                one.costs.clear()
            for key in keys:
                for one in both.values():
                    one.move(key)
            for what, ours in both[OURS].costs.items():
                least = both[TRIVIAL].costs[what]
                told = f"{median(ours):.3g} against {median(least):.3g}"
                print(f"{title}, {what}: {told}, ratio {median(ours) / (median(least) or 1e-3):.2f}")
            waited = {name: median(next(iter(one.costs.values()))) for name, one in both.items()}
            held(f"{title}, as often as the trivial page's", waited[OURS] / waited[TRIVIAL], goal)


def start(name: str) -> float:
    """Return the seconds from the start of a server to four charts in an empty browser."""
    app, address = PAGES[name]
    with uninspected() as browser, tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        with serve(Path(folder), app=app) as server:
            browser.wait_for(browser.opened(f"{server.url}/{address}"), CHART, 4)
            return time.perf_counter() - begun


def main() -> int:
    """Measure and print; return 1 if a ratio is far beyond its goal."""
    parser = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("--rounds", type=int, default=2, help="starts, and sixteen known moves each (2)")
    parser.add_argument("--only", choices=("moves", "start"))
    chosen = parser.parse_args()
    subprocess.run([sys.executable, "-m", "sim", "compile"], check=True, capture_output=True)
    if chosen.only != "start":
        moves(chosen.rounds)
    if chosen.only != "moves":
        started = {name: [] for name in PAGES}
        for _ in range(chosen.rounds):
            for name, seconds in started.items():
                seconds.append(start(name))
        ours, least = (median(started[name]) for name in (OURS, TRIVIAL))
        print(f"warm start: {ours:.1f} against {least:.1f} s")
        held("warm start, as often as the trivial page's", ours / least, 1.15)
    return conclude(chosen.allowance)


if __name__ == "__main__":
    sys.exit(main())
