"""Statistical assertions that state their false-alarm probability.

Samples must be independent: replication means, or i.i.d. Monte Carlo draws. The raw sojourn
times of one queue are neither.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

#: Probability with which a correct program fails one such assertion. Seeds are fixed, so a test
#: that has passed keeps passing; the figure says how surprising its first failure would have been.
FALSE_ALARM = 1e-6


def half_width(samples: np.ndarray, false_alarm: float = FALSE_ALARM) -> float:
    """Half width of the two-sided Student interval for the mean of i.i.d. `samples`."""
    return float(stats.t.ppf(1 - false_alarm / 2, samples.size - 1) * stats.sem(samples))


def assert_mean(
    samples: np.ndarray, expected: float, *, false_alarm: float = FALSE_ALARM, resolution: float = 0.05
) -> None:
    """Assert that i.i.d. `samples` could have mean `expected` (two-sided t test).

    `resolution` is the relative error that must be visible: if the interval is wider than that
    the test has no power, and fails for that reason rather than passing for it.
    """
    samples = np.asarray(samples, dtype=float)
    half = half_width(samples, false_alarm)
    assert half <= resolution * abs(expected), (
        f"no power: half width {half:.4g} hides errors above {resolution:.0%} of {expected:.4g}"
    )
    assert abs(samples.mean() - expected) <= half, (
        f"mean {samples.mean():.5g} is farther than {half:.3g} from {expected:.5g}"
    )


def assert_share(hits: int, trials: int, expected: float, *, false_alarm: float = FALSE_ALARM) -> None:
    """Assert that `hits` of `trials` independent trials could have probability `expected`."""
    p_value = stats.binomtest(int(hits), int(trials), expected).pvalue
    assert p_value > false_alarm, f"{hits}/{trials} is not {expected:.5g} (p = {p_value:.1e})"
