r"""How many more runs tell a change, looked at after every run: a sequential test of pairs of runs.

Every pair of runs, one before and one after, gives the logarithm *z* of a figure after over before. The test
may be looked at after each pair, and stopped at any time: the chance that it ever speaks of a change where
there is none is at most `FALSE_ALARM` (Ville). What it looks at is the mixture sequential ratio of the t test

.. math:: E_n = \frac1{\sqrt{1 + n g}} \left(\frac{1 + t^2 / (n - 1)}
                {1 + t^2 / ((1 + n g)(n - 1))}\right)^{n / 2},
          \qquad t = \sqrt n\, \bar z / s,

for a normal law of *z* of unknown spread, with changes of a size of :math:`\sqrt g` spreads in mind (Robbins,
1970; Pérez-Ortiz, Lardy, De Heide and Grünwald, 2024, section 4). Which size a change has is not known, so
the mean over the sizes of `_SIZES` is taken, which keeps the promise. A change is told at
:math:`E_n \ge 1 / \mathrm{false\ alarm}`, with three pairs at the earliest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: Chance that a change is told at any look, where there is none.
FALSE_ALARM = 0.05
#: Squared sizes of the changes that are looked for, in spreads of a pair of runs.
_SIZES = np.array([1.0, 10.0, 100.0])
#: Pairs of runs up to which it is said how many are needed.
MOST = 1_000


@dataclass(frozen=True)
class Told:
    """What pairs of runs tell so far.

    Parameters
    ----------
    pairs : int
        Pairs of runs.
    evidence : float
        The ratio; 1 / false alarm and more tells a change.
    told : bool
    more : int or None
        About how many more pairs tell the change if it is as large as it looks; None beyond `MOST`, or
        where nothing is known of the spread. 0 where it is told.
    false_alarm : float
    """

    pairs: int
    evidence: float
    told: bool
    more: int | None
    false_alarm: float = FALSE_ALARM


def evidence(values: Sequence[float]) -> float:
    """Return the ratio for these pairs; 1 for a single one, which knows no spread.

    Examples
    --------
    >>> evidence([0.2]), round(evidence([0.2, 0.22, 0.18, 0.21]))
    (1.0, 338)
    """
    z = np.asarray(values, float)
    if z.size < 2:
        return 1.0
    spread = float(z.std(ddof=1))
    if spread <= 1e-12 * max(abs(float(z.mean())), 1.0):
        return math.inf if abs(float(z.mean())) > 1e-12 else 1.0
    return _ratio(z.size, math.sqrt(z.size) * float(z.mean()) / spread)


def _ratio(count: int, t: float) -> float:
    wide, free = 1 + count * _SIZES, count - 1
    log = count / 2 * (np.log1p(t * t / free) - np.log1p(t * t / (wide * free))) - np.log(wide) / 2
    return float(np.exp(np.minimum(log, 700.0)).mean())


def told(values: Sequence[float], spread: float | None = None, false_alarm: float = FALSE_ALARM) -> Told:
    """Say whether pairs of runs tell a change, and how many more would.

    Parameters
    ----------
    values : sequence of float
        The logarithm of the ratio of each pair, less that of what is asked.
    spread : float, optional
        Of a pair, as far as it is known from elsewhere: used where there is one pair.
    false_alarm : float, optional

    Examples
    --------
    >>> told([0.3], 0.3).more, told([0.3], 0.05).more, told([0.0], 0.1).more
    (14, 3, None)
    """
    z = np.asarray(values, float)
    found = evidence(values)
    if found >= 1 / false_alarm:
        return Told(z.size, found, True, 0, false_alarm)
    wide = float(z.std(ddof=1)) if z.size > 1 else spread
    more = None
    if z.size and wide is not None and z.mean() != 0:
        size = abs(float(z.mean())) / max(wide, 1e-12)
        counts = range(max(z.size + 1, 2), MOST + z.size)
        needed = next((n for n in counts if _ratio(n, math.sqrt(n) * size) >= 1 / false_alarm), None)
        more = None if needed is None else needed - z.size
    return Told(z.size, found, False, more, false_alarm)
