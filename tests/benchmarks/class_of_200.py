"""A class on one link that moves one slider at once, through nginx: ``python -m tests.benchmarks.class_of_200``.

The site is the one of `deploy/`: TLS, one base path, two processes on the cores of this machine. Each visitor asks for
the page as a browser does, gets the cookie that names a process, and opens a socket to that one; so the class is split
as newcomers are. The clock runs from the move to the fourth chart received. Visitors share the machine, and their
part of its time is told.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tests.benchmarks.page import LOAD, told
from tests.benchmarks.sessions import Visitor
from tests.hosting.site import TRUSTING, Site, hosted

LINK = "v=1&preset=light&precision=10"


def newcomer(site: Site) -> Visitor:
    """Ask for the page without a cookie, and return a visitor with the one that came."""
    cookie = site.ask("compare", password=False).cookies["lab_server"].partition(";")[0]
    base = site.url.replace("https", "wss", 1)
    return Visitor(base, "compare", LINK, headers={"Cookie": cookie}, trust=TRUSTING)


async def a_class(site: Site, count: int, moves: int) -> list[float]:
    """Let a class open the link and move the slider at the same instants; return the seconds of the moves."""
    visitors = [newcomer(site) for _ in range(count)]
    print("visitors of each process:", dict(Counter(one.headers["Cookie"] for one in visitors)))
    await asyncio.gather(*(one.__aenter__() for one in visitors))
    told(f"{count} open the link at once", await asyncio.gather(*(one.visit() for one in visitors)), "-")
    every: list[float] = []
    for number in range(moves):
        await asyncio.sleep(4)
        load = (0.55, 0.6, 0.65, 0.6)[number % 4]
        begun, own = time.perf_counter(), time.process_time()
        moved = await asyncio.gather(*(one.move(LOAD, load) for one in visitors))
        share = (time.process_time() - own) / (time.perf_counter() - begun)
        told(f"{count} move the slider to {load} at once", moved, "p95 1500")
        print(f"    the visitors themselves took {share:.0%} of a core")
        every += moved
    print(f"errors: {[error for one in visitors for error in one.errors] or 'none'}")
    await asyncio.gather(*(one.__aexit__(None, None, None) for one in visitors))
    return every


def memory(site: Site, which: str) -> float:
    """Return the resident memory of a process in MB."""
    status = Path(f"/proc/{site.running[which].pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=200)
    parser.add_argument("--moves", type=int, default=8)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, hosted(Path(folder), password=False) as site:
        asyncio.run(a_class(site, 4, 1))  # what is loaded at the first visit
        moved = asyncio.run(a_class(site, chosen.visitors, chosen.moves))
        told(f"all moves of {chosen.visitors}", moved, "p95 1500")
        print("memory:", {which: f"{memory(site, which):.0f} MB" for which in site.numbers})
        print(f"cores: {os.cpu_count()}, slowest of all {np.max(moved):.2f} s")


if __name__ == "__main__":
    main()
