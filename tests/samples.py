"""Replications in which no two statistics are alike, and the results expected from them.

The reading is done here a second time, from the columns of the jobs alone: a report or a screen that shows
another statistic, another measure, another unit or another policy than it says differs from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from scipy import stats

from sim.engines.registry import engine_of
from sim.engines.slots.run import HOLDING
from sim.engines.slots.scenario import SlotScenario
from sim.kernel.records import COPY, records
from sim.model.fields import BadInput
from sim.model.outcome import Outcome
from sim.model.policy import Policy
from sim.model.result import Comparison, PolicyResult, Sample, sample
from sim.model.scenario import Scenario

JOBS, REPLICATIONS, POINTS = 400, 3, 8
#: Laws and a load under which every statistic has an interval (`sim.model.outcome`), for any
#: engine.
KNOWN = {"straggle": "exponential", "size": "constant", "load": 0.3}
SCENARIO = SlotScenario(slots=100, straggle="exponential", warm_up=0.25, drain=0.5, time_unit="min")


@dataclass(frozen=True)
class Replication:
    """What a replication left, with the flowtime of each job alone."""

    scenario: SlotScenario
    outcome: Outcome
    ideal: np.ndarray

    @property
    def counted(self) -> slice:
        """The jobs after the warm-up."""
        return slice(int(self.scenario.warm_up * self.outcome.arrival.size), None)

    @cached_property
    def sample(self) -> Sample:
        """What the project reads off it."""
        return sample(self.scenario, self.outcome, self.ideal)

    def column(self, measure: str) -> np.ndarray:
        """A value for each job that counts."""
        outcome = self.outcome
        flowtime = outcome.finish - outcome.arrival
        columns = {"flowtime": flowtime, "slowdown": flowtime / self.ideal, "resource": outcome.resource}
        return (columns | outcome.columns)[measure][self.counted]

    def value(self, measure: str, statistic: str = "") -> float:
        """A statistic of the jobs, a share of what they used, or what the engine counted."""
        outcome, counted = self.outcome, self.counted
        if statistic:
            return statistic_of(self.column(measure), statistic)
        found = {
            "speculative_copies_share": sum(outcome.extra[counted]) / sum(outcome.copies[counted]),
            "speculative_time_share": sum(outcome.extra_time[counted]) / sum(outcome.resource[counted]),
            "utilisation": outcome.utilisation,
        }
        return (found | outcome.scalars)[measure]


def statistic_of(column: Sequence[float] | np.ndarray, statistic: str) -> float:
    """Mean, or the smallest value with at least the share of the name at or below it."""
    if statistic == "mean":
        return math.fsum(column) / len(column)
    share = int(statistic[1:])
    return float(sorted(column)[-(-share * len(column) // 100) - 1])


@dataclass(frozen=True)
class Made:
    """A comparison, and the replications it was read from."""

    scenario: SlotScenario
    policies: dict[str, list[Replication]]
    baseline: str
    rules: dict[str, Policy]

    @cached_property
    def comparison(self) -> Comparison:
        """As the project has it."""
        results = {
            name: PolicyResult(name, tuple(one.sample for one in runs), self.rules[name])
            for name, runs in self.policies.items()
        }
        return Comparison(self.scenario, results, self.baseline)

    def values(self, policy: str, measure: str, statistic: str = "") -> list[float]:
        """A value for each replication."""
        return [one.value(measure, statistic) for one in self.policies[policy]]

    def differences(self, policy: str, measure: str, statistic: str = "") -> list[float]:
        """What it lies above the baseline in each replication."""
        pairs = zip(
            self.values(policy, measure, statistic),
            self.values(self.baseline, measure, statistic),
            strict=True,
        )
        return [ours - its for ours, its in pairs]

    def ratio(
        self, policy: str, measure: str, statistic: str = "", reference: str = ""
    ) -> tuple[float, float, float]:
        """How many times the reference's it is, the baseline's unless another is given, with its interval."""
        return ratio(*(self.values(one, measure, statistic) for one in (policy, reference or self.baseline)))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half width of Student's interval of 95 %."""
    return float(np.mean(values)), float(stats.t.ppf(0.975, len(values) - 1) * stats.sem(values))


def ratio(ours: Sequence[float], its: Sequence[float]) -> tuple[float, float, float]:
    """Ratio of two means with the ends of its interval, another way: by what a replication is off it."""
    found = math.fsum(ours) / math.fsum(its)
    off = [a - found * b for a, b in zip(ours, its, strict=True)]
    wide = interval(off)[1] / float(np.mean(ours))
    return found, found / math.exp(wide), found * math.exp(wide)


def made(
    policies: Sequence[str], scenario: SlotScenario = SCENARIO, baseline: str = "", *, jobs: int = JOBS
) -> Made:
    """Make a comparison, each policy slower than the one before it."""
    runs = {
        name: [replication(scenario, 1 + 0.4 * place, place, r, jobs) for r in range(REPLICATIONS)]
        for place, name in enumerate(policies)
    }
    rules = {name: policy_of(name, scenario) for name in policies}
    return Made(scenario, runs, baseline or policies[0], rules)


