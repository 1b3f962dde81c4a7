"""One replication of one policy on the gang engine: its arrays are filled, advanced and read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from sim.engines import plugins
from sim.engines.engine import EngineImplementation
from sim.engines.gang.engine import ASKED, BITS, DONE, FEW, advance
from sim.engines.gang.scenario import GangScenario, Redundancy
from sim.engines.gang.signatures import CLUSTER, HANDED, JOB, NODE, TASK
from sim.engines.run import EDGES, Run
from sim.kernel.heap import ENTRY, clear, records_needed
from sim.kernel.hook import table_of
from sim.kernel.integrals import means, utilisation, with_running
from sim.kernel.records import COPY, records
from sim.kernel.streams import run_key
from sim.model.cached import cached_property
from sim.model.fields import BadInput
from sim.model.outcome import Outcome
from sim.model.policy import Chosen, Policy
from sim.model.workload import Workload
from theory.quoting import quoted

# Policies of the gang engine: how many redundant tasks a job starts with.

redundancy_rules = partial(plugins.rules, Redundancy)


@dataclass(frozen=True, slots=True)
class GangPolicy(Policy):
    """One rule with its parameters.

    Examples
    --------
    >>> read_policy("redundant-small:d=120,r=2").text
    'redundant-small'
    >>> read_policy("all:r=1.5").redundancy.as_dict["r"]
    1.5
    >>> read_policy("all:r=0.5")
    Traceback (most recent call last):
        ...
    sim.model.fields.BadInput: policy 'all:r=0.5', all: r: '0.5' is not accepted; give a number from 1 to 100
    """

    redundancy: Chosen = field(metadata={"rules": redundancy_rules})


read_policy = GangPolicy.read


class GangRun(Run):
    """A replication under the gang engine.

    Parameters
    ----------
    scenario : GangScenario
    policy : GangPolicy
    replication : int
    workload : Workload
    log : int, optional
        How many tasks to remember.
    asks : bool, optional
        Whether the run stops at each decision for an `answer`, instead of asking the policy: so that
        one can be learned. Decisions are then made at the head of the queue.

    Raises
    ------
    BadInput
        If a job of the workload has more tasks than can start together, or the run is to ask and the
        scenario decides on arrival.
    """

    ENGINE = advance
    STEP = 200_000

    def __init__(
        self,
        scenario: GangScenario,
        policy: GangPolicy,
        replication: int,
        workload: Workload,
        *,
        log: int = 0,
        asks: bool = False,
    ) -> None:
        super().__init__(scenario, policy, replication, workload)
        self.asked = -1  # the job that waits for an answer
        self._rule = redundancy_rules()[policy.redundancy.key]
        if (most := int(workload.tasks.max())) > scenario.places:
            raise BadInput(
                f"tasks: {most} of one job are not accepted; give at most {scenario.places}, "
                "the tasks that can start together"
            )
        if asks and scenario.decide != "dispatch":
            raise BadInput(
                f"decide: {quoted(scenario.decide)} is not accepted in a run that asks; give dispatch"
            )
        self._keep_states(**{"": self._rule})
        self._allocate(log)
        self._fill()
        self.cluster[0].asks = asks

    @property
    def _clock(self) -> Any:
        return self.cluster[0]

    @property
    def _jobs(self) -> Any:
        return self.jobs

    def _advance(self, events: int) -> bool:
        """Call the kernel for so many events, or those until it asks."""
        status = self.ENGINE.compiled(*self._arguments, events)
        self.asked = int(self.cluster[0].head) if status == ASKED else -1
        return bool(status == DONE)

    def answer(self, tasks: int) -> None:
        """Decide how many tasks the job that was `asked` about starts, within what it needs and what fits."""
        job = self.jobs[self.asked]
        job.planned = max(int(job.tasks), min(tasks, self.scenario.places))
        self.asked = -1

    def _allocate(self, log: int) -> None:
        """Make the arrays, empty."""
        scenario = self.scenario
        slots, places = scenario.slots, scenario.places
        self.cluster = records(1, CLUSTER)
        self.jobs = records(self.workload.n, JOB)
        self.nodes = records(scenario.nodes, NODE)
        self.tasks = records(slots, TASK)
        self.coming = records(records_needed(slots), ENTRY)
        self.unused = np.arange(slots, dtype=np.int32)[::-1].copy()
        self.started = np.zeros(places, np.int32)
        self.chosen = np.zeros(places, np.int32)
        self.best = np.zeros(places, np.int32)
        self.ends = np.zeros(max(places, FEW))
        self.picked = np.zeros(places, np.int32)
        self.sets = np.zeros((scenario.capacity + 1) * -(-scenario.nodes // BITS), np.int64)
        self.sizes = np.zeros(scenario.capacity + 1, np.int32)
        self.series = np.zeros((EDGES, 4))
        self.log = records(log, COPY)

    def _fill(self) -> None:
        """Set the state in which nothing has happened yet."""
        scenario = self.scenario
        self._fill_jobs(self.workload)
        self._fill_clock()
        self.jobs.first = -1
        self.sizes[0] = scenario.nodes
        np.bitwise_or.at(self.sets, np.arange(scenario.nodes) // BITS, 1 << np.arange(scenario.nodes) % BITS)
        clear(self.coming, self.cluster)
        c = self.cluster[0]
        c.unused = scenario.slots
        c.nodes, c.capacity, c.places = scenario.nodes, scenario.capacity, scenario.places
        c.words = self.sets.size // self.sizes.size
        c.pool = scenario.placement == "pool"
        c.replicated = scenario.redundancy == "replicated"
        c.late = scenario.decide == "dispatch"
        c.delay = scenario.delay
        c.outlier_share = scenario.outlier_share

    @cached_property
    def _arguments(self) -> tuple[Any, ...]:
        """Everything the engine reads and writes, and the policy's function, in its order of arguments."""
        return (
            self.cluster,
            self.jobs,
            self.nodes,
            self.tasks,
            self.coming,
            self.unused,
            self.started,
            self.chosen,
            self.best,
            self.ends,
            self.picked,
            self.sets,
            self.sizes,
            self.series,
            self.log,
            self._law_numbers,
            table_of(HANDED, self._seen),
            np.uint64(run_key(self.scenario.seed, self.replication)),
            *self._rule.compiled(self._values),
        )

    @cached_property
    def _seen(self) -> dict[str, np.ndarray]:
        """The arrays that the policy's function may see."""
        there = {"cluster": self.cluster, "jobs": self.jobs, "nodes": self.nodes, "store": self.store}
        return there | self.own | {"numbers": np.array(self._values, float)}

    @cached_property
    def store(self) -> np.ndarray:
        """The store of the rule."""
        store = self._rule.store
        return store(self.scenario, self._chosen) if store else np.zeros(0)

    @cached_property
    def _values(self) -> Any:
        return self._rule.values(self.scenario, self._chosen)

    @property
    def _chosen(self) -> dict[str, float]:
        return self.policy.redundancy.as_dict

    def outcome(self) -> Outcome:
        """Read the results, counting the running tasks up to the horizon."""
        c, jobs = self.cluster[0], self.jobs
        resource, extra_time, log = with_running(c, jobs, self.log, *self._running())
        return self._outcome(
            resource=resource,
            extra_time=extra_time,
            utilisation=utilisation(c),
            series=means(c, self.series),
            holding=np.zeros(0),
            log=log,
            columns={"wait": jobs.start - jobs.arrival},
            scalars={"load": self._load(resource)},
        )

    def _load(self, resource: np.ndarray) -> float | None:
        r"""Load that the counted jobs brought, :math:`\rho = \lambda E[Cost] / (N C)` (AS, equation 2).

        Above 1 where `utilisation` cannot follow. None where a cost is not known to its end, or where the
        jobs arrive so close together that it is no number.
        """
        c, jobs = self.cluster[0], self.jobs
        counted = slice(int(c.first_counted), None)
        span = float(jobs.arrival[-1] - jobs.arrival[c.first_counted])
        if span <= 0 or np.isinf(jobs.finish[counted]).any():
            return None
        load = float(resource[counted].sum()) / (float(c.slots) * span)
        return load if math.isfinite(load) else None

    def _running(self) -> tuple[Any, np.ndarray]:
        """Return the tasks that were running at the horizon, and which of them are redundant."""
        c = self.cluster[0]
        numbers = np.setdiff1d(np.arange(c.slots), self.unused[: c.unused])
        held = self.tasks[numbers]
        owner = np.zeros(c.slots, np.int64)
        for j in np.flatnonzero(self.jobs.first >= 0):
            t = self.jobs[j].first
            while t >= 0:
                owner[t] = j
                t = self.tasks[t].next
        running = records(numbers.size, COPY)
        running["job"] = owner[numbers]
        for name, source in (("task", "task"), ("copy", "number"), ("slot", "node"), ("start", "start")):
            running[name] = held[source]
        return running, held.extra > 0


# The gang engine as `sim.engines.registry` starts it.


def start(
    scenario: GangScenario, policy: GangPolicy, replication: int, workload: Workload, log: int
) -> GangRun:
    """Make one replication of one policy ready."""
    return GangRun(scenario, policy, replication, workload, log=log)


def isolated_flowtime(scenario: GangScenario, workload: Workload) -> np.ndarray:
    """Return the size of each job's tasks: AS call (wait + run) / size a job's slowdown."""
    return workload.size


IMPLEMENTATION = EngineImplementation(
    policy=GangPolicy,
    start=start,
    isolated_flowtime=isolated_flowtime,
)
