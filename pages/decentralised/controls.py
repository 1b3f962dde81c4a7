"""The sidebar of the page, and its entries in a link."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.decentralised.charts.curves import STATISTICS
from pages.decentralised.question import AXES, Axis
from pages.decentralised.setting import MOST_RIVALS, RIVALS, Setting
from pages.shared.controls.dials import Dial, choice
from pages.shared.controls.drawers import drawer
from pages.shared.controls.fields import draw_field, field_entry, phase_fields
from pages.shared.controls.links import Entry, key
from sim.fields import BadInput
from sim.scenario import PHASES, Observation, from_text

PAGE = "decentralised"
START = Setting()
#: Sliders that are seen at once.
DIALS = (
    Dial("probes", "Probes a task, d", 1, 16, 1, "Workers asked for each task, by every protocol."),
    Dial(
        "refusals", "Refusals until a question is firm", 0, 10, 1,
        "Hopper: a free slot that so many jobs have refused asks a question that may not be refused.",
    ),
    Dial("load", "Offered load ρ₀", 0.3, 0.95, 0.05, "Share of the slots busy if every task ran once."),
    Dial("tail", "Tail index β of straggle factors", 1.1, 4.0, 0.1, "The smaller, the worse the stragglers."),
)  # fmt: skip
#: Sliders that move in uneven steps: label, values, what they mean.
STEPS: dict[str, tuple[str, tuple[float, ...], str]] = {
    "workers": ("Workers", (20, 50, 100, 200, 500, 1000, 2000), "The paper has 10,000; so does the shell."),
    "schedulers": ("Schedulers", (1, 2, 5, 10, 20, 50, 100), "Each owns its jobs; none knows the others'."),
    "latency": (
        "One-way delay of a message (s)", (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
        "A task takes 1 s on a healthy slot.",
    ),
    "tasks_max": ("Most tasks in a job", (1, 2, 5, 10, 20, 50, 100, 200), "Jobs have from one to so many."),
    "copies": (
        "Most copies of a task", (1, 2, 3, 4, 8),
        "Within Hopper's budget, the original included; central's, too. With one nothing is copied.",
    ),
    "benefit": (
        "Copied are tasks with more left than (mean durations)", (0.0, 0.5, 1.0, 2.0),
        "Of Hopper and central. 0: any running task, as long as the budget lasts; else only tasks known to "
        "need more.",
    ),
    "per_worker": ("Slots of a worker", (1, 2, 4, 8), "They share the worker's queue."),
    "length": (
        "Length of a replication (tasks a slot)", (20, 40, 80, 160, 320),
        "Longer runs know slow jobs better and take longer.",
    ),
}  # fmt: skip
SEEN = ("age:0", "age:0.25", "age:0.5", "age:1", "fraction:0.1", "fraction:0.3", "never")
SEEN_AS = {
    "age:0": "at once",
    "age:0.25": "after ¼ of a mean duration",
    "age:0.5": "after ½ of a mean duration",
    "age:1": "after a mean duration",
    "fraction:0.1": "after 10 % of the work",
    "fraction:0.3": "after 30 % of the work",
    "never": "never",
}


def entries() -> list[Entry]:
    """Return the controls as a link knows them."""
    return [
        *(dial.entry(getattr(START, dial.name)) for dial in DIALS),
        *(Entry(name, getattr(START, name), _stepped(name)) for name in STEPS),
        Entry("observe", START.observe, _seen),
        *(field_entry(name, getattr(START, name)) for name in PHASES),
        Entry("rivals", list(START.rivals), _rivals, ";".join),
        Entry("seed", START.seed, lambda text: from_text("seed", text)),
        choice("statistic", STATISTICS, "mean"),
        choice("against", {name: axis for name, axis in AXES.items() if name != "probes"}, "refusals"),
    ]


def _stepped(name: str) -> Any:
    """Return how a link's text becomes one of the steps of a slider."""
    steps = STEPS[name][1]

    def read(text: str) -> float:
        for step in steps:
            if text in (str(step), f"{step:g}"):
                return step
        raise BadInput(f"{name}: {text!r} is not accepted; give one of {', '.join(f'{s:g}' for s in steps)}")

    return read


def _seen(text: str) -> str:
    spelled = Observation.read(text).text
    known = {Observation.read(one).text: one for one in SEEN}
    if spelled not in known:
        raise BadInput(f"observe: {text!r} is not accepted here; give one of {', '.join(SEEN)}")
    return spelled


