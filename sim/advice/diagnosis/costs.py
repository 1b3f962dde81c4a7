"""What a cause cost, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special


@dataclass(frozen=True)
class Cause:
    """Seconds of job time that a cause cost, with their 95 % interval."""

    seconds: float
    low: float
    high: float

    def part(self, share: float, low: float, high: float) -> Cause:
        """Return the cost of a share of it, which lies between two others."""
        return Cause(self.seconds * share, max(self.low, 0.0) * low, max(self.high, 0.0) * high)

    def within(self, whole: float) -> Cause:
        """Return it as no less than nothing and no more than all."""
        return Cause(*(min(max(one, 0.0), whole) for one in (self.seconds, self.low, self.high)))


#: Share of a cost that a replay may miss at least: no cluster launches tasks exactly as it does. In worlds of
#: known causes intervals of 1 % held the truth in 67 % (`docs/explanation/diagnosis.md`).
_LEAST = 0.07
#: What nothing cost.
NOTHING = Cause(0.0, 0.0, 0.0)


def cause_of(saved: Sequence[float], error: float, seconds: float | None = None) -> Cause:
    """Return the cost that several draws of a replay tell.

    Parameters
    ----------
    saved : sequence of float
        Seconds saved in each draw.
    error : float
        Share by which the replay misses the recorded times of jobs: so much may it miss of the cost.
    seconds : float, optional
        The cost, if not the mean of the draws.

    Examples
    --------
    >>> cause_of([10.0], 0.1)
    Cause(seconds=10.0, low=8.04, high=11.96)
    """
    values = np.asarray(saved, float)
    mean = float(values.mean()) if seconds is None else seconds
    drawn = float(values.std(ddof=1)) * (1 + 1 / values.size) ** 0.5 if values.size > 1 else 0.0
    # few draws know their own spread badly: Student's t law
    half = float(special.stdtrit(max(values.size - 1, 1), 0.975)) * drawn if drawn else 0.0
    half = float(np.hypot(half, 1.96 * max(error, _LEAST) * abs(mean)))
    return Cause(mean, round(mean - half, 9), round(mean + half, 9))
