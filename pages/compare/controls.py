"""Controls of the Compare page: what the session and the address hold becomes an `Experiment`.

Nothing is drawn here: the sidebar is made of the same values, when there is time for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.shared.controls.fields import field_entry
from pages.shared.controls.links import Entry, key
from pages.shared.controls.ranges import CHOICES, SLIDERS, STEPS
from sim.fields import BadInput
from sim.policy import Parameter
from sim.presets import Preset, preset, presets_of
from sim.scenario import Observation, Scenario, from_text
from sim.slots.policy import SlotPolicy, read_policy, sharing_rules

PAGE = "compare"
#: The presets this page can start from: of the engine whose fields and rules it shows.
OFFERED = presets_of("slots")
DEFAULT_PRESET = "light"
#: Most policies at a time: more lines than that cannot be told apart.
MOST_POLICIES = 5
PRECISIONS = (0.5, 1.0, 2.0, 5.0, 10.0)
EPSILON = "epsilon"


def read_policies(text: str) -> list[str]:
    """Read the policies of a link, separated by semicolons."""
    policies = [part.strip() for part in text.split(";") if part.strip()]
    if not 1 <= len(policies) <= MOST_POLICIES:
        raise BadInput(f"policies: {text!r} is not accepted; give 1 to {MOST_POLICIES}, separated by ;")
    return [read_policy(policy).text for policy in policies]


def read_precision(text: str) -> float:
    """Read the precision of a link."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if value not in PRECISIONS:
        raise BadInput(f"precision: {text!r} is not accepted; give one of {', '.join(map(str, PRECISIONS))}")
    return value


def read_epsilon(text: str) -> float:
    """Read Hopper's epsilon."""
    return _epsilon().read(text)


def _epsilon() -> Parameter:
    return sharing_rules()["hopper"].parameters[0]


def entries(given: Mapping[str, str]) -> list[Entry]:
    """Return the page's entries; the defaults are those of the preset that is named."""
    start = OFFERED.get(given.get("preset", DEFAULT_PRESET), OFFERED[DEFAULT_PRESET])
    return entries_of(start)


def entries_of(start: Preset) -> list[Entry]:
    """Return the page's entries with the values of one preset as defaults."""
    scenario = start.scenario
    policies = [read_policy(policy).text for policy in start.policies]
    return [
        Entry("preset", DEFAULT_PRESET, lambda name: preset(name, OFFERED).name),
        *(field_entry(name, getattr(scenario, name)) for name in (*SLIDERS, *STEPS, *CHOICES)),
        Entry("observe", scenario.observe, lambda text: Observation.read(text).text),
        Entry("seed", scenario.seed, lambda text: from_text("seed", text)),
        Entry("precision", 2.0, read_precision),
        Entry("policies", policies, read_policies, ";".join),
        Entry("baseline", policies[0], lambda text: read_policy(text).text),
        Entry(EPSILON, 1.0, read_epsilon),
    ]


def value(name: str) -> Any:
    """Return the current value of a control."""
    return st.session_state[key(PAGE, name)]


def picked(texts: Sequence[str]) -> tuple[list[SlotPolicy], list[str]]:
    """Return the policies that can be read, and what is wrong with the others."""
    readable, complaints = [], []
    for text in texts:
        try:
            readable.append(read_policy(text))
        except BadInput as error:
            complaints.append(str(error))
    return readable, complaints


def leaves_epsilon_open(policy: SlotPolicy) -> bool:
    """Tell whether a policy is Hopper's, with an epsilon that the slider sets."""
    return policy.sharing.key == "hopper" and policy.sharing.as_dict[EPSILON] == _epsilon().default


def with_epsilon(policies: Sequence[SlotPolicy], epsilon: float) -> list[SlotPolicy]:
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


def upload() -> UploadedFile | None:
    """Return the file of the visitor's own jobs, if there is one."""
    return st.session_state.get(key(PAGE, "file"))


def scenario_from(start: Scenario, values: Mapping[str, Any], trace_fields: Mapping[str, Any]) -> Scenario:
    """Return the scenario that the values of the controls describe."""
    names = [*SLIDERS, *STEPS, *CHOICES, "observe", "seed"]
    return _changed(start, tuple(({name: values[name] for name in names} | dict(trace_fields)).items()))


@lru_cache(maxsize=256)  # a class moves the same slider to the same value, and a scenario checks every field
def _changed(start: Scenario, changes: tuple[tuple[str, Any], ...]) -> Scenario:
    return start.replace(**dict(changes))
