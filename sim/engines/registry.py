"""The engines side by side, in the order of the listings.

A scenario names its engine, so whatever handles scenarios, policies and results serves every engine.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sim.engines.engine import Engine, Measure
from sim.engines.gang.scenario import GangScenario
from sim.engines.probes.scenario import SCALARS, ProbeScenario
from sim.engines.slots.scenario import SlotScenario
from sim.model.fields import unknown
from sim.model.scenario import Scenario

if TYPE_CHECKING:
    from sim.model.trace import Trace

_ALL = (
    Engine(
        key="slots",
        title="One scheduler and its slots",
        scenario=SlotScenario,
        home="sim.engines.slots.long",
        example="fair+late",
    ),
    Engine(
        key="probes",
        title="Many schedulers and workers, and messages between them",
        scenario=ProbeScenario,
        home="sim.engines.probes.run",
        example="hopper",
        scalars=SCALARS,
        reference="central",
        saturated=0,  # a slot waits for answers, for how long depends on the latency
    ),
    Engine(
        key="gang",
        title="Jobs that start all at once",
        scenario=GangScenario,
        home="sim.engines.gang.run",
        example="redundant-small:r=2,d=120",
        columns=(Measure("wait", "wait mean", ("p50", "p80", "p90", "p95", "p99"), is_time=True),),
        scalars=(Measure("load", "load"),),
        differences=(("slowdown", ("mean", "p50", "p95")),),
        curves=("slowdown", "wait"),
        saturated=0,
    ),
)

#: Key -> engine, in the order of the listings.
ENGINES: dict[str, Engine] = {engine.key: engine for engine in _ALL}


def engine(key: str) -> Engine:
    """Return the engine of this key.

    Raises
    ------
    BadInput
        If there is none, with the nearest key and all keys.

    Examples
    --------
    >>> engine("slots").scenario().slots
    1000
    """
    if key not in ENGINES:
        raise unknown("engine", key, list(ENGINES))
    return ENGINES[key]


def engine_of(scenario: Scenario) -> Engine:
    """Return the engine that runs a scenario.

    Examples
    --------
    >>> engine_of(SlotScenario(slots=10)).key
    'slots'
    """
    return ENGINES[scenario.ENGINE]


# Named scenarios to start from, each with the question it answers and the policies to compare.
#
# They are written in `presets.toml`.

#: A class of scenarios.
Kind = TypeVar("Kind", bound=Scenario)


@dataclass(frozen=True, slots=True)
class Preset:
    """A scenario with a question.

    Parameters
    ----------
    name : str
        How the shell and links call it.
    title : str
        How a menu calls it.
    question : str
        What comparing the policies under this scenario answers, in one sentence.
    scenario : Scenario
        The cluster and its load.
    policies : tuple of str
        Policies to compare unless others are asked for; the first is the baseline.
    asks : tuple of str, optional
        What is answered, where the policies do not say it themselves: 'pair' and the canonical texts of two
        of them, 'everybody' (who makes jobs of every size faster), 'small jobs', or 'copies' (when second
        copies start).
    """

    name: str
    title: str
    question: str
    scenario: Scenario
    policies: tuple[str, ...]
    asks: tuple[str, ...] = ()

    @property
    def engine(self) -> str:
        """Key of the engine that runs it."""
        return self.scenario.ENGINE


def read_presets(text: str) -> dict[str, Preset]:
    """Return the presets of a TOML file, by name, in its order; scenarios are made as any others are.

    Examples
    --------
    >>> found = read_presets('''
    ... [group.large]
    ... slots = 3000
    ... [[preset]]
    ... name = "one"
    ... title = "One"
    ... question = "Does it fit?"
    ... engine = "slots"
    ... group = "large"
    ... policies = ["fair+none"]
    ... [preset.scenario]
    ... load = 0.5
    ... ''')
    >>> found["one"].scenario.slots, found["one"].scenario.load
    (3000, 0.5)
    """
    read = tomllib.loads(text)
    presets = []
    for row in read["preset"]:
        shared = read["group"][group] if (group := row.get("group")) else {}
        scenario = engine(row["engine"]).scenario(**shared | row["scenario"])
        lists = tuple(row["policies"]), tuple(row.get("asks", ()))
        presets.append(Preset(row["name"], row["title"], row["question"], scenario, *lists))
    return {one.name: one for one in presets}


#: Name -> preset, in the order of the menu.
PRESETS: dict[str, Preset] = read_presets(Path(__file__).with_name("presets.toml").read_text("utf-8"))


def preset(name: str, among: Mapping[str, Preset] | None = None) -> Preset:
    """Return the preset of this name, perhaps among those of one engine only.

    Raises
    ------
    BadInput
        If there is none, with the nearest name and all names.

    Examples
    --------
    >>> preset("mm100").scenario.slots
    100
    >>> preset("bussy")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: preset: 'bussy' is not known; did you mean 'busy'? known are light, ...
    """
    among = PRESETS if among is None else among
    if name not in among:
        raise unknown("preset", name, list(among))
    return among[name]


def presets_of(key: str) -> dict[str, Preset]:
    """Return the presets of one engine, by name.

    Examples
    --------
    >>> list(presets_of("slots"))[0]
    'light'
    """
    return {name: one for name, one in PRESETS.items() if one.engine == key}


def with_trace(scenario: Kind, trace: Trace) -> Kind:
    r"""Return the scenario with arrivals, tasks and, if the trace has them, sizes from a trace.

    Parameters
    ----------
    scenario : Scenario
        Any; its slots, load, straggle factors and statistics stay as they are.
    trace : Trace
        Jobs read from a file, all of which are used: `jobs` becomes their number.

    Returns
    -------
    Scenario
        Of the same class.

    Examples
    --------
    >>> from sim.logs import read
    >>> trace = read(b"job_id,submit,tasks\na,0,10\nb,2.5,3\n", "two.csv")
    >>> with_trace(PRESETS["busy"].scenario, trace).jobs
    2
    """
    columns = {"arrivals": "trace", "tasks": "trace", "jobs": trace.arrival.size}
    if trace.size is not None:
        columns["size"] = "trace"
        if scenario.size_per != "job":  # a trace has one size for each job
            columns["size_per"] = "job"
    return scenario.replace(**columns)
