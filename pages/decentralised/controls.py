"""Controls of the Decentralised page, and its sidebar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.decentralised.question import AXES, MOST_RIVALS, Axis, Setting, has_slider, rivals
from pages.shared.controls.control import STATISTIC, Control, OneOf, Panel, Range, Values, drawer, names
from pages.shared.controls.fields import FIELDS, SEED, ChosenPolicies, phase_fields
from pages.shared.controls.links import key
from sim.engines.probes.policy import read_policy
from sim.model.fields import BadInput
from sim.model.outcome import Observation, leading
from sim.model.speculative import PHASES
from theory.quoting import quoted

PAGE = "decentralised"
START = Setting()
#: When the remaining time of a copy is known: as a link has it, and in words.
SEEN = {
    "age:0": "at once",
    "age:0.25": "after ¼ of a mean duration",
    "age:0.5": "after ½ of a mean duration",
    "age:1": "after a mean duration",
    "fraction:0.1": "after 10 % of the work",
    "fraction:0.3": "after 30 % of the work",
    "never": "never",
}


@dataclass(frozen=True)
class Observed(OneOf):
    """When the remaining time of a copy is known, spelled as a scenario spells it."""

    def read(self, name: str, text: str) -> str:
        """Return the canonical spelling."""
        spelled = Observation.read(text).text
        if spelled not in self.values:
            raise BadInput(f"{name}: {quoted(text)} is not accepted here; give one of {', '.join(SEEN)}")
        return spelled


def of_setting(name: str, label: str, values: Values, about: str, symbol: str = "") -> Control:
    """Return the control of a field of the setting, which has its default from there."""
    return Control(name, label, values, getattr(START, name), about, symbol=symbol)


#: Controls that are seen at once.
MAIN = (
    of_setting(
        "probes", "Probes per task, d", Range(1, 16, 1), "Workers asked for each task, by every protocol."
    ),
    of_setting(
        "refusals",
        "Refusals before a job must accept",
        Range(0, 10, 1),
        "Hopper: after so many refusals the next job that a free slot asks may not refuse.",
    ),
    of_setting(
        "load",
        "How busy the cluster is: load ρ₀",
        Range(0.3, 0.95, 0.05),
        "Share of the slots busy if every task ran once.",
    ),
    of_setting(
        "tail",
        "How wild stragglers are: β",
        Range(1.1, 4.0, 0.1),
        "The smaller, the worse the stragglers.",
        "beta",
    ),
    of_setting(
        "workers",
        "Workers",
        OneOf((20, 50, 100, 200, 500, 1000, 2000)),
        "The paper has 10,000; so does the shell.",
    ),
    of_setting(
        "schedulers",
        "Schedulers",
        OneOf((1, 2, 5, 10, 20, 50, 100)),
        "Each owns its jobs; none knows the others'.",
    ),
    of_setting(
        "latency",
        "One-way delay of a message (s)",
        OneOf((0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)),
        "A task takes 1 s on a healthy slot.",
    ),
)
COPIES = (
    of_setting(
        "copies",
        "Most copies per task",
        OneOf((1, 2, 3, 4, 8)),
        "Of Hopper and Central, the original included. 1: nothing is copied.",
    ),
    of_setting(
        "benefit",
        "Copy only tasks with more remaining time than (mean durations)",
        OneOf((0.0, 0.5, 1.0, 2.0)),
        "Of Hopper and Central. 0: any running task, as long as the budget lasts.",
    ),
)
JOBS = (
    of_setting(
        "tasks_max",
        "Most tasks per job",
        OneOf((1, 2, 5, 10, 20, 50, 100, 200)),
        "Each job has from 1 to this many tasks.",
    ),
    of_setting("per_worker", "Slots per worker", OneOf((1, 2, 4, 8)), "They share the worker's queue."),
)
LENGTH = of_setting(
    "length",
    "Length of a replication (tasks per slot)",
    OneOf((20, 40, 80, 160, 320)),
    "Longer runs take longer and tell more about slow jobs.",
)
OBSERVE = of_setting(
    "observe",
    "When stragglers can be detected",
    Observed({Observation.read(text).text: words for text, words in SEEN.items()}),
    "What a scheduler may see of a running copy before it starts another.",
)
CHOICE = ChosenPolicies(rivals, read_policy, 1, MOST_RIVALS, has_slider)
RIVALS_COMPARED = Control(
    "rivals",
    "Compared with Central",
    CHOICE,
    [policy.text for policy in START.rivals],
    "After the +: who gets a copy. Hopper alone has a budget for copies; LATE copies the slowest tasks of "
    "each job.",
)
AGAINST = Control(
    "against",
    "Second curve against",
    OneOf({name: f"Second curve: {axis.name}" for name, axis in AXES.items() if name != "probes"}),
    "refusals",
)
PANEL = Panel(
    PAGE,
    (
        *MAIN,
        JOBS[0],
        *COPIES,
        JOBS[1],
        LENGTH,
        OBSERVE,
        *(replace(FIELDS[name], default=getattr(START, name)) for name in PHASES),
        RIVALS_COMPARED,
        SEED,
        STATISTIC,
        AGAINST,
    ),
)


def draw_sidebar(phases: int) -> None:
    """Draw the sidebar, where jobs have at most so many phases."""
    PANEL.draw_all(MAIN)
    if box := drawer(
        PAGE, "policies", "Policies", ":material/compare_arrows:", names((RIVALS_COMPARED, *COPIES))
    ):
        with box:
            chosen = RIVALS_COMPARED.draw(PAGE)
            CHOICE.tune(PAGE, RIVALS_COMPARED.name, CHOICE.picked(chosen)[0])
            PANEL.draw_all(COPIES)
    PANEL.draw_folded("jobs", "Jobs and detection", "visibility", (*JOBS, OBSERVE))
    PANEL.draw_folded("phases", "Phases of jobs", "account_tree", phase_fields(phases))
    PANEL.draw_folded("precision", "Length and seed", "straighten", (LENGTH, SEED))


def setting_of(values: Mapping[str, Any]) -> Setting:
    """Return the setting that the controls describe; without any rival, the usual ones.

    Raises
    ------
    BadInput
        Where a rule of one's own has gone.
    """
    fields = {name: values[name] for name in values if name not in ("statistic", "against", "rivals")}
    return START.but(**fields, rivals=CHOICE.of(values["rivals"]) or START.rivals)


def choose_statistic(setting: Setting) -> str:
    """Draw the choice of what of the flowtimes is divided by that of central."""
    by_law = leading(setting.scenario)
    chosen: str = PANEL.draw("statistic", by_law=by_law, label_visibility="collapsed")
    return chosen


def choose_axis(setting: Setting) -> Axis:
    """Draw the choice of what the second curve is drawn against; without Hopper nobody refuses."""
    offered = [
        name for name, axis in AXES.items() if name != "probes" and any(map(axis.concerns, setting.rivals))
    ]
    against = key(PAGE, "against")
    if st.session_state[against] not in offered:
        st.session_state[against] = offered[0]
    return AXES[PANEL.draw("against", offered=offered, label_visibility="collapsed", width=240)]
