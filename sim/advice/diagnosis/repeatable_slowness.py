r"""How likely slow tasks are slow by themselves: by work that the log does not show and no copy avoids.

One run without copies cannot tell luck from work that stands in no byte count. What cannot be told is
carried, not decided: :math:`\lambda` is the share of slow tasks that would be as slow again, and everything
after this draws it from its posterior.

Stages whose counts explain durations show their work; what is known of them says nothing of stages whose
counts are flat or unknown. So both groups have a :math:`\lambda` of their own (`shows`).

*Before pairs are looked at*, that any are (:math:`\lambda > 0`) has the odds `PRIOR`, times what signs say
(each a judgement, stated here once): work that shows is no longer hidden; counts that are flat speak a little
against more; stragglers spread over stages more evenly than chance allows (one a stage, as skewed partitions
are) speak for it. Where work shows, what is left of slow tasks is luck. As much luck is expected where it
does not show, up to a factor with Student's t law on the log (`RATES`): slow tasks beyond that are work
(:math:`\lambda` is such that :math:`(1 - \lambda)` times their share is luck's).

*Stages that recur* in jobs of one name tell whether the same tasks are slow again (`recurrence`), unless work
that no count shows falls on other tasks in each run. What returns there is in the fit already; it speaks for
work in jobs that came once.

*Pairs* of an original and its copy then decide. Under luck the copy of an original that ran for `o` and was
copied after `d` is beaten with probability S(o - d), S the survival of luck; under work it is as slow as
the original and nearly always beaten. Each pair multiplies the likelihood of :math:`\lambda` by
:math:`\lambda L_{work} + (1 - \lambda) L_{luck}`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import special

from sim.advice.diagnosis.effects import measured
from sim.advice.diagnosis.hierarchy import COUNTED, SLOW, SPREADS, Posterior
from sim.advice.diagnosis.luck import kaplan_meier
from sim.advice.diagnosis.shares import Shares
from sim.advice.diagnosis.spells import SHARES, STAYS, recurrence
from sim.logs.history import FINISHED
from sim.telling.words import in_percent

#: Odds that some slow tasks are slow by themselves, in a log that says nothing of it.
PRIOR = 0.25
#: Factor by which each sign multiplies the odds.
SEEN, EQUAL, REGULAR = 0.1, 0.5, 10.0
#: Spread of log durations between a task that is slow by itself and its copy.
_ALIKE = 0.3
#: Spread of the log ratio of luck's slow tasks in two groups of stages, and degrees of freedom of its t law.
RATES, _RATES_FREEDOM = 0.5, 3.0
#: Copies of each group of stages from which their slow tasks are compared.
_GROUP = 100
#: Tasks that are slow by work or luck where work shows, from which its stages tell of the others.
_TOLD = 5
#: Least log of counts over the median of the stage that differs, and slope by which they explain durations.
_DIFFER, _CLEAR = 0.1, 0.2
#: Chance that a copy of a task that is slow by itself wins all the same, at least.
_LUCKY = 0.02
#: Likelihood of pairs, against luck alone, from which all slow tasks may be slow by themselves.
_EXCLUDED = 0.05
#: Largest share that is told from all, and quantiles by which the chance of any is counted.
_MOST, _RANKS = 0.97, 400
#: Likelihood from which work that no count shows falls on the same tasks in each run.
_CLEARLY = 10.0
#: Share of the variance of work that shows that is common to the runs of a task, from which it recurs.
_SAME = 0.5
#: Copies from which stages that recur, or how stragglers spread over stages, tell something.
_MANY = 100
_SHUFFLES, _SURE = 400, 0.01
#: Tasks from which the median of a stage says which of its tasks are slow.
_LARGE = 10
#: Steps of the mean over how long an original would have run.
_STEPS = 16


@dataclass(frozen=True, eq=False)
class Hidden:
    """What is known of work that no count shows.

    Parameters
    ----------
    probability : float
        That a tenth of the slow tasks or more would be as slow again.
    share : ndarray
        Posterior of `SHARES` where no count shows work.
    shown : ndarray
        The same of slow tasks where counts do.
    weight : float
        Share of the slow tasks that are where no count shows work.
    pairs : int
        Pairs of original and copy that were looked at.
    between : tuple of (float, float)
        95 % interval of the share of all slow tasks that would be as slow again.
    excluded : bool
        Whether they rule out that all slow tasks are slow by themselves.
    signs : tuple of str
        What speaks for it or against it, a sentence each.
    """

    probability: float
    share: np.ndarray = field(repr=False)
    shown: np.ndarray = field(repr=False)
    weight: float
    pairs: int
    between: tuple[float, float]
    excluded: bool
    signs: tuple[str, ...]

    @property
    def again(self) -> float:
        """Share of all slow tasks that would be as slow again, in the mean."""
        return float(self.weight * (self.share @ SHARES) + (1 - self.weight) * (self.shown @ SHARES))

    def drawn(self, draw: int, draws: int) -> tuple[float, float]:
        """Return the shares of slow tasks that would be as slow again in one of some draws of the posterior.

        The first is of tasks whose work no count shows, the second of the others. The draws are quantiles in
        random order, so that a share of probability p is in about p of them. In the last one all are, unless
        pairs rule it out: signs are judgements, and whoever follows advice is to know what it does if they
        mislead.
        """
        rank = np.random.default_rng(37).permutation(draws)[draw]
        if rank == draws - 1 and not self.excluded:
            return 1.0, 1.0
        place = (rank + 0.5) / draws
        return _quantile(self.share, place), _quantile(self.shown, place)

    @property
    def likeliest(self) -> tuple[float, float]:
        """The likeliest of both shares."""
        return float(SHARES[int(np.argmax(self.share))]), float(SHARES[int(np.argmax(self.shown))])


def _quantile(share: np.ndarray, place: float) -> float:
    return float(SHARES[min(int(np.searchsorted(np.cumsum(share), place)), SHARES.size - 1)])


def shows(fit: Posterior) -> np.ndarray:
    """Say of each copy whether counts show the work of its stage: they differ, and explain durations."""
    one, draws = fit.columns, fit.draws
    differ = pd.DataFrame(np.abs(one.x)).groupby(one.stage).transform("max").to_numpy() > _DIFFER
    clear = np.append(
        (draws.slope > _CLEAR).mean(axis=0), (draws.common_slope > _CLEAR).mean(axis=0)[None], 0
    )
    return np.asarray((differ & (clear[one.kind] > 0.95)).any(axis=1))


def hidden(ratios: pd.DataFrame, shares: Shares) -> Hidden:
    """Weigh what speaks for and against work that no count shows; arguments as of `causes.causes`."""
    if not shares.residual.size or shares.luck is None:
        share = _posterior(PRIOR, np.ones(SHARES.size))
        return Hidden(PRIOR / (1 + PRIOR), share, share, 1.0, 0, (0.0, 1.0), False, ())
    odds, signs = PRIOR, []
    shown, slow = shows(shares.fit), _slow(shares, shares.residual)
    recurring, returns, said = _returned(ratios, shares, shown)
    factor, even = _regular(shares)
    odds *= factor
    signs += [one for one in (said, even) if one]
    equal, said = _flat(ratios, shown)
    # what is slow in one group is so in the other, whatever the noise of a kind: it may be work, too
    compared, other = _compared(shares.fit, shown, _above_usual(shares, shares.residual) > np.log(SLOW))
    signs = [one for one in (_about_shown(shown), said, other) if one] + signs
    likelihood, pairs, said = _pairs(ratios, shares)
    signs += [said] if said else []
    share = _posterior(odds * equal, likelihood * compared * recurring)
    seen = _posterior(odds * SEEN, likelihood)
    known = shown | returns  # what returns is in the fit
    weight = float(np.mean(~known[slow])) if slow.any() else float(np.mean(~known))
    excluded = bool(likelihood[-1] < _EXCLUDED * likelihood[0])
    places = (np.arange(_RANKS) + 0.5) / _RANKS
    both = np.array([[_quantile(one, place) for one in (share, seen)] for place in places])
    again = both @ [weight, 1 - weight]
    low, high = np.quantile(again, [0.025, 0.975])
    probability = float(np.mean(again >= SHARES[1] - 1e-9))
    if weight in (0.0, 1.0):
        probability = float(1 - (share if weight else seen)[0])
    between = float(low), float(high)
    return Hidden(probability, share, seen, weight, pairs, between, excluded, tuple(signs))


def _posterior(odds: float, likelihood: np.ndarray) -> np.ndarray:
    """Return the posterior of the share from the prior odds of any and the likelihood of each."""
    prior = np.full(SHARES.size, odds / (1 + odds) / (SHARES.size - 1))
    prior[0] = 1 / (1 + odds)
    found = prior * likelihood
    return np.asarray(found / found.sum())


def _about_shown(shown: np.ndarray) -> str:
    """Say where work is visible in bytes or records."""
    if not shown.any():
        return ""
    where = "this log" if shown.all() else f"stages with {in_percent(float(shown.mean()))} of the tasks"
    return f"tasks with more bytes or records take longer in {where}: their work is visible"


def _flat(ratios: pd.DataFrame, shown: np.ndarray) -> tuple[float, str]:
    """Say whether what is counted where work does not show is as much of slow tasks as of others."""
    counts = [ratios[name].gt(0) for name in COUNTED if name in ratios]
    if shown.all() or not any(count[~shown].mean() > 0.5 for count in counts):
        return 1.0, ""
    where = "elsewhere " if shown.any() else ""
    return EQUAL, f"{where}slow tasks have as many bytes and records as others"


def _slow(shares: Shares, level: np.ndarray) -> np.ndarray:
    """Say of which copies a part of the log duration is beyond the noise of their kind."""
    noise = SPREADS * float(shares.fit.draws.scale.mean()) * shares.fit.spread()
    return np.asarray(_above_usual(shares, level) > np.maximum(np.log(SLOW), noise))


def _above_usual(shares: Shares, level: np.ndarray) -> np.ndarray:
    """Return a part of each log duration over the median of its stage."""
    usual = pd.Series(level).groupby(shares.fit.columns.stage).transform("median").to_numpy()
    return np.asarray(level - usual)


def _compared(fit: Posterior, shown: np.ndarray, slow: np.ndarray) -> tuple[np.ndarray, str]:
    """Return the likelihood of each share where no count shows work, from slow tasks in both groups."""
    luck, all_of = (int(np.count_nonzero(slow[group])) for group in (shown, ~shown))
    here, there = int(np.count_nonzero(shown)), int(np.count_nonzero(~shown))
    work = pd.Series(fit.seen_work())
    large = work - work.groupby(fit.columns.stage).transform("median") > np.log(SLOW)
    # where no task is slow for any reason nothing is told of those elsewhere
    if min(here, there) < _GROUP or luck + int(np.count_nonzero(large[shown])) < _TOLD or not all_of:
        return np.ones(SHARES.size), ""
    rate = np.linspace(0.5, 199.5, 200) / 200 * min(1.0, 4 * (luck + 4) / here)
    known = np.exp(_chance(luck, here, rate))
    away = np.linspace(-4, 4, 161)
    likely = (1 + (away / RATES) ** 2 / _RATES_FREEDOM) ** (-(_RATES_FREEDOM + 1) / 2)  # Student's t law
    seen = rate[:, None, None] * np.exp(away)[None, :, None] / (1 - np.minimum(SHARES, _MOST))
    found = np.exp(_chance(all_of, there, np.minimum(seen, 1 - 1e-9)))
    likelihood = np.einsum("r,a,ras->s", known, likely, found)
    said = (
        f"where work is visible {in_percent(luck / here, 1)} of the tasks are slow for another reason, "
        f"elsewhere {in_percent(all_of / there, 1)} are slow"
    )
    return np.asarray(likelihood / likelihood.max()), said


def _chance(hits: int, count: int, rate: np.ndarray) -> np.ndarray:
    """Return the log of the binomial probability of some hits at each rate.

    Examples
    --------
    >>> np.exp(_chance(1, 2, np.array([0.5, 1.0]))).round(3).tolist()
    [0.5, 0.0]
    """
    ways = special.gammaln(count + 1) - special.gammaln(hits + 1) - special.gammaln(count - hits + 1)
    return np.asarray(ways + special.xlogy(hits, rate) + special.xlog1py(count - hits, -rate))


def _returned(ratios: pd.DataFrame, shares: Shares, shown: np.ndarray) -> tuple[np.ndarray, np.ndarray, str]:
    """Return the likelihood of each share where stages recur, copies in which work returns, and a sentence.

    Stages of jobs of other names may have the same name, such as ``map``, and other work.
    """
    fit = shares.fit
    one, nothing = fit.columns, np.zeros(len(ratios), bool)
    first = ~ratios["speculative"].to_numpy(bool) & (one.place >= 0)
    place = np.full(len(ratios), -1)
    place[first] = pd.MultiIndex.from_arrays(
        [one.place[first], pd.factorize(ratios["job_name"])[0][first]]
    ).factorize()[0]
    level = shares.residual + fit.hidden_work() - measured(ratios, one.kind)
    found = recurrence(place, one.stage, one.kind, one.host, one.cold, _slow(shares, level))
    if found.runs < _MANY or not found.pairs:
        return np.ones(SHARES.size), nothing, ""
    stays = STAYS
    if shown.any():  # work that shows may fall on other tasks in each run: so would work that does not
        seen = pd.Series(np.maximum(fit.seen_work(), 0.0)[shown & first])
        again = seen.groupby(place[shown & first]).transform("mean")
        stays = STAYS if again.var() >= _SAME * seen.var() else 1 - STAYS
    likelihood = stays * found.likelihood + (1 - stays)
    counts = f"({found.both} of {found.pairs} times)"
    if found.likelihood.argmax() and found.likelihood.max() > _CLEARLY:
        returns = place >= 0
        returns[returns] = np.bincount(place[first])[place[first]] > 1
        return (
            likelihood,
            returns,
            f"the same tasks are slow again where their stage recurs {counts}: their work is longer",
        )
    said = f"tasks that were slow are not slow again where their stage recurs {counts}"
    return likelihood, nothing, said if stays == STAYS else ""


def _regular(shares: Shares) -> tuple[float, str]:
    """Compare how stragglers spread over stages with chance: all of luck shuffled over all copies."""
    stage, size = np.unique(shares.fit.columns.stage, return_inverse=True, return_counts=True)[1:]
    chosen = size[stage] >= _LARGE
    stage, luck = np.unique(stage[chosen], return_inverse=True)[1], shares.residual[chosen]
    if stage.size < _MANY:
        return 1.0, ""
    size = np.bincount(stage)
    order = np.argsort(luck, kind="stable")
    in_order, rank = luck[order], np.argsort(order)

    def unevenness(rank: np.ndarray) -> float:
        """How unevenly stragglers spread over stages, each told by the median of its stage."""
        values = in_order[rank]
        slow = values - medians(stage, size, rank, in_order)[stage] > np.log(SLOW)
        count = np.bincount(stage, slow, size.size)
        return float(np.sum((count - size * slow.mean()) ** 2 / size)) / max(float(slow.mean()), 1e-9)

    random = np.random.default_rng(41)
    shuffled = np.array([unevenness(random.permutation(rank)) for _ in range(_SHUFFLES)])
    seen = unevenness(rank)
    if (1 + np.count_nonzero(shuffled <= seen)) / (1 + _SHUFFLES) < _SURE:
        return REGULAR, "stragglers are spread over stages more evenly than chance: as skewed partitions are"
    return 1.0, ""


def medians(stage: np.ndarray, size: np.ndarray, rank: np.ndarray, in_order: np.ndarray) -> np.ndarray:
    """Return the median of each stage; whole numbers are sorted for all stages at once.

    Parameters
    ----------
    stage, rank : ndarray of int
        Of each value: its stage, and its place in the order of all values.
    size : ndarray of int
        Values of each stage.
    in_order : ndarray
        All values in that order.

    Examples
    --------
    >>> medians(np.array([0, 1, 0, 0, 1]), np.array([3, 2]), np.array([4, 0, 1, 3, 2]), np.arange(5) / 2)
    array([1.5, 0.5])
    """
    first = np.cumsum(size) - size
    within = in_order[np.sort(stage * rank.size + rank) % rank.size]
    return (within[first + (size - 1) // 2] + within[first + size // 2]) / 2


def _pairs(ratios: pd.DataFrame, shares: Shares) -> tuple[np.ndarray, int, str]:
    """Return the likelihood of each share from pairs of original and copy, how many, and a sentence."""
    nothing = np.ones(SHARES.size), 0, ""
    second = ratios["speculative"].to_numpy(bool)
    if not second.any():
        return nothing
    complete = ratios["complete"].to_numpy(bool)
    spread = shares.fit.spread()
    x, survival = kaplan_meier(shares.residual / spread, complete)
    if x.size < 10:  # too few to know how long luck lasts
        return nothing
    frame = ratios[["stage", "task", "launch", "duration", "fate"]].assign(
        level=np.log(ratios["duration"]) - shares.residual, spread=spread, done=complete
    )
    keys = ["stage", "task"]
    first = frame[~second].drop_duplicates(keys, keep="last")
    both = frame[second].merge(first, on=keys, suffixes=("", "_first"))
    delay = (both["launch"] - both["launch_first"]).to_numpy(float)
    both, delay = both[delay > 0], delay[delay > 0]
    won = both["fate"].eq(FINISHED).to_numpy()
    beaten = ~won & both["done_first"].to_numpy(bool)
    level, level_first = both["level"].to_numpy(float), both["level_first"].to_numpy(float)
    width, width_first = both["spread"].to_numpy(float), both["spread_first"].to_numpy(float)

    def longer(seconds: np.ndarray) -> np.ndarray:  # chance that a copy's luck takes it beyond them
        z = (np.log(np.maximum(seconds, 1e-9)) - level) / width
        return np.interp(z, x, survival, left=1.0, right=float(survival[-1]))

    # before its end is known, an original that is copied lasts as long as luck beyond the delay does
    begin = np.interp((np.log(delay) - level_first) / width_first, x, survival, left=1.0, right=0.0)
    wins_by_luck, wins_by_work = np.zeros(len(both)), np.zeros(len(both))
    for step in (np.arange(_STEPS) + 0.5) / _STEPS:
        z = np.interp(-begin * (1 - step), -survival, x)
        lasting = np.exp(np.maximum(level_first + width_first * z, np.log(delay) + 1e-6))
        rest = np.maximum(lasting - delay, 1e-9)
        wins_by_luck += (1 - longer(rest)) / _STEPS
        same = np.log(lasting) - level_first + level
        wins_by_work += special.ndtr((np.log(rest) - same) / _ALIKE) / _STEPS
    original = both["duration_first"].to_numpy(float)
    left = np.maximum(original - delay, 1e-9)
    same = np.log(np.maximum(original, 1e-9)) - level_first + level  # log duration of a copy as slow
    by_luck = np.clip(np.where(won, wins_by_luck, longer(left)), 1e-3, 1)
    by_work = np.where(won, np.clip(wins_by_work, _LUCKY, 1), special.ndtr((same - np.log(left)) / _ALIKE))
    told = won | beaten
    if not told.any():
        return nothing
    mixed = np.log(SHARES[:, None] * by_work[told] + (1 - SHARES[:, None]) * by_luck[told])
    log = mixed.sum(axis=1)
    said = (
        f"{int(won.sum())} of {int(told.sum())} copies beat their original; by luck alone about "
        f"{wins_by_luck[told].sum():.0f} would"
    )
    return np.exp(log - log.max()), int(told.sum()), said
