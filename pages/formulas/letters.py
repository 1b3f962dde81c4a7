"""The letters that several tabs of the formulas have: one label each, in one order.

A tab takes a letter's control with the range and the default of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from pages.shared.controls.control import Control, Range

BETA = Control(
    "beta",
    "Tail index β of task times",
    Range(1.1, 4.0, 0.05),
    1.5,
    "The smaller, the worse the stragglers. Xu & Lau and Aktas & Soljanin write α.",
)
OUTLIERS = Control(
    "tail",
    "Tail index β of outliers",
    Range(1.1, 4.0, 0.1),
    2.0,
    "Of the factor by which they are slower. The smaller, the slower the slowest.",
    symbol="beta",
)
TASKS = Control("tasks", "Tasks T of a job", Range(1, 200, 1), 10)
SLOTS = Control("S", "Slots S", Range(1, 500, 1), 100, symbol="slots")
MOST_HELD = Range(1, 400, 1)
HELD = Control("S", "Slots S of each job", MOST_HELD, 30, "The curves are read here.", symbol="slots")
LOAD = Control(
    "omega",
    "Offered load ρ₀",
    Range(0.05, 0.95, 0.01),
    0.25,
    "Share of the slots busy if every task ran once.",
    symbol="load",
)
COPIES = Control("copies", "Copies c of a straggler", Range(2, 5, 1), 2, "With the original.")
UNFAIRNESS = Control(
    "epsilon",
    "Unfairness ε allowed",
    Range(0.0, 1.0, 0.05),
    0.5,
    "0: equal shares. 1: only the sum of rates counts. Hopper’s ε; Dolly’s is a risk.",
)
RISK = Control(
    "epsilon",
    "Accepted risk ε of an outlier",
    Range(0.01, 0.3, 0.01),
    0.05,
    "Probability that the job has one. Dolly’s ε; Hopper’s is an unfairness.",
)


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter of the formulas.

    Attributes
    ----------
    idle : Control
        What is drawn where a tab does not use it.
    carried : str
        What its value means on all pages (`pages.frame.carry_over`).
    labels : tuple of str
        Of the controls that are it, two where it means two things.
    """

    idle: Control
    carried: str
    labels: tuple[str, ...]


#: All letters in their order.
LETTERS = {
    "β": Letter(BETA, "tail index", (BETA.label, OUTLIERS.label)),
    "T": Letter(TASKS, "tasks", (TASKS.label,)),
    "S": Letter(SLOTS, "slots", (SLOTS.label, HELD.label)),
    "ρ₀": Letter(LOAD, "offered load", (LOAD.label,)),
    "c": Letter(COPIES, "copies", (COPIES.label,)),
    "ε": Letter(UNFAIRNESS, "unfairness", (UNFAIRNESS.label, RISK.label)),
}
