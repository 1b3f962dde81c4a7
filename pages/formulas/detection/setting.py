"""The simulated cluster of the Detection page: a third of Xu and Lau's, and its rules."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pages.formulas.detection.question.detection import Request
from sim.engines.slots.policy import SlotPolicy
from sim.engines.slots.scenario import SlotScenario
from sim.telling.words import plain

#: The paper's machines and units of time; the machines and jobs of one replication here.
MACHINES, HORIZON = 3000, 1500
SLOTS, JOBS = 1000, 1000
#: Tasks of a job and mean task times are uniform up to these.
MOST_TASKS, LONGEST = 100, 4.0
BASELINE = "Mantri"


@dataclass(frozen=True, slots=True)
class Rules:
    """Parameters of the rules that are not part of the question.

    Parameters
    ----------
    gamma : float
        Weight of slot-time against duration.
    xi : float
        A job that ESE clones has a mean task time below this.
    slotted : bool
        Whether slots are given out once per unit of time, as in the paper.
    seed : int
    """

    gamma: float
    xi: float
    slotted: bool
    seed: int


def scenario(asked: Request, rules: Rules) -> SlotScenario:
    """Return the cluster: tasks U{1..100}, mean task times U(1, 4), Pareto straggle factors.

    Examples
    --------
    >>> asked = Request(2.0, 0.25, 1.7, 2, 0.2, 0.25)
    >>> scenario(asked, Rules(0.01, 1.0, True, 1)).mean_duration
    2.5
    """
    shortest = (asked.alpha - 1) / asked.alpha  # of a task of mean 1
    return SlotScenario(
        slots=SLOTS,
        load=asked.load,
        jobs=JOBS,
        tasks_max=MOST_TASKS,
        size="uniform",
        size_min=shortest,
        size_max=LONGEST * shortest,
        straggle_tail=asked.alpha,
        observe=f"fraction:{plain(asked.share)}",
        decision_interval=1.0 if rules.slotted else 0.0,
        warm_up=0,
        drain=math.inf if asked.load < 1 else 0.0,
        time_unit="units",
        seed=rules.seed,
    )


def policies(asked: Request, rules: Rules) -> dict[str, SlotPolicy]:
    """Return name -> policy, the baseline first."""
    sigma, gamma = asked.sigma, rules.gamma
    return {
        BASELINE: SlotPolicy.of("levels", "mantri").with_(delta=asked.delta),
        "SCA": SlotPolicy.of("levels", "sca").with_(gamma=gamma),
        "SDA": SlotPolicy.of("levels", "sda").with_(sigma=sigma, copies=asked.copies),
        "ESE": SlotPolicy.of("levels", "ese").with_(sigma=sigma, xi=rules.xi, gamma=gamma),
        "No backup": SlotPolicy.of("levels", "none"),
    }


def at_scale(asked: Request, rules: Rules) -> SlotScenario:
    """Return the same with the machines and the time of the paper.

    Examples
    --------
    >>> asked = Request(2.0, 0.2525, 1.7, 2, 0.2, 0.25)
    >>> at_scale(asked, Rules(0.01, 1.0, True, 1)).jobs  # 6 a unit of time
    9000
    """
    one = scenario(asked, rules)
    rate = one.load * MACHINES / (one.mean_tasks * one.mean_duration)
    return one.replace(slots=MACHINES, jobs=max(1, round(HORIZON * rate)))


def span(asked: Request) -> float:
    """Return about how many units of time the jobs of a replication take to arrive."""
    one = SlotScenario(slots=SLOTS, load=asked.load, tasks_max=MOST_TASKS)
    return JOBS * one.mean_tasks * (1 + LONGEST) / 2 / (SLOTS * asked.load)
