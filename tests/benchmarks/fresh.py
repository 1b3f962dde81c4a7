"""How fast a fresh server answers while its engines are compiled: ``python -m tests.benchmarks.fresh``.

The cache of compiled code is empty; visitors open every page that shows theory, and Start, over and over.
Then the pages of the other engines are opened, both at once.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.latencies import conclude, held, with_allowance
from tests.benchmarks.sessions import Visitor
from tests.browser.server import serve

#: Pages, and the charts that are their first sight.
PAGES = {"threshold": 2, "allocation": 1, "cloning": 1, "detection": 1, "errata": 1}

#: Pages of the engines that are compiled behind that of Compare.
OTHERS = ("decentralised", "coding")


async def first_sight(base: str, page: str, link: str = "v=1&precision=10") -> float:
    """Open a page of an engine that may still have to be compiled; return seconds until it is drawn."""
    async with Visitor(base, page, link) as visitor:
        visitor.patience = 900
        return await visitor.visit()


async def one_round(base: str, seconds: dict[str, list[float]]) -> None:
    """Let a visitor open each page once."""
    for page, charts in PAGES.items():
        async with Visitor(base, page) as visitor:
            visitor.charts_wanted = charts
            seconds[page].append(await visitor.visit())


async def watch(base: str, minutes: float) -> None:
    """Open pages until the first simulation of Compare has been drawn, or for so many minutes."""
    begun = time.perf_counter()
    seconds: dict[str, list[float]] = {page: [] for page in PAGES}
    answer = asyncio.create_task(first_sight(base, "compare", "v=2&preset=light&precision=10"))
    while not answer.done() and time.perf_counter() - begun < 60 * minutes:
        await one_round(base, seconds)
        await asyncio.sleep(1)
    asked = OTHERS if answer.done() else ()
    others = await asyncio.gather(*(first_sight(base, page) for page in asked))
    for page, waited in seconds.items():
        held(f"{page or 'start'}, the longest of {len(waited)} waits", max(waited), 1, "s")
    if answer.done():
        held("first simulation, from when the server answers", answer.result(), 40, "s")
        for page, more in zip(asked, others, strict=True):
            held(f"{page}, from the first simulation on", more, 20, "s")
    else:
        print("no simulation yet")
    answer.cancel()


def main() -> int:
    """Measure and print; return 1 if visitors wait for too long."""
    parser = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("--minutes", type=float, default=10)
    chosen = parser.parse_args()
    # what the server still compiles when it is ended may be written while the folder is removed
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        with serve(Path(folder)) as server:
            try:
                asyncio.run(watch(server.url.replace("http", "ws", 1), chosen.minutes))
            finally:
                print(server.log)
    return conclude(chosen.allowance)


if __name__ == "__main__":
    sys.exit(main())