def _rivals(text: str) -> list[str]:
    chosen = [part.strip() for part in text.split(";") if part.strip()]
    for rival in chosen:
        if rival not in RIVALS:
            raise BadInput(f"rivals: {rival!r} is not accepted; give some of {', '.join(RIVALS)}")
    if not 1 <= len(set(chosen)) <= MOST_RIVALS:
        raise BadInput(f"rivals: {text!r} is not accepted; give 1 to {MOST_RIVALS}, separated by ;")
    return list(dict.fromkeys(chosen))


def setting_of() -> tuple[Setting, dict[str, Any]]:
    """Draw the sidebar; return the setting, and the values of its controls for the link."""
    values: dict[str, Any] = {dial.name: dial.draw(PAGE) for dial in DIALS}
    values |= {name: _draw_steps(name) for name in ("workers", "schedulers", "latency")}
    values |= {
        name: _value(name)
        for name in ("rivals", "copies", "benefit", "tasks_max", "per_worker", "observe", "length", "seed")
    }
    values |= {name: _value(name) for name in PHASES}
    if box := drawer(PAGE, "policies", "Policies", ":material/compare_arrows:"):
        with box:
            values["rivals"] = st.multiselect(
                "Compared with central", list(RIVALS), key=key(PAGE, "rivals"), max_selections=MOST_RIVALS,
                format_func=RIVALS.__getitem__,
                help="After the +: how copies of slow tasks are started. Hopper alone has a budget for them; "
                "late watches each job for its slowest tasks; none starts no copy.",
            )  # fmt: skip
            values |= {name: _draw_steps(name) for name in ("copies", "benefit")}
    if box := drawer(PAGE, "jobs", "Jobs and what is seen", ":material/visibility:"):
        with box:
            values |= {name: _draw_steps(name) for name in ("tasks_max", "per_worker")}
            values["observe"] = st.selectbox(
                "Remaining time of a copy is known", [Observation.read(one).text for one in SEEN],
                key=key(PAGE, "observe"), format_func=lambda text: SEEN_AS[_short(text)],
                help="What a scheduler may see of a running copy before it starts another.",
            )  # fmt: skip
    if box := drawer(PAGE, "phases", "Phases of jobs", ":material/account_tree:"):
        with box:
            values["phases"] = draw_field(PAGE, "phases")
            values |= {name: draw_field(PAGE, name) for name in phase_fields(values["phases"])[1:]}
    if box := drawer(PAGE, "precision", "Length and seed", ":material/straighten:"):
        with box:
            values["length"] = _draw_steps("length")
            values["seed"] = st.number_input("Seed of all luck", 0, 2**31, step=1, key=key(PAGE, "seed"))
    values |= {name: round(values[name], 6) for name in ("transfer", "barrier")}  # of adding steps
    rivals = tuple(values["rivals"]) or START.rivals
    return START.but(**{**values, "rivals": rivals}), values


def _short(text: str) -> str:
    """Return an observation as `SEEN` has it."""
    return next(one for one in SEEN if Observation.read(one).text == text)


def _value(name: str) -> Any:
    return st.session_state[key(PAGE, name)]


def _draw_steps(name: str) -> Any:
    label, steps, about = STEPS[name]
    return st.select_slider(
        label, steps, key=key(PAGE, name), format_func=lambda value: f"{value:,g}", help=about
    )


def choose_statistic() -> str:
    """Draw the choice of what is compared."""
    chosen: str = st.segmented_control(
        "Ratio of", list(STATISTICS), key=key(PAGE, "statistic"), required=True, label_visibility="collapsed",
        format_func={"mean": "Mean", "p50": "Median", "p95": "95th percentile"}.__getitem__,
        help="Which part of the flowtimes is divided by that of central.",
    ) or "mean"  # fmt: skip
    return chosen


def choose_axis(setting: Setting) -> Axis:
    """Draw the choice of what the second curve is drawn against; without Hopper nobody refuses."""
    hopper = any(rival.startswith("hopper") for rival in setting.rivals)
    offered = [name for name, axis in AXES.items() if name != "probes" and (hopper or not axis.only)]
    if _value("against") not in offered:
        st.session_state[key(PAGE, "against")] = offered[0]
    chosen = st.selectbox(
        "Second curve against", offered, key=key(PAGE, "against"), label_visibility="collapsed", width=240,
        format_func=lambda name: f"Second curve: {AXES[name].name}",
    )  # fmt: skip
    return AXES[chosen]
