"""The answer of a map: the shipped one, one computed before, or one computed now in pieces.

A piece of less than a second is asked for after the other, of a process that stands back, so that visitors
take turns and nothing is computed for who has left; what has been computed is kept, and goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pages.map.question.asked import Request
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import engines, records
from pages.shared.live.playing import SharedPlayer, kept, players
from sim.map.picture import GUESSED, Picture, picture
from sim.map.plane import Plane
from sim.map.shipped import beforehand, loaded, played_here, steps
from sim.map.survey import Samples, Survey, Unit, cost
from sim.running.parallel import TASKS
from sim.telling.words import counted

#: Bytes of a run that is kept.
RUN_BYTES = 3000
#: Tasks of a piece, about, of these engines.
PIECE = 4_000_000
#: Seconds between two drawings.
DRAWN_S = 1.0


@dataclass(frozen=True)
class Runs:
    """The runs of a map that are there."""

    samples: Samples

    def __sizeof__(self) -> int:
        return RUN_BYTES * len(self.samples)


def follow(asked: Request, status: Placeholders) -> Iterator[Picture]:
    """Yield what is known: at once if it is there, else coarse cells first, then finer ones."""
    plane = asked.plane
    found = at_once(plane)
    if found is None:
        player = SharedPlayer((), status, field="map", less="fewer or smaller jobs")
        for found in player.follow(lambda player: _computed(plane, player)):
            yield found
        kept().keep(plane.key, found)
    else:
        yield found
    assert found is not None
    status.caption("line", f":material/check: {rests_on(found)}", width="stretch")


def at_once(plane: Plane) -> Picture | None:
    """Return the map of a plane if it was computed before, or beforehand."""
    known: Picture | None = kept().get(plane.key)
    return known or beforehand(plane, records())


def prepare() -> None:
    """Have the process load what it needs while the page is drawn: a map may be asked for, now or next.

    Nothing is compiled for that: compilers would take both cores from a map that is known.
    """
    share, _ = engines().progress("slots")
    if share == 1.0:
        players().short.prepare(loaded, tuple)


def _computed(plane: Plane, player: SharedPlayer) -> Iterator[Picture]:
    """Yield what is known while it is computed; the last is final."""
    before: Runs | None = kept().get(plane.runs_key)
    survey = Survey(plane, dict(before.samples) if before else {})
    drawn = 0.0

    def play(units: Sequence[Unit]) -> Samples:
        piece = _first(plane, units)
        tasks = TASKS * sum(cost(plane, unit) for unit in piece) / PIECE
        found: Samples = player.play((plane.runs_key, *piece), tasks, played_here, plane, piece)
        return found

    try:
        player.begin(*_progress(survey, picture(survey)))
        for found in steps(survey, play):
            player.begin(*_progress(survey, found))
            now = time.monotonic()
            if found.final or (now - drawn >= DRAWN_S and found.squares):
                drawn = now
                yield found
    finally:
        kept().keep(plane.runs_key, Runs(survey.samples))


def _first(plane: Plane, units: Sequence[Unit]) -> list[Unit]:
    """Return the first of some units, as many as make a piece."""
    found: list[Unit] = []
    tasks = 0.0
    for unit in units:
        tasks += cost(plane, unit)
        if found and tasks > PIECE:
            break
        found.append(unit)
    return found


def _progress(survey: Survey, found: Picture) -> tuple[str, float, float]:
    """Return how far a map is: in words, the tasks that are left (not known), the share that is done."""
    known = sum(one.known != GUESSED for one in found.squares.values())
    what = "Refining where neighbours differ or gains are not known yet" if known else "A first look"
    return f"{what}: {len(survey.samples):,} runs", 0.0, min(0.95, known / found.plane.size)


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
