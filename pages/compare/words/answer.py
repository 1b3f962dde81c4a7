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
from pages.shared.words.winner import FLOWTIME, JOBS_FINISH, comparable_statistic, is_stable, why_unknown
from sim.paired import change
from sim.result import Comparison
from sim.slots.scenario import SlotScenario
from sim.statistics import Estimate, student
from sim.telling.words import fixed, listed, measured, percent, percent_unsigned
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
        What a preset asks (`sim.presets.Preset.asks`).
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
    >>> from sim.presets import preset
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
    fewest = f"{bold(least)} leaves {percent_unsigned(left[least])} of the jobs undone"
    if least == most or not _surely_less(comparison, least, most):
        return f"{told} {fewest}; no sure difference between the policies."
    return f"{told} Fewest are left by the end: {fewest}, {bold(most)} {percent_unsigned(left[most])}."


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
    soonest = _best(comparison, tried, "flowtime", statistic, f"{_begun(JOBS_FINISH[statistic])} soonest")
    least = _best(comparison, tried, "resource", "mean", "slot-time is least")
    return f"Of the values tried, {soonest}; {least}."


def _begun(text: str) -> str:
    return text[:1].lower() + text[1:]


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


def _best(comparison: Comparison, names: Sequence[str], measure: str, statistic: str, what: str) -> str:
    """Say under which policy a measure is least, its value, and which policies are not surely worse."""
    known = {
        name: found.value
        for name in names
        if (found := comparison.policies[name].estimate(measure, statistic)).value is not None
    }
    if not known:
        return f"under which {what} is not known: too many jobs are unfinished"
    best = min(known, key=known.__getitem__)
    if not all(comparison.knows(name, best, measure, statistic) for name in known):
        return f"under which {what} is not known: {why_unknown(comparison.scenario, statistic)}"
    unit = comparison.scenario.time_unit if measure == "flowtime" else f"slot·{comparison.scenario.time_unit}"
    value = measured(comparison.policies[best].estimate(measure, statistic), unit)
    good = [
        name
        for name in known
        if name != best and (one := change(comparison, name, best, measure, statistic)) and one.sign == 0
    ]
    of = FLOWTIME[statistic] if measure == "flowtime" else "mean per job"
    told = f"{what} under {bold(best)} ({of} {value})"
    return f"{told}, not surely better than {bolds(good, 'or')}" if good else told
