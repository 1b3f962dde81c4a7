"""The sidebar of the Compare page: a widget for each control.

Labels, bounds and help come from where the fields and parameters are declared; `ranges` says which of
them are shown. Every value is in the session before its widget is drawn, so that the page can answer first.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.compare.controls import (
    EPSILON,
    MOST_POLICIES,
    OFFERED,
    PAGE,
    PRECISIONS,
    entries_of,
    leaves_epsilon_open,
    upload,
    value,
)
from pages.shared.controls.drawers import drawer
from pages.shared.controls.fields import draw_field, phase_fields
from pages.shared.controls.links import key, remember
from sim.policy import Parameter
from sim.scenario import Observation
from sim.slots.policy import SlotPolicy, read_policy, sharing_rules, speculation_rules
from sim.traces.csv_jobs import template

#: What a rule may see: in words, and as it is when it is chosen.
OBSERVED = {"age": "after an age", "fraction": "after a share of the work", "never": "never"}
AT_FIRST = {"age": "age:0.5", "fraction": "fraction:0.2", "never": "never"}
#: Label, end and step of the slider of what a rule sees.
SEEN = {"age": ("Age, in mean durations E[x]", 2.0, 0.1), "fraction": ("Share s of its work", 0.95, 0.05)}


def draw(chosen: list[SlotPolicy], complaints: list[str], policies: list[SlotPolicy]) -> None:
    """Draw the sidebar for the policies as chosen, what is wrong with some, and those that are compared."""
    with st.sidebar:
        st.selectbox(
            "Start from", list(OFFERED), key=key(PAGE, "preset"), on_change=_choose_preset,
            format_func=lambda name: OFFERED[name].title, help="Sets every control below.",
        )  # fmt: skip
        _policies(complaints)
        _baseline([policy.text for policy in policies])
        for name in _main():
            _field(name)
        if any(map(leaves_epsilon_open, chosen)):
            st.slider(
                "ε of Hopper (0: fair, 1: performance only)", 0.0, 1.0, step=0.05, key=key(PAGE, EPSILON),
                help="Every job is owed at least (1 − ε) S/N slots (RAWY Algorithm 2).",
            )  # fmt: skip
        _drawer("sees", "What a rule sees", "visibility", _observe)
        _drawer("shape", "Jobs and luck", "casino", lambda: _fields(_shape()))
        _drawer("places", "Phases, machines and data", "account_tree", lambda: _fields(_places()))
        _drawer("rules", "Parameters of the policies", "tune", lambda: _tune(chosen))
        _own_jobs()
        _drawer("precision", "Precision and seed", "straighten", _precision)


def _drawer(name: str, label: str, icon: str, fill: Callable[[], None]) -> None:
    if box := drawer(PAGE, name, label, f":material/{icon}:"):
        with box:
            fill()


def _choose_preset() -> None:
    """Set every control to what the chosen preset says."""
    for entry in entries_of(OFFERED[value("preset")]):
        if entry.name not in ("preset", "precision"):
            remember(PAGE, entry.name, entry.default)


def _policies(complaints: list[str]) -> None:
    """Draw the choice of policies, and what is wrong with it."""
    st.multiselect(
        "Policies (1 to 5)",
        list(dict.fromkeys([*value("policies"), *menu()])),
        key=key(PAGE, "policies"),
        max_selections=MOST_POLICIES,
        accept_new_options=True,
        help="sharing + speculation: who gets the next slot, and when a task gets an extra copy. You may "
        "also type one with parameters, e.g. hopper:epsilon=0.2 or fair+late:speculative_cap=0.2.",
    )
    for complaint in complaints:
        st.error(complaint, icon=":material/error:")


def menu() -> list[str]:
    """Return the policies the menu offers: each sharing rule with each speculation rule."""
    return [f"{sharing}+{speculation}" for sharing in sharing_rules() for speculation in speculation_rules()]


def _baseline(policies: list[str]) -> None:
    """Draw the choice of the policy the others are compared with."""
    if policies:
        st.selectbox(
            "Differences are against", policies, key=key(PAGE, "baseline"),
            help="Both meet the same jobs and the same luck, so a difference is known better than either.",
        )  # fmt: skip


def _main() -> list[str]:
    """Return the fields that are always in sight: the load, what shapes the tail, the weight of DAGs."""
    tail = {
        "pareto": "straggle_tail",
        "bounded-pareto": "straggle_tail",
        "lognormal": "straggle_cv",
        "outlier": "outlier_share",
    }.get(value("straggle"))
    weight = ["transfer"] if value("phases") > 1 else []
    return ["load", *([tail] if tail else []), *weight, "slots"]


def _shape() -> list[str]:
    """Return the fields of the jobs' shape that do something under the laws and the file chosen."""
    bound = ["straggle_max"] if value("straggle") == "bounded-pareto" else []
    if upload():
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


