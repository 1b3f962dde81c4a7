"""How soon a map is complete, and its cost for other sessions: ``python -m tests.benchmarks.map``.

Visitors are websockets, which speak as the browser does, on the machine of the server. The first look counts
until the first chart has come, the whole map until the page has ended. The others move a slider of Compare to
values that nobody has seen, in turns with nobody else and beside somebody whose maps follow each other.
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
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from sim.map.shipped import compute, default
from tests.benchmarks.latencies import conclude, held, told, with_allowance
from tests.benchmarks.page import LOAD
from tests.benchmarks.sessions import Visitor
from tests.browser.server import serve

#: Moves of all visitors together in a turn, turns of each kind, and seconds between two moves of one visitor.
MOVES, TURNS, THINK = 40, 3, (0.5, 1.5)


class Mapper(Visitor):
    """A visitor of the page Map."""

    charts_wanted = 1

    async def whole(self) -> float:
        """Wait until the map is whole; return how long that takes."""
        begun = time.perf_counter()
        async with asyncio.timeout(600):
            while True:
                message, _ = await self._received()
                ended = message.WhichOneof("type") == "script_finished"
                if ended and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    return time.perf_counter() - begun


async def a_map(base: str, seed: int) -> tuple[float, float]:
    """Open a map that nobody has seen; return seconds until the first look, and until it is whole."""
    async with Mapper(base, "map", f"v=1&seed={seed}" if seed != 1 else "") as one:
        first = await one.visit()
        return first, first + await one.whole()


async def maps(base: str, seeds: Iterator[int]) -> None:
    """Open one map after the other."""
    while True:
        await a_map(base, next(seeds))


async def moves(visitors: list[Visitor], loads: Iterator[float]) -> list[float]:
    """Let visitors move their sliders; return the seconds of all moves."""
    dice = random.Random(1)

    async def of_one(one: Visitor) -> list[float]:
        found = []
        for _ in range(MOVES // len(visitors)):
            await asyncio.sleep(dice.uniform(*THINK))
            found.append(await one.move(LOAD, next(loads)))
        return found

    return list(itertools.chain(*await asyncio.gather(*map(of_one, visitors))))


async def beside(base: str, count: int, seeds: Iterator[int]) -> None:
    """Tell what a map costs so many others."""
    dice = random.Random(count)
    loads = (round(0.05 * dice.randrange(4, 18), 2) for _ in itertools.count())
    found: dict[str, list[float]] = {"alone": [], "beside a map": []}
    visitors = [Visitor(base, "compare", f"v=2&preset=light&seed={next(seeds)}") for _ in range(count)]
    await asyncio.gather(*(one.__aenter__() for one in visitors))
    await asyncio.gather(*(one.visit() for one in visitors))
    for name in TURNS * tuple(found):
        task = asyncio.create_task(maps(base, seeds)) if name != "alone" else None
        await asyncio.sleep(3)
        found[name] += await moves(visitors, loads)
        if task:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await asyncio.sleep(3)  # nobody waits for the map any more
    await asyncio.gather(*(one.__aexit__(None, None, None) for one in visitors))
    for name, seconds in found.items():
        told(f"{count} on Compare, {name}", seconds)
    alone, there = (float(np.quantile(seconds, 0.95)) for seconds in found.values())
    held(f"p95 of {count} beside a map / alone", there / alone, 1.5)


def shell() -> None:
    """Tell what a map takes without a server."""
    plane = replace(
        default(),
        experiment=replace(default().experiment, scenario=default().experiment.scenario.replace(seed=2)),
    )
    compute(replace(plane, most=2))  # what is compiled or loaded first does not count
    begun, used = time.perf_counter(), time.process_time()
    found = compute(plane)
    print(
        f"in the shell: {time.perf_counter() - begun:.1f} s, {time.process_time() - used:.1f} s of the "
        f"processor; {found.simulated} of {plane.size} cells, {found.runs:,} runs",
        flush=True,
    )


def main() -> int:
    """Measure and print; return 1 if visitors wait for too long."""
    parser = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("--maps", type=int, default=3, help="how many maps are timed")
    parser.add_argument("--others", type=int, nargs="*", default=[1, 20], help="visitors beside a map")
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, niceness {os.nice(0)}")
    shell()
    seeds = itertools.count(2)
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as server:
        base = server.url.replace("http", "ws", 1)
        first, whole = asyncio.run(a_map(base, next(seeds)))
        print(f"a link to a map, the first visit of the server: {first:.1f} s, whole after {whole:.1f} s")
        shipped, _ = asyncio.run(a_map(base, 1))
        print(f"the map that is shipped: {shipped:.2f} s")
        times = [asyncio.run(a_map(base, next(seeds))) for _ in range(chosen.maps)]
        for name, seconds, goal in zip(
            ("a map, first look", "a map, whole"), zip(*times, strict=True), (3000, 60_000), strict=True
        ):
            told(name, list(seconds), goal)
        for count in chosen.others:
            asyncio.run(beside(base, count, seeds))
    return conclude(chosen.allowance)


if __name__ == "__main__":
    sys.exit(main())
