"""Named scenarios to start from, each with the question it answers and the policies to compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.fields import unknown
from sim.gang.scenario import GangScenario
from sim.scenario import Scenario

if TYPE_CHECKING:
    from sim.traces.trace import Trace


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
    """

    name: str
    title: str
    question: str
    scenario: Scenario
    policies: tuple[str, ...]

    @property
    def engine(self) -> str:
        """Key of the engine that runs it."""
        return self.scenario.ENGINE


_ALL = (
    Preset(
        name="light",
        title="Half-loaded cluster",
        question="With slots to spare, what matters more: whose turn it is, or who gets a second copy?",
        scenario=Scenario(slots=1000, load=0.5, jobs=4000, tasks_max=100),
        policies=("fair+late", "srpt+mantri", "hopper", "srpt+none"),
    ),
    Preset(
        name="busy",
        title="Busy cluster, mostly small jobs, in bursts",
        question="When jobs of all sizes compete in bursts, what does the order bring, and what do copies?",
        scenario=Scenario(
            slots=200,
            load=0.9,
            jobs=10_000,
            arrivals="bursty",
            arrival_cv=4,
            tasks="pareto",  # four jobs in five have fewer than 10 tasks, as at Facebook (Dolly)
            tasks_max=1000,
            tasks_tail=0.7,
        ),
        policies=("fair+late", "srpt+mantri", "hopper", "fifo+none"),
    ),
    Preset(
        name="overloaded",
        title="More work than slots",
        question="Can copies that save work keep a cluster stable that is offered more than it can do?",
        scenario=Scenario(slots=200, load=1.2, jobs=4000, tasks_max=100, drain=0),
        policies=("fair+late", "srpt+mantri", "hopper", "hopper+late", "srpt+none"),
    ),
    Preset(
        name="small",
        title="A cluster small enough to watch",
        question="Which slot runs which copy of which task, and when is a straggler given a second one?",
        scenario=Scenario(slots=20, load=0.8, jobs=30, tasks_max=20, warm_up=0),
        policies=("fair+late", "srpt+mantri", "hopper", "fifo+none"),
    ),
    Preset(
        name="mm100",
        title="M/M/100",
        question="Does the simulated wait agree with Erlang's formula for 100 servers at load 0.8?",
        scenario=Scenario(
            slots=100, load=0.8, jobs=100_000, tasks="constant", tasks_max=1, straggle="exponential"
        ),
        policies=("fifo+none",),
    ),
    Preset(
        name="aktas",
        title="Coded jobs, sizes of infinite variance",
        question="How much redundancy should which jobs have at which load, where a few jobs are huge?",
        scenario=GangScenario(size_tail=1.5),  # as printed by Aktas and Soljanin, section 2
        policies=("none", "all:r=2", "redundant-small:r=2,d=120"),
    ),
    Preset(
        name="aktas-beta3",
        title="Coded jobs, sizes of finite variance",
        question="How much redundancy should which jobs have at which load, where sizes differ less?",
        scenario=GangScenario(size_tail=3),  # as in the authors' published code
        policies=("none", "all:r=2", "redundant-small:r=2,d=120"),
    ),
)

#: Name -> preset, in the order of the menu.
PRESETS: dict[str, Preset] = {preset.name: preset for preset in _ALL}


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
    sim.fields.BadInput: preset: 'bussy' is not known; did you mean 'busy'? known are light, ...
    """
    among = PRESETS if among is None else among
    if name not in among:
        raise unknown("preset", name, list(among))
    return among[name]


def presets_of(engine: str) -> dict[str, Preset]:
    """Return the presets of one engine, by name.

    Examples
    --------
    >>> list(presets_of("slots"))[0]
    'light'
    """
    return {name: one for name, one in PRESETS.items() if one.engine == engine}


def with_trace(scenario: Scenario, trace: Trace) -> Scenario:
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

    Examples
    --------
    >>> from sim.traces import read
    >>> trace = read(b"job_id,submit,tasks\na,0,10\nb,2.5,3\n", "two.csv")
    >>> with_trace(PRESETS["busy"].scenario, trace).jobs
    2
    """
    columns = {"arrivals": "trace", "tasks": "trace", "jobs": trace.arrival.size}
    if trace.size is not None:
        columns |= {"size": "trace", "size_per": "job"}
    return scenario.replace(**columns)
