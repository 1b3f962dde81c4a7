"""Controls of the Map page: two axes, the policies, how to rank them, and the rest of the scenario."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.controls.control import Control, OneOf, Panel, Range, Start, start_control
from pages.shared.controls.fields import FIELDS, SEED, Policies, menu
from pages.shared.controls.links import key, remember
from sim.engines.registry import preset
from sim.engines.slots.scenario import read_policy
from sim.map.plane import CRITERIA, FEWEST_POLICIES, MOST_POLICIES, PRESET
from sim.model.fields import BadInput
from sim.model.policy import Policy
from sim.model.scenario import Scenario
from sim.telling.words import begun, plain
from theory.quoting import quoted

# The axes that the page offers: scenario fields, when a copy can be judged, parameters of policies.


@dataclass(frozen=True)
class Offer:
    """An axis as it is offered.

    Parameters
    ----------
    name : str
        As `sim.map.plane.Axis` has it.
    label : str
    low, high : float
        Of its slider.
    first, last : float
        Where it begins and ends until somebody chooses.
    step : float
    steps : tuple of float, optional
        Values to choose from, for an axis of even ratios.
    count : int
        How many values, until somebody chooses.
    applies : callable, optional
        Whether it does something under a scenario.
    """

    name: str
    label: str
    low: float
    high: float
    first: float
    last: float
    step: float = 0.05
    steps: tuple[float, ...] = ()
    count: int = 10
    applies: Callable[[Scenario], bool] = lambda scenario: True

    @property
    def span(self) -> str:
        """Its default values, as written in a link."""
        return f"{self.first!r}:{self.last!r}:{self.count}"

    @property
    def rule(self) -> str:
        """The rule whose parameter it is; empty for a field."""
        rule, dot, _ = self.name.partition(".")
        return rule if dot and rule != "observe" else ""

    def within(self, low: float, high: float) -> tuple[float, float]:
        """Return two ends that its slider can show."""
        if self.steps:
            return low, high
        kind = type(self.low)
        return kind(min(max(low, self.low), self.high)), kind(min(max(high, self.low), self.high))

    def steps_with(self, *more: float) -> list[float]:
        """Return the values to choose from, with others that are chosen."""
        return sorted({*map(float, self.steps), *more})


def _field(
    name: str,
    first: float,
    last: float,
    count: int = 10,
    applies: Callable[[Scenario], bool] = lambda scenario: True,
) -> Offer:
    """Return the axis of a field, with the label and the values of its control."""
    control = FIELDS[name]
    if isinstance(control.values, Range):
        low, high, step = control.values.low, control.values.high, control.values.step
        return Offer(name, control.label, low, high, first, last, step, count=count, applies=applies)
    steps = tuple(float(value) for value in control.values.values)  # type: ignore[attr-defined]
    return Offer(name, control.label, steps[0], steps[-1], first, last, 1.0, steps, count, applies)


def _of(**wanted: Iterable[str]) -> Callable[[Scenario], bool]:
    """Return whether the laws of a scenario are among some."""
    return lambda scenario: all(getattr(scenario, name) in words for name, words in wanted.items())


_OFFERS = (
    _field("load", 0.3, 0.9, 12),
    _field(
        "straggle_tail",
        1.2,
        3.0,
        applies=_of(straggle=("pareto", "bounded-pareto", "outlier")),
    ),
    _field("slots", 20.0, 2000.0, 8),
    _field("tasks_max", 2.0, 200.0, 8),
    _field("straggle_max", 5.0, 1000.0, 6, _of(straggle=("bounded-pareto",))),
    _field("straggle_cv", 0.2, 4.0, applies=_of(straggle=("lognormal",))),
    _field("outlier_share", 0.01, 0.2, applies=_of(straggle=("outlier",))),
    _field("tasks_tail", 0.5, 2.0, applies=_of(tasks=("zipf", "pareto"))),
    _field("arrival_cv", 0.5, 8.0, applies=_of(arrivals=("bursty",))),
    _field("slow_share", 0.0, 0.4),
    _field("slow_factor", 1.0, 5.0, applies=lambda scenario: bool(getattr(scenario, "slow_share", 0))),
    _field("transfer", 0.0, 3.0, applies=lambda scenario: scenario.phases > 1),
    Offer("observe.age", "Age from which a copy can be judged (mean durations)", 0.0, 3.0, 0.0, 2.0),
    Offer("observe.fraction", "Share of its work after which a copy can be judged", 0.0, 0.95, 0.0, 0.9),
    Offer("hopper.epsilon", "Unfairness ε of Hopper", 0.0, 1.0, 0.0, 1.0, count=6),
    Offer("late.speculative_cap", "LATE: share of slots for copies", 0.0, 1.0, 0.0, 0.5, count=6),
    Offer("late.min_age", "LATE: least age of a slow task", 0.0, 10.0, 0.0, 2.0, 0.1, count=6),
    Offer("mantri.delta", "Mantri: probability to be exceeded", 0.0, 0.95, 0.0, 0.9, count=6),
    Offer("dolly.tau", "Dolly: share of slots that clones may fill", 0.0, 1.0, 0.1, 1.0, count=6),
    Offer("spark.multiplier", "Spark: times the median", 0.0, 20.0, 1.0, 5.0, 0.5, count=6),
)
#: Name -> axis, in the order of the menu.
AXES: dict[str, Offer] = {one.name: one for one in _OFFERS}


def offered(scenario: Scenario, policies: Iterable[Policy]) -> list[str]:
    """Return the axes that do something under a scenario and some policies."""
    rules = {chosen.key for policy in policies for chosen in policy.rules.values()}
    return [
        name for name, one in AXES.items() if one.applies(scenario) and (not one.rule or one.rule in rules)
    ]


def at(name: str, value: float) -> str:
    """Return a value of an axis in words.

    Examples
    --------
    >>> at("load", 0.3545), at("slots", 200), at("hopper.epsilon", 0.2), at("outlier_share", 0.1)
    ('load 0.3545', '200 slots', 'ε = 0.2', 'outlier share 0.1')
    """
    told = WORDS.get(name, f"{name.rpartition('.')[2].replace('_', ' ')} {{}}")
    return told.format(plain(value))


#: How a sentence tells a value of an axis.
WORDS = {
    "load": "load {}",
    "straggle_tail": "β {}",
    "slots": "{} slots",
    "tasks_max": "up to {} tasks per job",
    "observe.age": "judged from age {}",
    "observe.fraction": "judged from share {}",
    "hopper.epsilon": "ε = {}",
    "mantri.delta": "δ = {}",
    "dolly.tau": "τ = {}",
}


PAGE = "map"
#: Presets whose runs are short enough for a map.
OFFERED = {name: preset(name) for name in (PRESET, "light", "busy", "hopper-dag")}
#: Fields of the scenario that have a control here, where they are no axis.
FIXED = (
    "load",
    "straggle_tail",
    "slots",
    "straggle",
    "straggle_cv",
    "outlier_share",
    "straggle_max",
    "tasks",
    "tasks_max",
    "tasks_tail",
    "arrivals",
    "arrival_cv",
    "slow_share",
    "slow_factor",
    "jobs",
)
#: Those in sight.
FIRST = ("load", "straggle_tail", "slots")
#: How many values an axis may have.
COUNTS = (4, 6, 8, 10, 12, 16)
CHOICE = Policies(menu, read_policy, FEWEST_POLICIES, MOST_POLICIES)
_SPAN = re.compile(r"(-?[\d.e+-]+):(-?[\d.e+-]+):(\d+)")


def span(low: float, high: float, count: int) -> str:
    """Return the text of the values of an axis.

    Examples
    --------
    >>> span(0.3, 0.9, 12)
    '0.3:0.9:12'
    """
    return f"{low!r}:{high!r}:{count}"


def parts(text: str) -> tuple[float, float, int]:
    """Return both ends and the number of values.

    Examples
    --------
    >>> parts("0.3:0.9:12")
    (0.3, 0.9, 12)
    """
    low, high, count = text.split(":")
    return float(low), float(high), int(count)


@dataclass(frozen=True, slots=True)
class Span:
    """From where to where an axis goes, and in how many values; empty as long as nobody chooses."""

    def read(self, name: str, text: str) -> str:
        """Return the text.

        Examples
        --------
        >>> Span().read("xs", "0.3:0.9:12")
        '0.3:0.9:12'
        >>> Span().read("xs", "0.9:0.3:12")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: xs: '0.9:0.3:12' is not accepted; give low:high:count with ...
        """
        if not text:
            return ""
        try:
            low, high, count = parts(text) if _SPAN.fullmatch(text) else (0.0, 0.0, 0)
        except ValueError:
            low, high, count = 0.0, 0.0, 0
        if not -math.inf < low < high < math.inf or count not in COUNTS:
            raise BadInput(
                f"{name}: {quoted(text)} is not accepted; "
                f"give low:high:count with a count of {COUNTS[0]} to {COUNTS[-1]}"
            )
        return span(low, high, count)

    def write(self, value: str) -> str:
        """Return the text itself."""
        return value

    def show(self, value: str) -> str:
        """Return the ends and the number of values; that it is as usual where nobody has chosen.

        Examples
        --------
        >>> Span().show("0.3:0.9:12"), Span().show("")
        ('0.3 to 0.9, 12 values', 'as usual')
        """
        if not value:
            return "as usual"
        low, high, count = parts(value)
        return f"{plain(low)} to {plain(high)}, {count} values"

    def draw(self, label: str, *, key: str, offer: Offer | None = None, **options: Any) -> str:
        """Draw a slider with two ends, and one for the number of values."""
        one = offer or AXES["load"]
        page, _, name = key.partition(".")
        low, high, count = parts(st.session_state[key] or one.span)
        ends, first, last, many = (f"{key}:{one.name}:{part}" for part in ("ends", "first", "last", "count"))
        st.session_state[many] = count

        def moved() -> None:
            held = st.session_state
            two = (held[first], held[last]) if one.steps else held[ends]
            remember(page, name, span(min(two), max(two), held[many]) if two[0] != two[1] else "")

        if one.steps:
            st.session_state[first], st.session_state[last] = low, high
            for which, text in ((first, "from"), (last, "to")):
                st.select_slider(
                    f"{label}: {text}",
                    one.steps_with(low, high),
                    key=which,
                    on_change=moved,
                    format_func=plain,
                    **options,
                )
        else:
            st.session_state[ends] = one.within(low, high)
            st.slider(
                f"{label}: from, to", one.low, one.high, step=one.step, key=ends, on_change=moved, **options
            )
        st.select_slider(f"{label}: number of values", COUNTS, key=many, on_change=moved)
        return span(low, high, count)


def start_of(name: str) -> Start:
    """Return what a preset says of the controls."""
    one = OFFERED[name]
    values = {field: getattr(one.scenario, field) for field in (*FIXED, "seed")}
    return Start(one.title, values | {"policies": CHOICE.canonical("policies", one.policies)})


STARTS = {name: start_of(name) for name in OFFERED}
_TITLES = {name: one.label for name, one in AXES.items()}
X = Control("x", "Horizontal axis", OneOf(_TITLES), "load", "What changes from left to right.")
Y = Control("y", "Vertical axis", OneOf(_TITLES), "straggle_tail", "What changes from bottom to top.")
XS = Control("xs", "Horizontal axis", Span(), "", "Both ends of the axis.")
YS = Control("ys", "Vertical axis", Span(), "", "Both ends of the axis.")
POLICIES = Control(
    "policies",
    f"Policies ({FEWEST_POLICIES} to {MOST_POLICIES})",
    CHOICE,
    STARTS[PRESET].values["policies"],
    "Whose turn it is + who is copied. A policy can also be typed as its code, with parameters.",
)
CRITERION = Control(
    "criterion",
    "Rank policies by",
    OneOf({name: begun(one.title) for name, one in CRITERIA.items()}),
    "mean",
    "The best policy of a cell is the one with the least of it.",
)
BUDGET = Control(
    "budget",
    "Budget: extra slot-time (%)",
    Range(0, 100, 1),
    10,
    "A policy that needs more slot-time than this, beyond the one that needs least in the cell, cannot win.",
)
PRECISION = Control(
    "precision",
    "Precision of gains (± percentage points)",
    OneOf({value: str(value) for value in (1.0, 2.0, 5.0)}),
    2.0,
    "A cell is simulated until what the best policy saves against the second best is known so well.",
)
PANEL = Panel(
    PAGE,
    (
        start_control("preset", STARTS, PRESET),
        X,
        XS,
        Y,
        YS,
        POLICIES,
        CRITERION,
        BUDGET,
        PRECISION,
        *(FIELDS[name] for name in FIXED),
        SEED,
    ),
    STARTS,
    stays=("x", "xs", "y", "ys", "criterion", "budget", "precision"),
)


def draw_sidebar(values: Mapping[str, Any]) -> None:
    """Draw the controls of the sidebar."""
    PANEL.draw_start()
    PANEL.draw("policies")
    PANEL.draw("criterion")
    if values["criterion"] == "budget":
        PANEL.draw("budget")
    axes = {name: values[name] for name in ("x", "y")}
    names = offered(_scenario(values), CHOICE.picked(values["policies"])[0].values())
    for name, now in axes.items():
        other = axes["y" if name == "x" else "x"]
        listed = [one for one in dict.fromkeys([now, *names]) if one != other]
        PANEL.draw(name, offered=listed, on_change=_forget_span, args=(f"{name}s",))
        PANEL.draw(f"{name}s", offer=AXES[now])
    for name in FIRST:
        if name not in axes.values() and name in (*names, "load"):
            PANEL.draw(name)
    shown = {"straggle", "tasks", "tasks_max", "arrivals", "slow_share", "jobs", *names} - set(FIRST)
    more = [*(one for one in FIXED if one in shown - set(axes.values())), "precision", "seed"]
    PANEL.draw_folded("more", "More", "tune", more)


def _scenario(values: Mapping[str, Any]) -> Scenario:
    """Return what is chosen; where that contradicts itself the preset, as controls are there to mend it."""
    start = OFFERED[values["preset"]].scenario
    try:
        return start.replace(**{name: values[name] for name in FIXED})
    except BadInput:
        return start


def _forget_span(name: str) -> None:
    """Let a new axis begin with its own values."""
    st.session_state[key(PAGE, name)] = ""
    remember(PAGE, name, "")
