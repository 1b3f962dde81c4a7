"""Controls of scenario fields and of policies, made from the description of each field.

Unit, help and default come from where the field is declared. A scenario may have any value that the
declaration accepts; a control shows fewer, and refuses a link's value that it could not show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import streamlit as st

from pages.frame.limits import limits
from pages.shared.controls.control import Control, OneOf, Range, Switch, Values
from pages.shared.controls.links import as_text, key
from sim.engines import plugins
from sim.engines.slots.scenario import ABOUT, SlotScenario, sharing_rules, speculation_rules
from sim.model.fields import About, BadInput, from_text
from sim.model.policy import Parameter, Policy
from sim.telling.words import begun, listed
from theory.quoting import quoted

# Policies chosen as texts, and the parameters of their rules: a slider or a switch for each.
#
# Links and widgets have texts. They are read here; whatever comes after has the policies.

P = TypeVar("P", bound=Policy)
#: Whether a page has a slider for a parameter of a policy: the policy, the kind of rule, the parameter.
Free = Callable[[P, str, Parameter], bool]
#: What can be typed, at most, for a parameter without a bound.
LARGEST = 1e12


@dataclass(frozen=True, slots=True)
class Policies(Generic[P]):
    """Some policies of an engine; others than the menu offers can be typed.

    Parameters
    ----------
    offered : callable
        Returns the texts that the menu has. It is asked anew each time: rules of one's own may have come.
    parse : callable
        Reads a text.
    fewest, most : int
        How many may be chosen.
    free : callable, optional
        Whether a parameter has a slider.
    first : sequence of str, optional
        The texts that the menu has where a page offers the others elsewhere; all unless given.
    """

    offered: Callable[[], Iterable[str]]
    parse: Callable[[str], P]
    fewest: int
    most: int
    free: Free[P] = lambda policy, kind, parameter: True
    first: Sequence[str] = ()

    def read(self, name: str, text: str) -> list[str]:
        """Return the texts of the policies, which a link separates by semicolons."""
        chosen = self.canonical(name, filter(None, map(str.strip, text.split(";"))))
        if not self.fewest <= len(chosen) <= self.most:
            raise BadInput(
                f"{name}: {quoted(text)} is not accepted; give {self.fewest} to {self.most}, separated by ;"
            )
        return chosen

    def canonical(self, name: str, texts: Iterable[str]) -> list[str]:
        """Return the canonical texts of policies."""
        return [self.parse(text).text for text in texts]

    def write(self, value: list[str]) -> str:
        """Return the policies as a link has them."""
        return ";".join(value)

    def show(self, value: Sequence[str]) -> str:
        """Return how people call the policies."""
        return listed(list(map(self.called, value)))

    def draw(self, label: str, *, key: str, **options: Any) -> list[str]:
        """Draw a menu from which several can be chosen, and to which others can be typed."""
        texts = dict.fromkeys([*st.session_state[key], *(self.first or self.offered())])
        options = {"accept_new_options": True} | ({"select_all": False} if self.first else {}) | options
        return st.multiselect(
            label, list(texts), key=key, max_selections=self.most, format_func=self.called, **options
        )

    def called(self, text: str) -> str:
        """Return how people call a policy; the text itself where it cannot be read."""
        return _called(self.parse, text)

    def of(self, texts: Iterable[str]) -> tuple[P, ...]:
        """Return the policies of texts; raises `BadInput` where a rule of one's own has gone."""
        return tuple(self.parse(text) for text in texts)

    def picked(self, texts: Iterable[str]) -> tuple[dict[int, P], list[str]]:
        """Return the policies that can be read, by their places, and what is wrong with the others."""
        found, complaints = {}, []
        for place, text in enumerate(texts):
            try:
                found[place] = self.parse(text)
            except BadInput as error:
                complaints.append(str(error))
        return found, complaints

    def tune(self, page: str, held: str, policies: Mapping[int, P], unit: str = "") -> None:
        """Draw the parameters of policies that have sliders; moving one changes the text of its policy.

        Parameters
        ----------
        page, held : str
            The page, and its control that holds the texts.
        policies : mapping of int to Policy
            Place among the texts -> the policy.
        unit : str, optional
            The scenario's unit of time.
        """
        if not limits(page).leaves(held):
            return
        for place, policy in policies.items():
            heading = True
            for part, chosen in policy.rules.items():
                for parameter in chosen.declared:
                    if not self.free(policy, part, parameter):
                        continue
                    if heading:
                        st.markdown(f"**{policy.name}**")
                        heading = False
                    name = f"rule:{place}:{part}:{parameter.name}"
                    control = of_parameter(name, parameter, unit)
                    now = chosen.as_dict[parameter.name]
                    kind = bool if isinstance(control.values, Switch) else int if parameter.whole else float
                    st.session_state[key(page, name)] = kind(now)
                    moved = (page, held, name, place, part, parameter.name)
                    control.widget(page, on_change=self._retune, args=moved)

    def _retune(self, page: str, held: str, name: str, place: int, part: str, parameter: str) -> None:
        """Give a moved slider's value to the policy at its place."""
        texts = st.session_state[key(page, held)]
        moved = {parameter: float(st.session_state[key(page, name)])}
        st.session_state[key(page, held)] = self.retuned(texts, place, part, moved)

    def retuned(self, texts: Sequence[str], place: int, part: str, values: Mapping[str, float]) -> list[str]:
        """Return the texts of the policies; the one at this place has new parameters of a rule."""
        changed = self.parse(texts[place]).with_(**{part: values})
        return [*texts[:place], changed.text, *texts[place + 1 :]]


