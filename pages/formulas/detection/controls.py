"""Controls of the Detection page, and the settings it can start from."""

from __future__ import annotations

from dataclasses import replace

from pages.formulas.detection.question.smart_cloning import NAMES
from pages.formulas.letters import BETA, COPIES, LOAD
from pages.shared.controls.control import STATISTIC, Control, OneOf, Range, Switch
from pages.shared.controls.panel import Panel, Start, start_control

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
