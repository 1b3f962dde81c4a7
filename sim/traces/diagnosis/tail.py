r"""The law of luck: its body, and whether it has a heavy tail.

Ratios of original copies to the median of their stage, without the parts that are clearly not luck
(`shares`), killed originals censored. Above :math:`x_{min}` a Pareto law is fitted by maximum
likelihood under censoring,

.. math:: \hat\alpha = \frac{D}{\sum_i \log(\min(x_i, c_i) / x_{min})},

with D the complete exceedances. :math:`x_{min}` is where the fitted law is nearest to the Kaplan-Meier
estimate of the exceedances at the complete ones (Clauset, Shalizi and Newman, 2009, whose choice this
is without censoring). Packages for heavy tails know no censoring, so the fit is ours; SciPy does the
optimisation.

**No tail** is a common answer. The excesses over the upper quartile are fitted by a generalised Pareto
law; a tail is reported only if its shape is above 0, heavier than exponential, in a one-sided
likelihood-ratio test at `FALSE_ALARM`. So a history whose luck is exponential shows a tail by chance
with about that probability, and one whose luck is lighter (normal, uniform, a lognormal law of small
spread) more seldom.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

from sim.traces.diagnosis.survival import kaplan_meier, quantile

#: Probability with which a tail is reported where luck is exponential.
FALSE_ALARM = 0.02
#: Complete exceedances without which nothing is said of a tail.
FEWEST = 15
_UPPER = 0.75
_CANDIDATES = 40
_REPLICATIONS = 300


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


@dataclass(frozen=True, eq=False)
class Luck:
    """The law of luck, relative to its median in each stage.

    Parameters
    ----------
    x, survival : ndarray
        Kaplan-Meier estimate of the chance of more than `x`.
    points : DataFrame
        ratio and complete of each copy, for the picture.
    tail : Tail or None
        Its tail if there is one.
    verdict : str
        One sentence: that there is a tail, that there is none, or why that cannot be told.
    """

    x: np.ndarray = field(repr=False)
    survival: np.ndarray = field(repr=False)
    points: pd.DataFrame = field(repr=False)
    tail: Tail | None
    verdict: str


def luck(ratios: pd.DataFrame, residual: np.ndarray, seed: int = 1) -> Luck:
    """Estimate the law of luck from `durations.ratios` and the residual of `shares`."""
    frame = ratios.assign(log=residual)[~ratios["speculative"].to_numpy(bool)]
    if frame.empty:
        nothing = np.empty(0)
        points = pd.DataFrame({"ratio": nothing, "complete": nothing.astype(bool)})
        return Luck(
            nothing, nothing, points, None, "No stage has ten finished tasks: nothing is known of luck."
        )
    median = frame[frame["complete"]].groupby("stage")["log"].median().reindex(frame["stage"]).to_numpy()
    x = np.exp(frame["log"].to_numpy() - median)
    complete = frame["complete"].to_numpy(bool)
    weight = frame["weight"].to_numpy(float)
    weight = weight * weight.sum() / np.sum(weight**2)  # sums to the effective number of copies (Kish)
    values, survival = kaplan_meier(x, complete, weight)
    points = pd.DataFrame({"ratio": x, "complete": complete})
    tail, verdict = _judged(x, complete, weight, quantile(values, survival, _UPPER), seed)
    return Luck(values, survival, points, tail, verdict)


def _judged(
    x: np.ndarray, complete: np.ndarray, weight: np.ndarray, upper: float, seed: int
) -> tuple[Tail | None, str]:
    above = x > upper
    if np.count_nonzero(above & complete) < FEWEST:
        return None, f"Fewer than {FEWEST} finished copies lie in the upper quarter: no tail can be told."
    p = heavier_than_exponential(x[above] - upper, complete[above], weight[above])
    if p >= FALSE_ALARM:
        return None, f"No heavy tail: the upper quarter is no heavier than exponential (p = {p:.2g})."
    tail = fit_tail(x, complete, weight, seed)
    if tail is None:
        return None, f"Fewer than {FEWEST} finished copies lie in a tail: none can be told."
    return tail, f"A Pareto tail of index {tail.index:.2f} above {tail.x_min:.2f} times the median."


def heavier_than_exponential(excess: np.ndarray, complete: np.ndarray, weight: np.ndarray) -> float:
    r"""Return the p value of an exponential law against a generalised Pareto law of shape above 0.

    With :math:`\theta = \xi/\sigma`, the likelihood is largest at
    :math:`\xi = \sum \log(1 + \theta z) / D`, which leaves one dimension to search.
    """
    deaths = weight[complete].sum()
    scale = np.sum(weight * excess) / deaths

    def loss(log_theta: float) -> float:
        logs = weight * np.log1p(np.exp(log_theta) * excess)
        shape = logs.sum() / deaths
        return float(deaths * (np.log(shape) - log_theta + 1) + logs[complete].sum())

    best = optimize.minimize_scalar(
        loss, bounds=(np.log(1e-4 / scale), np.log(1e4 / scale)), method="bounded"
    )
    ratio = 2 * (deaths * (np.log(scale) + 1) - best.fun)
    return float(stats.norm.sf(np.sqrt(max(ratio, 0.0))))


def fit_tail(x: np.ndarray, complete: np.ndarray, weight: np.ndarray, seed: int = 1) -> Tail | None:
    """Fit a Pareto law above the x_min at which it fits best; None if too few copies lie above any."""
    order = np.argsort(x, kind="stable")
    x, complete, weight = x[order], complete[order], weight[order]
    values = x[complete & (x >= 1)]
    if values.size < FEWEST:
        return None
    candidates = np.unique(values[np.linspace(0, values.size - FEWEST, _CANDIDATES).astype(int)])
    kept = x >= candidates[0]
    x, complete, weight = x[kept], complete[kept], weight[kept]
    x_min, index, ks = _best(x, complete, weight, candidates)
    random = np.random.default_rng([seed, 17])
    draws = []
    for _ in range(_REPLICATIONS):
        times = np.bincount(random.integers(x.size, size=x.size), minlength=x.size)
        draws.append(_best(x, complete, weight * times, candidates[:: max(1, candidates.size // 12)])[1])
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


def _best(
    x: np.ndarray, complete: np.ndarray, weight: np.ndarray, candidates: np.ndarray
) -> tuple[float, float, float]:
    """Return x_min, index and distance of the candidate with the smallest distance; x is sorted."""
    best = (float(candidates[0]), np.nan, np.inf)
    log = np.log(x)
    deaths = np.where(complete, weight, 0.0)
    at_risk = np.cumsum(weight[::-1])[::-1]
    hazard = np.log1p(-np.minimum(deaths / np.maximum(at_risk, 1e-300), 1 - 1e-12))
    for x_min in candidates:
        first = int(np.searchsorted(x, x_min, side="left"))
        total = np.sum(weight[first:] * (log[first:] - np.log(x_min)))
        died = deaths[first:].sum()
        if not (total > 0 and died > 0):
            continue
        index = died / total
        after = np.exp(np.cumsum(hazard[first:]))
        law = (x[first:] / x_min) ** -index
        used = deaths[first:] > 0
        before = np.concatenate([[1.0], after[:-1]])
        ks = float(max(np.abs(after - law)[used].max(), np.abs(before - law)[used].max()))
        if ks < best[2]:
            best = (float(x_min), float(index), ks)
    return best


def _better(
    x: np.ndarray, complete: np.ndarray, weight: np.ndarray, x_min: float, index: float
) -> str | None:
    """Name an alternative that fits significantly better.

    Lognormal and exponential by the test of Vuong (1989) on censored likelihoods of the exceedances;
    the Pareto law cut at the largest value by the test of Aban, Meerschaert and Panorska (2006).
    """
    pareto = np.where(complete, np.log(index / x_min), 0.0) - (index + complete) * np.log(x / x_min)
    rate = weight[complete].sum() / np.sum(weight * (x - x_min))
    exponential = np.where(complete, np.log(rate), 0.0) - rate * (x - x_min)
    found = {}
    for name, other in (("lognormal", _lognormal(x, complete, weight, x_min)), ("exponential", exponential)):
        difference = other - pareto
        sd = np.sqrt(np.cov(difference, aweights=weight)) if x.size > 1 else 0.0
        found[name] = (
            float(np.average(difference, weights=weight) / sd * np.sqrt(weight.sum())) if sd > 0 else 0.0
        )
    name = max(found, key=lambda one: found[one])
    if found[name] > stats.norm.ppf(0.975):
        return name
    longest = x[complete].max()
    cut = np.exp(-weight[complete].sum() * (x_min / longest) ** index)
    return "truncated Pareto" if cut < 0.05 and longest >= x.max() else None


def _lognormal(x: np.ndarray, complete: np.ndarray, weight: np.ndarray, x_min: float) -> np.ndarray:
    """Return the log likelihood of each value under the best lognormal law of values above x_min."""
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
