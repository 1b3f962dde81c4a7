"""Controls of the Compare page: what the session and the address hold becomes an `Experiment`.

Nothing is drawn here: the sidebar is made of the same controls, when there is time for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import streamlit as st

from pages.shared.controls import file_in_link
from pages.shared.controls.control import (
    STATISTIC,
    STATISTICS,
    ByLaw,
    Control,
    Former,
    OneOf,
    Panel,
    Range,
    Start,
)
from pages.shared.controls.fields import FIELDS, SEED, Policies, field_control, menu
from pages.shared.controls.links import key, remember
from sim.engines.registry import Preset, preset, presets_of
from sim.engines.slots.scenario import SlotPolicy, SlotScenario, read_policy
from sim.model.outcome import Observation
from sim.model.policy import Parameter
from sim.model.scenario import Scenario
from sim.telling.words import plain

PAGE = "compare"
#: Where the session has the visitor's own jobs.
FILE = key(PAGE, "given")
#: The presets this page can start from: of the engine whose fields and rules it shows.
OFFERED = presets_of("slots")
DEFAULT_PRESET = "copies-and-order"
#: Most policies at a time: more lines than that cannot be told apart.
MOST_POLICIES = 5
#: Policies of the first menu; another has all.
FIRST = ("fair+none", "fair+late", "fair+dolly", "srpt+late", "srpt+mantri", "hopper+budget")
#: Hopper's parameter that has a slider of its own, and the value that leaves it to that slider.
EPSILON = "epsilon"
DEFAULT_EPSILON = SlotPolicy.of("hopper").sharing.as_dict[EPSILON]
#: Controls that set the field of the scenario of their name.
SCENARIO = (*FIELDS, "observe", "seed", "recorded_times", "recorded_sizes")
#: How distributions are drawn, with the place of what is chosen in the session.
CURVES, CURVE = ("CDF", "Tail"), f"{PAGE}:curve"
ABOUT_CURVES = "The CDF shows typical jobs, the log–log tail the slowest: a power law is straight."
#: When the remaining time of a copy is known: kinds in words, and each as it is when it is chosen.
OBSERVED = {"age": "after some time", "fraction": "after a share of the work", "never": "never"}
AT_FIRST = {"age": "age:0.5", "fraction": "fraction:0.2", "never": "never"}
#: Label and values of the slider of what the kind is about.
OBSERVED_AT = {
    "age": ("Time since its start (mean durations)", Range(0.0, 2.0, 0.1)),
    "fraction": ("Share s of its work", Range(0.0, 0.95, 0.05)),
}


@dataclass(frozen=True)
class Presets(OneOf):
    """The presets the page can start from."""

    def read(self, name: str, text: str) -> str:
        """Return the preset's name, or say which is nearest."""
        return preset(text, OFFERED).name


def leaves_epsilon_open(policy: SlotPolicy) -> bool:
    """Tell whether a policy is Hopper's, with an epsilon that the slider sets."""
    return policy.sharing.key == "hopper" and policy.sharing.as_dict[EPSILON] == DEFAULT_EPSILON


def has_slider(policy: SlotPolicy, part: str, parameter: Parameter) -> bool:
    """Whether a parameter has a slider beside its rule: the ε of a Hopper that leaves it open has its own."""
    return not (part == "sharing" and parameter.name == EPSILON and leaves_epsilon_open(policy))


CHOICE = Policies(menu, read_policy, 1, MOST_POLICIES, has_slider, FIRST)


@dataclass(frozen=True, slots=True)
class PolicyText:
    """A policy as a text."""

    def read(self, name: str, text: str) -> str:
        """Return its canonical spelling."""
        return CHOICE.canonical(name, [text])[0]

    def write(self, value: str) -> str:
        """Return the text itself."""
        return value

    def show(self, value: str) -> str:
        """Return how people call the policy."""
        return CHOICE.called(value)

    def draw(self, label: str, *, key: str, offered: Iterable[str] = (), **options: Any) -> str:
        """Draw a menu of the policies offered."""
        texts = [*offered] or [st.session_state[key]]
        return st.selectbox(label, texts, key=key, format_func=CHOICE.called, **options)


@dataclass(frozen=True, slots=True)
class Observed:
    """When the remaining time of a copy is known: a kind, and after how much of what."""

    def read(self, name: str, text: str) -> str:
        """Return the canonical spelling."""
        return Observation.read(text).text

    def write(self, value: str) -> str:
        """Return the text itself."""
        return value

    def show(self, value: str) -> str:
        """Return the kind, and after how much of what.

        Examples
        --------
        >>> Observed().show("fraction:0.2"), Observed().show("never")
        ('after a share of the work, 0.2', 'never')
        """
        now = Observation.read(value)
        return OBSERVED[now.kind] + ("" if now.kind == "never" else f", {plain(now.at)}")

    def draw(self, label: str, *, key: str, **options: Any) -> str:
        """Draw a menu of kinds, and a slider for how much."""
        now = Observation.read(st.session_state[key])
        kind, at = f"{key}_kind", f"{key}_{now.kind}"
        st.session_state[kind] = now.kind
        st.selectbox(
            label,
            list(OBSERVED),
            format_func=OBSERVED.__getitem__,
            key=kind,
            on_change=lambda: remember(PAGE, "observe", AT_FIRST.get(st.session_state[kind], now.text)),
            **options,
        )
        if now.kind != "never":
            about, values = OBSERVED_AT[now.kind]
            st.session_state[at] = min(now.at, values.high)
            values.draw(
                about,
                key=at,
                on_change=lambda: remember(PAGE, "observe", f"{now.kind}:{round(st.session_state[at], 4)!r}"),
            )
        return now.text


