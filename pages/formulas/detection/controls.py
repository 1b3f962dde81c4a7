"""Controls of the Detection page, and the settings it can start from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from pages.formulas.detection.question import NAMES, Request
from pages.formulas.tab import BETA, COPIES, LOAD
from pages.shared.controls.control import (
    STATISTIC,
    Control,
    OneOf,
    Panel,
    Range,
    Start,
    Switch,
    start_control,
)
from sim.engines.slots.scenario import SlotPolicy, SlotScenario
from sim.telling.words import plain

# The simulated cluster of the Detection page: a third of Xu and Lau's, and its rules.

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


#: Figures of the paper, and points worth seeing.
STARTS = {
    "fig2": Start("Xu & Lau, Fig. 2: light load"),
    "fig3": Start("Xu & Lau, Fig. 3: low threshold", {"sigma": 0.8}),
    "fig6-30": Start("Xu & Lau, Fig. 6 at λ = 30", {"omega": 1.25}),
    "fig6-40": Start("Xu & Lau, Fig. 6 at λ = 40", {"omega": 1.7}),
    "heavy": Start("A heavier tail: three copies", {"alpha": 1.3, "omega": 0.5, "sigma": 1.2, "copies": 3}),
    "thin": Start("A thin tail: little to gain", {"alpha": 4.0, "omega": 0.6, "sigma": 1.95}),
    "clones": Start("ESE that clones (ξ = 5)", {"omega": 0.5, "xi": 5.0}),
}
SHARED = (
    replace(BETA, name="alpha", symbol="beta", values=Range(1.1, 5.0, 0.05), default=2.0),
    replace(LOAD, values=Range(0.05, 1.7, 0.05)),
    COPIES,
)
OWN = (
    Control(
        "sigma",
        "Threshold σ (mean task times)",
        Range(0.1, 4.0, 0.05),
        1.7,
        "A straggler has more than this left.",
    ),
    Control(
        "share",
        "Share s of the work after which stragglers can be detected",
        Range(0.0, 0.9, 0.05),
        0.2,
        "From then on the remaining time of a copy is known.",
    ),
)
RULES = (
    Control(
        "delta",
        "Mantri's probability δ",
        Range(0.0, 0.95, 0.05),
        0.25,
        "It copies if P(t_rem > 2 t_new) exceeds it.",
    ),
    Control(
        "xi",
        "Small jobs of ESE: mean task time below ξ",
        Range(0.5, 5.0, 0.5),
        1.0,
        "In the paper ξ is 1, so no job is small.",
    ),
    Control("seed", "Random seed", Range(1, 100, 1), 1),
    Control("slotted", "Decide once per unit of time", Switch(), True, "As in the paper; otherwise at once."),
)
#: The weight, the four jobs and the slots of the paper's Fig. 1, and the step of its iteration.
PLAN = (
    Control("gamma", "Weight of slot-time γ", OneOf((0.0, 0.001, 0.01, 0.1, 1.0)), 0.01),
    Control("N", "Free slots N", Range(20, 400, 5), 100),
    *(
        Control(f"m{name}", f"Tasks of job {name}", Range(1, 60, 1), tasks)
        for name, tasks in zip(NAMES, (10, 20, 5, 10), strict=True)
    ),
    Control(
        "eta",
        "Step η₁ of the iteration",
        OneOf((0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)),
        0.2,
        "0.2 in Fig. 1 of the paper.",
    ),
)
PANEL = Panel(
    "detection",
    (start_control("start", STARTS, "fig2"), *SHARED, *OWN, *RULES, *PLAN, STATISTIC),
    STARTS,
    stays=("statistic",),
)
