"""The cost of visitors: ever more sessions move one slider at once, on one process or on two.

One process is served by Streamlit alone; two are the site of `deploy/`, behind nginx, as in `class_of_200`.
Processor time is that of the processes alone (with nginx), from one move to the next, with what they compute
after the first answer; the wait is from the move to the fourth chart, with the visitors on the same machine.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.benchmarks.class_of_200 import children, newcomer, seconds_of
from tests.benchmarks.growth_record import VisitCost
from tests.benchmarks.page import LOAD
from tests.benchmarks.sessions import Visitor
from tests.browser.server import serve
from tests.hosting.site import hosted

LINK = "v=2&preset=light&precision=10"
MOVES = (0.55, 0.6, 0.65, 0.7, 0.75)
#: Seconds from one move to the next.
PAUSE_S = 3.0


@dataclass(frozen=True)
class Hosts:
    """Processes that answer visitors.

    Parameters
    ----------
    numbers : sequence of int
        Of the processes.
    others : sequence of int
        Of what stands before them.
    newcomer : callable
        Link -> a visitor that has not come yet.
    """

    numbers: Sequence[int]
    others: Sequence[int]
    newcomer: Callable[[str], Visitor]

    @property
    def seconds(self) -> float:
        """Processor time so far."""
        families = [[number, *children(number)] for number in (*self.numbers, *self.others)]
        return sum(seconds_of(one) for family in families for one in family)

    @property
    def megabytes(self) -> float:
        """Memory of the largest process."""
        found = [Path(f"/proc/{number}/status").read_text() for number in self.numbers]
        return max(int(text.split("VmRSS:")[1].split()[0]) for text in found) / 1024


@contextmanager
def hosts(processes: int) -> Iterator[Hosts]:
    """Host the app in one process or in two."""
    with tempfile.TemporaryDirectory() as folder:
        if processes == 1:
            with serve(Path(folder)) as server:
                base = server.url.replace("http", "ws", 1)
                yield Hosts([server.process.pid], [], lambda link: Visitor(base, "compare", link))
            return
        with hosted(Path(folder), password=False) as site:
            numbers = [site.running[which].pid for which in site.numbers]
            yield Hosts(numbers, [site.running["nginx"].pid], lambda link: newcomer(site, link))


async def a_class(there: Hosts, count: int) -> tuple[float, float]:
    """Let so many move a slider at once; return processor seconds a move, and what 95 % wait at most."""
    link = f"{LINK}&seed={1000 + count}"  # nobody has asked for these answers
    visitors = [there.newcomer(link) for _ in range(count)]
    await asyncio.gather(*(one.__aenter__() for one in visitors))
    await asyncio.gather(*(one.visit() for one in visitors))
    await asyncio.sleep(PAUSE_S)
    before, waits = there.seconds, list[float]()
    for load in MOVES:
        waits += await asyncio.gather(*(one.move(LOAD, load) for one in visitors))
        await asyncio.sleep(PAUSE_S)
    spent = there.seconds - before
    await asyncio.gather(*(one.__aexit__(None, None, None) for one in visitors))
    return spent / len(waits), float(np.quantile(waits, 0.95))


def measured(processes: int, counts: Sequence[int]) -> Iterator[VisitCost]:
    """Measure ever more visitors of the same processes."""
    with hosts(processes) as there:
        asyncio.run(a_class(there, 2))  # what is loaded at the first visit
        for count in counts:
            spent, wait = asyncio.run(a_class(there, count))
            cost = VisitCost(
                processes, count, round(1000 * spent, 1), round(1000 * wait), round(there.megabytes, 1)
            )
            print(cost, flush=True)
            yield cost
