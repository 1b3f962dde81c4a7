"""Controls of the Cloning page, and the settings it can start from."""

from __future__ import annotations

from dataclasses import replace

from pages.formulas.letters import LOAD, OUTLIERS, RISK, TASKS
from pages.shared.controls.control import STATISTIC, Control, Range
from pages.shared.controls.panel import Panel, Start, start_control

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
