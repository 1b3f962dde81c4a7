"""The page about growth and its chart, made from the measurements in `docs/explanation/growth.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from textwrap import fill
from typing import Any

from sim.kernel.records import ITEM, SITE, SLOT
from sim.model.workload import AHEAD
from sim.running.experiment import MOST_HELD
from tests.benchmarks.growth_chart import Chart, picture
from tests.benchmarks.growth_paper import on_paper
from tests.benchmarks.growth_record import DOCS, Growth, RunCost, alone_of, crowd_of, recorded

#: Bytes that a slot has in a run: its record, two items of the calendar and their lists, its site, its place
#: among the free ones.
SLOT_BYTES = SLOT.itemsize + 2 * ITEM.itemsize + 4 * 4 + 2 * 4 + SITE.itemsize + 4
#: A curve bends where ten times as many slots cost more than so many times as much per task.
BEND = 1.25


def write() -> None:
    """Make the page and its chart."""
    found = recorded()
    (DOCS / "growth.md").write_text(page(found))
    (DOCS / "growth.svg").write_text(chart(found))


def chart(found: Growth) -> str:
    """Return the chart: cost per task over slots, memory over jobs, wait over visitors."""
    slots = {policy: [(one.slots, one.nanoseconds) for one in of] for policy, of in _by_policy(found).items()}
    charts = [
        Chart("Processor time per task, ns", "slots", slots),
        Chart(
            "Memory of a run, MB", "jobs", {"srpt+none": [(one.jobs, one.megabytes) for one in found.jobs]}
        ),
    ]
    if found.visitors:
        by = {n: [one for one in found.visitors if one.processes == n] for n in (1, 2)}
        names = {1: "1 process", 2: "2 processes"}
        waits = {names[n]: [(one.visitors, one.wait) for one in of] for n, of in by.items() if of}
        charts.append(Chart("95 % of the visitors wait at most, ms", "visitors", waits))
    return picture(charts)


def page(found: Growth) -> str:
    """Return the page."""
    parts = [HEAD.format(cores=found.cores), _slots(found), _jobs(found)]
    if found.visitors:
        parts += [_visitors(found), on_paper(found)]
    return "\n\n".join(map(_wrapped, "\n\n".join(parts).split("\n\n"))) + "\n"


def _wrapped(text: str) -> str:
    """Break the lines of a paragraph, or of each item of a list, anew: numbers differ in length."""
    if text.startswith(("#", "|", "!")):
        return text
    items = text.replace("\n- ", "\n\0- ").split("\n\0")
    return "\n".join(
        fill(
            " ".join(item.split()),
            118,
            subsequent_indent="  " * item.startswith("- "),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )


HEAD = """# What more slots, jobs and visitors cost

Measured by `python -m tests.benchmarks.growth --write` on an x86 server of {cores} cores; what was
measured is in `growth.json`, and this page is made of it. Times are of the processor, not of the clock;
waits are of the clock, with the visitors on the same machine. Load 0.7, straggle factors of tail index
1.5, 1 to 100 tasks a job, with all statistics. A run is a process of its own: the least memory in the
tables is what Python, NumPy and compiled code take.

![Processor time per task over slots, memory over jobs, wait over visitors](growth.svg)"""


def _by_policy(found: Growth) -> dict[str, list[RunCost]]:
    return {name: [one for one in found.slots if one.policy == name] for name in _names(found.slots)}


def _names(costs: Iterable[RunCost]) -> list[str]:
    return list(dict.fromkeys(one.policy for one in costs))


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _slots(found: Growth) -> str:
    rows = [
        (
            f"{one.slots:,}",
            f"{one.jobs:,}",
            f"`{one.policy}`",
            f"{one.nanoseconds:,.0f}",
            f"{one.megabytes:,.0f}",
        )
        for one in found.slots
    ]
    fits = ", ".join(f"{name} ({_size(size)}) {size // SLOT_BYTES:,}" for name, size in found.caches.items())
    bends = " ".join(map(_bends, _by_policy(found).values()))
    return f"""## More slots

{_table(("slots", "jobs", "policy", "ns a task", "MB"), rows)}

