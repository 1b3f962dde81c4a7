r"""A Pareto tail fitted to values, some of them lower bounds.

Above :math:`x_{min}` the index is fitted by maximum likelihood under censoring,

.. math:: \hat\alpha = \frac{D}{\sum_i \log(\min(x_i, c_i) / x_{min})},

with D the complete exceedances. :math:`x_{min}` is where the fitted law is nearest to the Kaplan-Meier
estimate of the exceedances at the complete ones (Clauset, Shalizi and Newman, 2009, whose choice this
is without censoring). Packages for heavy tails know no censoring, so the fit is ours; SciPy does the
optimisation.

Two known biases of ratios to the median of a small stage are taken away. The copies in the middle of a stage
have ratios near 1 whatever the law is: with :math:`x_{min}` at 1 they would raise an index of 1.5 by 9 % in
stages of 10 to 30 tasks, so it is at least `LEAST`, above which ratios of a Pareto law are Pareto again. And
the estimate is on average D / (D - 1) of the index, with D the effective number (Kish) of weighted copies.

What is left is not of the estimate but of the data: durations with an upper limit, or with a constant part
that does not straggle (the overhead of a task), are lighter than the luck they hold. A limit at 12 times the
least duration makes 1.5 look like 1.6, a constant tenth of it adds 0.05.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

#: Complete exceedances without which no x_min is tried.
FEWEST = 15
#: Ratio below which no x_min is tried: copies in the middle of a small stage lie there whatever the law is.
LEAST = 1.2
_CANDIDATES = 25
_REPLICATIONS = 200
#: Copies in the tail from which a quarter of the replications will do.
_MANY = 20_000


@dataclass(frozen=True)
class Tail:
    """A Pareto tail.

    Parameters
    ----------
    index : float
        Tail index: the chance of more than x falls as x to the power of minus this.
    low, high : float
        95 % interval of it, by bootstrap, with `x_min` chosen anew each time.
    x_min : float
        Ratio from which the law holds.
    n, censored : int
        Copies above `x_min`, and how many of them were killed.
    ks : float
        Largest distance between the fitted law and the exceedances.
    better : str or None
        An alternative that fits the exceedances significantly better (5 %): lognormal, exponential or
        truncated Pareto.
    naive : float
        Index that successful copies alone would give, which is too light where copies were killed.
    """

    index: float
    low: float
    high: float
    x_min: float
    n: int
    censored: int
    ks: float
    better: str | None
    naive: float


def _candidates(complete: np.ndarray) -> np.ndarray:
    """Return the values tried as x_min, with enough complete ones above."""
    values = complete[complete >= LEAST]
    if values.size < FEWEST:
        return values[:0]
    return np.unique(values[np.linspace(0, values.size - FEWEST, _CANDIDATES).astype(int)])


def _pareto(x: np.ndarray, complete: np.ndarray, x_min: float, index: float) -> np.ndarray:
    """Return the log likelihood of each value under a Pareto law."""
    return np.where(complete, np.log(index / x), 0.0) - index * np.log(x / x_min)


def _exponential(x: np.ndarray, complete: np.ndarray, weight: np.ndarray, x_min: float) -> np.ndarray:
    """Return the log likelihood of each value under the best exponential law above x_min."""
    rate = weight[complete].sum() / np.sum(weight * (x - x_min))
    return np.where(complete, np.log(rate), 0.0) - rate * (x - x_min)


def fit_tail(x: np.ndarray, complete: np.ndarray, weight: np.ndarray, seed: int = 1) -> Tail | None:
    """Fit a Pareto law above the x_min at which it fits best; None if too few copies lie above any."""
    order = np.argsort(x, kind="stable")
    x, complete, weight = x[order], complete[order], weight[order]
    candidates = _candidates(x[complete])
    if not candidates.size:
        return None
    kept = x >= candidates[0]
    x, complete, weight = x[kept], complete[kept], weight[kept]
    unbiased = _unbiased(x, complete, weight, candidates)
    x_min, index, ks = _best(x, complete, weight, candidates, unbiased)
    random = np.random.default_rng([seed, 17])
    some = max(1, candidates.size // 12)
    draws = []
    for _ in range(_REPLICATIONS if x.size < _MANY else _REPLICATIONS // 4):
        times = np.bincount(random.integers(x.size, size=x.size), minlength=x.size)
        draws.append(_best(x, complete, weight * times, candidates[::some], unbiased[::some])[1])
    low, high = np.quantile(draws, (0.025, 0.975))
    tail = x >= x_min
    alone = tail & complete
    return Tail(
        index=index,
        low=float(min(low, index)),
        high=float(max(high, index)),
        x_min=x_min,
        n=int(tail.sum()),
        censored=int((tail & ~complete).sum()),
        ks=ks,
        better=_better(x[tail], complete[tail], weight[tail], x_min, index),
        naive=float(weight[alone].sum() / np.sum(weight[alone] * np.log(x[alone] / x_min))),
    )


def _unbiased(x: np.ndarray, complete: np.ndarray, weight: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Return by what an estimate above each candidate is multiplied to be right on average."""
    first = np.searchsorted(x, candidates)
    died = np.where(complete, weight, 0.0)
    total, squares = (np.cumsum(values[::-1])[::-1][first] for values in (died, died**2))
    effective = total**2 / np.maximum(squares, 1e-300)
    return np.maximum(effective - 1, 0.0) / np.maximum(effective, 1.0)


