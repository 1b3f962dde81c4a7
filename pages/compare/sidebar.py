"""The sidebar of the Compare page: a menu of policies, and a widget for each control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.compare.controls import (
    ABOUT_CURVES,
    CHOICE,
    CURVES,
    EPSILON,
    FILE,
    MOST_POLICIES,
    PAGE,
    PANEL,
    RECORDED,
    has_file,
    leaves_epsilon_open,
    value,
)
from pages.frame.limits import any_of, limits
from pages.shared.controls.control import drawer
from pages.shared.controls.fields import phase_fields
from pages.shared.controls.file_in_link import NAME, forget_removed, warn_of_loss
from pages.shared.controls.links import key
from pages.shared.words.foreign import show_error
from sim.engines.slots.rule import SlotRule
from sim.engines.slots.scenario import SlotPolicy, sharing_rules, speculation_rules
from sim.logs.csv_jobs import template
from sim.telling.words import begun

#: Why a slider that is always in sight changes nothing now.
NO_EPSILON = "No chosen policy is Hopper with this ε: add one to use it."
NO_PHASES = (
    "Jobs have one phase, so no transfers: raise “Most phases per job”, or start from “Jobs with phases”."
)
#: Keys of the menu's two choices.
TURN, COPIED = f"{PAGE}:turn", f"{PAGE}:copied"


def add_policies() -> None:
    """Draw the menu of all policies, which adds one."""
    if not limits(PAGE).leaves("policies"):
        return
    menu = st.popover(
        "More policies", icon=":material/add:", width="stretch", key=f"{PAGE}:add", on_change="rerun"
    )
    if menu.open:
        with menu:
            _menu()


def _menu() -> None:
    """Draw all rules with what they do and where they are from, and the button that adds a pair of them."""
    left, right = st.columns(2)
    with left:
        sharing = _rules("Whose turn it is", TURN, sharing_rules())
    with right:
        speculation = _rules("Who is copied", COPIED, speculation_rules())
    policy = SlotPolicy.of(sharing, speculation)
    chosen = value("policies")
    full = len(chosen) >= MOST_POLICIES
    why = (
        "No more can be told apart: remove one first."
        if full
        else ("This policy is compared already." if policy.text in chosen else None)
    )
    st.button(
        f"Add {policy.name}",
        width="stretch",
        disabled=why is not None,
        help=why,
        key=f"{PAGE}:add it",
        on_click=_add,
        args=(policy.text,),
    )


def _rules(label: str, name: str, rules: Mapping[str, SlotRule]) -> str:
    """Draw a choice of rules, each with its summary and its source; return the key of the chosen one."""
    captions = [f"{begun(rule.summary)}. {rule.reference}".rstrip() for rule in rules.values()]
    chosen: str = st.radio(
        label, list(rules), format_func=lambda one: rules[one].title, captions=captions, key=name
    )
    return chosen


def _add(code: str) -> None:
    """Add a policy to those that are compared."""
    st.session_state[key(PAGE, "policies")] = [*value("policies"), code]


def draw(
    chosen: Mapping[int, SlotPolicy], complaints: Sequence[str], compared: Sequence[SlotPolicy], unit: str
) -> None:
    """Draw the sidebar for the policies as chosen, what is wrong with some, and those that are compared.

    Times are in a `unit`.
    """
    main = _main()
    idle = {
        EPSILON: "" if any(map(leaves_epsilon_open, chosen.values())) else NO_EPSILON,
        "transfer": "" if value("phases") > 1 else NO_PHASES,
    }
    # each icon of help is a stop of the keyboard: that of the first tells of all, where it is shown
    own = {} if limits(PAGE).hides("preset") else {"about": ""}
    with st.sidebar.container(gap="xsmall"):
        PANEL.draw_start(about=_meanings(["preset", "policies", *main, *idle, "statistic"]))
        PANEL.draw("policies", **own)
        for complaint in complaints:
            show_error(complaint)
        for name in (*main, *idle):
            PANEL.draw(name, idle=idle.get(name, ""), **own)
        add_policies()
        folded = ["policies", "baseline", "observe", *_shape(), *_places(), NAME, *_precision()]
        if any_of(PAGE, folded):
            with st.expander("More", icon=":material/tune:"):
                _more(chosen, compared, unit)


def _meanings(names: Sequence[str]) -> str:
    """Return the meaning of controls as a list in Markdown."""
    told = (PANEL.controls[name] for name in names)
    lines = [(one.label, one.about) for one in told] + [(", ".join(CURVES), ABOUT_CURVES)]
    return "\n".join(f"- **{label}**: {about}" for label, about in lines)


def _more(chosen: Mapping[int, SlotPolicy], compared: Sequence[SlotPolicy], unit: str) -> None:
    """Draw the controls that are not needed at first sight, most of them in drawers."""
    if compared:
        PANEL.draw("baseline", offered=[policy.text for policy in compared])
    if box := drawer(PAGE, "rules", "Parameters of these policies", ":material/tune:", ["policies"]):
        with box:
            CHOICE.tune(PAGE, "policies", chosen, unit)
    PANEL.draw_folded("sees", "When stragglers can be detected", "visibility", ["observe"])
    PANEL.draw_folded("shape", "Jobs and stragglers", "casino", _shape())
    PANEL.draw_folded("places", "Phases, machines and data", "account_tree", _places())
    if not limits(PAGE).hides(NAME):
        _own_jobs()
    PANEL.draw_folded("precision", "Precision and seed", "straighten", _precision())


def _main() -> list[str]:
    """Return the fields that are always in sight: the load, what shapes the tail, the slots."""
    tail = {
        "pareto": "straggle_tail",
        "bounded-pareto": "straggle_tail",
        "lognormal": "straggle_cv",
        "outlier": "outlier_share",
    }.get(value("straggle"))
    load = [] if has_file() and value("recorded_times") == "kept" else ["load"]
    return [*load, *([tail] if tail else []), "slots"]


def _shape() -> list[str]:
    """Return the fields of the jobs' shape that do something under the laws and the file chosen."""
    bound = ["straggle_max"] if value("straggle") == "bounded-pareto" else []
    if has_file():
        return ["straggle", *bound]
    tails = ["tasks_tail"] if value("tasks") in ("zipf", "pareto") else []
    bursts = ["arrival_cv"] if value("arrivals") == "bursty" else []
    return ["tasks", "tasks_max", *tails, "arrivals", *bursts, "straggle", *bound]