@dataclass(frozen=True, slots=True)
class ChosenPolicies(Policies[P]):
    """Some policies of those that the menu offers, each once, with the parameters that have sliders."""

    def canonical(self, name: str, texts: Iterable[str]) -> list[str]:
        """Return the canonical texts of policies, each once; one that is not offered is refused."""
        return list(dict.fromkeys(self._one(name, text) for text in texts))

    def draw(self, label: str, *, key: str, **options: Any) -> list[str]:
        """Draw a menu from which several can be chosen."""
        return Policies.draw(self, label, key=key, accept_new_options=False, **options)

    def _one(self, name: str, text: str) -> str:
        try:
            policy = self.parse(text)
        except BadInput:
            policy = None
        if policy is None or bare(policy) not in self.offered() or not self._is_free(policy):
            some = ", ".join(self.offered()) or "rules of your own (there are none)"
            raise BadInput(f"{name}: {quoted(text)} is not accepted; give some of {some}")
        return policy.text

    def _is_free(self, policy: P) -> bool:
        """Whether all parameters that are not at their defaults have sliders."""
        return all(
            self.free(policy, kind, parameter) or chosen.as_dict[parameter.name] == parameter.default
            for kind, chosen in policy.rules.items()
            for parameter in chosen.declared
        )


@lru_cache(maxsize=1024)  # the menu asks for all of them at every move
def _called(parse: Callable[[str], Policy], text: str) -> str:
    try:
        return parse(text).name
    except BadInput:
        return text


plugins.on_change(_called.cache_clear)


def bare(policy: Policy) -> str:
    """Return the text of a policy without parameters.

    Examples
    --------
    >>> from sim.engines.slots.scenario import read_policy
    >>> bare(read_policy("hopper:epsilon=0.5+late"))
    'hopper+late'
    """
    return "+".join(rule.key for rule in policy.rules.values())


