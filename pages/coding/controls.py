"""Controls of the Coding page: each is in the link, and together they make what is asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.coding.question import CLAIMS, DEMANDS, MEASURES, Asked
from pages.shared.controls.dials import Dial, choice, switch
from pages.shared.controls.drawers import drawer
from pages.shared.controls.links import Entry, key, remember
from pages.shared.words.numbers import plain
from sim.fields import About, BadInput, canonical
from sim.gang.scenario import GangScenario
from sim.presets import presets_of

PAGE = "coding"
OFFERED = {name: one for name, one in presets_of("gang").items() if name in ("aktas-beta3", "aktas")}
DEFAULT = "aktas-beta3"
#: Where the page begins: here small jobs alone are best, and neither all nor none.
LOAD, RATE, DEMAND = 0.6, 2.0, 120.0


@dataclass(frozen=True, slots=True)
class Notches:
    """A slider over these values only, named like the field of the scenario it sets."""

    name: str
    label: str
    values: tuple[float, ...]
    about: str = ""

    def entry(self, default: float) -> Entry:
        """Return the control as a link knows it.

        Examples
        --------
        >>> Notches("d", "d", (15.0, math.inf)).entry(15.0).read("20")
        Traceback (most recent call last):
            ...
        sim.fields.BadInput: d: '20' is not accepted; give one of 15, inf
        """
        return Entry(self.name, default, self._read)

    def _read(self, text: str) -> float:
        kind = type(self.values[0])
        accepted = ", ".join(f"{value:g}" for value in self.values)
        try:
            value = canonical(self.name, text, kind, About(self.label))
        except BadInput:
            value = math.nan
        if value not in self.values:
            raise BadInput(f"{self.name}: {text!r} is not accepted; give one of {accepted}")
        return value

    def draw(self) -> Any:
        """Draw the slider and return its value."""
        return st.select_slider(
            self.label, self.values, key=key(PAGE, self.name), help=self.about or None,
            format_func=lambda value: "∞" if value == math.inf else plain(value),
        )  # fmt: skip


LOADS = Dial("load", "Offered load ρ₀", 0.1, 0.95, 0.05, "The load without redundancy.")
DEMAND_NOTCHES = Notches(
    "d", "Largest demand d that is expanded (s)", DEMANDS,
    "Demand: tasks k × task size b, known on arrival. ∞ expands all jobs.",
)  # fmt: skip
RATES = Dial("r", "Expansion rate r", 1.1, 3.0, 0.1, "An expanded job of k tasks starts ⌈r k⌉; any k end it.")
TAILS = (
    Dial(
        "straggle_tail", "Tail index α of slowdowns", 1.2, 6.0, 0.1,
        "Of the straggle factor of a task: the smaller, the worse the stragglers.",
    ),
    Dial(
        "size_tail", "Tail index β of task sizes", 1.1, 6.0, 0.1,
        "The smaller, the more of the work is in a few huge jobs. Up to 2 the variance is infinite.",
    ),
)  # fmt: skip
CLUSTER = (
    Notches("tasks_max", "Most tasks in a job, k_max", (1, 2, 5, 10, 15, 20)),
    Notches("nodes", "Nodes N", (20, 30, 50, 100)),
    Notches("capacity", "Tasks that a node runs at a time, C", (1, 2, 5, 10, 20)),
    Notches(
        "size_max", "Largest task size b_max (s)", (100.0, 1e3, 1e4, 1e5, math.inf), "The smallest is 10 s."
    ),
)
WORDS = {
    "placement": ("Tasks of a job start", {"distinct": "on different nodes", "pool": "in any free slots"}),
    "redundancy": (
        "Redundant tasks are",
        {"mds": "coded: any k suffice", "replicated": "copies of tasks"},
    ),
}
JOBS = Notches("jobs", "Jobs in a replication", (5000, 10_000, 20_000, 50_000))
SEED = Dial("seed", "Seed", 1, 99, 1, "Another seed is another run of luck.")
VIEWS = {"cdf": "CDF", "tail": "Tail (log–log)"}


def entries(given: Mapping[str, str]) -> list[Entry]:
    """Return the page's entries; the defaults are those of the preset that is named."""
    name = given.get("preset", DEFAULT)
    name = name if name in OFFERED else DEFAULT
    scenario = OFFERED[name].scenario
    heavy = scenario.size_tail <= 2
    fields: list[Dial | Notches] = [*TAILS, *CLUSTER]
    return [
        choice("preset", OFFERED, DEFAULT),
        LOADS.entry(LOAD),
        DEMAND_NOTCHES.entry(DEMAND),
        RATES.entry(RATE),
        *(field.entry(getattr(scenario, field.name)) for field in fields),
        *(choice(name, options, getattr(scenario, name)) for name, (_, options) in WORDS.items()),
        JOBS.entry(20_000),
        SEED.entry(scenario.seed),
        choice("measure", MEASURES, "p95" if heavy else "mean"),
        choice("claim", CLAIMS, "bounded" if heavy else "two"),
        choice("view", VIEWS, "cdf"),
        switch("learned"),
    ]


