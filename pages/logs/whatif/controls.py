"""Controls of the What-if page: the history, the settings to compare, and the limits of the advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.logs.controls import LEAVE_OUT, PART, menu
from pages.shared.controls import file_in_link
from pages.shared.controls.control import Control, OneOf, Panel, Range, Switch
from sim.advice.whatif.price import GIVEN, KINDS
from sim.advice.whatif.systems import SYSTEMS, Without
from sim.logs.leaving_out import GONE, KEPT, LEFT_OUT

PAGE = "whatif"
TITLE = "Which setting should you switch on, and what would it gain?"
#: The sample that the page begins with.
DEFAULT = "spark"
OBJECTIVES = {"mean": "Mean", "p95": "p95"}


def offered(one: Without) -> bool:
    """Say whether the control can name what an answer offers to leave out."""
    return PART.fullmatch(one.leave_out) is not None


@dataclass(frozen=True, slots=True)
class Money(Range):
    """A price, which may be a small part of a unit."""

    def draw(self, label: str, *, key: str, **options: Any) -> Any:
        """Draw a field with as many digits as a price has."""
        return st.number_input(label, self.low, self.high, step=self.step, format="%.4f", key=key, **options)


OBJECTIVE = Control(
    "objective",
    "Job time to shorten",
    OneOf(OBJECTIVES, "segmented_control"),
    "mean",
    "What the recommended setting is to make small: the mean job time, or the time that 95 % of the jobs "
    "do not exceed.",
)
BUDGET = Control(
    "budget",
    "Budget: extra slot-time (%)",
    Range(0, 50, 1),
    5,
    "The most that the recommended setting may add to today's slot-time.",
)
PRICE_KIND = Control(
    "price_kind",
    "Price per",
    OneOf({kind: title for kind, (title, _) in KINDS.items()}),
    "slot",
    "What you pay for. The sizes of executors are read from the log.",
)
PRICE = Control(
    "price",
    "Price of a slot-hour",
    Range(0.0, 1000.0, 0.01),
    0.0,
    "In your currency: what slot-time gains or costs is then also given in money. 0: not given.",
)
#: Of what is billed of executors.
PRICES = [
    Control(
        GIVEN[kind],
        f"Price of a{'n' * (unit == 'executor')} {unit}-hour",
        Money(0.0, 1000.0, 0.0001),
        0.0,
        f"In your currency{about}. 0: not given.",
    )
    for kind, unit, about in (
        ("executor", "executor", ": a slot costs its part of an executor"),
        ("vcpu", "vCPU", ": an executor has as many vCPUs as cores"),
        ("gb", "GB", ", for 1,024 MB: an executor has its heap and what lies beside it"),
    )
]
WHAT_BECOMES = Control(
    "left_out",
    "The jobs left out are",
    OneOf({KEPT: "Kept", GONE: "Gone"}, "segmented_control"),
    KEPT,
    f"Kept: {LEFT_OUT[KEPT]}, and are in no figure. Gone: {LEFT_OUT[GONE]}; arrivals and load are those of "
    "the jobs that stay.",
)
RATE = Control(
    "rate", "Arrival rate (× recorded)", Range(0.2, 5.0, 0.1), 1.0, "2: the same jobs with gaps half as long."
)
SLOTS = Control(
    "slots",
    "Slots (0: as recorded)",
    Range(0, 100_000, 1),
    0,
    "A fixed number of slots, in place of those that the log recorded over time.",
)
SYSTEM = Control(
    "system",
    "System",
    OneOf({"auto": "The one that wrote the log"} | {key: one.title for key, one in SYSTEMS.items()}),
    "auto",
    "Whose settings are compared and recommended.",
)
PAPERS = Control(
    "papers",
    "Also compare rules of papers",
    Switch(),
    False,
    "LATE, Mantri, SDA, Dolly and Hopper: not in your system, so never recommended.",
)
REPLICATIONS = Control(
    "replications",
    "Replications",
    OneOf((20, 50, 100, 200, 400)),
    100,
    "How often the jobs are played again under each setting, each time with luck of its own.",
)
SEED = Control("seed", "Seed", Range(1, 99, 1), 1, "Another seed draws other luck.")
WHERE, GOALS = [menu("log", DEFAULT)], [OBJECTIVE, BUDGET, PRICE_KIND, PRICE, *PRICES]
WHAT = [LEAVE_OUT, WHAT_BECOMES, RATE, SLOTS, SYSTEM, PAPERS, REPLICATIONS, SEED]
PANEL = Panel(PAGE, [*WHERE, *GOALS, *WHAT, file_in_link.CONTROL])


def draw_sidebar(values: Mapping[str, Any], groups: Sequence[str]) -> dict[str, Any]:
    """Draw the controls of the sidebar; return what they are at.

    Parameters
    ----------
    values : mapping
        Of all controls.
    groups : sequence of str
        Groups and names of the jobs of the history.
    """
    shown = PANEL.draw_all(("objective", "budget", "rate"))
    shown["leave_out"] = PANEL.draw("leave_out", offered=groups)
    shown["left_out"] = PANEL.draw("left_out") if shown["leave_out"] else KEPT
    prices = [GIVEN[name] for name in KINDS[values["price_kind"]][1]]
    more = ["slots", "price_kind", *prices, "system", "papers", "replications", "seed"]
    return dict(values) | shown | PANEL.draw_folded("more", "More", "tune", more)
