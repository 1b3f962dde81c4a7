"""Texts of the Compare page: the answer to its question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from pages.shared.words.foreign import bold, bolds
from pages.shared.words.lead import WORD, between, comparable_statistic, is_stable, lead, price, why_unknown
from sim.engines.slots.scenario import SlotScenario
from sim.model.counted_jobs import CLASSES
from sim.model.result import Comparison, Pair, PairedDifference, change, class_change, effect, log_ratios
from sim.model.statistics import Estimate, student
from sim.telling.words import changed, counted, fixed, listed, measured, number, percent, percent_unsigned
from theory.queueing import mmc_sojourn

# Answers to the question of a preset, if its policies are compared; else empty.


def pair(comparison: Comparison, statistic: str, codes: Sequence[str]) -> str:
    """Say which of two policies is the faster, and at what cost."""
    found = names_of(comparison, codes)
    return between(comparison, found[0], found[1], statistic) if len(found) == 2 else ""


def names_of(comparison: Comparison, codes: Sequence[str]) -> list[str]:
    """Return what policies are called here, of those that are here."""
    names = {one.policy.text: name for name, one in comparison.policies.items()}
    return [names[code] for code in codes if code in names]


def everybody(comparison: Comparison, statistic: str) -> str:
    """Say under which policies jobs of every size gain over the baseline."""
    if comparison.replications == 1:
        return ""
    every = {}
    for name in comparison.policies:
        changes = dict(_by_size(comparison, name, statistic))
        if name == comparison.baseline or not changes or not is_stable(comparison, name):
            continue
        if all(one.sign < 0 for one in changes.values()):
            every[name] = [-one.relative for one in changes.values()]
    if not every:
        return f"No policy surely makes jobs of every size faster than {bold(comparison.baseline)}."
    best = max(every, key=lambda name: min(every[name]))
    others = f" and {counted(len(every) - 1, 'other')}" if len(every) > 1 else ""
    gains = sorted(gain for one in every.values() for gain in one)
    ends = " to ".join(dict.fromkeys((percent(gains[0]), percent(gains[-1]))))
    return f"Jobs of every size gain under {bold(best)}{others}: {WORD[statistic]} {ends} less."


def _by_size(comparison: Comparison, name: str, statistic: str) -> Iterator[tuple[str, PairedDifference]]:
    for place, (size, _) in enumerate(CLASSES):
        one = class_change(comparison, name, comparison.baseline, place, statistic)
        if one is not None:
            yield size, one


def small_jobs(comparison: Comparison, statistic: str) -> str:
    """Say what is best for the smallest jobs, and how many more slots it keeps busy."""
    found = {
        name: class_change(comparison, name, comparison.baseline, 0, statistic)
        for name in comparison.policies
    }
    surely = {name: one.value for name, one in found.items() if one is not None and one.sign < 0}
    if comparison.replications == 1 or not surely:
        return ""
    best = min(surely, key=surely.__getitem__)
    one = found[best]
    assert one is not None
    busy = change(comparison, best, comparison.baseline, "utilisation")
    assert busy is not None
    points = fixed(100 * abs(busy.value - busy.reference), 1)
    cost = f"{points} {'more' if busy.sign > 0 else 'fewer'} of 100" if busy.sign else "about as many"
    size = CLASSES[0][0].replace(" to ", "–")
    gain = f"{WORD[statistic]} {changed(one.share)}, for {cost} slots"
    return f"Small jobs ({size}) gain most under {bold(best)}: {gain}."


def copies(comparison: Comparison) -> str:
    """Say how long after its original half of the second copies start, where it is soonest and latest."""
    delays = {
        name: float(np.median(found))
        for name, result in comparison.policies.items()
        if (found := second_copies(result.samples[0].log)).size
    }
    if not delays:
        return ""
    unit, (soonest, *_, latest) = comparison.scenario.time_unit, 2 * sorted(delays, key=delays.__getitem__)
    told = f"Half of the second copies start within {number(delays[soonest])} {unit} under {bold(soonest)}"
    return (
        f"{told}, {number(delays[latest])} {unit} under {bold(latest)}." if latest != soonest else f"{told}."
    )


def second_copies(log: np.recarray) -> np.ndarray:
    """Return how long after the first copy of its task each first extra copy of a log started."""
    first: dict[tuple[int, int], float] = {}
    found = {}
    for job, task, copy, start in zip(*(log[name] for name in ("job", "task", "copy", "start")), strict=True):
        place = int(job), int(task)
        if copy == 0:
            first[place] = float(start)
        elif place in first and place not in found:
            found[place] = float(start) - first[place]
    return np.array(list(found.values()))


# The effects of two factors, separated: whose turn it is, and which task gets a copy.
#
# Four policies that are two ways to share times two ways to copy let each be judged over both ways of the
# other. Which of the two matters more is the difference of the two effects, paired by replication.

#: Logarithms of ratios that differ by less are about the same.
ALIKE = 0.05
#: What is asked where it is not answered.
OPEN = "Whether order or copies matter more"


def factors(comparison: Comparison) -> tuple[tuple[Pair, ...], tuple[Pair, ...]] | None:
    """Return the pairs that differ by whose turn it is, and by who is copied; None without such four.

    Parameters
    ----------
    comparison : Comparison
        Of the slot engine.
    """
    rules = {name: tuple(one.policy.rules.values()) for name, one in comparison.policies.items()}
    of_rules = {pair: name for name, pair in rules.items()}
    first = rules[comparison.baseline]
    for sharing, speculation in product(*({pair[kind]: None for pair in of_rules} for kind in (0, 1))):
        corners = [first, (sharing, first[1]), (first[0], speculation), (sharing, speculation)]
        if len(set(corners)) == 4 and all(corner in of_rules for corner in corners):
            base, shared, copied, both = (of_rules[corner] for corner in corners)
            return ((shared, base), (both, copied)), ((copied, base), (both, shared))
    return None


def which_matters(comparison: Comparison, statistic: str) -> str:
    """Say in a sentence which of the two changes flowtimes more, and by how much; empty if unknown."""
    found = factors(comparison)
    if not found or comparable_statistic(comparison, statistic) != statistic or comparison.replications == 1:
        return ""
    if not all(is_stable(comparison, name) for pairs in found for pair in pairs for name in pair):
        return ""
    effects = [effect(comparison, pairs, "flowtime", statistic) for pairs in found]
    if any(one.value is None for one in effects):
        return ""
    if not all(one.reliable for one in effects):
        return f"{OPEN} is not known: {why_unknown(comparison.scenario, statistic)}."
    logs = [log_ratios(comparison, pairs, "flowtime", statistic) or [] for pairs in found]
    signs = [1 if sum(log) > 0 else -1 for log in logs]
    gap = student([signs[1] * b - signs[0] * a for a, b in zip(*logs, strict=True)])
    if gap.low is None or gap.high is None or gap.low <= 0 <= gap.high:
        if gap.half < ALIKE:
            return f"For the {WORD[statistic]}, order and copies matter about the same."
        return f"{OPEN} is open after {comparison.replications} replications."
    turn, copies = map(changed, effects)
    if gap.low > 0:
        return f"Copies matter more than order here: {copies} of the {WORD[statistic]}, against {turn}."
    return f"Order matters more than copies here: {turn} of the {WORD[statistic]}, against {copies}."


# The answer of the Compare page: its largest sure difference, then at most one more sentence.
#
# The second sentence answers what a preset asks, if its policies are there; else what the policies
# themselves ask: two ways to share times two ways to copy ask which matters more, one rule with several
# values of a parameter asks which is best. Of all others it says what the difference costs.

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
        What a preset asks (`sim.engines.registry.Preset.asks`).
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
    >>> from sim.engines.registry import preset
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
