"""The question: the ratio to the centralised run at a setting, and along two of its controls."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pages.shared.live.follow import Snapshots
from sim.engines.probes.policy import ProbePolicy, protocol_rules, speculation_rules
from sim.engines.probes.scenario import ProbeScenario
from sim.engines.registry import preset
from sim.model.cached import cached_property
from sim.model.policy import Parameter
from sim.model.result import Comparison
from sim.model.speculative import PHASES
from sim.running.execution import Effort
from sim.running.experiment import Experiment, expected_tasks
from sim.running.live import RunRequest, Snapshot, fitted, shortened
from sim.telling.words import counted, percent, plain

# The setting that the controls make: one frozen value that knows its scenario and its policies.

#: The policy that knows everything, by which the others are measured, and how people call it.
KNOWS_ALL = ProbePolicy.of("central")
CENTRAL = KNOWS_ALL.name
#: Control -> the parameter of rules that it sets, in every policy that has it.
SETS = {"probes": "probes", "refusals": "refusal_threshold", "copies": "copies", "benefit": "benefit"}
#: Parameters of protocols that stay at their defaults here; the others have sliders.
LEFT = ("cancel", "learn_weight")
MOST_RIVALS = 4
#: The policies compared with it by default, Hopper with its own copies first.
HOPPER = ProbePolicy.of("hopper")
USUAL = (HOPPER, ProbePolicy.of("sparrow", "late"), ProbePolicy.of("sparrow-srpt", "late"))
#: Tasks, summed over the policies, that one replication of a point may take.
POINT_TASKS = 600_000
#: Preset whose cluster the shell runs whole.
PAPER = "hopper-fig5a"


def rivals() -> list[str]:
    """Return what can be compared with it, as a menu has it: each protocol, with each rule of copies.

    Rules of one's own are among them.

    Examples
    --------
    >>> rivals()[:4]
    ['hopper+budget', 'hopper+late', 'hopper+none', 'sparrow+late']
    """
    protocols = {key: rule for key, rule in protocol_rules().items() if key != KNOWS_ALL.protocol.key}
    return [
        f"{key}+{copies}"
        for key in sorted(protocols, key=lambda key: not protocols[key].budgets)
        for copies in reversed(speculation_rules())
        if copies != "budget" or protocols[key].budgets
    ]


def has_slider(policy: ProbePolicy, kind: str, parameter: Parameter) -> bool:
    """Whether a parameter of a rival has a slider of its own: of its protocol, if no control sets it."""
    return kind == "protocol" and parameter.name not in (*SETS.values(), *LEFT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The chosen cluster, jobs, protocols and luck.

    Parameters
    ----------
    probes, refusals : int
        Of every protocol d probes per task; refusals after which a free slot may not be refused.
    load, tail, latency : float
        Offered load, tail index of straggle factors (beta), one-way delay of a message.
    workers, schedulers, per_worker : int
    tasks_max : int
        Jobs have from one to so many tasks, uniformly.
    copies : int
        Most copies of a task within the budget of Hopper, the centralised one's, too.
    benefit : float
        Budgeted copies go only to tasks known to need that many mean durations more; 0: to any.
    observe : str
        When stragglers can be detected.
    phases, phases_law, shape, transfer, transfer_law, barrier
        As of the scenario; all but the first matter only where jobs have phases.
    length : int
        Tasks that arrive in a replication, for each slot.
    seed : int
    rivals : tuple of ProbePolicy
        Of `rivals`, perhaps with the parameters that have sliders.
    """

    probes: int = 4
    refusals: int = 3
    load: float = 0.8
    tail: float = 1.5
    workers: int = 200
    schedulers: int = 10
    latency: float = 0.001
    per_worker: int = 1
    tasks_max: int = 50
    copies: int = 4
    benefit: float = 0.0
    observe: str = "age:0.5"
    phases: int = 1
    phases_law: str = "constant"
    shape: str = "chain"
    transfer: float = 1.0
    transfer_law: str = "constant"
    barrier: float = 0.0
    length: int = 80
    seed: int = 1
    rivals: tuple[ProbePolicy, ...] = USUAL

    @property
    def scenario(self) -> ProbeScenario:
        """The cluster and its jobs, scaled to the page."""
        base = self._on(preset(PAPER).scenario.replace(workers=self.workers, schedulers=self.schedulers))
        jobs = round(self.length * base.slots / base.mean_tasks)
        return base.replace(jobs=max(20, jobs))

    @property
    def whole(self) -> ProbeScenario:
        """The same jobs on the cluster of the paper."""
        return self._on(preset(PAPER).scenario)

    def _on(self, base: Any) -> Any:
        return base.replace(
            slots_per_worker=self.per_worker,
            load=self.load,
            straggle_tail=self.tail,
            seed=self.seed,
            latency=self.latency,
            tasks_max=self.tasks_max,
            observe=self.observe,
            **{name: getattr(self, name) for name in PHASES if self.phases > 1},
        )

    @property
    def small(self) -> ProbeScenario:
        """A cluster so small that one decision can be told, of jobs with one phase."""
        schedulers = min(self.schedulers, 8)
        return self.but(phases=1).scenario.replace(
            workers=30, schedulers=schedulers, slots_per_worker=1, tasks_max=min(self.tasks_max, 8), jobs=150
        )

    @property
    def policies(self) -> dict[str, ProbePolicy]:
        """How each policy is called on the screen -> the policy, the centralised one first."""
        return {policy.name: self._set(policy) for policy in (KNOWS_ALL, *self.rivals)}

    def _set(self, policy: ProbePolicy) -> ProbePolicy:
        """Return a policy with the numbers of the controls for those its rules have."""
        numbers = {name: getattr(self, control) for control, name in SETS.items()}
        taken = {name for rule in policy.rules.values() for name in rule.as_dict}
        return policy.with_(**{name: number for name, number in numbers.items() if name in taken})

    @property
    def experiment(self) -> Experiment:
        """All policies on the same jobs."""
        return Experiment(self.scenario, tuple(self.policies.values()))

    def request(self, effort: Effort) -> RunRequest:
        """Return what is asked of the shared workers: the answer, cut to what a server runs."""
        return RunRequest(fitted(self.experiment)[0], effort)

    def point(self, effort: Effort) -> RunRequest:
        """Return what is asked for a point of a curve: of fewer jobs if large."""
        experiment = self.experiment
        return RunRequest(shortened(experiment, POINT_TASKS / expected_tasks(experiment)), effort)

    @property
    def cuts(self) -> str:
        """What a server does not run of this; empty if it runs all."""
        return fitted(self.experiment)[1]

    def but(self, **changes: Any) -> Setting:
        """Return the setting with some values changed."""
        return dataclasses.replace(self, **changes)


