"""A class on one link that moves one slider at once, through nginx.

``python -m tests.benchmarks.class_of_200`` hosts the site of `deploy/`: TLS, one base path, two processes on
the cores of this machine. Each visitor asks for the page as a browser does, gets the cookie that names a
process, and opens a socket to that one; so the class is split as newcomers are. The clock runs from the move
to the fourth chart received. Visitors share the machine; who took how much processor time is told, too:
all of it divided by the cores is what a class has to wait at least.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tests.benchmarks.latencies import conclude, told, with_allowance
from tests.benchmarks.page import LOAD
from tests.benchmarks.sessions import Visitor
from tests.hosting.site import TRUSTING, Site, hosted

LINK = "v=2&preset=light&precision=10"


def newcomer(site: Site, link: str = LINK) -> Visitor:
    """Ask for the page without a cookie, and return a visitor with the one that came."""
    cookie = site.ask("compare", password=False).cookies["lab_server"].partition(";")[0]
    base = site.url.replace("https", "wss", 1)
    return Visitor(base, "compare", link, headers={"Cookie": cookie}, trust=TRUSTING)


async def a_class(site: Site, count: int, moves: int) -> list[float]:
    """Let a class open the link and move the slider at the same instants; return the seconds of the moves."""
    visitors = [newcomer(site) for _ in range(count)]
    print("visitors of each process:", dict(Counter(one.headers["Cookie"] for one in visitors)))
    await asyncio.gather(*(one.__aenter__() for one in visitors))
    told(f"{count} open the link at once", await asyncio.gather(*(one.visit() for one in visitors)))
    every: list[float] = []
    for number in range(moves):
        await asyncio.sleep(4)
        load = (0.55, 0.6, 0.65, 0.6)[number % 4]
        before = spent(site)
        moved = await asyncio.gather(*(one.move(LOAD, load) for one in visitors))
        took = {name: seconds - before[name] for name, seconds in spent(site).items()}
        told(f"{count} move the slider to {load} at once", moved, 1200)
        parts = ", ".join(f"{name} {seconds:.2f}" for name, seconds in took.items())
        print(f"    processor time {sum(took.values()):.2f} s: {parts}", flush=True)
        every += moved
    print(f"errors: {[error for one in visitors for error in one.errors] or 'none'}")
    await asyncio.gather(*(one.__aexit__(None, None, None) for one in visitors))
    return every


def spent(site: Site) -> dict[str, float]:
    """Return the seconds of processor time that processes, nginx and the visitors have used so far."""
    found = {}
    for name, process in site.running.items():
        family = [process.pid, *children(process.pid)]
        found[name if name == "nginx" else f"process {name}"] = sum(map(seconds_of, family))
    return {**found, "visitors": time.process_time()}


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def seconds_of(pid: int) -> float:
    """Return the processor time of a process, all its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(site: Site, which: str) -> float:
    """Return the resident memory of a process in MB."""
    status = Path(f"/proc/{site.running[which].pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> int:
    """Measure and print; return 1 if visitors wait for too long."""
    parser = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("--visitors", type=int, default=200)
    parser.add_argument("--moves", type=int, default=8)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, hosted(Path(folder), password=False) as site:
        asyncio.run(a_class(site, 4, 1))  # what is loaded at the first visit
        moved = asyncio.run(a_class(site, chosen.visitors, chosen.moves))
        told(f"all moves of {chosen.visitors}", moved, 1200)
        print("memory:", {which: f"{memory(site, which):.0f} MB" for which in site.numbers})
        print(f"cores: {os.cpu_count()}, slowest of all {np.max(moved):.2f} s")
    return conclude(chosen.allowance)


if __name__ == "__main__":
    sys.exit(main())