def compared(texts: Iterable[str]) -> dict[str, Any]:
    """Return the controls of what is compared, the first with all others."""
    policies = CHOICE.canonical("policies", texts)
    return {"policies": policies, "baseline": policies[0]}


def start_of(one: Preset) -> Start:
    """Return what a preset says of the controls."""
    values = {name: getattr(one.scenario, name) for name in SCENARIO}
    return Start(one.title, values | compared(one.policies))


STARTS = {name: start_of(one) for name, one in OFFERED.items()}
TITLES = {name: start.title for name, start in STARTS.items()}
OBSERVE = Control(
    "observe",
    "The remaining time of a copy is known",
    Observed(),
    SlotScenario().observe,
    "Before then nobody can tell a straggler. This changes results more than most rules do.",
)
#: How the times of an uploaded file are changed, and the meaning of its sizes.
RECORDED = (
    field_control(
        "recorded_times",
        "Recorded times are",
        OneOf({"kept": "kept", "stretched": "stretched to a load"}, "segmented_control"),
    ),
    field_control(
        "recorded_sizes",
        "Recorded sizes are",
        OneOf(
            {
                "means": "means of a task’s time",
                "healthy": "healthy times",
                "measured": "what was measured",
            }
        ),
    ),
)
PRECISION = Control(
    "precision",
    "Stop when mean flowtimes are within ± %",
    OneOf({value: str(value) for value in (0.5, 1.0, 2.0, 5.0, 10.0)}),
    2.0,
)
POLICIES = Control(
    "policies",
    "Policies",
    CHOICE,
    STARTS[DEFAULT_PRESET].values["policies"],
    "One to five: whose turn it is + who is copied. “More policies” has the others; or type a code, such as "
    "hopper:epsilon=0.2 or fair+late:speculative_cap=0.2.",
)
BASELINE = Control(
    "baseline",
    "Compare with",
    PolicyText(),
    STARTS[DEFAULT_PRESET].values["baseline"],
    "All policies run the same jobs with the same luck, so differences are known best.",
)
#: Policies of presets in links of version 0.2.0, which begin with another one.
FORMER_POLICIES = {
    "light": ["fair+none", "fair+late", "srpt+none", "srpt+late"],
    "xu-lau-fig5": ["no-backup", "ese:sigma=1", "ese:sigma=1.7", "ese:sigma=3"],
}
PANEL = Panel(
    PAGE,
    (
        Control("preset", "Start from", Presets(TITLES), DEFAULT_PRESET, "Sets every control below."),
        *FIELDS.values(),
        OBSERVE,
        SEED,
        PRECISION,
        POLICIES,
        BASELINE,
        replace(STATISTIC, values=ByLaw(STATISTICS)),  # a menu, one stop of the keyboard
        *RECORDED,
        file_in_link.CONTROL,
        Control(
            EPSILON,
            "How unfair Hopper may be: ε",
            Range(0.0, 1.0, 0.05),
            DEFAULT_EPSILON,
            "Every job is owed at least (1 − ε) S/N of the S slots among N jobs: 0 is fair, 1 is fast only.",
        ),
    ),
    STARTS,
    stays=("precision", "statistic", file_in_link.NAME),
    version="2",
    former=Former("1", "light", {name: compared(texts) for name, texts in FORMER_POLICIES.items()}),
)


def value(name: str) -> Any:
    """Return the current value of a control."""
    return st.session_state[key(PAGE, name)]


def with_epsilon(policies: Iterable[SlotPolicy], epsilon: float) -> list[SlotPolicy]:
    """Return the policies with the slider's epsilon in those that leave it open."""
    return [
        policy.with_(sharing={EPSILON: epsilon}) if leaves_epsilon_open(policy) else policy
        for policy in policies
    ]


def baseline(policies: Sequence[SlotPolicy], chosen: str) -> int:
    """Return the place of the policy the others are compared with: the first if the chosen one has gone."""
    texts = [policy.text for policy in policies]
    if chosen in texts:
        return texts.index(chosen)
    if texts:
        st.session_state[key(PAGE, "baseline")] = texts[0]
    return 0


def has_file() -> bool:
    """Tell whether the visitor has given a file of jobs."""
    return bool(st.session_state.get(FILE))


def scenario_from(start: Scenario, values: Mapping[str, Any], trace_fields: Mapping[str, Any]) -> Scenario:
    """Return the scenario that the values of the controls describe."""
    return _changed(start, tuple(({name: values[name] for name in SCENARIO} | dict(trace_fields)).items()))


@lru_cache(maxsize=256)  # a class moves the same slider to the same value, and a scenario checks every field
def _changed(start: Scenario, changes: tuple[tuple[str, Any], ...]) -> Scenario:
    return start.replace(**dict(changes))
