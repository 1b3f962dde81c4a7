"""The question of the Map page: two axes and an experiment."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pages.map.controls import AXES, CHOICE, FIXED, OFFERED, parts
from pages.shared.app.turns import Placeholders, engines, records
from pages.shared.controls.fields import FIELDS
from pages.shared.controls.links import VERSION, as_text
from pages.shared.live.playing import SharedPlayer, kept, players
from sim.engines.registry import preset
from sim.map.picture import GUESSED, Picture, picture
from sim.map.plane import Axis, Cell, Plane
from sim.map.shipped import beforehand, loaded, played_here, steps
from sim.map.survey import Samples, Survey, Unit, cost
from sim.model.fields import BadInput
from sim.running.experiment import Experiment
from sim.running.parallel import TASKS
from sim.telling.words import counted

# The map that the controls ask for, and links to the page Compare at one of its cells.

#: Tasks that a first look may take on a server, about: some ten seconds of its cores.
MOST_TASKS = 40_000_000
#: Replications of a cell, at most, on a server.
REPLICATIONS = 100
#: Policies that the page Compare shows, at most.
COMPARED = 5


@dataclass(frozen=True)
class Request:
    """What the visitor asks.

    Parameters
    ----------
    plane : Plane
    preset : str
        From which the scenario starts.
    """

    plane: Plane
    preset: str

    @property
    def labels(self) -> tuple[str, str]:
        """What both axes are called."""
        return AXES[self.plane.x.name].label, AXES[self.plane.y.name].label


def ask(values: Mapping[str, Any], most: float = MOST_TASKS) -> Request:
    """Return what the controls ask.

    Parameters
    ----------
    values : mapping
    most : float, optional
        Tasks that a first look may take, if it is not there beforehand.

    Raises
    ------
    BadInput
        Where that cannot be, or is too much.
    """
    start = OFFERED[values["preset"]]
    scenario = start.scenario.replace(seed=values["seed"], **{name: values[name] for name in FIXED})
    experiment = Experiment(scenario, CHOICE.of(values["policies"]))
    x, y = (_axis(name, values[name], values[f"{name}s"]) for name in ("x", "y"))
    plane = Plane(
        experiment, x, y, values["criterion"], values["budget"] / 100, values["precision"], REPLICATIONS
    )
    tasks = sum(cost(plane, unit) for unit in Survey(plane).todo())
    if tasks > most and beforehand(plane, records()) is None:
        raise BadInput(
            f"jobs: a first look at this map would take {tasks / 1e6:,.0f} million tasks, and this server "
            f"gives it {most / 1e6:,.0f} million; give fewer or smaller jobs, or lower loads"
        )
    return Request(plane, values["preset"])


def _axis(option: str, name: str, text: str) -> Axis:
    offer = AXES[name]
    low, high, count = parts(text or offer.span)
    return Axis.read(option, f"{name}={low!r}:{high!r}:{count}{':log' if offer.steps else ''}", "slots")


def compare_link(asked: Request, cell: Cell, best: int | None) -> dict[str, str] | None:
    """Return the link of the page Compare at a cell; None where that page cannot be set to it."""
    experiment = asked.plane.at(cell)
    base = preset(asked.preset).scenario
    own = {name: getattr(experiment.scenario, name) for name in (*FIELDS, "observe", "seed")}
    if experiment.scenario != base.replace(**own):
        return None
    moved = {name: as_text(value) for name, value in own.items() if value != getattr(base, name)}
    changed = {FIELDS[name].link if name in FIELDS else name: text for name, text in moved.items()}
    texts = list(experiment.texts)
    if best is not None:
        texts.insert(0, texts.pop(best))
    link = {"v": VERSION, "preset": asked.preset} | changed
    return link | {"policies": ";".join(texts[:COMPARED]), "baseline": texts[0]}


# The answer of a map: the shipped one, one computed before, or one computed now in pieces.
#
# A piece of less than a second is asked for after the other, of a process that stands back, so that
# visitors take turns and nothing is computed for who has left; what has been computed is kept, and goes on
# from there.

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