def _places() -> list[str]:
    """Return the fields of phases, machines and data that do something under the values chosen."""
    phased = [name for name in phase_fields(value("phases")) if name != "transfer"]  # which is in sight
    slow = ["slow_factor"] if value("slow_share") > 0 else []
    remote = ["remote_factor"] if value("replicas") > 0 else []
    machines = ["machine_slots"] if slow or remote else []
    return [*phased, "slow_share", *slow, "replicas", *remote, *machines]


def _own_jobs() -> None:
    """Draw where a file of jobs can be given."""
    with st.expander("Your own jobs", icon=":material/upload_file:"):
        st.file_uploader(
            "SWIM or SWF rows, a CSV of jobs, or a log",
            key=FILE,
            on_change=forget_removed,
            args=(PAGE, FILE),
            help="CSV: job_id, submit, tasks and, if you have it, size. SWF is the Standard Workload "
            "Format; a log is what Diagnose reads. It stays in this session.",
        )
        if has_file():
            warn_of_loss()
            PANEL.draw_all(control.name for control in RECORDED)
        st.download_button("CSV template", template(), "jobs.csv", "text/csv", on_click="ignore")


def _precision() -> list[str]:
    """Return the fields of how long and how precisely the policies are compared, and with which seed."""
    return ["precision", *([] if has_file() else ["jobs"]), "warm_up", "seed"]
