"""Controls of the Cloning page, and the settings it can start from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pages.formulas.cloning.question import Request
from pages.formulas.tab import LOAD, OUTLIERS, RISK, TASKS
from pages.shared.controls.control import STATISTIC, Control, Panel, Range, Start, start_control
from sim.engines.registry import preset
from sim.engines.slots.scenario import SlotPolicy
from sim.model.scenario import Scenario
from sim.telling.words import plain

# The simulated cluster of the Cloning page: mostly small jobs, spare slots, and outliers.

SLOTS, JOBS = 500, 3000
#: The preset that has the paper's scale, and the most tasks of a job here, where the cluster is smaller.
PAPER, MOST_TASKS = "dolly-fig6", 200
BASELINE = "LATE"


@dataclass(frozen=True, slots=True)
class Cluster:
    """The cluster, its outliers, and what its rules may do.

    Parameters
    ----------
    load : float
        Offered load.
    tau : float
        Share of the slots up to which clones may fill the cluster.
    small : int
        Most tasks of a small job.
    outlier : float
        Least factor by which an outlier is slower.
    tail : float
        Tail index of the factor.
    spread : float
        How much the probability of an outlier differs between slots.
    window : float
        Time after which the slots' probabilities are learned, 0 if p is known.
    age : float
        Age, in mean task times, at which the remaining time of a copy is known.
    seed : int
    """

    load: float
    tau: float
    small: int
    outlier: float
    tail: float
    spread: float
    window: float
    age: float
    seed: int


def scenario(asked: Request, cluster: Cluster) -> Scenario:
    """Return a smaller cluster than the paper's; a task on a healthy slot takes one unit of time.

    Examples
    --------
    >>> cluster = Cluster(0.2, 0.7, 10, 5.0, 1.5, 0.0, 0.0, 2.0, 1)
    >>> round(scenario(Request(0.1, 0.05, 10), cluster).mean_duration, 2)  # 0.9 + 0.1 * 15
    2.4
    """
    return at_scale(asked, cluster).replace(slots=SLOTS, jobs=JOBS, tasks_max=MOST_TASKS)


def at_scale(asked: Request, cluster: Cluster) -> Scenario:
    """Return the same with the slots, jobs and tasks of the paper's cluster."""
    return preset(PAPER).scenario.replace(
        load=cluster.load,
        straggle_tail=cluster.tail,
        outlier_share=asked.p,
        outlier_min=cluster.outlier,
        outlier_spread=cluster.spread,
        observe=f"age:{plain(cluster.age)}",
        time_unit="units",
        seed=cluster.seed,
    )


def policies(asked: Request, cluster: Cluster) -> dict[str, SlotPolicy]:
    """Return name -> policy, the baseline first."""
    chosen = {"epsilon": asked.epsilon, "tau": cluster.tau, "window": cluster.window}
    dolly = SlotPolicy.of("fair", "dolly").with_(**chosen)
    return {
        BASELINE: SlotPolicy.of("fair", "late"),
        "Mantri": SlotPolicy.of("fair", "mantri"),
        "Dolly": dolly,
        "Dolly on small jobs": dolly.with_(small=cluster.small),
        "No copies": SlotPolicy.of("fair", "none"),
    }


#: The paper's cluster, and points worth seeing.
STARTS = {
    "dolly": Start("Dolly, Fig. 6: slots to spare"),
    "busy": Start("A busy cluster", {"omega": 0.7}),
    "late": Start("Stragglers are detected late", {"age": 3.0}),
    "learned": Start("Bad slots, learned", {"spread": 1.0, "window": 50.0}),
    "rare": Start("Outliers are rare", {"p": 0.02, "tasks": 50}),
}
SHARED = (
    RISK,
    replace(TASKS, about="The curves are read here. Dolly writes n."),
    replace(LOAD, default=0.21),
    OUTLIERS,
)
OWN = (
    Control("p", "Probability p that a copy is an outlier", Range(0.01, 0.4, 0.01), 0.09, "Each copy anew."),
    Control(
        "tau",
        "Ceiling τ for clones",
        Range(0.1, 1.0, 0.05),
        0.7,
        "Clones may start while fewer of the slots are busy.",
    ),
    Control(
        "age",
        "Stragglers can be detected after (mean task times)",
        Range(0.0, 5.0, 0.25),
        0.5,
        "From the start of a copy.",
    ),
)
MORE = (
    Control(
        "small", "Largest small job (tasks)", Range(1, 100, 1), 10, "For Dolly that clones small jobs only."
    ),
    Control("outlier", "Minimum slowdown of an outlier (×)", Range(2.0, 20.0, 0.5), 6.0),
    Control("spread", "p differs between slots by ±", Range(0.0, 1.0, 0.1), 0.0, "As a share of p."),
    Control(
        "window",
        "Learn p of each slot every (units of time)",
        Range(0.0, 200.0, 10.0),
        0.0,
        "0: p is known and the same.",
    ),
    Control("seed", "Random seed", Range(1, 100, 1), 1),
)
#: Small jobs mostly have no outlier, under whatever rule: their median tells nothing.
SLOWEST = replace(
    STATISTIC,
    about="Until you choose: the mean, or the 95th percentile where too few jobs are run to know the mean; "
    "the median job has no outlier under any rule.",
)
PANEL = Panel(
    "cloning",
    (start_control("start", STARTS, "dolly"), *SHARED, *OWN, *MORE, SLOWEST),
    STARTS,
    stays=("statistic",),
)
