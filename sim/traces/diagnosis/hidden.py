r"""How likely slow tasks are slow by themselves: by work that the log does not show and no copy avoids.

One run without copies cannot tell luck from work that stands in no byte count. What cannot be told is
carried, not decided: :math:`\lambda` is the share of slow tasks that would be as slow again, and everything
after this draws it from its posterior.

*Before pairs are looked at*, that any are (:math:`\lambda > 0`) has the odds `PRIOR`, times what signs say
(each a judgement, stated here once): bytes or records that explain durations show that work is visible in
this log; the same index in many stages of one kind, in jobs of one name, that is *not* slow again speaks
against work that stays;
stragglers spread over stages more evenly than chance allows (one a stage, as skewed partitions are) speak
for it.

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

from sim.traces.diagnosis.shares import Shares
from sim.traces.diagnosis.survival import kaplan_meier
from sim.traces.history import FINISHED

#: Odds that some slow tasks are slow by themselves, in a log that says nothing of it.
PRIOR = 0.25
#: Factor by which each sign multiplies the odds.
SEEN, EQUAL, RETURNED, REGULAR = 0.1, 0.5, 0.1, 10.0
#: Grid of the share of slow tasks that would be as slow again.
SHARES = np.linspace(0, 1, 11)
#: Spread of log durations between a task that is slow by itself and its copy.
_ALIKE = 0.3
#: Chance that a copy of a task that is slow by itself wins all the same, at least.
_LUCKY = 0.02
#: Likelihood of pairs, against luck alone, from which all slow tasks may be slow by themselves.
_EXCLUDED = 0.05
#: Recurring copies from which it counts that none returned; luck from which a task is slow.
_MANY, SLOW = 100, 1.5
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
        Posterior of `SHARES`.
    pairs : int
        Pairs of original and copy that were looked at.
    excluded : bool
        Whether they rule out that all slow tasks are slow by themselves.
    signs : tuple of str
        What speaks for it or against it, a sentence each.
    """

    probability: float
    share: np.ndarray = field(repr=False)
    pairs: int
    excluded: bool
    signs: tuple[str, ...]

    def drawn(self, draw: int, draws: int) -> float:
        """Return the share of slow tasks that would be as slow again in one of some draws of the posterior.

        The draws are its quantiles in random order, so that a share of probability p is in about p of them.
        In the last one all are, unless pairs rule it out: signs are judgements, and whoever follows advice is
        to know what it does if they mislead.
        """
        rank = np.random.default_rng(37).permutation(draws)[draw]
        if rank == draws - 1 and not self.excluded:
            return 1.0
        place = (rank + 0.5) / draws
        return float(SHARES[min(int(np.searchsorted(np.cumsum(self.share), place)), SHARES.size - 1)])


def hidden(ratios: pd.DataFrame, shares: Shares) -> Hidden:
    """Weigh what speaks for and against work that no count shows; arguments as of `causes.causes`."""
    if not shares.residual.size or shares.luck is None:
        return Hidden(PRIOR / (1 + PRIOR), _posterior(PRIOR, np.ones(SHARES.size)), 0, False, ())
    odds, signs = PRIOR, []
    for factor, said in (_bytes(shares), _returned(ratios, shares), _regular(shares)):
        odds *= factor
        signs += [said] if said else []
    likelihood, pairs, said = _pairs(ratios, shares)
    signs += [said] if said else []
    share = _posterior(odds, likelihood)
    excluded = bool(likelihood[-1] < _EXCLUDED * likelihood[0])
    return Hidden(float(1 - share[0]), share, pairs, excluded, tuple(signs))


def _posterior(odds: float, likelihood: np.ndarray) -> np.ndarray:
    """Return the posterior of the share from the prior odds of any and the likelihood of each."""
    prior = np.full(SHARES.size, odds / (1 + odds) / (SHARES.size - 1))
    prior[0] = 1 / (1 + odds)
    found = prior * likelihood
    return np.asarray(found / found.sum())


def _bytes(shares: Shares) -> tuple[float, str]:
    """Say whether work is visible in bytes or records."""
    fit = shares.fit
    x, kind = fit.columns.x, fit.columns.kind
    known = np.unique(kind[np.abs(x).max(axis=1) > 0.1])
    if known.size:
        clear = ((fit.draws.slope[:, known] > 0.2).mean(axis=0) > 0.95).any(axis=1)
        if clear.mean() > 0.5:
            return SEEN, "tasks that read more take longer: work is visible in this log"
        return EQUAL, "what tasks read explains little of their time"
    if np.abs(x).max() > 1e-9 or shares.fit.columns.counted:
        return EQUAL, "slow tasks read as much as others"
    return 1.0, ""


def _returned(ratios: pd.DataFrame, shares: Shares) -> tuple[float, str]:
    """Say whether the same tasks are slow again where stages recur; what returns is in the fit already.

    Stages of jobs of other names may have the same name, such as ``map``, and other work.
    """
    fit = shares.fit
    same = [fit.columns.place, ratios["job_name"].to_numpy()]
    stages = pd.Series(fit.columns.stage).groupby(same).transform("nunique").to_numpy()
    known = (fit.columns.place >= 0) & (stages > 1)
    if known.sum() < _MANY:
        return 1.0, ""
    effect = fit.hidden_work()[known]
    level = shares.residual[known]
    if effect.var() < 0.1 * max(level.var(), 1e-12):
        return RETURNED, "tasks that were slow are not slow again where their stage recurs"
    return 1.0, "the same tasks are slow again where their stage recurs: their work is longer"


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