**Where it bends, and why.** {bends} A slot has {SLOT_BYTES} bytes in a run, so that the slots fit into
the caches of this machine up to: {fits}. What an event touches is anywhere among them, and the farther
away its cache is, the longer the event waits. Under `hopper` more jobs are in the system, too, and their
numbers of remaining tasks are looked through whenever a slot is given out."""


def _bends(costs: Sequence[RunCost]) -> str:
    """Say between which numbers of slots a task begins to cost clearly more.

    Examples
    --------
    >>> costs = [RunCost(100, 1, "fifo", 90, 1), RunCost(1000, 1, "fifo", 198, 1)]
    >>> _bends(costs).split("; ")[1]
    'the cost grows most from 100 to 1,000 slots (2.2 times).'
    """
    first, last = costs[0], costs[-1]
    text = (
        f"Under `{first.policy}` a task costs {first.nanoseconds:,.0f} ns at {first.slots:,} slots and "
        f"{last.nanoseconds:,.0f} ns at {last.slots:,}"
    )
    pairs = list(pairwise(costs))
    steepest = max(pairs, key=lambda pair: pair[1].nanoseconds / pair[0].nanoseconds, default=None)
    if steepest is None or steepest[1].nanoseconds / steepest[0].nanoseconds < BEND:
        return f"{text}; no ten times as many slots cost {BEND:g} times as much."
    ratio = steepest[1].nanoseconds / steepest[0].nanoseconds
    return (
        f"{text}; the cost grows most from {steepest[0].slots:,} to {steepest[1].slots:,} slots "
        f"({ratio:.1f} times)."
    )


def _jobs(found: Growth) -> str:
    rows = [(f"{one.jobs:,}", f"{one.nanoseconds:,.0f}", f"{one.megabytes:,.0f}") for one in found.jobs]
    held, long = _held(found)
    return f"""## More jobs

`{found.jobs[0].policy}` on {found.jobs[0].slots:,} slots.

{_table(("jobs", "ns a task", "MB"), rows)}

**Where it bends, and why.** A task costs {held[-1].nanoseconds:.0f} ns in a run of {held[-1].jobs:,}
jobs, which are held, and {long[-1].nanoseconds:.0f} ns in one of {long[-1].jobs:,}, which come and go.
Those that are held lie in more memory, most of which no cache has; those that come and go are drawn three
times, and the system gives and takes their pages. The speed of the machine varies by a fifth between two
runs. In the shortest runs what is made before the first job arrives counts. {_remains(found)}"""


def _held(found: Growth) -> tuple[list[RunCost], list[RunCost]]:
    """Return the runs whose jobs are held, and those whose jobs come and go."""
    return (
        [one for one in found.jobs if one.jobs <= MOST_HELD],
        [one for one in found.jobs if one.jobs > MOST_HELD],
    )


def _remains(found: Growth) -> str:
    """Say what a job takes of memory: while jobs are held, and from where on they are not."""
    held, long = _held(found)
    text = f"Up to {MOST_HELD:,} jobs are held"
    if len(held) > 1:
        text += f", and one takes {_each(held):,.0f} bytes"
    text += "; of more, those that are done are forgotten but for twelve bytes of each that counts"
    if len(long) > 1:
        text += f" (measured from {long[0].jobs:,} jobs to {long[-1].jobs:,}: {_each(long):.1f})"
    return (
        f"{text}. What else a long run takes is the same for any number of jobs: the {AHEAD:,} that are "
        "known before they arrive, and those in the system."
    )


def _each(costs: Sequence[RunCost]) -> float:
    """Bytes of a job, from the run of fewest jobs to that of most."""
    few, many = costs[0], costs[-1]
    return (many.megabytes - few.megabytes) * 2**20 / (many.jobs - few.jobs)


def _visitors(found: Growth) -> str:
    rows = [
        (one.processes, one.visitors, f"{one.milliseconds:,.0f}", f"{one.wait:,.0f}", round(one.megabytes))
        for one in found.visitors
    ]
    heads = ("processes", "visitors", "ms of a processor per move", "95 % wait at most, ms", "MB")
    alone, crowd = alone_of(found), crowd_of(found)
    return f"""## More visitors

All have one link and move one slider at the same instant, five times; then what they see gets better for
3 s. One process is Streamlit's alone, two stand behind nginx.

{_table(heads, rows)}

**Where it bends, and why.** One visitor's move takes {alone.milliseconds:,.0f} ms of a processor: the
first answer, and what makes it better for 3 s. It is computed once for all who ask for it. With
{crowd.visitors} visitors each takes {crowd.milliseconds:,.0f} ms, a share of that and what is their own:
to draw, to write and to send. That is done for one after the other in each process. So the wait of a
class that moves at once is that of one visitor until what is their own, divided by the processes, takes
longer than the first answer; from there on it is proportional to the visitors."""


def _size(size: int) -> str:
    return f"{size // 2**20} MB" if size >= 2**20 else f"{size // 1024} KB"
