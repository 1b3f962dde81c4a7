"""The cost of large uploads for others: ``python -m tests.benchmarks.uploads [--files 3] [--megabytes 46]``.

Some visitors give a file each at the same moment; meanwhile another opens a page of theory, over and over.
With ``--hostile`` they give gzips of some hundred kB that take minutes to read, and others give a small log.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import random
import sys
import tempfile
import time
from pathlib import Path

from sim.logs.formats import table
from tests.benchmarks.latencies import conclude, held, with_allowance
from tests.benchmarks.page import memory
from tests.benchmarks.sessions import Visitor
from tests.browser.server import Server, serve


def file_of(megabytes: float, seed: int) -> bytes:
    """Return a CSV of jobs of this size."""
    dice, rows, size, at = random.Random(seed), ["job_id,submit,tasks,size"], 0, 0.0
    while size < megabytes * 2**20:
        at += dice.expovariate(1 / 3)
        row = f"job-{len(rows)},{at:.3f},{dice.randrange(1, 200)},{dice.uniform(1, 60):.2f}"
        size += len(row) + 1
        rows.append(row)
    return "\n".join(rows).encode()


async def give(base: str, number: int, content: bytes) -> float:
    """Let a visitor of Compare give a file; return seconds until its charts are there."""
    async with Visitor(base, "compare", "v=2&preset=light&precision=10") as one:
        one.patience = 600
        await one.visit()
        return await one.give(f"jobs{number}.csv", content)


async def measure(server: Server, files: list[bytes]) -> None:
    """Give the files, and open a page of theory until all are drawn."""
    base = server.url.replace("http", "ws", 1)
    async with Visitor(base, "compare", "v=2&preset=light&precision=10") as one:  # the server is warm
        one.patience = 600
        await one.visit()
    before, most, waited = memory(server), 0.0, []
    givers = [asyncio.create_task(give(base, number, content)) for number, content in enumerate(files)]
    while not all(giver.done() for giver in givers):
        async with Visitor(base, "threshold") as reader:
            reader.charts_wanted = 2
            waited.append(await reader.visit())
        most = max(most, memory(server))
        await asyncio.sleep(0.2)
    held(f"page of theory meanwhile, the longest of {len(waited)} waits", max(waited), 1, "s")
    print(f"files drawn after {', '.join(f'{giver.result():.0f}' for giver in givers)} s")
    print(
        f"memory of the server: {before:.0f} MB before, at most {most:.0f} MB, {memory(server):.0f} MB after"
    )


def hostile_of(number: int) -> bytes:
    """Return a gzip of a table of 230 MB that no other one is equal to."""
    row = b"job%d,0,0,1\n" % number
    return gzip.compress(b"job_id,task_id,start_s,end_s\n" + row * (230 * 2**20 // len(row)), 6)


async def diagnosed(base: str, name: str, content: bytes) -> float:
    """Let a visitor of Diagnose give a file; return seconds until its charts are there."""
    async with Visitor(base, "diagnose", "v=1&log=own") as one:
        one.patience = 900
        await one.visit()
        return await one.give(name, content)


async def measure_hostile(server: Server, files: list[bytes]) -> None:
    """Give hostile files, each in a session of its own, and then small ones, one after the other."""
    base = server.url.replace("http", "ws", 1)
    log = table.template().encode()
    print(f"alone: a log of {len(log):,} bytes after {await diagnosed(base, 'warm.csv', log):.1f} s")
    givers = [
        asyncio.create_task(diagnosed(base, f"hostile{number}.csv.gz", content))
        for number, content in enumerate(files)
    ]
    await asyncio.sleep(5)
    waited = []
    for number in range(5):
        mine = log.replace(b"nightly", b"job%d" % number)
        waited.append(await diagnosed(base, f"mine{number}.csv", mine))
    going = sum(not giver.done() for giver in givers)
    print(f"{going} of {len(files)} files of {len(files[0]):,} bytes still read; small ones after {waited}")
    held(f"a small log meanwhile, the longest of {len(waited)} waits", max(waited), 15, "s")
    for giver in givers:
        giver.cancel()
    await asyncio.gather(*givers, return_exceptions=True)


def main() -> int:
    """Measure and print; return 1 if the other waits for too long."""
    parser = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("--files", type=int, default=3)
    parser.add_argument("--megabytes", type=float, default=46)
    parser.add_argument("--hostile", action="store_true")
    chosen = parser.parse_args()
    if chosen.hostile:
        files = [hostile_of(number) for number in range(chosen.files)]
    else:
        files = [file_of(chosen.megabytes, seed) for seed in range(chosen.files)]
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as server:
        asyncio.run((measure_hostile if chosen.hostile else measure)(server, files))
    print(f"all in {time.perf_counter() - begun:.0f} s")
    return conclude(chosen.allowance)


if __name__ == "__main__":
    sys.exit(main())
