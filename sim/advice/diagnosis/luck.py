"""The law of luck: its body, and whether it has a heavy tail.

Its values are ratios of copies to the median of their stage, without the parts that are not luck
(`shares`), of stages with at least `SOME` finished tasks; killed copies are censored. Originals and second
copies count alike: each is a draw of its own, and when a sibling ends it does not depend on how long it
would have run.

**No tail** is a common answer. A tail is reported only if luck is heavier than exponential, by more than
happens with probability `FALSE_ALARM` (`heaviness`), and its index may be `LIGHT` or less: two values, or
whole seconds, look like a tail of a larger one. So a history whose luck is exponential shows a tail by chance
with that probability, and one whose luck is lighter (normal, uniform, a lognormal law of small spread, any of
them in whole seconds) practically never. In the fit jobs weigh alike; in the test copies do, which finds
more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import special

from sim.telling.words import in_percent

# Survival of right-censored, weighted durations: the estimator of Kaplan and Meier (1958).


def kaplan_meier(
    values: np.ndarray, complete: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the chance that a duration is longer than each of the complete ones.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Durations, or lower bounds of them.
    complete : array_like of bool, shape (n,)
        Whether each is a whole duration; a bound of the same value is taken to last longer.
    weights : array_like of float, shape (n,), optional
        Weight of each, > 0; all 1 unless given.

    Returns
    -------
    x : ndarray, shape (k,)
        Distinct complete values, ascending.
    survival : ndarray, shape (k,)
        Estimated probability of more than `x`.

    Examples
    --------
    >>> x, survival = kaplan_meier([1.0, 2.0, 2.0, 3.0], [True, True, False, True])
    >>> x, survival
    (array([1., 2., 3.]), array([0.75, 0.5 , 0.  ]))
    """
    values, complete = np.asarray(values, float), np.asarray(complete, bool)
    weights = np.ones(values.size) if weights is None else np.asarray(weights, float)
    order = np.argsort(values, kind="stable")
    values, complete, weights = values[order], complete[order], weights[order]
    at_risk = np.cumsum(weights[::-1])[::-1]
    x, first = np.unique(values[complete], return_index=True)
    if not x.size:
        return x, x
    deaths = np.add.reduceat(weights[complete], first)
    risk = at_risk[np.searchsorted(values, x, side="left")]
    return x, np.cumprod(np.clip(1 - deaths / risk, 0, 1))