def choose_preset() -> None:
    """Set every control to what the chosen preset says."""
    for entry in entries({"preset": value("preset")}):
        if entry.name != "preset":
            remember(PAGE, entry.name, entry.default)


def value(name: str) -> Any:
    """Return a control's value, whether or not it is on the screen."""
    return st.session_state[key(PAGE, name)]


def draw() -> dict[str, Any]:
    """Draw the sidebar and return the value of every control."""
    st.selectbox(
        "Start from", list(OFFERED), key=key(PAGE, "preset"), on_change=choose_preset,
        format_func=lambda name: OFFERED[name].title, help="Sets every control below.",
    )  # fmt: skip
    LOADS.draw(PAGE)
    DEMAND_NOTCHES.draw()
    RATES.draw(PAGE)
    for dial in TAILS:
        dial.draw(PAGE)
    st.selectbox(
        "Measured", list(MEASURES), key=key(PAGE, "measure"), format_func=lambda m: MEASURES[m].title
    )
    st.segmented_control(
        "Slowdowns drawn as", list(VIEWS), key=key(PAGE, "view"), required=True,
        format_func=VIEWS.__getitem__,
    )  # fmt: skip
    st.toggle(
        "Learned policy beside it", key=key(PAGE, "learned"),
        help="A small network that learned in this simulator how much redundancy pays, from a job's demand, "
        "the load it finds and the offered load; run at the chosen one.",
    )  # fmt: skip
    if box := drawer(PAGE, "cluster", "Cluster and jobs", ":material/dns:"):
        with box:
            for notches in CLUSTER:
                notches.draw()
            for name, (label, options) in WORDS.items():
                st.selectbox(label, list(options), key=key(PAGE, name), format_func=options.__getitem__)
    if box := drawer(PAGE, "theory", "Approximation", ":material/function:"):
        with box:
            st.radio(
                "Theory beside the simulation", list(CLAIMS), key=key(PAGE, "claim"),
                format_func=lambda claim: CLAIMS[claim].title,
                help="Claim 1 needs a second moment that sizes with β ≤ 2 do not have.",
            )  # fmt: skip
    if box := drawer(PAGE, "precision", "Precision and seed", ":material/straighten:"):
        with box:
            JOBS.draw()
            SEED.draw(PAGE)
    return {entry.name: _tidied(value(entry.name)) for entry in entries({"preset": value("preset")})}


def _tidied(found: Any) -> Any:
    """Return a value without what adding steps does to the last digits."""
    return round(found, 6) if isinstance(found, float) and math.isfinite(found) else found


def asked_of(values: Mapping[str, Any]) -> Asked:
    """Return what the controls ask; raises `BadInput` where they do not go together."""
    base = OFFERED[values["preset"]].scenario
    assert isinstance(base, GangScenario)
    names = ["load", *(field.name for field in (*TAILS, *CLUSTER, JOBS, SEED)), *WORDS]
    scenario = base.replace(**{name: values[name] for name in names})
    return Asked(scenario, values["r"], values["d"], values["measure"], values["claim"], values["learned"])
