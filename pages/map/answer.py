"""The answer of a map: the shipped one, one computed before, or one computed now in pieces.

A piece of less than a second is asked for after the other, of a process that stands back, so that visitors
take turns and nothing is computed for who has left; what has been computed is kept, and goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pages.map.question.asked import Asked
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import LongWork, engines, records
from sim.byte_cache import ByteCache
from sim.cached import once
from sim.map.compute import loaded, played_here
from sim.map.picture import GUESSED, Picture, picture
from sim.map.plane import Plane
from sim.map.play import Samples, Unit, cost
from sim.map.shipped import beforehand
from sim.map.survey import Survey
from sim.processes.child import Limits
from sim.processes.jobs import Jobs
from sim.telling.words import counted

#: Limits of a piece; its process has a lower priority than others: their answers go first.
LIMITS = Limits(memory=2 * 2**30, seconds=600, patience=600, niceness=19)
#: Bytes of runs and maps that are kept, of all sessions together, and of one run.
KEPT_BYTES, RUN_BYTES = 96 * 2**20, 3000
#: Tasks of a piece, about.
PIECE = 4_000_000
#: Seconds between two drawings.
DRAWN_S = 1.0
_WHY = {
    "memory": "computing it needed more memory than this server allows; give fewer or smaller jobs",
    "time": "computing it took longer than this server allows; give fewer or smaller jobs",
    "result": "it has more runs than this server keeps; give fewer values",
    "stopped": "computing was ended; load the page again",
    "died": "the process that computed has ended, probably for want of memory; load the page again",
}


@dataclass(frozen=True)
class Runs:
    """The runs of a map that are there."""

    samples: Samples

    def __sizeof__(self) -> int:
        return RUN_BYTES * len(self.samples)


@once
def _players() -> Jobs:
    """Return the process that makes the runs, for all sessions."""
    return Jobs(1, LIMITS)


#: How a piece is computed.
_WORK = LongWork(_players, "map", "map", _WHY)


@once
def _kept() -> ByteCache:
    """Return runs and maps for all sessions."""
    return ByteCache(KEPT_BYTES)


def follow(asked: Asked, status: Placeholders) -> Iterator[Picture]:
    """Yield what is known: at once if it is there, else coarse cells first, then finer ones."""
    plane = asked.plane
    found = at_once(plane)
    if found is None:
        for found in _computed(plane, status):
            yield found
        _kept().keep(plane.key, found)
    else:
        yield found
    assert found is not None
    status.caption("line", f":material/check: {rests_on(found)}", width="stretch")


def at_once(plane: Plane) -> Picture | None:
    """Return the map of a plane if it was computed before, or beforehand."""
    known: Picture | None = _kept().get(plane.key)
    return known or beforehand(plane, records())


def prepare() -> None:
    """Have the process load what it needs while the page is drawn: a map may be asked for, now or next.

    Nothing is compiled for that: compilers would take both cores from a map that is known.
    """
    share, _ = engines().progress("slots")
    if share == 1.0:
        _players().prepare(loaded, tuple)


def _computed(plane: Plane, status: Placeholders) -> Iterator[Picture]:
    """Yield what is known while it is computed; the last is final."""
    before: Runs | None = _kept().get(plane.runs_key)
    survey = Survey(plane, dict(before.samples) if before else {})
    drawn = 0.0
    try:
        while True:
            while units := _first(plane, survey.todo()):
                key = plane.runs_key, *units
                survey.samples.update(_WORK.done(key, _say(survey, status), played_here, plane, units))
                now = time.monotonic()
                if now - drawn >= DRAWN_S and (found := picture(survey)).squares:
                    drawn = now
                    yield found
            if not survey.advance():
                break
        yield picture(survey, final=True)
    finally:
        _kept().keep(plane.runs_key, Runs(survey.samples))


def _first(plane: Plane, units: list[Unit]) -> list[Unit]:
    """Return the first of some units, as many as make a piece."""
    found: list[Unit] = []
    tasks = 0.0
    for unit in units:
        tasks += cost(plane, unit)
        if found and tasks > PIECE:
            break
        found.append(unit)
    return found


def _say(survey: Survey, status: Placeholders) -> Callable[[int, str], None]:
    """Return what says how far a map is."""
    plane = survey.plane
    squares = picture(survey).squares
    known = sum(one.known != GUESSED for one in squares.values())
    share = min(0.95, known / plane.size)
    runs = f"{len(survey.samples):,} runs"

    def say(tasks: int, waits: str) -> None:
        what = "Refining where neighbours differ or gains are not known yet" if known else "A first look"
        status.progress("line", share, f"{what}: {runs} … {waits}")

    return say


def rests_on(found: Picture) -> str:
    """Say what the numbers rest on."""
    plane = found.plane
    told = (
        f"{counted(found.simulated, 'cell')} of {plane.size} simulated in {found.runs:,} runs, seed "
        f"{plane.experiment.scenario.seed}; gains to ± {plane.precision:g} percentage points, paired 95 % "
        "intervals."
    )
    if one := found.made:
        took = f", in {one['seconds']:,.0f} s" if "seconds" in one else ""
        told += f" Computed beforehand with version {one['version']}, commit {one['commit']}{took}."
    return told
