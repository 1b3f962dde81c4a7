"""Controls of the Codes tab."""

from __future__ import annotations

import math
from dataclasses import replace

from pages.formulas.tab import BETA, LOAD, SLOTS, TASKS
from pages.shared.controls.control import Control, OneOf, Panel, Range

SHARED = (
    replace(BETA, name="tail", symbol="beta", values=Range(1.1, 6.0, 0.05), default=3.0),
    replace(TASKS, name="k", about="Any k = T tasks end the job; the jobs of the cluster have 1 to T."),
    replace(SLOTS, values=Range(20, 500, 10), default=200, about="Of the cluster."),
    replace(LOAD, values=Range(0.05, 0.95, 0.05), default=0.6),
)
OWN = (
    Control(
        "r",
        "Expansion rate r",
        Range(1.1, 3.0, 0.1),
        2.0,
        "An expanded job of k tasks starts r k, rounded up; any k end it.",
    ),
    Control(
        "d",
        "Largest demand d that is expanded (s)",
        OneOf((15.0, 30.0, 60.0, 120.0, 250.0, 500.0, 1000.0, 3000.0, math.inf)),
        120.0,
        "Demand: tasks k × task size b, known on arrival. ∞ expands all jobs.",
    ),
    Control(
        "size_tail",
        "Tail index of task sizes",
        Range(1.1, 6.0, 0.1),
        3.0,
        "The smaller, the more of the work is in a few huge jobs. The smallest size is 10 s.",
    ),
)
PANEL = Panel("coded", (*SHARED, *OWN))
