"""Bugs in the map: who wins where, by how much, and which runs that rests on."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

SURVEY = "tests/sim/map/test_survey.py"

MUTANTS = (
    Mutant(
        "a-wide-interval-of-the-third-is-no-hatch",
        "sim/map/standing.py",
        "leaders = frozenset({best, *(i for i, one in told.items() if one.sign <= 0)})",
        "leaders = frozenset({best, *(i for i, one in told.items() if i == second and one.sign <= 0)})",
        SURVEY,
    ),
    Mutant(
        "policies-are-compared-on-luck-that-one-has-not-met",
        "sim/map/standing.py",
        "(i for i in places if counts[i] == max(counts[j] for j in places))",
        "(i for i in places)",
        SURVEY,
    ),
    Mutant(
        "a-gain-is-a-share-of-the-best",
        "sim/map/standing.py",
        "None if one is None else one / (1 + one) for one in",
        "None if one is None else one for one in",
        SURVEY,
    ),
    Mutant(
        "the-budget-is-of-all-that-is-used",
        "sim/map/standing.py",
        "over[i] = found.relative > self._budget",
        "over[i] = found.relative > 1 + self._budget",
        SURVEY,
    ),
    Mutant(
        "who-cannot-keep-up-may-win",
        "sim/map/standing.py",
        "if not unstable[i] and not over[i]]",
        "if not over[i]]",
        SURVEY,
    ),
    Mutant(
        "the-worst-regret-is-the-least",
        "sim/map/picture.py",
        "where = max(simulated,",
        "where = min(simulated,",
        SURVEY,
    ),
    Mutant(
        "a-mean-regret-counts-only-where-a-policy-is-beaten",
        "sim/map/picture.py",
        "values = [value for value in known if value is not None]",
        "values = [value for value in known if value]",
        SURVEY,
    ),
    Mutant(
        "a-cell-between-two-that-differ-is-not-simulated",
        "sim/map/survey.py",
        "            if self._known(one) == self._known(other):",
        "            if self._known(one)[0] == self._known(other)[0]:",
        SURVEY,
    ),
    Mutant(
        "a-gain-is-known-half-as-well-as-was-asked",
        "sim/map/survey.py",
        "target = self.plane.precision / 100",
        "target = self.plane.precision / 50",
        SURVEY,
    ),
)