def of_parameter(name: str, parameter: Parameter, unit: str = "") -> Control:
    """Return the control of a rule's parameter, which is not in the link: the policies are.

    Parameters
    ----------
    name : str
        Of the control.
    parameter : Parameter
    unit : str, optional
        The scenario's unit of time, for parameters that are times.
    """
    about = parameter.about
    measured_in = about.measured_in(unit)
    label = f"{parameter.label} ({measured_in})" if measured_in else parameter.label
    kind = int if parameter.whole else float
    low, high = kind(about.low), kind(min(about.high, LARGEST))
    if parameter.whole and (low, high) == (0, 1):
        return Control(name, label, Switch(), bool(parameter.default), parameter.text)
    values = Range(low, high, 1 if parameter.whole else _step(low, high))
    return Control(name, label, values, kind(parameter.default), parameter.text)


def _step(low: float, high: float) -> float:
    """Return the step of a slider: about a hundred in its range."""
    return 0.01 if high - low <= 1 else 0.1 if high - low <= 10 else 1.0


DECLARED = SlotScenario()
#: Fields that are symbols of the papers, and how links call these.
SYMBOLS = {"straggle_tail": "beta", "transfer": "alpha"}
#: Unit of a time, which may change under a control.
UNIT = "in the scenario's unit of time"


@dataclass(frozen=True, slots=True)
class FieldRange(Range):
    """The part of a field's range that a slider has."""

    def read(self, name: str, text: str) -> Any:
        """Return the number, within the slider.

        Examples
        --------
        >>> FieldRange(0.1, 2.0, 0.05).read("load", "3")
        Traceback (most recent call last):
            ...
        sim.model.fields.BadInput: load: '3' is not accepted here; give from 0.1 to 2
        """
        return _within(name, text, self.low, self.high)


@dataclass(frozen=True)
class FieldSteps(OneOf):
    """Some numbers of a field's range; a link or a preset may give another one between them."""

    values: tuple[float, ...]

    def read(self, name: str, text: str) -> Any:
        """Return the number, between the first and the last."""
        return _within(name, text, self.values[0], self.values[-1])

    def draw(self, label: str, *, key: str, **options: Any) -> Any:
        """Draw a slider that has the present value among its steps."""
        now = st.session_state[key]
        return OneOf.draw(self, label, key=key, offered=sorted({*self.values, now}), **options)


#: Words of fields that mean a file's jobs or factors.
NEED_DATA = ("trace", "empirical", "table")


@dataclass(frozen=True)
class FieldWords(OneOf):
    """The words of a field; 'trace', 'empirical' and 'table' need data, which a link does not carry."""

    values: tuple[str, ...]

    def read(self, name: str, text: str) -> Any:
        """Return the word."""
        word: str = from_text(name, text, SlotScenario)
        if word == "trace":
            raise BadInput(f"{name}: 'trace' needs the workload file, which a link cannot carry; upload it")
        if word in ("empirical", "table"):
            raise BadInput(f"{name}: '{word}' needs factors, which a link cannot carry")
        return word

    def draw(self, label: str, *, key: str, **options: Any) -> Any:
        """Draw a menu, in which what needs data is only while it is chosen."""
        now = st.session_state[key]
        offered = [word for word in self.values if word not in NEED_DATA or now == word]
        return OneOf.draw(self, label, key=key, offered=offered, **options)


def menu() -> list[str]:
    """Return the policies the menu offers: each sharing rule with each speculation rule."""
    return [f"{sharing}+{speculation}" for sharing in sharing_rules() for speculation in speculation_rules()]


def _within(name: str, text: str, low: float, high: float) -> Any:
    value = from_text(name, text, SlotScenario)
    if not low <= value <= high:
        raise BadInput(
            f"{name}: {quoted(text)} is not accepted here; give from {as_text(low)} to {as_text(high)}"
        )
    return value


def field_control(name: str, label: str, values: Values, note: str = "") -> Control:
    """Return the control of a field; a note is added to what the field says of itself."""
    about = ABOUT[name]
    told = f"{meaning(about)} {note}".rstrip()
    unit = about.measured_in(UNIT)
    return Control(name, label, values, getattr(DECLARED, name), told, unit, SYMBOLS.get(name, ""))


