"""Controls of the Threshold page."""

from __future__ import annotations

from pages.formulas.threshold.question import NAMES
from pages.shared.controls.control import Control, OneOf, Range, Switch
from pages.shared.controls.panel import Panel

COPIES = {"any": "Fractional, as in the paper", "whole": "Whole, as on a cluster"}
HELD = Range(1, 400, 1)
SLOTS = Control("S", "Slots S that each job holds", HELD, 30, "The curves are read here.", symbol="slots")
SLIDERS = (
    Control(
        "beta",
        "Tail index β of task times",
        Range(1.1, 4.0, 0.05),
        1.5,
        "The smaller, the worse the stragglers.",
    ),
    SLOTS,
    *(
        Control(f"T{name}", f"Tasks left in job {name}", Range(1, 100, 1), tasks)
        for name, tasks in zip(NAMES, (10, 20, 40), strict=True)
    ),
)
PANEL = Panel(
    "threshold",
    (
        *SLIDERS,
        Control(
            "copies",
            "Copies of a task",
            OneOf(COPIES, "radio"),
            "any",
            "The paper's formula takes any number of copies, 1.33 for example. A cluster runs 1 or 2.",
        ),
        Control(
            "printed",
            "As the paper prints it",
            Switch(),
            False,
            "Differs for β above 2 and fractional copies: θ = 2/β, less than one copy of each task.",
        ),
    ),
)
