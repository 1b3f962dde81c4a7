"""How fast a fresh server answers while its engines are compiled: ``python -m tests.benchmarks.fresh``.

The cache of compiled code is empty; visitors open every page that shows theory, and Start, over and over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.benchmarks.sessions import Visitor
from tests.browser.server import serve

#: Pages, and the charts that are their first sight.
PAGES = {"": 1, "threshold": 2, "allocation": 1, "cloning": 1, "detection": 1, "errata": 1}


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

    async def simulated() -> float:
        async with Visitor(base, "compare", "v=1&preset=light&precision=10") as visitor:
            visitor.patience = 900
            return await visitor.visit()

    answer = asyncio.create_task(simulated())
    while not answer.done() and time.perf_counter() - begun < 60 * minutes:
        await one_round(base, seconds)
        await asyncio.sleep(1)
    for page, waited in seconds.items():
        half, most = np.quantile(waited, [0.5, 1.0])
        print(
            f"{page or 'start':12} n={len(waited):3}  p50 {half:5.2f} s  most {most:5.2f} s  (goal most 1 s)"
        )
    print(f"first simulation after {answer.result():.0f} s" if answer.done() else "no simulation yet")
    answer.cancel()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        with serve(Path(folder)) as server:
            try:
                asyncio.run(watch(server.url.replace("http", "ws", 1), chosen.minutes))
            finally:
                print(server.log)


if __name__ == "__main__":
    main()
