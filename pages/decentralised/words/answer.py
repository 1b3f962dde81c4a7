"""The answer of the Decentralised page: how much longer jobs take when no scheduler knows everything."""

from __future__ import annotations

from pages.decentralised.setting import CENTRAL
from pages.decentralised.words.cards import loss, sign_of
from pages.shared.words.numbers import bold, bolds, listed, percent_unsigned
from pages.shared.words.winner import FLOWTIME, why_unknown
from sim.result import Comparison
from sim.statistics import Estimate


def losses(comparison: Comparison, statistic: str) -> str:
    """Return in a sentence or two what each policy loses against Central; what it sends is on its card.

    Parameters
    ----------
    comparison : Comparison
        Its policies called as on the screen.
    statistic : str
        Of the flowtime: 'mean', 'p50' or 'p95'.
    """
    if growing := [
        name for name, one in comparison.policies.items() if one.unstable(comparison.scenario.slots)
    ]:
        return f"Under {bolds(growing)} the queue grew, so no loss is stated: choose a lower load."
    if comparison.replications == 1:
        return "One replication gives no interval: any ratio may be luck."
    ratios = {name: comparison.ratio(name, "flowtime", statistic) for name in list(comparison.policies)[1:]}
    known = {name: one for name, one in ratios.items() if one.value is not None}
    if not known:
        return "Too many jobs are unfinished to compare the policies; take another statistic or less load."
    told = [*_sure(comparison, known, statistic), *_unsure(comparison, known, statistic)]
    return " ".join(told)


def _sure(comparison: Comparison, known: dict[str, Estimate], statistic: str) -> list[str]:
    surely = sorted((one.value or 0, name) for name, one in known.items() if sign_of(one))
    if not surely:
        return []
    parts = []
    for _, name in surely:
        more = "longer" if sign_of(known[name]) > 0 else "shorter"
        parts.append(f"{percent_unsigned(loss(known[name]))} {more} under {bold(name)}")
    return [f"Against {bold(CENTRAL)}, which knows everything, the {FLOWTIME[statistic]} is {listed(parts)}."]


def _unsure(comparison: Comparison, known: dict[str, Estimate], statistic: str) -> list[str]:
    unsure = [name for name, one in known.items() if not sign_of(one)]
    if not unsure:
        return []
    if all(known[name].reliable for name in unsure):
        return [f"For {bolds(unsure)} the loss is not sure after {comparison.replications} replications."]
    return [f"For {bolds(unsure)} no loss is stated: {why_unknown(comparison.scenario, statistic)}."]
