"""An axis of a map: a number that varies from cell to cell, and how it is set in an experiment."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from sim.engines.registry import engine
from sim.model.fields import (
    About,
    BadInput,
    about_fields,
    canonical,
    from_text,
    in_full,
    kinds_of_fields,
    settable,
    unknown,
)
from sim.model.observation import Observation
from sim.model.policy import Chosen
from sim.model.recorded import refuse_load
from sim.running.experiment import Experiment
from sim.telling.words import exact
from theory.shown import quoted

#: Kinds of observation whose moment can be an axis, and where such an axis is written.
OBSERVED = {"observe.age": "age", "observe.fraction": "fraction"}
#: Values of an axis, at least and at most; significant digits of values between two ends.
FEWEST, MOST, DIGITS = 2, 40, 4


@dataclass(frozen=True)
class Axis:
    """Values of a number of a scenario or of a policy, in increasing order.

    Parameters
    ----------
    name : str
        A field of the scenario, ``observe.age``, ``observe.fraction``, or ``rule.parameter``.
    values : tuple of float
        Whole numbers where the field is.
    """

    name: str
    values: tuple[float, ...]

    @classmethod
    def read(cls, option: str, text: str, kind: str) -> Axis:
        """Read ``name=low:high:count``, with ``:log`` for even ratios, or ``name=v1,v2,...``.

        Parameters
        ----------
        option : str
            What it is called in a message.
        text : str
        kind : str
            Key of the engine.

        Raises
        ------
        BadInput
            Naming the option, the text and what is accepted.

        Examples
        --------
        >>> Axis.read("x", "load=0.3:0.9:4", "slots")
        Axis(name='load', values=(0.3, 0.5, 0.7, 0.9))
        >>> Axis.read("y", "slots=10:1000:3:log", "slots").values
        (10, 100, 1000)
        >>> Axis.read("y", "beta=3,1.5", "slots")
        Axis(name='straggle_tail', values=(1.5, 3.0))
        """
        name, equals, listed = (part.strip() for part in text.partition("="))
        if not equals or not name or not listed:
            raise BadInput(f"{option}: {quoted(text)} is not accepted; give name=low:high:count")
        name = in_full(name, settable(engine(kind).scenario))
        whole = _is_whole(option, name, kind)
        values = _listed(option, text, listed) if ":" not in listed else _between(option, text, listed, whole)
        ends = max(values, default=0.0), min(values, default=0.0)  # first: they are what was written
        read = sorted({_checked(name, value, kind) for value in (*ends, *values)})
        if not FEWEST <= len(read) <= MOST:
            raise BadInput(
                f"{option}: {quoted(text)} has {len(read)} different values; give {FEWEST} to {MOST}"
            )
        if ":" in listed and len(read) < len(values):
            raise BadInput(f"{option}: {quoted(text)} has equal values; give at most {len(read)} of them")
        return cls(name, tuple(read))

    @property
    def text(self) -> str:
        """The axis as it is read."""
        return f"{self.name}={','.join(map(exact, self.values))}"

    def put(self, experiment: Experiment, value: float) -> Experiment:
        """Return an experiment with this number at a value.

        Raises
        ------
        BadInput
            If no policy has the parameter, or the value is refused with what else the scenario has.
        """
        if observed := OBSERVED.get(self.name):
            text = Observation.read(f"{observed}:{value}").text
            return replace(experiment, scenario=experiment.scenario.replace(observe=text))
        if "." not in self.name:
            if experiment.trace is not None:
                refuse_load(experiment.scenario, self.name)
            return replace(experiment, scenario=experiment.scenario.replace(**{self.name: value}))
        rule, _, parameter = self.name.partition(".")
        if not any(chosen.key == rule for one in experiment.policies for chosen in one.rules.values()):
            raise BadInput(f"{self.name}: no policy has the rule {quoted(rule)}; compare one that has it")
        policies = tuple(
            one.with_(
                **{kind: {parameter: value} for kind, chosen in one.rules.items() if chosen.key == rule}
            )
            for one in experiment.policies
        )
        return replace(experiment, policies=policies)


def about(name: str, kind: str) -> About:
    """Return what the number of an axis means, its unit and what it accepts."""
    if name in OBSERVED:
        what = "share of its work" if name == "observe.fraction" else "age, in mean durations,"
        return About(f"{what} from which the remaining time of a copy is known", low=0)
    if "." not in name:
        return about_fields(engine(kind).scenario)[name]
    rule, _, parameter = name.partition(".")
    return _rule(rule, kind).parameter(parameter).about


@lru_cache
def _rule(key: str, kind: str) -> Chosen:
    """Return the rule of an engine, with its defaults."""
    rules = {
        name: rule
        for registry in engine(kind).implementation.policy.registries().values()
        for name, rule in registry.items()
    }
    if key not in rules:
        raise unknown("rule", key, list(rules))
    return Chosen.of(rules[key])


def _is_whole(option: str, name: str, kind: str) -> bool:
    """Whether an axis has whole numbers; refuse one that is no number."""
    scenario = engine(kind).scenario
    if name in OBSERVED:
        if "observe" not in settable(scenario):
            raise unknown("field", name, settable(scenario))
        return False
    if "." in name:
        rule, _, parameter = name.partition(".")
        return _rule(rule, kind).parameter(parameter).whole
    type_ = kinds_of_fields(scenario).get(name)
    if type_ is None:
        raise unknown("field", name, settable(scenario))
    if name == "seed" or type_ not in (int, float):
        hint = f" (or one of {', '.join(OBSERVED)})" if name == "observe" else ""
        raise BadInput(f"{option}: {quoted(name)} is not accepted; give a field that is a number{hint}")
    return type_ is int


def _checked(name: str, value: float, kind: str) -> float:
    """Return a value as the field or the parameter has it."""
    if observed := OBSERVED.get(name):
        return Observation.read(f"{observed}:{value}").at
    if "." in name:
        rule, _, parameter = name.partition(".")
        read = _rule(rule, kind).parameter(parameter).read(value)
        return int(read) if _rule(rule, kind).parameter(parameter).whole else read
    found: float = from_text(name, exact(value), engine(kind).scenario)
    return found


def _listed(option: str, text: str, listed: str) -> list[float]:
    return [_number(option, text, part) for part in listed.split(",") if part.strip()]


def _between(option: str, text: str, listed: str, whole: bool) -> list[float]:
    """Return values from a low one to a high one, evenly or in even ratios."""
    parts = [part.strip() for part in listed.split(":")]
    scale = parts.pop() if len(parts) == 4 else ""
    if len(parts) != 3 or scale not in ("", "log"):
        raise BadInput(f"{option}: {quoted(text)} is not accepted; give name=low:high:count or …:log")
    low, high = (_number(option, text, part) for part in parts[:2])
    count = canonical(option, parts[2], int, About("values", low=FEWEST, high=MOST))
    if not low < high:
        raise BadInput(f"{option}: {quoted(text)} is not accepted; give a low end below the high one")
    if scale and low <= 0:
        raise BadInput(f"{option}: {quoted(text)} is not accepted; give ends above 0 for even ratios")
    found = np.geomspace(low, high, count) if scale else np.linspace(low, high, count)
    return [float(round(one)) if whole else float(f"{one:.{DIGITS}g}") for one in found.tolist()]


def _number(option: str, text: str, part: str) -> float:
    try:
        found = float(part)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise BadInput(f"{option}: {quoted(text)} is not accepted; {quoted(part)} is not a number")
    return found
