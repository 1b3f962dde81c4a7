"""The answer of the Compare page: its largest sure difference, then at most one more sentence.

The second sentence answers what a preset asks, if its policies are there; else what the policies themselves
ask: two ways to share times two ways to copy ask which matters more, one rule with several values of a
parameter asks which is best. Of all others it says what the difference costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pages.compare.words.asked import copies, everybody, pair, small_jobs
from pages.compare.words.factors import which_matters
from pages.shared.words.foreign import bold, bolds
from pages.shared.words.lead import lead, price
from pages.shared.words.winner import WORD, comparable_statistic, is_stable, why_unknown
from sim.engines.slots.scenario import SlotScenario
from sim.model.result import Comparison, change
from sim.model.statistics import Estimate, student
from sim.telling.words import counted, fixed, listed, measured, percent, percent_unsigned
from theory.queueing import mmc_sojourn

#: Policies whose names would make a sentence too long to be read at a glance.
MANY = 3


def answer(comparison: Comparison, statistic: str = "mean", asks: Sequence[str] = ()) -> str:
    """Return the answer in Markdown.

    Parameters
    ----------
    comparison : Comparison
        Of the slot engine.
    statistic : str
        Of the flowtimes: 'mean', 'p50' or 'p95'.
    asks : sequence of str
        What a preset asks (`sim.engines.presets.Preset.asks`).
    """
    kind, *names = asks or ("",)
    if first := _erlang(comparison) or _keeping_up(comparison):
        return first
    of_preset: dict[str, Callable[[], str]] = {
        "pair": lambda: pair(comparison, statistic, names),
        "everybody": lambda: everybody(comparison, statistic),
        "small jobs": lambda: small_jobs(comparison, statistic) or small_jobs(comparison, "p95"),
        "copies": lambda: copies(comparison),
    }
    seconds: tuple[Callable[[], str], ...] = (
        of_preset.get(kind, lambda: ""),
        lambda: which_matters(comparison, statistic),
        lambda: _best_value(comparison, statistic),
        lambda: price(comparison),
    )
    first = lead(comparison, statistic)
    if comparison.replications == 1 or len(comparison.policies) == 1:  # which say why there is no more
        return first
    second = next((text for text in (find() for find in seconds) if text), "")
    return f"{first} {second}".rstrip()


def erlang(scenario: SlotScenario) -> float | None:
    """Return the mean flowtime by Erlang's formula where each job is a task of exponential time, else None.

    Examples
    --------
    >>> from sim.engines.presets import preset
    >>> round(erlang(preset("mm100").scenario), 4), erlang(preset("light").scenario)
    (1.001, None)
    """
    single = scenario.tasks == "constant" and scenario.tasks_max == 1 and scenario.phases == 1
    alike = scenario.slow_share == 0 and scenario.replicas == 0 and scenario.decision_interval == 0
    poisson = scenario.arrivals == "poisson" and scenario.size == "constant" and scenario.load < 1
    if not (single and alike and poisson and scenario.straggle == "exponential"):
        return None
    return float(mmc_sojourn(scenario.slots, scenario.load, scenario.mean_duration))


def _erlang(comparison: Comparison) -> str:
    """Put Erlang's formula beside the simulated mean, where it holds and no task has a second copy."""
    scenario = comparison.scenario
    formula = erlang(scenario) if isinstance(scenario, SlotScenario) else None
    if formula is None or comparison.source:
        return ""
    told = []
    for name, result in comparison.policies.items():
        found = result.estimate("flowtime", "mean")
        if result.policy.rules["speculation"].key == "none" and found.value is not None:
            verdict = ""
            if found.low is not None and found.high is not None:
                within = found.low <= formula <= found.high
                verdict = " (they agree)" if within else " (outside its interval)"
            told.append(f"{measured(found, scenario.time_unit)} under {bold(name)}{verdict}")
    if not told:
        return ""
    first, *others = told
    more = f" It is {listed(others)}." if others else ""
    return f"Erlang’s mean is {fixed(formula, 4)} {scenario.time_unit}, the simulated {first}.{more}"


