"""The setting that the controls make: one frozen value that knows its scenario and its policies."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from sim.engines.presets import preset
from sim.engines.probes.policy import ProbePolicy, protocol_rules, speculation_rules
from sim.engines.probes.scenario import ProbeScenario
from sim.model.policy import Parameter
from sim.model.speculative import PHASES
from sim.running.execution import Effort
from sim.running.experiment import Experiment, expected_tasks
from sim.running.live import RunRequest, fitted, shortened

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
