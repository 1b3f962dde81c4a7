"""The needs of a department, an online course and a large cluster: arithmetic with the measurements."""

from __future__ import annotations

import math

from tests.benchmarks.growth_record import Growth, alone_of, crowd_of


def on_paper(found: Growth) -> str:
    """Return the part of the page that reckons on."""
    alone, crowd, big = alone_of(found), crowd_of(found), max(found.slots, key=lambda one: one.slots)
    shared, own = crowd.milliseconds / 1000, alone.milliseconds / 1000
    department, course = 400 / 10 * shared, 10_000 / 20 / 10 * own
    tasks = 1e6 * 0.7 * 86_400 / 60
    hours, jobs = tasks * big.nanoseconds / 1e9 / 3600, tasks / 50.5
    held, memory = math.ceil(2 * course) * crowd.megabytes / 1024, (big.megabytes + 12 * jobs / 2**20) / 1024
    billions, millions = tasks / 1e9, jobs / 1e6
    return f"""## On paper

What follows is arithmetic with the figures above; what is assumed is said. A core is kept at most half
busy, so that waits stay short.

- **A department**: four classes of 100 at a time, each on one link, a move every 10 s. 400 / 10 s x
  {shared:.3f} s = {department:.2f} cores' work: {_cores(department)} and as many processes of
  {crowd.megabytes:.0f} MB.
- **An online course of 10,000 students**: one in twenty is there at a time, with values of their own, a
  move every 10 s. 10,000 / 20 / 10 s x {own:.3f} s = {course:.1f} cores' work: {_cores(course)}, as many
  processes and {held:.0f} GB of memory. Should all be there at once, it is twenty times as much.
  Sessions stick to their process and processes share nothing, so machines can be added.
- **A cluster of 100,000 machines** of ten slots each, for a day: tasks of a minute on average at load
  0.7 are 1,000,000 x 0.7 x 86,400 s / 60 s = {billions:.2f} x 10⁹ tasks. With {big.nanoseconds:,.0f} ns a
  task (`{big.policy}`, {big.slots:,} slots) that is {60 * hours:.0f} minutes of one core. Memory is
  {big.megabytes:.0f} MB and 12 bytes of each of {millions:.0f} million jobs, {memory:.1f} GB in all. A
  replication is one core's work, and replications go to as many cores as there are
  ([scaling.md](scaling.md))."""


def _cores(work: float) -> str:
    """Say how many cores keep at most half busy with so much work.

    Examples
    --------
    >>> _cores(0.4), _cores(1.2)
    ('one core', '3 cores')
    """
    count = math.ceil(2 * work)
    return "one core" if count == 1 else f"{count} cores"