def policy_of(name: str, scenario: Scenario) -> Policy:
    """Return the policy that a name writes; without any rule if it writes none."""
    try:
        return engine_of(scenario).implementation.policy.read(name)
    except BadInput:
        return Policy()


def replication(scenario: SlotScenario, slower: float, policy: int, seed: int, jobs: int) -> Replication:
    """Draw the columns of the jobs, each with a scale of its own."""
    rng, own = np.random.default_rng(seed), np.random.default_rng([seed, policy])
    arrival, tasks = np.linspace(0, 80, jobs), rng.choice([3, 30, 100, 400], jobs, p=[0.4, 0.3, 0.2, 0.1])
    flowtime = slower * rng.lognormal(1.5, 0.5, jobs) * own.lognormal(0, 0.1, jobs)
    resource = slower * 40 * rng.lognormal(0, 0.5, jobs)
    copies = 50 + own.integers(1, 20, jobs)
    engine, level = engine_of(scenario), 1 + 0.3 * policy + 0.01 * seed
    outcome = Outcome(
        arrival=arrival,
        start=arrival,
        finish=arrival + flowtime,
        tasks=tasks,
        copies=copies,
        extra=np.round(0.11 * level * copies).astype(int),
        killed=np.full(jobs, 2),
        resource=resource,
        extra_time=0.23 * level * resource * rng.uniform(0.9, 1.1, jobs),
        tasks_done=int(tasks.sum()),
        utilisation=0.5 * level,
        series=series(level),
        holding=np.ones(HOLDING),
        end=1e6,
        last_arrival=80.0,
        log=records(0, COPY),
        events=jobs,
        seconds=0.0,
        columns={one.key: 0.31 * flowtime * rng.uniform(0.2, 1.8, jobs) for one in engine.columns},
        scalars={one.key: (3.7 + 2.1 * place) * level for place, one in enumerate(engine.scalars)},
    )
    return Replication(scenario, outcome, rng.uniform(1, 3, jobs))


def series(level: float) -> np.ndarray:
    """Busy slots, slots with extra copies, waiting tasks and jobs, none a multiple of another."""
    time = np.arange(POINTS)
    return level * np.column_stack([30 + time, 5 + 0.1 * time**2, 70 - 3 * time, 11 + 2 * np.sqrt(time)])


#: A number with the half width of its interval, as tables and cards write them.
NUMBER = re.compile(r"(?P<value>[-−]?[\d,.]+)(?: ± (?P<half>[\d,.]+))?(?P<rest>.*)")


def assert_tells(text: str, values: Sequence[float], unit: str = "", scale: float = 1.0) -> None:
    """Assert that a text is the mean of these values with its half width and its unit, to all its digits."""
    value, half = (scale * one for one in interval(values))
    assert_told(text, value, half, unit)


def assert_told(text: str, value: float, half: float, unit: str = "") -> None:
    """Assert that a text is this value with its half width and its unit, to all its digits."""
    found = NUMBER.fullmatch(text)
    assert found, f"{text!r} is no number"
    assert found["rest"].strip() == unit, text
    assert found["half"], f"{text!r} has no half width"
    assert to_float(found["value"]) == _rounded(value, found["value"], half), (text, value)
    assert to_float(found["half"]) == _rounded(half, found["half"], half), (text, half)


#: A change whose half width would not say what its interval is.
ENDS = re.compile(r"(?P<value>[-−+]?[\d,.]+) % \((?P<low>[-−+]?[\d,.]+) to (?P<high>[-−+]?[\d,.]+) %\)")


def assert_changes(text: str, found: tuple[float, float, float]) -> None:
    """Assert that a text is the change in percent that a ratio is, with its half width or its ends."""
    value, low, high = (100 * (one - 1) for one in found)
    if ends := ENDS.fullmatch(text):
        for name, one in (("value", value), ("low", low), ("high", high)):
            assert to_float(ends[name]) == _rounded(one, ends[name], high - low), (text, one)
        return
    assert abs(low + high - 2 * value) <= 0.1 * (high - low), f"{text!r} is about {low} to {high}"
    told = NUMBER.fullmatch(text.removeprefix("+"))
    assert told, f"{text!r} is no number"
    assert told["rest"] == " %", text
    if abs(high - low) < 1e-9:
        assert told["half"] is None
        assert to_float(told["value"]) == pytest.approx(value, abs=0.05 * abs(value))
        return
    digit = 10.0 ** -len(told["value"].partition(".")[2])
    assert digit <= max(0.055 * (high - low), 0.011 * abs(value)), f"{text!r} says too little of {value}"
    assert to_float(told["value"]) == pytest.approx(value, abs=0.51 * digit)
    assert to_float(told["half"]) == pytest.approx((high - low) / 2, abs=0.51 * digit)


def to_float(text: str) -> float:
    """Read a number as the screen writes it."""
    return float(text.replace(",", "").replace("−", "-").replace("+", ""))


def _rounded(value: float, like: str, half: float) -> object:
    """The value as closely as a text of these digits can have it; two digits of the half width must show."""
    digit = 10.0 ** -len(like.partition(".")[2])
    assert digit <= 0.11 * max(abs(value), half), f"{like} says too little of {value}"
    return pytest.approx(value, abs=0.51 * digit)
