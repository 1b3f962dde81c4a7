"""Controls of scenario fields and of policies, made from the description of each field.

Unit, help and default come from where the field is declared. A scenario may have any value that the
declaration accepts; a control shows fewer, and refuses a link's value that it could not show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.controls.control import Control, OneOf, Range, Values
from pages.shared.controls.links import as_text
from sim.engines.slots.policy import sharing_rules, speculation_rules
from sim.engines.slots.scenario import ABOUT, SlotScenario
from sim.model.fields import About, BadInput, from_text
from sim.telling.words import begun
from theory.shown import quoted

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
