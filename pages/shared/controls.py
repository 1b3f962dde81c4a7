"""Controls of the Compare page: what the sidebar holds becomes an `Experiment`.

Labels, bounds and help come from where the fields and parameters are declared; here stands only
which of them are shown, in which words, and over which range a slider makes sense.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.shared.links import Entry, key, remember
from pages.shared.ranges import CHOICES, SLIDERS, STEPS
from sim.fields import BadInput
from sim.policy import SHARING, SPECULATION, Chosen, Parameter, read_policy
from sim.presets import Preset, preset, presets_of
from sim.scenario import ABOUT, Observation, Scenario, from_text

PAGE = "compare"
#: The presets this page can start from: of the engine whose fields and rules it shows.
OFFERED = presets_of("slots")
DEFAULT_PRESET = "light"
#: Most policies at a time: more lines than that cannot be told apart.
MOST_POLICIES = 5
PRECISIONS = (0.5, 1.0, 2.0, 5.0, 10.0)
EPSILON = "epsilon"


OBSERVED = {"age": "after an age", "fraction": "after a share of the work", "never": "never"}


def numeric_reader(name: str) -> Callable[[str], Any]:
    """Return how a link's text becomes the value of a field, within the range of its slider."""

    def read(text: str) -> Any:
        value = from_text(name, text)
        low, high = (SLIDERS[name].low, SLIDERS[name].high) if name in SLIDERS else (
            STEPS[name].values[0], STEPS[name].values[-1]
        )  # fmt: skip
        if not low <= value <= high:
            raise BadInput(f"{name}: {text!r} is not accepted here; give from {low:g} to {high:g}")
        return value

    return read


def word_reader(name: str) -> Callable[[str], str]:
    """Return how a link's text becomes a word; 'trace' needs the file, which a link does not carry."""

    def read(text: str) -> str:
        word = from_text(name, text)
        if word == "trace":
            raise BadInput(f"{name}: 'trace' needs the workload file, which a link cannot carry; upload it")
        return word

    return read


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
    return SHARING()["hopper"].parameters[0]


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
        *(Entry(name, getattr(scenario, name), numeric_reader(name)) for name in (*SLIDERS, *STEPS)),
        *(Entry(name, getattr(scenario, name), word_reader(name)) for name in CHOICES),
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


def choose_preset() -> None:
    """Set every control to what the chosen preset says."""
    for entry in entries_of(OFFERED[value("preset")]):
        if entry.name not in ("preset", "precision"):
            remember(PAGE, entry.name, entry.default)


def field(name: str, **options: Any) -> None:
    """Draw the control of one scenario field."""
    about = ABOUT[name]
    help_text = about.text[0].upper() + about.text[1:] + (f" ({about.unit})." if about.unit else ".")
    if name in CHOICES:
        words = [word for word in about.choices if word != "trace" or value(name) == "trace"]
        st.selectbox(CHOICES[name], words, key=key(PAGE, name), help=help_text, **options)
    elif name in STEPS:
        values = sorted({*STEPS[name].values, value(name)})
        st.select_slider(
            STEPS[name].label,
            values,
            key=key(PAGE, name),
            format_func=lambda v: f"{v:,g}",
            help=help_text,
            **options,
        )
    else:
        slider = SLIDERS[name]
        help_text = f"{help_text} {slider.note}".rstrip()
        st.slider(
            slider.label,
            slider.low,
            slider.high,
            step=slider.step,
            key=key(PAGE, name),
            help=help_text,
            **options,
        )


def observe() -> str:
    """Draw the control of what a rule may see, and return the field's text."""
    now = Observation.read(value("observe"))
    kinds = list(OBSERVED)
    kind = st.selectbox(
        "Remaining time of a copy is known",
        kinds,
        index=kinds.index(now.kind),
        format_func=OBSERVED.__getitem__,
        key=key(PAGE, "observe_kind"),
        help="What a speculation rule may see of a running copy. It moves results more than most rules do.",
    )
    if kind == "never":
        return "never"
    at = now.at if kind == now.kind else (0.5 if kind == "age" else 0.2)
    if kind == "age":
        text = st.slider(
            "Age, in mean durations E[x]", 0.0, 2.0, min(at, 2.0), 0.1, key=key(PAGE, "observe_age")
        )
    else:
        text = st.slider(
            "Share s of its work", 0.0, 0.95, min(at, 0.95), 0.05, key=key(PAGE, "observe_share")
        )
    return f"{kind}:{round(text, 4)!r}"


def tail_field(law: str) -> str | None:
    """Return the field that shapes the tail of a straggle law."""
    return {"pareto": "straggle_tail", "bounded-pareto": "straggle_tail", "lognormal": "straggle_cv",
            "outlier": "outlier_share"}.get(law)  # fmt: skip