def _best(
    x: np.ndarray, complete: np.ndarray, weight: np.ndarray, candidates: np.ndarray, unbiased: np.ndarray
) -> tuple[float, float, float]:
    """Return x_min, index and distance of the candidate with the smallest distance; x is sorted.

    All candidates are tried at once: arrays have a row for each.
    """
    deaths = np.where(complete, weight, 0.0)
    at_risk = np.cumsum(weight[::-1])[::-1]
    hazard = np.cumsum(np.log1p(-np.minimum(deaths / np.maximum(at_risk, 1e-300), 1 - 1e-12)))
    first = np.searchsorted(x, candidates)
    before_first = np.where(first > 0, hazard[first - 1], 0.0)
    inside = np.arange(x.size) >= first[:, None]
    log = np.where(inside, np.log(x) - np.log(candidates)[:, None], 0.0)
    total, died = log @ weight, inside @ deaths
    index = unbiased * np.where(total > 0, died / np.where(total > 0, total, 1.0), 0.0)
    law = np.exp(-index[:, None] * log)
    after = np.exp(np.minimum(hazard - before_first[:, None], 0.0))
    before = np.concatenate([np.ones((candidates.size, 1)), after[:, :-1]], axis=1)
    gaps = np.maximum(np.abs(after - law), np.abs(before - law))
    ks = np.where(inside & (deaths > 0), gaps, 0.0).max(axis=1)
    ks[index <= 0] = np.inf
    best = int(np.argmin(ks))
    return float(candidates[best]), float(index[best]), float(ks[best])


def _better(
    x: np.ndarray, complete: np.ndarray, weight: np.ndarray, x_min: float, index: float
) -> str | None:
    """Name an alternative that fits significantly better.

    Lognormal and exponential by the test of Vuong (1989) on censored likelihoods of the exceedances;
    the Pareto law cut at the largest value by the test of Aban, Meerschaert and Panorska (2006).
    """
    pareto = _pareto(x, complete, x_min, index)
    exponential = _exponential(x, complete, weight, x_min)
    found = {}
    for name, other in (("lognormal", _lognormal(x, complete, weight, x_min)), ("exponential", exponential)):
        difference = other - pareto
        sd = np.sqrt(np.cov(difference, aweights=weight)) if x.size > 1 else 0.0
        found[name] = (
            float(np.average(difference, weights=weight) / sd * np.sqrt(weight.sum())) if sd > 0 else 0.0
        )
    name = max(found, key=lambda one: found[one])
    if found[name] > special.ndtri(0.975):
        return name
    longest = x[complete].max()
    cut = np.exp(-weight[complete].sum() * (x_min / longest) ** index)
    return "truncated Pareto" if cut < 0.05 and longest >= x.max() else None


def _lognormal(x: np.ndarray, complete: np.ndarray, weight: np.ndarray, x_min: float) -> np.ndarray:
    """Return the log likelihood of each value under the best lognormal law of values above x_min."""
    from scipy import optimize  # most logs have no tail, and it takes longer to load than to diagnose one

    log = np.log(x)

    def terms(parameters: np.ndarray) -> np.ndarray:
        mean, sd = parameters[0], np.exp(parameters[1])
        z = (log - mean) / sd
        density = -(z**2) / 2 - np.log(sd) - log - np.log(2 * np.pi) / 2
        return np.where(complete, density, special.log_ndtr(-z)) - special.log_ndtr(
            -(np.log(x_min) - mean) / sd
        )

    start = np.array([np.average(log, weights=weight), np.log(max(log.std(), 0.1))])
    bounds = [(np.log(x_min) - 20, log.max() + 1), (np.log(0.01), np.log(20))]
    fit = optimize.minimize(lambda p: -float(weight @ terms(p)), start, method="L-BFGS-B", bounds=bounds)
    return terms(fit.x)
