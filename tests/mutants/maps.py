"""Bugs in the map: which policy wins where, by how much, and on which runs that rests."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

SURVEY = "tests/sim/map/test_survey.py"
PICTURE = "tests/sim/map/test_picture.py"
PAGE = "tests/pages/test_map.py -k"

MUTANTS = (
    Mutant(
        "a-wide-interval-of-the-third-is-no-hatch",
        "_told.leaders",
        "leaders = frozenset({best, *(i for i, one in told.items() if one.sign <= 0)})",
        "leaders = frozenset({best, *(i for i, one in told.items() if i == second and one.sign <= 0)})",
        SURVEY,
    ),
    Mutant(
        "policies-are-compared-on-luck-that-one-has-not-met",
        "judge.best",
        "(i for i in places if counts[i] == max(counts[j] for j in places))",
        "(i for i in places)",
        SURVEY,
    ),
    Mutant(
        "a-gain-is-a-share-of-the-best",
        "_saved.value",
        "None if one is None else one / (1 + one) for one in",
        "None if one is None else one for one in",
        SURVEY,
    ),
    Mutant(
        "the-budget-is-of-all-that-is-used",
        "Judge._beyond",
        "over[i] = found.relative > self._budget",
        "over[i] = found.relative > 1 + self._budget",
        SURVEY,
    ),
    Mutant(
        "who-cannot-keep-up-may-win",
        "judge.places",
        "if not unstable[i] and not over[i]]",
        "if not over[i]]",
        SURVEY,
    ),
    Mutant(
        "the-worst-regret-is-the-least",
        "picture._regret.where",
        "where = max(simulated,",
        "where = min(simulated,",
        SURVEY,
    ),
    Mutant(
        "a-mean-regret-counts-only-where-a-policy-is-beaten",
        "_regret.values",
        "values = [value for value in known if value is not None]",
        "values = [value for value in known if value]",
        SURVEY,
    ),
    Mutant(
        "a-cell-between-two-that-differ-is-not-simulated",
        "Survey._lies_between",
        "            if self._known(one) == self._known(other):",
        "            if self._known(one)[0] == self._known(other)[0]:",
        SURVEY,
    ),
    Mutant(
        "a-gain-is-known-half-as-well-as-was-asked",
        "_asked.target",
        "target = self.plane.precision / 100",
        "target = self.plane.precision / 50",
        SURVEY,
    ),
    Mutant(
        "cells-between-two-are-interpolated-the-wrong-way-round",
        "picture._linear",
        "(1 - share) * first + share * last",
        "share * first + (1 - share) * last",
        PICTURE,
    ),
    Mutant(
        "a-cell-between-two-is-like-the-farther-one",
        "picture._between",
        "one.standing if share <= 0.5",
        "one.standing if share > 0.5",
        PICTURE,
    ),
    Mutant(
        "the-mean-regret-has-the-widest-interval-of-all-cells",
        "picture._regret",
        "sum(halves) / len(halves) if",
        "max(halves) if",
        PICTURE,
    ),
    Mutant(
        "only-the-best-is-among-the-best",
        "shipped._rows",
        "place in standing.leaders",
        "place == standing.best",
        PICTURE,
    ),
    Mutant(
        "only-the-best-is-a-leader-in-json",
        "shipped.standing_as_dict",
        '"".join(LETTERS[i] for i in sorted(one.leaders)),',
        "LETTERS[one.best or 0],",
        PICTURE,
    ),
    Mutant(
        "the-low-end-of-a-regret-is-its-high-end",
        "shipped._rows",
        '"above_low": regret.low',
        '"above_low": regret.high',
        PICTURE,
    ),
    Mutant(
        "the-mean-regret-is-told-for-the-worst-in-the-shell",
        "shipped._in_words",
        "in (one.worst, one.mean)",
        "in (one.mean, one.mean)",
        PICTURE,
    ),
    Mutant(
        "the-worst-regret-is-the-mean-one-in-json",
        "shipped._regret",
        '"mean": one.mean.as_dict()',
        '"mean": one.worst.as_dict()',
        PICTURE,
    ),
    Mutant(
        "whoever-is-least-wrong-on-average-is-chosen",
        "safest.worst",
        "i: one.worst.value\n",
        "i: one.mean.value\n",
        f"{PAGE} least_wrong_at_worst",
    ),
    Mutant(
        "the-mean-regret-is-told-for-the-worst",
        "words.choice",
        'bold(f"{LETTERS[safe]} {name}"), above(one.worst)',
        'bold(f"{LETTERS[safe]} {name}"), above(one.mean)',
        f"{PAGE} least_wrong_at_worst",
    ),
    Mutant(
        "the-mean-regret-is-on-the-card-for-the-worst",
        "map.words._card",
        "at worst {above(one.worst)}",
        "at worst {above(one.mean)}",
        f"{PAGE} least_wrong_at_worst",
    ),
    Mutant(
        "the-mean-gain-is-told-for-the-largest",
        "words.gains_around",
        "max(min(gains), 0.0), max(*gains, 0.0)",
        "max(min(gains), 0.0), max(sum(gains) / len(gains), 0.0)",
        f"{PAGE} cell_tells",
    ),
    Mutant(
        "how-far-the-second-is-above-is-told-for-what-is-saved",
        "map.words.verdict",
        "saves {above(standing.gain)} against",
        "saves {above(standing.regrets[standing.second])} against",
        f"{PAGE} cell_tells",
    ),
    Mutant(
        "cells-over-the-budget-are-told-for-those-where-a-queue-grows",
        "words._notices",
        "counted(regret.unstable, ",
        "counted(regret.over, ",
        f"{PAGE} queue_grows",
    ),
)
