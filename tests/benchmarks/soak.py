"""Whether a server stays well for half an hour: ``python -m tests.benchmarks.soak [--minutes 30]``.

A hundred visitors go from page to page, a websocket each, move sliders to values of their own and close the
page; now and then one gives a large file, or a log to be diagnosed. Beside them one class after the other
answers in a room of its own, and one map after the other is computed. Every few seconds memory, threads and
open files of the server are noted, and how much of the memory are answers and files that it keeps, which are
bounded and fill up for hours. It is well if memory stays below a bound; if, without what is kept, its median
in the last third of the time is within 5 % of that in the middle third, and no minute's median in the second
half leaves that of all by more; if threads and open files do not grow; and if nobody met an error. It ends
with status 1 if it is not.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import sys
import tempfile
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import websockets

from pages.server.run import METRICS
from sim.logs.formats import table
from tests.benchmarks.map import a_map
from tests.benchmarks.room import CODE, SHOWN, Guest, counted
from tests.benchmarks.room import found as heard
from tests.benchmarks.sessions import Visitor
from tests.browser.server import Server, serve

#: Pages, the charts that are their first sight, and a slider on each, with its values.
PAGES: dict[str, tuple[int, str, tuple[float, ...]]] = {
    "": (1, "Tasks", tuple(range(10, 200, 10))),
    "learn": (1, "", ()),
    "compare": (4, "How busy the cluster is: load ρ₀", tuple(k / 20 for k in range(2, 30))),
    "map": (1, "", ()),
    "threshold": (2, "S", tuple(range(20, 200, 5))),
    "allocation": (1, "Slots S", tuple(range(20, 200, 5))),
    "cloning": (1, "", ()),
    "detection": (1, "", ()),
    "coding": (1, "", ()),
    "decentralised": (1, "", ()),
    "diagnose": (1, "", ()),
    "whatif": (1, "", ()),
    "fleet": (1, "", ()),
    "beforeafter": (1, "", ()),
    "wait": (1, "", ()),
    "reproductions": (1, "", ()),
    "errata": (1, "", ()),
    "room": (0, "", ()),
}
#: What is asked of pages that show little or take long otherwise.
ASKED = {"whatif": "v=1&replications=20", "reproductions": "v=1&claim=xl-fig4-alpha2"}
#: What visitors of Compare ask for, each with a seed of its own: mostly the preset that opens quickest, now
#: and then one of 6,000 or 10,000 jobs.
QUICK, LARGE, SEEDS = "light", ("busy", "hopper-fair", "hopper-locality"), 200
LARGE_SHARE = 0.3
#: Seconds between two looks at the server, and most seconds a visitor reads before going on.
LOOK_S, READ_S = 5.0, 10.0
#: How many visitors of Compare give a file, and how many jobs it has; how many of Diagnose give a log.
GIVES, JOBS, LOGS = 0.1, (1_000, 10_000, 200_000), 0.5
#: Students of a class.
STUDENTS = 10
#: Where the server tells its measures, and the one of what it keeps.
MEASURED_AT, KEPT = "127.0.0.1:9137", "straggler_lab_kept_bytes "
#: Resident memory that is too much, in MB, and by how much its second half may leave its median.
MOST_MB, FLAT = 1500, 0.05


@dataclass
class Noted:
    """What was seen of a server."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    at: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    kept: list[float] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)

    def look(self, server: Server, now: float) -> None:
        """Note what the server uses."""
        folder = Path(f"/proc/{server.process.pid}")
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        self.at.append(now)
        self.memory.append(int(status["VmRSS"].split()[0]) / 1024)
        self.kept.append(kept_bytes() / 2**20)
        self.threads.append(int(status["Threads"]))
        self.files.append(len(os.listdir(folder / "fd")))

    @property
    def own(self) -> list[float]:
        """Memory without the answers and files that are kept."""
        return (np.array(self.memory) - self.kept).tolist()

    def by_minutes(self) -> list[float]:
        """Return the median of `own` in each minute: a file that is read takes much for seconds."""
        minutes = itertools.groupby(zip(self.at, self.own, strict=True), lambda pair: int(pair[0] // 60))
        return [float(np.median([memory for _, memory in of_one])) for _, of_one in minutes]

    def verdict(self) -> list[str]:
        """Say what is not well."""
        threads, files = (np.array(series[len(series) // 2 :]) for series in (self.threads, self.files))
        memory = np.array(self.by_minutes())[-max(1, int(self.at[-1] / 120)) :]
        middle = float(np.median(memory))
        found = []
        if max(self.memory) > MOST_MB:
            found.append(f"memory reached {max(self.memory):.0f} MB; at most {MOST_MB} MB")
        if np.abs(memory - middle).max() > FLAT * middle:
            found.append(
                "memory without what is kept by minutes of the second half is "
                f"{memory.min():.0f} to {memory.max():.0f} MB; within {FLAT:.0%} of {middle:.0f} MB"
            )
        middle, last = (float(np.median(third)) for third in np.array_split(np.array(self.own), 3)[1:])
        if abs(last - middle) > FLAT * middle:
            found.append(
                f"memory without what is kept went from {middle:.0f} to {last:.0f} MB in the last third"
            )
        for name, series in (("threads", threads), ("open files", files)):
            first, last = np.median(series[: len(series) // 2]), np.median(series[len(series) // 2 :])
            if last > 1.2 * first + 5:
                found.append(f"{name} grew from {first:.0f} to {last:.0f} in the second half")
        found += [f"{count} × {error}" for error, count in self.errors.items()]
        return found


def kept_bytes() -> float:
    """Return how much of the server's memory are answers and files that it keeps."""
    with urllib.request.urlopen(f"http://{MEASURED_AT}/metrics", timeout=60) as answer:
        told = answer.read().decode()
    return float(next(line.split()[1] for line in told.splitlines() if line.startswith(KEPT)))


def jobs(dice: random.Random) -> bytes:
    """Return a file of jobs."""
    count, seed = dice.choice(JOBS), dice.randrange(1000)
    rows = "".join(f"j{number},{number * 3},{1 + (number * seed) % 40}\n" for number in range(count))
    return f"job_id,submit,tasks\n{rows}".encode()


def log(dice: random.Random) -> bytes:
    """Return a log that nobody has given before."""
    return table.template().replace("nightly", f"job{dice.getrandbits(64)}").encode()


async def a_class(base: str, noted: Noted, dice: random.Random) -> None:
    """Open a room, let students join it, ask a question, let all answer, show the answer."""
    async with AsyncExitStack() as all_of_them:
        teacher = await all_of_them.enter_async_context(Guest(base, "room"))
        await teacher.press("Open a room")
        await teacher.until(lambda: heard(teacher, CODE))
        query = f"room={heard(teacher, CODE)[0][0][1]}"
        guests = [await all_of_them.enter_async_context(Guest(base, "room", query)) for _ in range(STUDENTS)]
        await teacher.press("Ask it")
        for one in guests:
            await one.choose(dice)
        begun = time.monotonic()
        for one in guests:
            await one.press("Send")
        await teacher.until(lambda: counted(teacher) == STUDENTS)
        noted.seconds["a class answers"].append(time.monotonic() - begun)
        begun = time.monotonic()
        await teacher.press("Show the answer")
        for one in guests:
            await one.until(lambda one=one: heard(one, SHOWN))
        noted.seconds["an answer is shown"].append(time.monotonic() - begun)
        noted.errors.update(f"room: {error}" for one in (teacher, *guests) for error in one.errors)
        await teacher.press("End the room")


async def again(work: Callable[[int], Awaitable[None]], end: float, noted: Noted, name: str) -> None:
    """Do something again and again until the end."""
    for number in itertools.count(1):
        if time.monotonic() >= end:
            return
        try:
            await work(number)
        except (TimeoutError, RuntimeError, OSError, websockets.WebSocketException) as error:
            noted.errors[f"{name}: {type(error).__name__}: {str(error)[:100]}"] += 1
            await asyncio.sleep(READ_S)


async def visitor(base: str, number: int, end: float, noted: Noted, dice: random.Random) -> None:
    """Let one visitor go from page to page until the end."""
    while time.monotonic() < end:
        await asyncio.sleep(dice.uniform(0, READ_S))
        page = dice.choice(list(PAGES))
        charts, label, values = PAGES[page]
        preset = dice.choice(LARGE) if dice.random() < LARGE_SHARE else QUICK
        seed = dice.randrange(SEEDS)
        query = ASKED.get(page, "")
        if page == "compare":
            query = f"v=2&preset={preset}&precision=10&seed={seed}"
        try:
            async with asyncio.timeout(180), Visitor(base, page, query) as one:
                one.charts_wanted = charts
                noted.seconds[f"open {page or 'start'}"].append(await one.visit())
                for _ in range(dice.randrange(3) if label else 0):
                    await asyncio.sleep(dice.uniform(0, READ_S))
                    moved = await one.move(label, dice.choice(values))
                    noted.seconds[f"move {page or 'start'}"].append(moved)
                if page == "compare" and dice.random() < GIVES:
                    noted.seconds["give a file"].append(await one.give("jobs.csv", jobs(dice)))
                if page == "diagnose" and dice.random() < LOGS:
                    noted.seconds["give a log"].append(await one.give("log.csv", log(dice)))
                noted.errors.update(f"{page}: {error}" for error in one.errors)
        except (TimeoutError, RuntimeError, OSError, websockets.WebSocketException) as error:
            noted.errors[f"{page or 'start'}: {type(error).__name__}: {str(error)[:100]}"] += 1


async def soak(server: Server, minutes: float, visitors: int) -> Noted:
    """Let visitors come and go, and look at the server."""
    noted, begun = Noted(), time.monotonic()
    end = begun + 60 * minutes
    base = server.url.replace("http", "ws", 1)
    tasks = [
        asyncio.create_task(visitor(base, number, end, noted, random.Random(number)))
        for number in range(visitors)
    ]
    dice = random.Random("classes")

    async def one_map(number: int) -> None:
        first, whole = await a_map(base, 10_000 + number)
        noted.seconds["first look at a map"].append(first)
        noted.seconds["whole map"].append(whole)

    async def one_class(number: int) -> None:
        await a_class(base, noted, dice)

    tasks += [
        asyncio.create_task(again(one_map, end, noted, "map")),
        asyncio.create_task(again(one_class, end, noted, "class")),
    ]
    told = begun
    while time.monotonic() < end:
        await asyncio.sleep(LOOK_S)
        noted.look(server, time.monotonic() - begun)
        if time.monotonic() - told > 60:
            told = time.monotonic()
            print(
                f"{noted.at[-1] / 60:5.1f} min  {noted.memory[-1]:6.0f} MB  {noted.kept[-1]:4.0f} MB kept  "
                f"{noted.threads[-1]:4} threads  "
                f"{noted.files[-1]:4} open files  {sum(map(len, noted.seconds.values())):6} answers  "
                f"{noted.errors.total()} errors",
                flush=True,
            )
    await asyncio.gather(*tasks)
    return noted


def report(noted: Noted, log: str = "") -> int:
    """Print latencies, what the server used, the errors in its log, and the verdict."""
    for name, seconds in sorted(noted.seconds.items()):
        half, most, worst = np.quantile(seconds, [0.5, 0.95, 1.0])
        print(f"{name:22} n={len(seconds):5}  p50 {half:6.2f} s  p95 {most:6.2f} s  longest {worst:6.2f} s")
    for name, series in (
        ("MB", noted.memory),
        ("MB kept", noted.kept),
        ("threads", noted.threads),
        ("open files", noted.files),
    ):
        tenths = [np.median(part) for part in np.array_split(np.array(series), 10) if part.size]
        print(f"{name:12} by tenths of the time: {' '.join(f'{one:.0f}' for one in tenths)}")
    print(
        f"MB by minutes: {' '.join(f'{one:.0f}' for one in noted.by_minutes())}; most {max(noted.memory):.0f}"
    )
    wrong = noted.verdict()
    if (place := log.find("Traceback")) >= 0:
        print(log[place : place + 8000])
    print("not well: " + "; ".join(wrong) if wrong else "well")
    return bool(wrong)


def main() -> int:
    """Soak a server and say whether it is well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--visitors", type=int, default=100)
    chosen = parser.parse_args()
    os.environ[METRICS] = MEASURED_AT
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as server:
        noted = asyncio.run(soak(server, chosen.minutes, chosen.visitors))
        return report(noted, server.log)


if __name__ == "__main__":
    sys.exit(main())
