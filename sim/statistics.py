"""Intervals over replications, and quantiles that admit unfinished jobs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import stdtrit

#: Confidence level of every interval.
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval.

    `value` is None where unfinished jobs censor it away; `low` and `high` are None with one replication, and
    where the laws lack the moments an interval needs to keep its promise: then `reliable` is False.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    reliable: bool = field(default=True, kw_only=True)

    @property
    def half(self) -> float:
        """Half width of the interval, ``inf`` if there is none."""
        return math.inf if self.high is None or self.low is None else (self.high - self.low) / 2

    def as_dict(self) -> dict[str, float | None]:
        """Return the estimate as JSON has it."""
        return {"value": self.value, "low": self.low, "high": self.high}


def student(values: Sequence[float | None], *, reliable: bool = True) -> Estimate:
    r"""Mean of independent replication values with its Student interval.

    .. math:: \bar x \pm t_{n-1, 0.975}\, s / \sqrt n

    Parameters
    ----------
    values : sequence of float or None
        One value a replication; None where it is censored away.
    reliable : bool, optional
        Whether an interval keeps its promise (`sim.knowable`); else there is none.

    Returns
    -------
    Estimate
        Without a value if any replication has none: what is left would be a biased sample.

    Examples
    --------
    >>> student([1.0, 3.0]).value, round(student([1.0, 3.0]).half, 3)  # 12.706 x sqrt(2) / sqrt(2)
    (2.0, 12.706)
    """
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return Estimate(None, reliable=reliable)
    sample = np.array(known)
    mean = float(sample.mean())
    if sample.size == 1 or not reliable:
        return Estimate(mean, reliable=reliable)
    half = float(half_widths(sample[:, None])[0])
    return Estimate(mean, mean - half, mean + half)


def half_widths(samples: np.ndarray) -> np.ndarray:
    """Half widths of the Student intervals of the columns' means.

    Parameters
    ----------
    samples : ndarray, shape (n, columns)
        Independent rows, at least two.
    """
    count = len(samples)
    return stdtrit(count - 1, (1 + LEVEL) / 2) * samples.std(axis=0, ddof=1) / math.sqrt(count)


def mean(values: np.ndarray, censored: np.ndarray) -> float | None:
    """Mean of `values`, or None if any is only known to be at least what it is.

    Examples
    --------
    >>> values = np.array([1.0, 2.0])
    >>> mean(values, np.array([False, False])), mean(values, np.array([False, True]))
    (1.5, None)
    """
    return None if values.size == 0 or censored.any() else float(values.mean(dtype=float))


def quantiles(
    values: np.ndarray, censored: np.ndarray, shares: Sequence[float], *, in_place: bool = False
) -> list[float | None]:
    """Smallest values with at least these shares at or below them, by Kaplan and Meier.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Observed values; for a censored one the value it exceeds.
    censored : ndarray of bool, shape (n,)
        Which values are right-censored.
    shares : sequence of float
        In (0, 1).
    in_place : bool, optional
        Whether `values` may be put in another order, which saves a copy of them.

    Returns
    -------
    list of float or None
        None where censoring leaves the quantile open.

    Examples
    --------
    >>> quantiles(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, False, True, True]), [0.5, 0.75])
    [2.0, None]
    """
    if values.size == 0:
        return [None] * len(shares)
    if not censored.any():
        found = np.quantile(values, shares, method="inverted_cdf", overwrite_input=in_place)
        return [float(x) for x in found]
    from scipy import stats  # takes a third of a second, and most runs have nothing censored

    known = stats.ecdf(stats.CensoredData(uncensored=values[~censored], right=values[censored])).cdf
    reached = np.searchsorted(known.probabilities, np.asarray(shares) - 1e-12)
    return [float(known.quantiles[i]) if i < known.quantiles.size else None for i in reached]
