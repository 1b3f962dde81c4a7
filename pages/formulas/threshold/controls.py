"""Controls of the Threshold tab."""

from __future__ import annotations

from dataclasses import replace

from pages.formulas.tab import BETA, HELD, TASKS
from pages.formulas.threshold.question import NAMES
from pages.shared.controls.control import Control, OneOf, Panel, Range, Switch

COPIES = {"any": "Fractional, as in the paper", "whole": "Whole, as on a cluster"}
SHARED = (
    BETA,
    HELD,
    replace(TASKS, name="TA", values=Range(1, 100, 1), about="Tasks left in job A."),
)
OTHERS = tuple(
    Control(f"T{name}", f"Tasks left in job {name}", Range(1, 100, 1), tasks)
    for name, tasks in zip(NAMES[1:], (20, 40), strict=True)
)
#: What only a link sets.
LINKED = (
    Control("copies", "Copies of a task", OneOf(COPIES, "radio"), "any"),
    Control("printed", "As the paper prints it", Switch(), False),
)
PANEL = Panel("threshold", (*SHARED, *OTHERS, *LINKED))
