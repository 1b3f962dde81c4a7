r"""What a cold slot costs: seconds, which do not grow with the luck of a copy and hardly with its stage.

The fit takes a cold slot as a factor, alike for all stages. To load code takes as long for a short task as
for a long one, and for a lucky one as for an unlucky one. So the ratio of the duration of a copy to its usual
warm one, *m*, is regressed within stages on

.. math:: a \cdot (M/m)^{1-\gamma} \cdot \text{cold for the stage} + b \cdot \text{cold for all},

M the usual *m*; :math:`\gamma = 0` stands for equal seconds and 1 for an equal factor, and how well each fits
says how likely it is. Slow copies weigh less, by Student's t law: luck that is skewed alike for cold and warm
slots moves no slope. The draws are of a bootstrap over stages.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sim.advice.diagnosis.effects import Effect, away_from_input
from sim.advice.diagnosis.shares import Shares

_GROWTH = (0.0, 0.5, 1.0)
_FREEDOM, _STEPS = 3.0, 8


def cold_seconds(ratios: pd.DataFrame, shares: Shares, draws: int, seed: int) -> Effect:
    """Return draws of the seconds that a cold slot adds to each copy.

    Parameters
    ----------
    ratios : DataFrame
        From `durations.ratios`.
    shares : Shares
        From them.
    draws, seed : int
    """
    one, random = shares.fit.columns, np.random.default_rng([seed, 83])
    warm = np.exp(one.y - shares.residual - shares.fit.first_wave())
    done, stage = one.complete, one.stage
    away = np.nan_to_num(away_from_input(ratios))
    fitted = []
    for growth in _GROWTH:
        more = (float(np.median(warm)) / warm) ** (1 - growth)
        columns = np.column_stack([one.cold[:, 0] * more, one.cold[:, 1], away])
        fitted.append((columns, *_robust(np.exp(one.y) / warm, columns, done, stage)))
    misfit = np.array([one[-1] for one in fitted])
    share = np.exp((misfit.min() - misfit).clip(-500))
    found = []
    for place in random.choice(len(_GROWTH), size=draws, p=share / share.sum()):
        columns, square, product, _ = fitted[place]
        often = random.poisson(1.0, len(square))
        left = np.tensordot(often, square, 1) + 1e-9 * np.eye(columns.shape[1])
        slopes = np.linalg.solve(left, often @ product)
        found.append(warm * (columns[:, :2] @ slopes[:2]))
    return Effect(np.array(found))


def _robust(
    ratio: np.ndarray, columns: np.ndarray, done: np.ndarray, stage: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the normal equations of each stage at the robust fit, and its misfit (minus log likelihood)."""
    code = np.unique(stage[done], return_inverse=True)[1]
    count = int(code.max(initial=-1)) + 1
    y, x = ratio[done], columns[done]
    weight, slopes = np.ones(y.size), np.zeros(x.shape[1])
    for _ in range(_STEPS):
        total = np.bincount(code, weight, count)
        both = np.column_stack([y, x])
        mean = np.column_stack([np.bincount(code, weight * one, count) / total for one in both.T])
        both = both - mean[code]
        own, other = both[:, 0], both[:, 1:]
        square = (weight[:, None, None] * other[:, :, None] * other[:, None, :]).sum(axis=0)
        slopes = np.linalg.solve(square + 1e-9 * np.eye(len(slopes)), (weight * own) @ other)
        left = own - other @ slopes
        scale = 1.5 * float(np.median(np.abs(left))) + 1e-6
        weight = (_FREEDOM + 1) / (_FREEDOM + (left / scale) ** 2)
    squares = np.zeros((count, x.shape[1], x.shape[1]))
    np.add.at(squares, code, weight[:, None, None] * other[:, :, None] * other[:, None, :])
    products = np.zeros((count, x.shape[1]))
    np.add.at(products, code, (weight * own)[:, None] * other)
    misfit = (_FREEDOM + 1) / 2 * np.log1p((left / scale) ** 2 / _FREEDOM) + np.log(scale)
    return squares, products, float(misfit.sum())
