"""The sidebar of the Compare page: a widget for each control.

Labels, bounds and help come from where the fields and parameters are declared; `ranges` says which of
them are shown. Every value is in the session before its widget is drawn, so that the page can answer first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import streamlit as st

from pages.compare.controls import EPSILON, PAGE, PANEL, leaves_epsilon_open, upload, value
from pages.shared.controls.control import Control, Range
from pages.shared.controls.drawers import drawer
from pages.shared.controls.fields import phase_fields
from pages.shared.controls.links import key
from sim.policy import SHARING, SPECULATION, Chosen, Parameter, read_policy
from sim.traces.csv_jobs import template


def draw(chosen: list[str], complaints: list[str], policies: list[str]) -> None:
    """Draw the sidebar for the policies as chosen, what is wrong with some, and those that are compared."""
    with st.sidebar:
        PANEL.draw_start()
        PANEL.draw("policies")
        for complaint in complaints:
            st.error(complaint, icon=":material/error:")
        if policies:
            PANEL.draw("baseline", offered=policies)
        _draw(_main())
        if any(map(leaves_epsilon_open, chosen)):
            PANEL.draw(EPSILON)
        _drawer("sees", "What a rule sees", "visibility", lambda: _draw(["observe"]))
        _drawer("shape", "Jobs and luck", "casino", lambda: _draw(_shape()))
        _drawer("places", "Phases, machines and data", "account_tree", lambda: _draw(_places()))
        _drawer("rules", "Parameters of the policies", "tune", lambda: _tune(chosen))
        _own_jobs()
        _drawer("precision", "Precision and seed", "straighten", lambda: _draw(_precision()))


def _drawer(name: str, label: str, icon: str, fill: Callable[[], None]) -> None:
    if box := drawer(PAGE, name, label, f":material/{icon}:"):
        with box:
            fill()


def _draw(names: Iterable[str]) -> None:
    for name in names:
        PANEL.draw(name)


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


def _tune(policies: list[str]) -> None:
    """Draw a slider for each parameter the chosen rules declare; moving one rewrites its policy."""
    for place, text in enumerate(policies):
        policy = read_policy(text)
        for part, chosen in (("sharing", policy.sharing), ("speculation", policy.speculation)):
            rule = (SHARING() if part == "sharing" else SPECULATION())[chosen.key]
            shown = [p for p in rule.parameters if p.name != EPSILON]
            if shown:
                st.markdown(f"**{text}** · {rule.title}")
            for parameter in shown:
                _slider(place, part, parameter, chosen.as_dict[parameter.name])


def _slider(place: int, part: str, parameter: Parameter, now: float) -> None:
    """Draw one parameter's slider, at the value the policy's text gives it."""
    about, kind = parameter.about, int if parameter.whole else float
    low, high = kind(about.low), kind(about.high)
    label = parameter.name.replace("_", " ") + (f" ({about.unit})" if about.unit else "")
    name = f"rule:{place}:{part}:{parameter.name}"
    control = Control(
        name, label, Range(low, high, 1 if parameter.whole else _step(low, high)), now, about.text
    )
    st.session_state[key(PAGE, name)] = kind(now)
    control.draw(PAGE, on_change=_retune, args=(name, place, part, parameter.name))


def _step(low: float, high: float) -> float:
    """Return the step of a slider: about a hundred in its range."""
    return 0.01 if high - low <= 1 else 0.1 if high - low <= 10 else 1.0


def _retune(name: str, place: int, part: str, parameter: str) -> None:
    """Write a moved slider's value into the text of its policy."""
    policies = list(value("policies"))
    policy = read_policy(policies[place])
    chosen: Chosen = getattr(policy, part)
    values = tuple((one, value(name) if one == parameter else now) for one, now in chosen.values)
    policies[place] = replace(policy, **{part: Chosen(chosen.key, values)}).text
    st.session_state[key(PAGE, "policies")] = policies


def _own_jobs() -> None:
    """Draw where a file of jobs can be given."""
    with st.expander("Your own jobs", icon=":material/upload_file:"):
        st.file_uploader(
            "SWIM rows or a CSV of jobs", type=["csv", "tsv", "txt"], key=key(PAGE, "file"),
            help="CSV: job_id, submit, tasks and, if you have it, size. It stays in this session.",
        )  # fmt: skip
        st.download_button("CSV template", template(), "jobs.csv", "text/csv", on_click="ignore")


def _precision() -> list[str]:
    """Return the fields of how long and how precisely the policies are compared, and with which seed."""
    return ["precision", *([] if upload() else ["jobs"]), "warm_up", "seed"]