def meaning(about: About) -> str:
    """Return what a field says of itself; the scenario, and so its unit of time, may change under a control.

    Examples
    --------
    >>> meaning(About("smallest size", unit="time_unit")), meaning(About("slots of one machine"))
    ("Smallest size (in the scenario's unit of time).", 'Slots of one machine.')
    """
    unit = about.measured_in(UNIT)
    return begun(about.text) + (f" ({unit})." if unit else ".")


def _slider(name: str, label: str, low: float, high: float, step: float, note: str = "") -> Control:
    return field_control(name, label, FieldRange(low, high, step), note)


def _steps(name: str, label: str, *values: float) -> Control:
    return field_control(name, label, FieldSteps(values))


def _words(name: str, label: str) -> Control:
    return field_control(name, label, FieldWords(ABOUT[name].choices))


#: The control of each field that a page shows, by name.
FIELDS: dict[str, Control] = {
    control.name: control
    for control in (
        _slider("load", "How busy the cluster is: load ρ₀", 0.1, 2.0, 0.05),
        _slider("straggle_tail", "How wild stragglers are: β", 1.1, 4.0, 0.1),
        _slider("straggle_cv", "Variation of straggle factors (CV)", 0.1, 4.0, 0.1),
        _slider("outlier_share", "Share p of outliers", 0.0, 0.3, 0.01),
        _slider("arrival_cv", "Burstiness of arrivals (CV)", 0.5, 10.0, 0.5),
        _slider("tasks_tail", "Tail index of tasks per job", 0.1, 3.0, 0.1),
        _slider(
            "transfer",
            "Weight of transfers: Hopper’s α",
            0.0,
            5.0,
            0.1,
            "It is the DAG weight when a phase begins: time of transfers to come ÷ that of tasks left.",
        ),
        _slider("barrier", "Share of inputs a phase waits for", 0.0, 1.0, 0.05),
        _slider("slow_share", "Share of slow machines", 0.0, 0.5, 0.01),
        _slider("slow_factor", "Slow machines: times as slow", 1.0, 10.0, 0.1),
        _slider("remote_factor", "Remote copies: times as long", 1.0, 5.0, 0.1),
        _slider("warm_up", "Warm-up (share of the jobs left out)", 0.0, 0.5, 0.05),
        _steps("slots", "Slots in the cluster", 10, 20, 40, 100, 200, 500, 1000, 2000, 5000, 10_000),
        _steps(
            "jobs",
            "Jobs per replication",
            1,
            10,
            30,
            100,
            300,
            1000,
            2000,
            4000,
            10_000,
            30_000,
            100_000,
        ),
        _steps(
            "tasks_max",
            "Most tasks per job",
            1,
            2,
            5,
            10,
            20,
            50,
            100,
            200,
            500,
            1000,
            5000,
            10_000,
            30_000,
        ),
        _steps("phases", "Most phases per job", 1, 2, 3, 4, 5, 7, 10, 15, 20),
        _steps("machine_slots", "Slots per machine", 1, 2, 4, 8, 16, 32),
        _steps("replicas", "Replicas per input block", 0, 1, 2, 3, 5, 10),
        _steps("straggle_max", "Largest straggle factor", 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0),
        _words("arrivals", "Arrivals"),
        _words("tasks", "Tasks per job"),
        _words("straggle", "Law of straggle factors"),
        _words("phases_law", "Law of the number of phases"),
        _words("shape", "How phases feed each other"),
        _words("transfer_law", "Law of transfer times"),
    )
}
#: Seed of all random numbers, typed.
SEED = Control(
    "seed", "Random seed", FieldRange(int(ABOUT["seed"].low), int(ABOUT["seed"].high), 1), DECLARED.seed
)


def phase_fields(phases: int) -> list[str]:
    """Return the fields of phases that do something where jobs have at most so many, the number first.

    Examples
    --------
    >>> phase_fields(1)
    ['phases']
    """
    return ["phases", *(["phases_law", "shape", "transfer", "transfer_law", "barrier"] if phases > 1 else [])]