def menu() -> list[str]:
    """Return the policies the menu offers: each sharing rule with each speculation rule."""
    return [f"{sharing}+{speculation}" for sharing in SHARING() for speculation in SPECULATION()]


def choose_policies() -> list[str]:
    """Draw the choice of policies; return those that can be read, parameters as written."""
    chosen = value("policies")
    st.multiselect(
        "Policies (1 to 5)",
        list(dict.fromkeys([*chosen, *menu()])),
        key=key(PAGE, "policies"),
        max_selections=MOST_POLICIES,
        accept_new_options=True,
        help="sharing + speculation: who gets the next slot, and when a task gets an extra copy. You may "
        "also type one with parameters, e.g. hopper:epsilon=0.2 or fair+late:speculative_cap=0.2.",
    )
    readable = []
    for text in value("policies"):
        try:
            readable.append(read_policy(text).text)
        except BadInput as error:
            st.error(str(error), icon=":material/error:")
    return readable


def choose_baseline(policies: list[str]) -> str:
    """Draw the choice of the policy the others are compared with."""
    if not policies:
        return ""
    if value("baseline") not in policies:
        st.session_state[key(PAGE, "baseline")] = policies[0]
    return st.selectbox(
        "Differences are against", policies, key=key(PAGE, "baseline"),
        help="Both meet the same jobs and the same luck, so their difference is known better than either.",
    )  # fmt: skip


def uploaded() -> bool:
    """Tell whether the jobs come from a file."""
    return st.session_state.get(key(PAGE, "file")) is not None


def shape() -> list[str]:
    """Return the fields of the jobs' shape that do something under the laws and the file chosen."""
    bound = ["straggle_max"] if value("straggle") == "bounded-pareto" else []
    if uploaded():
        return ["straggle", *bound]
    tails = ["tasks_tail"] if value("tasks") in ("zipf", "pareto") else []
    bursts = ["arrival_cv"] if value("arrivals") == "bursty" else []
    return ["tasks", "tasks_max", *tails, "arrivals", *bursts, "straggle", *bound]


def places() -> list[str]:
    """Return the fields of phases, machines and data that do something under the values chosen."""
    phased = ["phases_law", "shape", "transfer_law", "barrier"] if value("phases") > 1 else []
    slow = ["slow_factor"] if value("slow_share") > 0 else []
    remote = ["remote_factor"] if value("replicas") > 0 else []
    machines = ["machine_slots"] if slow or remote else []
    return ["phases", *phased, "slow_share", *slow, "replicas", *remote, *machines]


def with_epsilon(policies: list[str]) -> list[str]:
    """Draw Hopper's epsilon if a Hopper policy leaves it open; return the policies with it."""
    open_ones = [
        text for text in policies if read_policy(text).sharing.key == "hopper" and EPSILON not in text
    ]
    if not open_ones:
        return policies
    epsilon = st.slider(
        "ε of Hopper (0: fair, 1: performance only)", 0.0, 1.0, step=0.05, key=key(PAGE, EPSILON),
        help="Every job is owed at least (1 − ε) S/N slots (RAWY Algorithm 2).",
    )  # fmt: skip
    if epsilon == 1:
        return policies
    return [
        read_policy(text.replace("hopper", f"hopper:epsilon={epsilon:g}", 1)).text
        if text in open_ones
        else text
        for text in policies
    ]


def tune(policies: list[str]) -> None:
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
    """Write a moved slider's value into the text of its policy."""
    policies = list(value("policies"))
    policy = read_policy(policies[place])
    chosen: Chosen = getattr(policy, part)
    values = tuple((one, st.session_state[name] if one == parameter else now) for one, now in chosen.values)
    policies[place] = replace(policy, **{part: Chosen(chosen.key, values)}).text
    st.session_state[key(PAGE, "policies")] = policies


def precision() -> None:
    """Draw how long and how precisely the policies are compared, and with which luck."""
    st.select_slider("Stop when means are known to ± %", PRECISIONS, key=key(PAGE, "precision"))
    if not uploaded():
        field("jobs")
    field("warm_up")
    st.number_input("Seed of all luck", 0, 2**31, step=1, key=key(PAGE, "seed"))


def scenario_from(start: Scenario, observed: str, trace_fields: Mapping[str, Any]) -> Scenario:
    """Return the scenario the controls describe."""
    names = [*SLIDERS, *STEPS, *CHOICES, "seed"]
    return start.replace(**{name: value(name) for name in names} | {"observe": observed} | dict(trace_fields))