def beyond(x: np.ndarray, survival: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of a value that is known to exceed each of some bounds.

    What the estimate leaves beyond the largest complete value is put there.

    Examples
    --------
    >>> mean, variance = beyond(np.array([1.0, 2.0, 4.0]), np.array([0.75, 0.5, 0.0]), np.array([1.5, 9.0]))
    >>> mean.round(6), variance.round(6)
    (array([3.333333, 9.      ]), array([0.888889, 0.      ]))
    """
    mass = -np.diff(np.concatenate([[1.0], survival]))
    mass[-1] += survival[-1]
    above = [np.concatenate([np.cumsum((mass * x**power)[::-1])[::-1], [0.0]]) for power in range(3)]
    place = np.searchsorted(x, bounds, side="right")
    known = above[0][place] > 1e-12
    total = np.where(known, above[0][place], 1.0)
    mean = np.where(known, above[1][place] / total, bounds)
    return mean, np.where(known, np.maximum(above[2][place] / total - mean**2, 0), 0.0)


# Whether luck is heavier than exponential, when some of its values are lower bounds.
#
# What lies above the median by :math:`y` is compared under two laws: exponential, and generalised Pareto,
# which is exponential for shape :math:`\xi = 0` and has a heavy tail for :math:`\xi > 0`,
#
# .. math:: P(Y > y) = (1 + \theta y)^{-1 / \xi}.
#
# For a given :math:`\theta` the likeliest shape is :math:`\xi = \sum \log(1 + \theta y_i) / D` with D the
# complete values, and the likelihoods differ by :math:`-D \log(\xi / \theta) - \sum_{complete} \log(1 +
# \theta y_i)` where the mean of the exponential law is 1. The statistic is the largest difference over
# :math:`\theta`, by a grid and a parabola. It needs no choice of a threshold and does not stumble over
# ties, so that times in whole seconds raise no false alarm.
#
# Dividing by the median of a small stage makes any luck look heavier, and killed copies make it look
# lighter. So the statistic is compared with histories of the same stages that are simulated with
# exponential luck, in which copies are killed as in the real one (the bounds are drawn from their own
# Kaplan-Meier estimate).

#: Simulated histories: chances are told to half a percent.
SIMULATED = 199
#: Copies on which the test is made, which find any tail worth the name; it is repeated on simulated ones.
TESTED = 2_000
_THETAS = np.geomspace(0.02, 30, 16)


def heavier_than_exponential(stage: np.ndarray, x: np.ndarray, complete: np.ndarray, seed: int = 1) -> float:
    """Return the chance that exponential luck looks at least as heavy as this.

    Parameters
    ----------
    stage : ndarray of int, shape (n,)
        Stage of each copy.
    x : ndarray of float, shape (n,)
        Ratio to the median of the complete copies of its stage.
    complete : ndarray of bool, shape (n,)
        Whether it is a whole duration and no lower bound.
    seed : int
        Of the simulated histories.

    Returns
    -------
    float
        A p value: under exponential luck it is at most p with probability p.
    """
    random = np.random.default_rng([seed, 19])
    if stage.size > TESTED:
        first = random.permutation(stage.max() + 1)[stage]  # whole stages in random order, the last one cut
        chosen = np.lexsort((random.random(stage.size), first))[:TESTED]
        stage, x, complete = stage[chosen], x[chosen], complete[chosen]
    sizes = np.bincount(np.unique(stage, return_inverse=True)[1])
    simulated = heaviness(*_exponential_histories(sizes, x, complete, random))
    return float(1 + np.count_nonzero(simulated >= heaviness(x, complete))) / (1 + SIMULATED)


def heaviness(x: np.ndarray, complete: np.ndarray) -> np.ndarray:
    """Return how much likelier the generalised Pareto law is above 1, in log likelihood; 0 if it is not.

    Examples
    --------
    >>> quantiles = (np.arange(200) + 0.5) / 200
    >>> everything = np.ones(200, bool)
    >>> light, heavy = quantiles / 0.5, (2 - 2 * quantiles) ** (-1 / 1.5)
    >>> heaviness(np.array([light, heavy]), everything).round(1)
    array([ 0. , 26.9])
    """
    above = np.maximum(x - 1, 0.0)
    complete = complete & (x > 1)
    died = np.maximum(complete.sum(axis=-1), 1)
    mean = above.sum(axis=-1) / died
    above = above / np.where(mean > 0, mean, 1.0)[..., None]
    likelier = np.empty((_THETAS.size, *died.shape))
    for place, theta in enumerate(_THETAS):
        log = np.log1p(theta * above)
        shape = np.where(mean > 0, log.sum(axis=-1) / died, theta)
        likelier[place] = -died * np.log(shape / theta) - np.sum(log, axis=-1, where=complete)
    return np.maximum(_top(likelier), 0.0)


def _top(values: np.ndarray) -> np.ndarray:
    """Return the largest value along the first axis, by a parabola through it and its neighbours."""
    place = np.clip(values.argmax(axis=0), 1, len(values) - 2)
    left, middle, right = (np.take_along_axis(values, place[None] + step, 0)[0] for step in (-1, 0, 1))
    bend = 2 * middle - left - right
    top = middle + np.where(bend > 0, (right - left) ** 2 / (8 * np.where(bend > 0, bend, 1.0)), 0.0)
    return np.where(bend > 0, top, values.max(axis=0))


def _exponential_histories(
    sizes: np.ndarray, x: np.ndarray, complete: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return ratios and completeness of histories of stages of these sizes with exponential luck."""
    bounds, survival = kaplan_meier(x, ~complete)
    ratios, whole = [], []
    for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
        drawn = random.standard_exponential((SIMULATED, count, size)) / np.log(2)
        bound = np.full(drawn.shape, np.inf)
        if bounds.size:
            place = np.searchsorted(-survival, -random.random(drawn.shape), side="left")
            bound = np.append(bounds, np.inf)[place]
        ended = drawn <= bound
        drawn = np.minimum(drawn, bound)
        ratios.append((drawn / _median(drawn, ended)[..., None]).reshape(SIMULATED, -1))
        whole.append(ended.reshape(SIMULATED, -1))
    return np.concatenate(ratios, axis=1), np.concatenate(whole, axis=1)


def _median(values: np.ndarray, complete: np.ndarray) -> np.ndarray:
    """Return the median of the complete values along the last axis; the largest bound if there are none."""
    ranked = np.sort(np.where(complete, values, np.inf), axis=-1)
    number = complete.sum(axis=-1)
    places = np.stack([np.maximum(number - 1, 0) // 2, number // 2], axis=-1)
    middle = np.take_along_axis(ranked, places, axis=-1).mean(axis=-1)
    return np.where(np.isfinite(middle), middle, values.max(axis=-1))


# A Pareto tail fitted to values, some of them lower bounds.
#
# Above :math:`x_{min}` the index is fitted by maximum likelihood under censoring,
#
# .. math:: \hat\alpha = \frac{D}{\sum_i \log(\min(x_i, c_i) / x_{min})},
#
# with D the complete exceedances. :math:`x_{min}` is where the fitted law is nearest to the Kaplan-Meier
# estimate of the exceedances at the complete ones (Clauset, Shalizi and Newman, 2009, whose choice this is
# without censoring). Packages for heavy tails know no censoring, so the fit is ours; SciPy does the
# optimisation.
#
# Two known biases of ratios to the median of a small stage are taken away. The copies in the middle of a
# stage have ratios near 1 whatever the law is: with :math:`x_{min}` at 1 they would raise an index of 1.5
# by 9 % in stages of 10 to 30 tasks, so it is at least `LEAST`, above which ratios of a Pareto law are
# Pareto again. And the estimate is on average D / (D - 1) of the index, with D the effective number (Kish)
# of weighted copies.
#
# What is left is not of the estimate but of the data: durations with an upper limit, or with a constant
# part that does not straggle (the overhead of a task), are lighter than the luck they hold. A limit at 12
# times the least duration makes 1.5 look like 1.6, a constant tenth of it adds 0.05.

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


def _exponential_likelihood(
    x: np.ndarray, complete: np.ndarray, weight: np.ndarray, x_min: float
) -> np.ndarray:
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
    exponential = _exponential_likelihood(x, complete, weight, x_min)
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


#: Probability with which a tail is reported where luck is exponential. It balances two errors: in a small
#: history, six stages of twenty tasks, a Pareto tail of index 1.8 is missed about as often.
FALSE_ALARM = 0.1
#: Index from which a tail is none to speak of, if all of its interval is beyond.
LIGHT = 5.0
#: Finished tasks below which the median of a stage says too little of how slow its slowest is.
SOME = 5


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
    p : float or None
        Chance that exponential luck looks as heavy; None if that cannot be told.
    """

    x: np.ndarray = field(repr=False)
    survival: np.ndarray = field(repr=False)
    points: pd.DataFrame = field(repr=False)
    tail: Tail | None
    verdict: str
    p: float | None = None


def luck(ratios: pd.DataFrame, residual: np.ndarray, seed: int = 1) -> Luck:
    """Estimate the law of luck from `durations.ratios` and the residual of `shares`."""
    frame = ratios.assign(log=residual)
    frame = frame[frame["finished"] >= SOME]
    if frame.empty:
        nothing = np.empty(0)
        points = pd.DataFrame({"ratio": nothing, "complete": nothing.astype(bool)})
        return Luck(
            nothing, nothing, points, None, f"No stage has {SOME} finished tasks: nothing is known of luck."
        )
    median = frame[frame["complete"]].groupby("stage")["log"].median().reindex(frame["stage"]).to_numpy()
    x = np.exp(frame["log"].to_numpy() - median)
    complete = frame["complete"].to_numpy(bool)
    weight = frame["weight"].to_numpy(float)
    weight = weight * weight.sum() / np.sum(weight**2)  # sums to the effective number of copies (Kish)
    values, survival = kaplan_meier(x, complete, weight)
    points = pd.DataFrame({"ratio": x, "complete": complete})
    return Luck(values, survival, points, *_judged(frame["stage"].to_numpy(int), x, complete, weight, seed))


def _judged(
    stage: np.ndarray, x: np.ndarray, complete: np.ndarray, weight: np.ndarray, seed: int
) -> tuple[Tail | None, str, float | None]:
    if np.count_nonzero((x > 1) & complete) < 2 * FEWEST:
        return (
            None,
            f"Fewer than {2 * FEWEST} finished copies lie above the median: no tail can be told.",
            None,
        )
    p = heavier_than_exponential(stage, x, complete, seed)
    if p > FALSE_ALARM:
        return None, _no_tail(p), p
    tail = fit_tail(x, complete, weight, seed)
    if tail is not None and tail.low > LIGHT:
        return None, f"No heavy tail: an index of {LIGHT:g} or less does not fit the largest ratios.", p
    if tail is None or tail.better == "exponential":
        return None, "No heavy tail: the largest ratios fall off as an exponential law.", p
    return (
        tail,
        f"Luck has a Pareto tail of index {tail.index:.2f} above {tail.x_min:.2f} times the median.",
        p,
    )


def _no_tail(p: float) -> str:
    """Say that there is no tail, or that a tail cannot be told from exponential luck."""
    if p > 0.5:
        return "No heavy tail: luck is no heavier than exponential."
    return (
        f"No heavy tail can be shown: exponential luck looks as heavy in {in_percent(p)} of such histories."
    )
