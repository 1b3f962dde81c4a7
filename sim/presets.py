"""Named scenarios to start from, each with the question it answers and the policies to compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from sim.fields import unknown
from sim.gang.scenario import GangScenario
from sim.probes.scenario import ProbeScenario
from sim.scenario import Scenario
from sim.slots.scenario import SlotScenario

if TYPE_CHECKING:
    from sim.traces.trace import Trace

#: A class of scenarios.
Kind = TypeVar("Kind", bound=Scenario)

#: Two ways to share slots times two ways to copy: which of the two matters more.
TWO_BY_TWO = ("fair+none", "fair+late", "srpt+none", "srpt+late")
#: Jobs with phases, of `hopper-dag` and, on the cluster of Fig. 5, of `hopper-dag-probes`.
PHASED_JOBS: dict[str, Any] = {
    "tasks_min": 4,
    "tasks_max": 100,
    "phases": 4,
    "phases_law": "uniform",
    "shape": "bushy",
    "transfer": 1,
    "transfer_law": "exponential",
}


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
        What is answered, where the policies do not say it themselves: 'pair' and two of them, 'everybody'
        (who makes jobs of every size faster), 'small jobs', or 'copies' (when second copies start).
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


def xu_lau(rate: float, **changes: Any) -> SlotScenario:
    """Return the setting of Xu and Lau's simulations at so many jobs per unit of time.

    3000 machines, U{1..100} tasks, mean task times U(1, 4) with Pareto(2) straggle factors (of mean 2),
    1500 units of time with decisions at each. Their share s of the work after which a remaining time is
    known is not printed: 0.2 here.

    Examples
    --------
    >>> round(xu_lau(6).load, 4)
    0.2525
    """
    fields: dict[str, Any] = {
        "slots": 3000,
        "load": rate * 50.5 * 2.5 / 3000,
        "jobs": round(1500 * rate),
        "tasks_max": 100,
        "size": "uniform",
        "size_min": 0.5,
        "size_max": 2,
        "straggle_tail": 2,
        "observe": "fraction:0.2",
        "decision_interval": 1,
        "warm_up": 0,
        "time_unit": "units",
    }
    return SlotScenario(**fields | changes)


_ALL = (
    Preset(
        name="light",
        title="Half-loaded cluster",
        question="With slots to spare, what matters more: whose turn it is, or who gets a second copy?",
        scenario=SlotScenario(slots=1000, load=0.5, jobs=4000, tasks_max=100),
        policies=TWO_BY_TWO,
    ),
    Preset(
        name="busy",
        title="Busy cluster, jobs in bursts",
        question="When jobs of all sizes compete in bursts, what does the order bring, and what do copies?",
        scenario=SlotScenario(
            slots=200,
            load=0.9,
            jobs=10_000,
            arrivals="bursty",
            arrival_cv=4,
            tasks="pareto",  # four jobs in five have fewer than 10 tasks, as at Facebook (Dolly)
            tasks_max=1000,
            tasks_tail=0.7,
        ),
        policies=(*TWO_BY_TWO, "hopper"),
    ),
    Preset(
        name="load-and-tail",
        title="Any load and any tail",
        question="Who should get a second copy: nobody, the slowest tasks, or a job within its share?",
        scenario=SlotScenario(
            slots=200, load=0.6, jobs=2000, tasks_max=20, straggle="bounded-pareto", straggle_tail=1.8
        ),
        policies=("srpt+none", "srpt+late", "srpt+mantri", "hopper"),
    ),
    Preset(
        name="overloaded",
        title="More work than slots",
        question="Can copies that save work keep a cluster stable that is offered more than it can do?",
        scenario=SlotScenario(slots=200, load=1.2, jobs=4000, tasks_max=100, drain=0),
        policies=("fair+late", "srpt+mantri", "hopper", "hopper+late", "srpt+none"),
    ),
    Preset(
        name="small",
        title="Small enough to watch",
        question="Which slot runs which copy of which task, and when is a straggler given a second one?",
        scenario=SlotScenario(slots=20, load=0.8, jobs=30, tasks_max=20, warm_up=0),
        policies=("fair+late", "srpt+mantri", "hopper", "fifo+none"),
        asks=("copies",),
    ),
    Preset(
        name="hopper-fair",
        title="How fair is fast?",
        question="How much unfairness does it take for nearly every job to be faster than under fair shares?",
        scenario=SlotScenario(
            slots=200,
            load=0.9,
            jobs=6000,
            tasks="pareto",  # four jobs in five have fewer than 10 tasks, as at Facebook (Dolly)
            tasks_max=1000,
            tasks_tail=0.7,
        ),
        policies=(
            "fair+late",
            "fair+budget",
            "hopper-fair:epsilon=0.3",
            "hopper:epsilon=0.3",
            "hopper",
        ),
        asks=("everybody",),
    ),
    Preset(
        name="hopper-dag",
        title="Jobs with phases",
        question="Does it pay to weigh the transfers downstream against the tasks that are left?",
        scenario=SlotScenario(
            slots=200,
            load=0.9,
            jobs=4000,
            **PHASED_JOBS,
        ),
        policies=("fair+late", "hopper", "hopper-fair:epsilon=0.3", "hopper-dag", "hopper-dag:optimum=0"),
        asks=("pair", "hopper", "hopper-dag"),
    ),
    Preset(
        name="hopper-locality",
        title="Where the data is",
        question="How many jobs must be allowed to overtake for copies to run where their data is?",
        scenario=SlotScenario(
            slots=1000,
            load=0.9,
            jobs=10_000,
            tasks="pareto",
            tasks_max=500,
            tasks_tail=0.7,
            machine_slots=4,
            replicas=3,
            remote_factor=1.3,
        ),
        policies=(
            "fair+late",
            "hopper-local:percent=0",
            "hopper-local",
            "hopper-local:percent=20",
            "hopper-local:percent=100",
        ),
    ),
    Preset(
        name="mm100",
        title="M/M/100",
        question="Does the simulated wait agree with Erlang's formula for 100 servers at load 0.8?",
        scenario=SlotScenario(
            slots=100, load=0.8, jobs=100_000, tasks="constant", tasks_max=1, straggle="exponential"
        ),
        policies=("fifo+none",),
    ),
    *(
        Preset(
            name=name,
            title=title,
            question=question,
            scenario=xu_lau(rate, **changes),
            policies=policies,
            asks=asks,
        )
        for name, title, question, rate, changes, policies, asks in (
            (
                "xu-lau-fig2",
                "Xu and Lau, Fig. 2: light load",
                "Clone at once, or wait and see: which ends jobs sooner, and what does it use?",
                6,
                {},
                ("mantri-xl", "sca", "sda", "no-backup"),
                ("pair", "sda", "sca"),
            ),
            (
                "xu-lau-fig3",
                "Xu and Lau, Fig. 3: SDA’s σ",
                "From which remaining time on is a task worth a copy, for the job and for the cluster?",
                6,
                {},
                ("sda", "sda:sigma=1", "sda:sigma=2.5", "sda:sigma=4", "no-backup"),
                (),
            ),
            (
                "xu-lau-fig6-30",
                "Xu and Lau, Fig. 6 at λ = 30",
                "Which copies are worth their slots when more work comes than the cluster can do?",
                30,
                {"drain": 0},
                ("mantri-xl", "ese:sigma=1.7", "no-backup"),
                (),
            ),
            (
                "xu-lau-fig6-40",
                "Xu and Lau, Fig. 6 at λ = 40",
                "Does a rule for busy clusters help when two thirds more work comes than can be done?",
                40,
                {"drain": 0},
                ("mantri-xl", "ese:sigma=1.7", "no-backup"),
                (),
            ),
        )
    ),
    Preset(
        name="xu-lau-fig5",
        title="Xu and Lau, Fig. 5: a huge job",
        question="Where does the threshold of ESE lie when every slot is always wanted?",
        scenario=SlotScenario(
            slots=100,
            jobs=1,
            tasks="constant",
            tasks_max=10_000,
            size_min=0.5,  # a mean duration of 1
            straggle_tail=2,
            observe="fraction:0.2",
            warm_up=0,
        ),
        policies=("no-backup", "ese:sigma=1", "ese:sigma=1.7", "ese:sigma=3"),
    ),
    Preset(
        name="dolly-fig6",
        title="Dolly, Fig. 6: small jobs",
        question="What do clones bring small jobs where four fifths of the slots idle, and what do they use?",
        # The paper states the load, the shares of small jobs and how slow outliers are; the laws are chosen
        # to have them: four jobs in five have fewer than 10 tasks and 6 % of the work; an outlier takes 12
        # times as long on average; three copies a task are enough for 96 % of the jobs.
        scenario=SlotScenario(
            slots=5000,
            load=0.21,
            jobs=10_000,
            tasks="pareto",
            tasks_max=30_000,
            tasks_tail=0.745,
            straggle="outlier",
            outlier_share=0.09,
            outlier_min=6,
            straggle_tail=2,
        ),
        policies=("fair+late", "fair+mantri", "dolly-task", "dolly-task:small=10", "dolly-job"),
        asks=("small jobs",),
    ),
    Preset(
        name="aktas",
        title="Coded jobs, infinite variance",
        question="How much redundancy should which jobs have at which load, where a few jobs are huge?",
        scenario=GangScenario(size_tail=1.5),  # as printed by Aktas and Soljanin, section 2
        policies=("none", "all:r=2", "redundant-small:r=2,d=120", "redundant-rl"),
    ),
    Preset(
        name="aktas-beta3",
        title="Coded jobs, finite variance",
        question="How much redundancy should which jobs have at which load, where sizes differ less?",
        scenario=GangScenario(size_tail=3),  # as in the authors' published code
        policies=("none", "all:r=2", "redundant-small:r=2,d=120", "redundant-rl"),
    ),
)

_PROBES = (
    Preset(
        name="hopper-fig5a",
        title="Hopper, Fig. 5a: probes",
        question="How much slower than one scheduler that knows all are 50 that each probe a few workers?",
        # the paper states schedulers, workers and beta; the rest is chosen: see the claims
        scenario=ProbeScenario(workers=10_000, schedulers=50, load=0.8, jobs=6000),
        policies=("central", "hopper", "hopper:probes=2", "sparrow+late", "sparrow+none"),
    ),
    Preset(
        name="hopper-fig5b",
        title="Hopper, Fig. 5b: refusals",
        question="How many refusals does a free slot need to find the job one scheduler would have picked?",
        scenario=ProbeScenario(workers=10_000, schedulers=50, load=0.8, jobs=6000),
        policies=(
            "central",
            "hopper:refusal_threshold=0",
            "hopper:refusal_threshold=2",
            "hopper:refusal_threshold=10",
        ),
    ),
    Preset(
        name="hopper-dag-probes",
        title="Phases, many schedulers",
        question="Do DAG weights still help with 50 schedulers that each probe a few of 10,000 workers?",
        scenario=ProbeScenario(
            workers=10_000,
            schedulers=50,
            load=0.8,
            jobs=6000,
            **PHASED_JOBS,
        ),
        policies=("central", "hopper", "hopper:probes=2", "hopper+none", "sparrow+late"),
    ),
    Preset(
        name="sparrow-10k",
        title="Sparrow: 10,000 workers",
        question="How close to its slowest task does a job get when each task probes two of 10,000 workers?",
        scenario=ProbeScenario(
            workers=10_000,
            slots_per_worker=4,
            latency=0.5,
            load=0.8,
            jobs=5000,
            tasks="constant",
            tasks_max=100,
            size_min=100,
            straggle="exponential",
            time_unit="ms",
        ),
        policies=("sparrow", "sparrow:probes=1", "sparrow-srpt"),
    ),
)

#: Name -> preset, in the order of the menu.
PRESETS: dict[str, Preset] = {preset.name: preset for preset in (*_ALL, *_PROBES)}


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
    >>> from sim.traces import read
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