def _fields(names: list[str]) -> None:
    for name in names:
        _field(name)


def _field(name: str) -> None:
    """Draw the control of one scenario field."""
    draw_field(PAGE, name)


def _observe() -> None:
    """Draw the control of what a rule may see of a running copy."""
    now = Observation.read(value("observe"))
    kind, at = key(PAGE, "observe_kind"), key(PAGE, f"observe_{now.kind}")
    st.session_state[kind] = now.kind
    st.selectbox(
        "Remaining time of a copy is known",
        list(OBSERVED),
        format_func=OBSERVED.__getitem__,
        key=kind,
        on_change=lambda: remember(PAGE, "observe", AT_FIRST[st.session_state[kind]]),
        help="What a speculation rule may see of a running copy. It moves results more than most rules do.",
    )
    if now.kind == "never":
        return
    label, most, step = SEEN[now.kind]
    st.session_state[at] = min(now.at, most)
    st.slider(
        label, 0.0, most, step=step, key=at,
        on_change=lambda: remember(PAGE, "observe", f"{now.kind}:{round(st.session_state[at], 4)!r}"),
    )  # fmt: skip


def _tune(policies: list[SlotPolicy]) -> None:
    """Draw a slider for each parameter the chosen rules declare; moving one changes its policy."""
    for place, policy in enumerate(policies):
        for part, chosen in policy.rules.items():
            rule = (sharing_rules() if part == "sharing" else speculation_rules())[chosen.key]
            shown = [p for p in rule.parameters if p.name != EPSILON]
            if shown:
                st.markdown(f"**{policy.text}** · {rule.title}")
            for parameter in shown:
                _slider(place, part, parameter, chosen.as_dict[parameter.name])


def _slider(place: int, part: str, parameter: Parameter, now: float) -> None:
    """Draw one parameter's slider, at the value the policy gives it."""
    about, whole = parameter.about, parameter.whole
    name = key(PAGE, f"rule:{place}:{part}:{parameter.name}")
    st.session_state[name] = int(now) if whole else float(now)
    low, high = (int(about.low), int(about.high)) if whole else (float(about.low), float(about.high))
    st.slider(
        parameter.name.replace("_", " ") + (f" ({about.unit})" if about.unit else ""), low, high,
        step=1 if whole else _step(low, high), key=name, help=about.text,
        on_change=_retune, args=(name, place, part, parameter.name),
    )  # fmt: skip


def _step(low: float, high: float) -> float:
    """Return the step of a slider: about a hundred in its range."""
    return 0.01 if high - low <= 1 else 0.1 if high - low <= 10 else 1.0


def _retune(name: str, place: int, part: str, parameter: str) -> None:
    """Give a moved slider's value to its policy."""
    policies = list(value("policies"))
    changed = read_policy(policies[place]).with_(**{part: {parameter: st.session_state[name]}})
    policies[place] = changed.text
    st.session_state[key(PAGE, "policies")] = policies


def _own_jobs() -> None:
    """Draw where a file of jobs can be given."""
    with st.expander("Your own jobs", icon=":material/upload_file:"):
        st.file_uploader(
            "SWIM rows or a CSV of jobs", type=["csv", "tsv", "txt"], key=key(PAGE, "file"),
            help="CSV: job_id, submit, tasks and, if you have it, size. It stays in this session.",
        )  # fmt: skip
        st.download_button("CSV template", template(), "jobs.csv", "text/csv", on_click="ignore")


def _precision() -> None:
    """Draw how long and how precisely the policies are compared, and with which luck."""
    st.select_slider("Stop when means are known to ± %", PRECISIONS, key=key(PAGE, "precision"))
    if not upload():
        _field("jobs")
    _field("warm_up")
    st.number_input("Seed of all luck", 0, 2**31, step=1, key=key(PAGE, "seed"))
