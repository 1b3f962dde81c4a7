"""Two things that policies differ in, told apart: whose turn it is, and who gets a copy.

Four policies that are two ways to share times two ways to copy let each be judged over both ways of the
other. Which of the two matters more is the difference of the two effects, paired by replication.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from pages.shared.words.numbers import bold, changed, percent
from pages.shared.words.winner import FLOWTIME, steady, yardstick
from sim.paired import Pair, effect, log_ratios
from sim.policy import Chosen
from sim.result import Comparison
from sim.slots.policy import read_policy
from sim.statistics import Estimate, student

#: What the two kinds of rule decide.
KINDS = ("Whose turn it is", "Who gets a copy")


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
    rules = {name: tuple(read_policy(comparison.code(name)).rules.values()) for name in comparison.policies}
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
    if not found or yardstick(comparison, statistic) != statistic:
        return ""
    named = {name for factor in found for pair in factor.pairs for name in pair}
    if not all(steady(comparison, name) for name in named):
        return ""
    turn, copies = (effect(comparison, factor.pairs, "flowtime", statistic) for factor in found)
    if turn.value is None or copies.value is None:
        return ""
    if comparison.replications == 1:
        verdict = "One replication gives no interval: no difference can be told from luck yet."
    else:
        verdict = _verdict(comparison, found, statistic, reliable=turn.reliable and copies.reliable)
    larger_first = sorted(zip(found, (turn, copies), strict=True), key=lambda one: -abs(one[1].value or 0.0))
    told = [_told(comparison, factor, by, statistic) for factor, by in larger_first]
    return f"{verdict} {told[0]} {told[1]}"


def _verdict(comparison: Comparison, found: tuple[Factor, Factor], statistic: str, *, reliable: bool) -> str:
    """Say which of the two effects is the larger, whatever its direction."""
    if not reliable:
        return "Which matters more cannot be told: too few jobs to know it."
    logs = [log_ratios(comparison, factor.pairs, "flowtime", statistic) or [] for factor in found]
    signs = [1 if sum(log) > 0 else -1 for log in logs]
    gap = student([signs[1] * b - signs[0] * a for a, b in zip(*logs, strict=True)])
    if gap.low is None or gap.high is None or gap.low <= 0 <= gap.high:
        return f"Which matters more cannot be told after {comparison.replications} replications."
    return "**Copies matter more here.**" if gap.low > 0 else "**Whose turn it is matters more here.**"


def _told(comparison: Comparison, factor: Factor, by: Estimate, statistic: str) -> str:
    """Return the effect of a factor on the flowtimes, and on slot-time or busy slots."""
    rules = f"{factor.decides} ({bold(factor.after.name)} instead of {bold(factor.before.name)})"
    return f"{rules}: {FLOWTIME[statistic]} {_surely(by)}, {_cost(comparison, factor)}."


def _surely(by: Estimate) -> str:
    """Return a change, or that none can be told."""
    if by.value == 0:
        return "the same"
    if by.low is not None and by.high is not None and by.low <= 0 <= by.high:
        return f"not surely different ({changed(by)})"
    return changed(by)


def _cost(comparison: Comparison, factor: Factor) -> str:
    cost = effect(comparison, factor.pairs, "resource", "mean")
    if cost.reliable and cost.value is not None:
        return f"slot-time {_surely(cost)}"
    after, before = (
        sum(comparison.policies[pair[place]].estimate("utilisation").value or 0.0 for pair in factor.pairs)
        / 2
        for place in (0, 1)
    )
    if percent(after) == percent(before):
        return f"{percent(after)} of the slots busy either way"
    return f"{percent(after)} instead of {percent(before)} of the slots busy"
