"""The map that the controls ask for, and links to the page Compare at one of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pages.map.controls import CHOICE, FIXED, OFFERED, parts
from pages.map.question.axes import AXES
from pages.shared.app.runs import records
from pages.shared.controls.fields import FIELDS
from pages.shared.controls.links import VERSION, as_text
from sim.engines.presets import preset
from sim.map.plane import Axis, Cell, Plane
from sim.map.shipped import beforehand
from sim.map.survey import Survey, cost
from sim.model.fields import BadInput
from sim.running.experiment import Experiment

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
    """Return an axis as it is chosen."""
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