def _keeping_up(comparison: Comparison) -> str:
    """Say which policies keep up with the load if the baseline does not, or which leaves fewest jobs."""
    kept = [name for name in comparison.policies if is_stable(comparison, name)]
    if comparison.baseline in kept:
        return ""
    grown = [name for name in comparison.policies if name not in kept]
    if kept:
        whole = bolds(kept) if len(kept) < MANY else f"{bold(kept[0])} and {len(kept) - 1} others"
        who = bold(grown[0]) if len(grown) == 1 else "the others" if len(kept) < MANY else "the rest"
        keeps = f"{whole} {'keeps' if len(kept) == 1 else 'keep'} up"
        return f"{keeps} with a load of {percent(comparison.scenario.load)}; under {who} the queue grew."
    told = "No policy keeps up: every queue grew, and a longer run would show longer flowtimes."
    left = {name: _left(comparison, name) for name in comparison.policies}
    if all((one.value or 0.0) == 0 for one in left.values()):
        return told
    least, most = (choose(left, key=lambda name: left[name].value or 0.0) for choose in (min, max))
    if least == most or not _surely_less(comparison, least, most):
        return f"{told} No policy surely leaves fewer jobs than the others."
    few, many = (f"{bold(name)} ({percent_unsigned(left[name])})" for name in (least, most))
    return f"{told} Fewest jobs are left under {few}, most under {many}."


def _left(comparison: Comparison, name: str) -> Estimate:
    return student([sample.unfinished / sample.jobs for sample in comparison.policies[name].samples])


def _surely_less(comparison: Comparison, one: str, other: str) -> bool:
    pairs = zip(comparison.policies[one].samples, comparison.policies[other].samples, strict=True)
    gap = student([a.unfinished / a.jobs - b.unfinished / b.jobs for a, b in pairs])
    return gap.high is not None and gap.high < 0


def _best_value(comparison: Comparison, statistic: str) -> str:
    """Say under which value jobs finish soonest and which uses least slot-time, if three are tried."""
    tried = varied(comparison)
    if (
        len(tried) < 3
        or comparison.replications == 1
        or comparable_statistic(comparison, statistic) != statistic
    ):
        return ""
    if not all(is_stable(comparison, name) for name in tried):
        return ""
    soonest = _best(comparison, tried, "flowtime", statistic)
    least = _best(comparison, tried, "resource", "mean")
    told = f"Which value is fastest is not known: {why_unknown(comparison.scenario, statistic)}"
    if soonest is not None:
        told = f"The {WORD[statistic]} is least {soonest}" if soonest else "No value is surely the fastest"
    if least is not None:
        told += f"; slot-time is least {least}" if least else "; slot-time does not surely differ"
    return f"{told}."


def varied(comparison: Comparison) -> list[str]:
    """Return the most policies that differ in no more than one parameter of one rule, in their order."""
    groups: dict[object, list[str]] = {}
    for name, result in comparison.policies.items():
        rules = result.policy.rules
        for kind, rule in rules.items():
            others = tuple(one for which, one in rules.items() if which != kind)
            for parameter, _ in rule.values:
                kept = tuple(value for value in rule.values if value[0] != parameter)
                groups.setdefault((kind, rule.key, parameter, kept, others), []).append(name)
    return max(groups.values(), key=len, default=[])


def _best(comparison: Comparison, names: Sequence[str], measure: str, statistic: str) -> str | None:
    """Say under which policy a measure is least, and how many are not surely worse; empty if none is."""
    found = {name: comparison.policies[name].estimate(measure, statistic).value for name in names}
    known = {name: value for name, value in found.items() if value is not None}
    best = min(known, key=known.__getitem__, default="")
    if not known or not all(comparison.knows(name, best, measure, statistic) for name in known):
        return None
    changes = [change(comparison, name, best, measure, statistic) for name in known if name != best]
    good = sum(one is not None and one.sign == 0 for one in changes)
    if good == len(changes):
        return ""
    return f"under {bold(best)}" + (f" or {counted(good, 'other')}" if good else "")