#: How well the answer is to be known.
EFFORT = Effort(replications=20, precision=2)
#: The same of a point of a curve. All points meet the same luck, so that they differ by what is varied.
POINT = Effort(replications=6)


@dataclass(frozen=True, slots=True)
class Axis:
    """A control whose values are tried one after another.

    Parameters
    ----------
    field : str
        Of `Setting`.
    name : str
        The quantity, in a word or two.
    title : str
        The same with its symbol and unit.
    values : tuple of float
        Those that are tried, besides the chosen one.
    in_words : callable
        Value -> words, as in 'at ... the ratio is'.
    even : bool, optional
        Whether values are drawn where they are; else side by side.
    only : str, optional
        Start of the names of the policies it means something to, beside those that have the parameter.
    """

    field: str
    name: str
    title: str
    values: tuple[float, ...]
    in_words: Callable[[float], str]
    even: bool = False
    only: str = ""

    def tried(self, setting: Setting) -> tuple[float, ...]:
        """Return the values, the chosen one among them.

        Examples
        --------
        >>> AXES["probes"].tried(Setting(probes=3))
        (2, 3, 4, 6, 8, 10)
        """
        return tuple(sorted({*self.values, getattr(setting, self.field)}))

    def in_turn(self, setting: Setting) -> list[float]:
        """Return the values in the order in which they are worked out: the chosen one first."""
        chosen = getattr(setting, self.field)
        return sorted(self.tried(setting), key=lambda value: (value != chosen, value))

    def setting(self, setting: Setting, value: float) -> Setting:
        """Return the setting with this value, and the policies to which it means something."""
        return setting.but(rivals=tuple(filter(self.concerns, setting.rivals)), **{self.field: value})

    def concerns(self, policy: ProbePolicy) -> bool:
        """Whether it means something to a policy.

        Examples
        --------
        >>> [AXES["refusals"].concerns(ProbePolicy.of(key, "late")) for key in ("hopper", "sparrow")]
        [True, False]
        """
        has = any(SETS.get(self.field) in rule.as_dict for rule in policy.rules.values())
        return has or policy.name.startswith(self.only)


