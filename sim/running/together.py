"""Policies that did the same in every replication: they are one line of a chart, with one label."""

from __future__ import annotations

import numpy as np

from sim.model.result import Comparison, PolicyResult, Sample


def together(comparison: Comparison) -> dict[str, list[str]]:
    """Return the policies that did the same as each, by the first of them, itself included.

    They did the same if the distributions of every measure, the slots over time and those that jobs held
    are equal in every replication.
    """
    groups: dict[str, list[str]] = {}
    for name, result in comparison.policies.items():
        first = next((one for one in groups if _same(comparison.policies[one], result)), name)
        groups.setdefault(first, []).append(name)
    return groups


def labels(comparison: Comparison) -> dict[str, str]:
    """Return what each line of a chart is called, by its first policy."""
    return {first: equal(names) for first, names in together(comparison).items()}


def equal(names: list[str]) -> str:
    """Return the label of policies that did the same.

    Examples
    --------
    >>> equal(["Fair shares + LATE", "Fair shares + no copies"]), equal(["Hopper", "SRPT + LATE"])
    ('Fair shares + LATE = no copies', 'Hopper = SRPT + LATE')
    """
    first, *others = names
    turn, _, copied = first.partition(" + ")
    return " = ".join([first, *(one.removeprefix(f"{turn} + ") if copied else one for one in others)])


def _same(one: PolicyResult, other: PolicyResult) -> bool:
    return all(_alike(*pair) for pair in zip(one.samples, other.samples, strict=True))


def _alike(one: Sample, other: Sample) -> bool:
    if one.values != other.values:
        return False
    pairs = [(one.curves[name], other.curves[name]) for name in one.curves]
    pairs += [(one.single[name], other.single[name]) for name in one.single]
    pairs += [(one.series, other.series), (one.holding, other.holding)]
    return all(np.array_equal(*pair, equal_nan=True) for pair in pairs)
