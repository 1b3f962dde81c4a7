"""How fast the Compare page answers, alone and to a class: ``python -m tests.benchmarks.page``.

A visitor alone is a headless Chromium whose slider is moved by the keyboard; the clock runs in the page,
from the key until every chart shows something else. A class is as many websockets, which speak as the browser
does; their clock runs from the move to the fourth chart received. All on the machine of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page

from tests.benchmarks.latencies import conclude, held, told, with_allowance
from tests.benchmarks.sessions import Visitor
from tests.browser.chromium import launched
from tests.browser.server import Server, serve

LOAD = "How busy the cluster is: load ρ₀"
#: Looks at the shapes of the charts until each has others than when the key was pressed; answers how many ms
#: that took. What comes later, as answers get better, does not count.
WATCH = """() => new Promise(resolve => {
  const begun = performance.now();
  const charts = () => [...document.querySelectorAll('[data-testid="stPlotlyChart"] .main-svg:first-child')]
    .filter(svg => svg.getBoundingClientRect().height)  // one that is being replaced is there, but hidden
    .map(svg => [...svg.querySelectorAll('path')].map(path => path.getAttribute('d')).join());
  const before = charts();
  const look = () => {
    const now = charts(), waited = performance.now() - begun;
    const drawn = now.length >= before.length && before.every((shapes, i) => now[i] && now[i] !== shapes);
    if (drawn || waited > 10000) resolve(waited); else setTimeout(look, 20);
  };
  setTimeout(look, 20);
})"""


def memory(server: Server) -> float:
    """Resident memory of the server in MB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def one_visitor(server: Server) -> None:
    """Move a slider in a real browser: to values never seen, then to values known."""
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(f"{server.url}/compare?v=2&preset=light&precision=10")
        page.locator('[data-testid="stPlotlyChart"]').nth(3).wait_for(timeout=120_000)
        settle(page)
        slider = page.get_by_role("slider", name=LOAD)
        first = [pressed(page, slider, "ArrowRight") for _ in range(15)]
        told("slider, first answer (Chromium)", first, 500)
        # Between the last two values: at the first ones no job has more slots than tasks, whatever the load.
        known = [pressed(page, slider, key) for _ in range(8) for key in ("ArrowLeft", "ArrowRight")]
        told("slider, answer known (Chromium)", known, 350)


def settle(page: Page) -> None:
    """Wait until the page is done with everything."""
    page.locator("[data-test-script-state='notRunning']").wait_for(timeout=120_000, state="attached")
    page.wait_for_timeout(500)


def pressed(page: Page, slider: object, key: str) -> float:
    """Press a key on a slider and return seconds until every chart shows something else."""
    settle(page)
    slider.focus()  # type: ignore[attr-defined]
    handle = page.evaluate_handle(f"() => {{ window.drawn = ({WATCH})(); }}")
    page.keyboard.press(key)
    seconds = page.evaluate("() => window.drawn") / 1000
    handle.dispose()
    return seconds


async def a_class(base: str, count: int) -> None:
    """Let a class open one link and move one slider at the same instants."""
    visitors = [Visitor(base, "compare", "v=2&preset=light&precision=10") for _ in range(count)]
    await asyncio.gather(*(visitor.__aenter__() for visitor in visitors))
    told(f"{count} open the link at once", await asyncio.gather(*(v.visit() for v in visitors)))
    for load in (0.55, 0.6, 0.65, 0.6):
        await asyncio.sleep(4)
        moved = await asyncio.gather(*(visitor.move(LOAD, load) for visitor in visitors))
        told(f"{count} move the slider to {load} at once", moved, 700)
    complaints = [error for visitor in visitors for error in visitor.errors]
    print(f"errors: {complaints or 'none'}")
    await asyncio.gather(*(visitor.__aexit__(None, None, None) for visitor in visitors))


async def a_crowd(base: str, count: int, moves: int) -> None:
    """Let visitors move to values of their own, with 0 to 10 s between moves."""
    dice = random.Random(1)
    seconds: list[float] = []

    async def visitor(number: int) -> None:
        async with Visitor(base, "compare", f"v=2&preset=light&seed={number}") as one:
            await asyncio.sleep(dice.uniform(0, 10))
            await one.visit()
            for _ in range(moves):
                await asyncio.sleep(dice.uniform(0, 10))
                seconds.append(await one.move(LOAD, round(dice.randrange(2, 30) * 0.05, 2)))

    await asyncio.gather(*(visitor(number) for number in range(count)))
    told(f"{count} move to values of their own, every 0-10 s", seconds, 400)


async def many(base: str, count: int) -> None:
    """Let sessions come and go."""
    for number in range(count):
        async with Visitor(base, "compare", f"v=2&preset=light&seed={number % 40}") as one:
            await one.visit()


def main() -> int:
    """Measure and print; return 1 if visitors wait for too long."""
    chosen = with_allowance(argparse.ArgumentParser(description=__doc__.splitlines()[0])).parse_args()
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as server:
        base = server.url.replace("http", "ws", 1)
        begun = time.perf_counter()
        asyncio.run(many(base, 1))
        print(f"first visit of a fresh server: {time.perf_counter() - begun:.1f} s")
        one_visitor(server)
        asyncio.run(a_class(base, 100))
        asyncio.run(a_crowd(base, 50, 6))
        after = memory(server)
        held("memory after class and crowd", after, 450, "MB")
        asyncio.run(many(base, 200))
        held("memory after 200 sessions more, of that", memory(server) / after, 1.02)
    return conclude(chosen.allowance)


if __name__ == "__main__":
    sys.exit(main())