AXES = {
    axis.field: axis
    for axis in (
        Axis(
            "probes",
            "probes per task",
            "probes per task, d",
            (2, 4, 6, 8, 10),
            lambda d: f"d = {plain(d)}",
            even=True,
        ),
        Axis(
            "refusals",
            "refusals",
            "refusals before a job must accept",
            (0, 1, 2, 3, 5, 7, 10),
            lambda r: counted(round(r), "refusal"),
            even=True,
            only="Hopper",
        ),
        Axis(
            "load",
            "load",
            "offered load ρ₀",
            (0.5, 0.6, 0.7, 0.8, 0.9),
            lambda x: f"{percent(x)} load",
            even=True,
        ),
        Axis(
            "latency",
            "delay",
            "one-way delay of a message (s)",
            (0.0, 0.001, 0.01, 0.1, 0.5),
            lambda x: f"a delay of {plain(x)} s",
        ),
        Axis(
            "schedulers",
            "schedulers",
            "schedulers",
            (1, 2, 5, 10, 20, 50),
            lambda n: counted(round(n), "scheduler"),
        ),
        Axis(
            "tasks_max",
            "size of jobs",
            "most tasks per job",
            (1, 5, 10, 20, 50, 100),
            lambda n: f"up to {counted(round(n), 'task')}",
        ),
        Axis(
            "phases",
            "phases",
            "most phases per job",
            (1, 2, 3, 4, 5),
            lambda n: f"up to {counted(round(n), 'phase')}",
            even=True,
        ),
        Axis(
            "copies",
            "copies per task",
            "most copies per task",
            (1, 2, 3, 4, 8),
            lambda n: f"up to {counted(round(n), 'copy', 'copies')} per task",
            even=True,
            only="Hopper",
        ),
        Axis(
            "benefit",
            "tasks copied",
            "remaining time from which a task is copied (mean durations)",
            (0.0, 0.5, 1.0, 2.0),
            lambda x: f"copies of tasks with more than {plain(x)} mean durations left",
            even=True,
            only="Hopper",
        ),
        Axis(
            "tail",
            "tail index β",
            "tail index β of straggle factors",
            (1.2, 1.5, 2.0, 2.5, 3.0),
            lambda b: f"β = {plain(b)}",
            even=True,
        ),
    )
}


@dataclass(frozen=True)
class Curves:
    """The question: a setting, and the two controls against which its curves are drawn."""

    setting: Setting
    axes: tuple[Axis, Axis]

    @cached_property
    def places(self) -> list[tuple[Axis, float]]:
        """The points of the curves in the order in which they are found."""
        return [(axis, value) for axis in self.axes for value in axis.in_turn(self.setting)]

    @property
    def answer(self) -> RunRequest:
        """The answer."""
        return self.setting.request(EFFORT)

    @property
    def requests(self) -> list[RunRequest]:
        """The answer, then each point."""
        points = (axis.setting(self.setting, value).point(POINT) for axis, value in self.places)
        return [self.answer, *points]


# The results so far: the answer at the chosen setting, and the points of the curves.

#: Value of a control -> what was found there, the policies called as on the screen.
Points = Mapping[float, Comparison]


@dataclass(frozen=True)
class Answer:
    """What is known: a snapshot of the answer, and of the first points."""

    curves: Curves
    snapshots: Snapshots

    @property
    def setting(self) -> Setting:
        """The chosen one."""
        return self.curves.setting

    @property
    def first(self) -> Snapshot:
        """The answer at the chosen setting."""
        return self.snapshots[0]

    @cached_property
    def comparison(self) -> Comparison:
        """The answer, its policies called as on the screen."""
        return self.first.comparison.called(tuple(self.setting.policies))

    def along(self, axis: Axis) -> list[tuple[float, Snapshot]]:
        """Return what is known along an axis, from two replications on: one has no interval."""
        found = zip(self.curves.places, self.snapshots[1:], strict=False)
        return [(value, one) for (on, value), one in found if on is axis and one.done > 1]

    def points(self, axis: Axis) -> Points:
        """Return the points along an axis."""
        return {
            value: snapshot.comparison.called(tuple(axis.setting(self.setting, value).policies))
            for value, snapshot in self.along(axis)
        }
