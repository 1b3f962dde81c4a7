"""Bugs in the map: which policy wins where, by how much, and on which runs that rests."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

SURVEY = "tests/sim/map/test_survey.py"
PICTURE = "tests/sim/map/test_picture.py"
PAGE = "tests/pages/test_map.py -k"

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
    Mutant(
        "cells-between-two-are-interpolated-the-wrong-way-round",
        "sim/map/picture.py",
        "(1 - share) * first + share * last",
        "share * first + (1 - share) * last",
        PICTURE,
    ),
    Mutant(
        "a-cell-between-two-is-like-the-farther-one",
        "sim/map/picture.py",
        "one.standing if share <= 0.5",
        "one.standing if share > 0.5",
        PICTURE,
    ),
    Mutant(
        "the-mean-regret-has-the-widest-interval-of-all-cells",
        "sim/map/picture.py",
        "sum(halves) / len(halves) if",
        "max(halves) if",
        PICTURE,
    ),
    Mutant(
        "only-the-best-is-among-the-best",
        "sim/map/report.py",
        "place in standing.leaders",
        "place == standing.best",
        PICTURE,
    ),
    Mutant(
        "only-the-best-is-a-leader-in-json",
        "sim/map/report.py",
        '"".join(LETTERS[i] for i in sorted(one.leaders)),',
        "LETTERS[one.best or 0],",
        PICTURE,
    ),
    Mutant(
        "the-low-end-of-a-regret-is-its-high-end",
        "sim/map/report.py",
        '"above_low": regret.low',
        '"above_low": regret.high',
        PICTURE,
    ),
    Mutant(
        "the-mean-regret-is-told-for-the-worst-in-the-shell",
        "sim/map/report.py",
        "at worst {_percent(one.worst)}",
        "at worst {_percent(one.mean)}",
        PICTURE,
    ),
    Mutant(
        "the-worst-regret-is-the-mean-one-in-json",
        "sim/map/report.py",
        '"mean": one.mean.as_dict()',
        '"mean": one.worst.as_dict()',
        PICTURE,
    ),
    Mutant(
        "whoever-is-least-wrong-on-average-is-chosen",
        "pages/map/words.py",
        "i: one.worst.value\n",
        "i: one.mean.value\n",
        f"{PAGE} least_wrong_at_worst",
    ),
    Mutant(
        "the-mean-regret-is-told-for-the-worst",
        "pages/map/words.py",
        'f"{above(one.worst)} above',
        'f"{above(one.mean)} above',
        f"{PAGE} least_wrong_at_worst",
    ),
    Mutant(
        "the-mean-regret-is-on-the-card-for-the-worst",
        "pages/map/words.py",
        "at worst {above(one.worst)}",
        "at worst {above(one.mean)}",
        f"{PAGE} least_wrong_at_worst",
    ),
    Mutant(
        "the-mean-gain-is-told-for-the-largest",
        "pages/map/words.py",
        "max(min(gains), 0.0), max(*gains, 0.0)",
        "max(min(gains), 0.0), max(sum(gains) / len(gains), 0.0)",
        f"{PAGE} cell_tells",
    ),
    Mutant(
        "how-far-the-second-is-above-is-told-for-what-is-saved",
        "pages/map/words.py",
        "saves {above(standing.gain)} against",
        "saves {above(standing.regrets[standing.second])} against",
        f"{PAGE} cell_tells",
    ),
    Mutant(
        "cells-over-the-budget-are-told-for-those-where-a-queue-grows",
        "pages/map/words.py",
        "counted(regret.unstable, ",
        "counted(regret.over, ",
        f"{PAGE} queue_grows",
    ),
)
