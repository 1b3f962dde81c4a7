"""The effects of two factors, separated: whose turn it is, and which task gets a copy.

Four policies that are two ways to share times two ways to copy let each be judged over both ways of the
other. Which of the two matters more is the difference of the two effects, paired by replication.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

from pages.shared.words.foreign import bold
from pages.shared.words.winner import FLOWTIME, WITHIN, WORD, comparable_statistic, is_stable, why_unknown
from sim.paired import Pair, effect, log_ratios
from sim.policy import Chosen
from sim.result import Comparison
from sim.statistics import Estimate, student
from sim.telling.words import UNRELIABLE, changed, fixed, number, percent, percent_unsigned

#: The decision of each kind of rule.
KINDS = ("Whose turn it is", "Who gets a copy")
#: Logarithms of ratios that differ by less are about the same.
ALIKE = 0.05
#: A change below this is none.
SAME = 0.0005


@dataclass(frozen=True, slots=True)
class Factor:
    """One thing that policies differ in: what it decides, the two rules, and the pairs that differ by it."""

    decides: str
    before: Chosen
    after: Chosen
    pairs: tuple[Pair, ...]


def factors(comparison: Comparison) -> tuple[Factor, Factor] | None:
    """Return sharing and speculation as factors, from the baseline's rules on; None without such four.

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
            return (
                Factor(KINDS[0], first[0], sharing, ((shared, base), (both, copied))),
                Factor(KINDS[1], first[1], speculation, ((copied, base), (both, shared))),
            )
    return None


def which_matters(comparison: Comparison, statistic: str) -> str:
    """Say what each factor does to flowtimes and at what cost, and which matters more; empty if unknown."""
    found = factors(comparison)
    if not found or comparable_statistic(comparison, statistic) != statistic:
        return ""
    named = {name for factor in found for pair in factor.pairs for name in pair}
    if not all(is_stable(comparison, name) for name in named):
        return ""
    turn, copies = (effect(comparison, factor.pairs, "flowtime", statistic) for factor in found)
    if turn.value is None or copies.value is None:
        return ""
    if comparison.replications == 1:
        verdict = "One replication gives no interval: any difference may be luck."
    else:
        verdict = _verdict(comparison, found, statistic, reliable=turn.reliable and copies.reliable)
    larger_first = sorted(zip(found, (turn, copies), strict=True), key=lambda one: -abs(one[1].value or 0.0))
    told = [_told(comparison, factor, by, statistic) for factor, by in larger_first]
    return f"{verdict} {told[0]} {told[1]}"


def _verdict(comparison: Comparison, found: tuple[Factor, Factor], statistic: str, *, reliable: bool) -> str:
    """Say which of the two effects is the larger, whatever its direction."""
    if not reliable:
        why = why_unknown(comparison.scenario, statistic)
        return f"Whether order or copies matter more is not known: {why}."
    logs = [log_ratios(comparison, factor.pairs, "flowtime", statistic) or [] for factor in found]
    signs = [1 if sum(log) > 0 else -1 for log in logs]
    gap = student([signs[1] * b - signs[0] * a for a, b in zip(*logs, strict=True)])
    if gap.low is None or gap.high is None or gap.low <= 0 <= gap.high:
        return _alike(comparison, found, statistic, sure=gap.half < ALIKE)
    return "**Copies matter more here.**" if gap.low > 0 else "**Whose turn it is matters more here.**"


def _alike(comparison: Comparison, found: tuple[Factor, Factor], statistic: str, *, sure: bool) -> str:
    """Say that two effects are about the same, or that it is open which is the larger."""
    if not sure:
        return f"After {comparison.replications} replications it is open whether order or copies matter more."
    effects = [effect(comparison, factor.pairs, "flowtime", statistic) for factor in found]
    told = f"For the {WORD[statistic]}, order and copies"
    if {one.sign for one in effects} == {-1}:
        shares = sorted(-100 * (one.value or 0.0) for one in effects)
        least, most = (fixed(share, 0 if shares[0] >= 1 else 1) for share in shares)
        return f"{told} gain about the same ({f'{least} to {most}' if least != most else most} %)."
    return f"{told} matter about the same."


def _told(comparison: Comparison, factor: Factor, by: Estimate, statistic: str) -> str:
    """Return what a factor does to the flowtimes, and to slot-time or busy slots."""
    before, after = (_time(comparison, factor, place, statistic) for place in (1, 0))
    cost = _cost(comparison, factor)
    if abs(by.value or 0.0) < SAME or (by.reliable and not by.sign):
        same = "the same" if abs(by.value or 0.0) < SAME else "no surely different"
        doubt = f" ({changed(by)})" if by.value and by.reliable else ""
        names = f"{bold(factor.before.name)} and {bold(factor.after.name)}"
        return f"{names} have {same} {FLOWTIME[statistic]}{doubt}, and {cost}."
    change = changed(by).replace(UNRELIABLE, ", unreliable") + _over_both(comparison, factor, statistic)
    unit, jobs = comparison.scenario.time_unit, WITHIN[statistic].format("jobs")
    this, other = _rule(factor)
    return f"{this} {jobs} {after} instead of {before} {unit}{other} ({change}), and {cost}."


def _over_both(comparison: Comparison, factor: Factor, statistic: str) -> str:
    """Say that a time is a mean over both rules of the other kind; empty where theirs are the same."""
    times = {
        number(comparison.policies[pair[0]].estimate("flowtime", statistic).value or 0.0)
        for pair in factor.pairs
    }
    if len(times) == 1:
        return ""
    return " over both orders" if factor.decides == KINDS[1] else ", with copies or without"


def _rule(factor: Factor) -> tuple[str, str]:
    """Return the rule with which a time is, and that of the other time; empty where the reader knows it."""
    after, before = bold(factor.after.name), bold(factor.before.name)
    if factor.decides == KINDS[0]:
        return f"With {after}", f" under {before}"
    if factor.after.key == "none":
        return f"Without {before}’s copies", ""
    return f"With {after}’s copies", "" if factor.before.key == "none" else f" with {before}’s"


def _time(comparison: Comparison, factor: Factor, place: int, statistic: str) -> str:
    """Return the geometric mean of a statistic of the flowtimes over one side of the pairs."""
    values = [
        comparison.policies[pair[place]].estimate("flowtime", statistic).value or 0.0 for pair in factor.pairs
    ]
    return number(math.prod(values) ** (1 / len(values)))


def _cost(comparison: Comparison, factor: Factor) -> str:
    cost = effect(comparison, factor.pairs, "resource", "mean")
    if cost.reliable and cost.value is not None:
        if not cost.sign:
            return f"a job uses {'' if cost.value == 0 else 'about '}the same slot-time"
        return f"a job uses {percent_unsigned(cost)} {'less' if cost.sign < 0 else 'more'} slot-time"
    after, before = (
        sum(comparison.policies[pair[place]].estimate("utilisation").value or 0.0 for pair in factor.pairs)
        / 2
        for place in (0, 1)
    )
    if percent(after) == percent(before):
        return "as many slots are busy either way"
    change = "fewer" if after < before else "more"
    return f"{change} slots are busy: {percent(after)} instead of {percent(before)}"
