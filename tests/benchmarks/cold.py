"""How soon a server that has just been started shows its first page: ``python -m tests.benchmarks.cold``.

The engines are compiled before; the server is a new process each time, a Chromium with an empty cache its
first visitor. Start counts from when the server answers, Compare and Map from the start of the process.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.latencies import conclude, told, with_allowance
from tests.browser.plain import uninspected
from tests.browser.server import serve


@dataclass(frozen=True, slots=True)
class First:
    """A first visit: its address, how many charts are to be drawn, and the most it may take in ms."""

    name: str
    address: str
    charts: int
    goal: float
    from_answer: bool = False


#: A chart that is drawn.
CHART = '[data-testid="stPlotlyChart"]:has(.main-svg)'
VISITS = (
    First("server answers -> Start", "/", 1, 1500, from_answer=True),
    First("process -> Compare's four charts", "/compare?v=2&preset=light&precision=10", 4, 4000),
    First("process -> a map that nobody has asked for", "/map?v=1&seed=2", 1, 6000),
)


def seconds(first: First) -> float:
    """Start a server, be its first visitor, and return how long that takes."""
    with uninspected() as browser, tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        with serve(Path(folder)) as server:
            if first.from_answer:
                begun = time.perf_counter()
            browser.wait_for(browser.opened(server.url + first.address), CHART, first.charts)
            return time.perf_counter() - begun


def main() -> int:
    """Measure and print; return 1 if a first visitor waits for too long."""
    parser = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    subprocess.run([sys.executable, "-m", "sim", "compile"], check=True, capture_output=True)
    for first in VISITS:
        told(first.name, [seconds(first) for _ in range(chosen.rounds)], first.goal)
    return conclude(chosen.allowance)


if __name__ == "__main__":
    sys.exit(main())
