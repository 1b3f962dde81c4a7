"""Controls of scenario fields: over which range each makes sense, and in which words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slider:
    """Range of a slider, what it is called, and what is to be said beside what the field says of itself."""

    label: str
    low: float
    high: float
    step: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Steps:
    """Values of a slider that moves in uneven steps, and what it is called."""

    label: str
    values: tuple[float, ...]


SLIDERS: dict[str, Slider] = {
    "load": Slider("Offered load ρ₀", 0.1, 2.0, 0.05),
    "straggle_tail": Slider("Tail index β of straggle factors", 1.1, 4.0, 0.1),
    "straggle_cv": Slider("Variation of straggle factors (CV)", 0.1, 4.0, 0.1),
    "outlier_share": Slider("Share p of outliers", 0.0, 0.3, 0.01),
    "arrival_cv": Slider("Burstiness of arrivals (CV)", 0.5, 10.0, 0.5),
    "tasks_tail": Slider("Tail of tasks per job", 0.1, 3.0, 0.1),
    "transfer": Slider(
        "DAG weight α when a phase begins",
        0.0,
        5.0,
        0.1,
        "α is the time of the transfers to come over that of tasks left: at first this, later more.",
    ),
    "barrier": Slider("Share of inputs a phase waits for", 0.0, 1.0, 0.05),
    "slow_share": Slider("Share of slow machines", 0.0, 0.5, 0.01),
    "slow_factor": Slider("How much slower they are", 1.0, 10.0, 0.1),
    "remote_factor": Slider("How much longer a remote copy takes", 1.0, 5.0, 0.1),
    "warm_up": Slider("Warm-up left out", 0.0, 0.5, 0.05),
}
STEPS: dict[str, Steps] = {
    "slots": Steps("Slots in the cluster", (10, 20, 40, 100, 200, 500, 1000, 2000, 5000, 10_000)),
    "jobs": Steps("Jobs in a replication", (1, 10, 30, 100, 300, 1000, 2000, 4000, 10_000, 30_000, 100_000)),
    "tasks_max": Steps(
        "Most tasks in a job", (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000, 30_000)
    ),
    "phases": Steps("Most phases of a job", (1, 2, 3, 4, 5, 7, 10, 15, 20)),
    "machine_slots": Steps("Slots of a machine", (1, 2, 4, 8, 16, 32)),
    "replicas": Steps("Replicas of an input block", (0, 1, 2, 3, 5, 10)),
    "straggle_max": Steps("Largest straggle factor", (2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0)),
}
CHOICES = {
    "arrivals": "Arrivals",
    "tasks": "Tasks in a job",
    "straggle": "Law of straggle factors",
    "phases_law": "Law of the number of phases",
    "shape": "How phases feed each other",
    "transfer_law": "Law of transfer times",
}
