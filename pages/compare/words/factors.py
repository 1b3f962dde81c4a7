"""The effects of two factors, separated: whose turn it is, and which task gets a copy.

Four policies that are two ways to share times two ways to copy let each be judged over both ways of the
other. Which of the two matters more is the difference of the two effects, paired by replication.
"""

from __future__ import annotations

from itertools import product

from pages.shared.words.winner import WORD, comparable_statistic, is_stable, why_unknown
from sim.model.result import Comparison, Pair, effect, log_ratios
from sim.model.statistics import student
from sim.telling.words import changed

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
