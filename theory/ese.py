r"""Copies in a busy cluster (ESE), and the rule of Mantri it extends.

A task of :math:`\mathrm{Pareto}(\mu, \alpha)` duration (mean :math:`\bar x`, :math:`\alpha` the
tail index of task times) is first looked at when a machine falls free: at a time uniform over its
run. If what then remains exceeds :math:`\sigma \bar x`, it gets one new copy.

The number of copies which ESE gives to a small new job, equation (29), is
`theory.cloned_job.optimal_job_clones`; its best threshold is `theory.detection.sigma_star`.

Reference: H. Xu and W. C. Lau, "Optimization for Speculative Execution of Multiple Jobs in a
MapReduce-like Cluster", sections II and VI.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.domain import require, within_floats
from theory.shape import Numbers, numbers, plain


@within_floats
def ese_resource(sigma: ArrayLike, alpha: ArrayLike) -> Numbers:
    r"""Mean resource used by a task under ESE.

    With :math:`u = \frac{\alpha - 1}{\alpha \sigma}` and
    :math:`J(u) = 2 u^\alpha - \frac{2}{2\alpha - 1} u^{2\alpha - 1} - u^{\alpha - 1}`,

    .. math:: \frac{E[R]}{\bar x} = 1 + \frac{J(u)}{\alpha + 1} \quad (u \le 1), \qquad
              1 + \frac{J(1)}{\alpha + 1} + \frac{\alpha - 1}{2 (\alpha + 1)}
              \big( 1 - u^{-2} \big) \quad (u > 1) .

    Parameters
    ----------
    sigma : array_like of float
        Threshold :math:`\sigma \ge 0` on the remaining time, in units of :math:`\bar x`; infinity
        means no copies.
    alpha : array_like of float
        Tail index of task times, > 1.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Resource in units of :math:`\bar x`; finite for every tail index, and tends to 1.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, equations (30)-(33), which the paper leaves as integrals. ESE is SDA with a look at a
    uniform share of the work, and :math:`E[(1 - s)^\alpha] = 1/(\alpha + 1)`: hence the same best
    threshold, for every tail index.

    Examples
    --------
    >>> round(ese_resource(1.0, 2.0), 4)  # u = 1/2: J = 1/2 - 1/12 - 1/2
    0.9722
    """
    sigma, alpha = numbers("sigma", sigma), _alpha(alpha)
    require(sigma >= 0, "sigma", sigma, "at least 0")
    a = sigma / ((alpha - 1) / alpha)  # threshold in units of the shortest task
    u = 1 / np.maximum(a, 1.0)
    saving = u ** (alpha - 1) - 2 * u**alpha + 2 / (2 * alpha - 1) * u ** (2 * alpha - 1)
    early = (alpha - 1) / 2 * (1 - np.minimum(a, 1.0) ** 2)
    return plain(1 + (early - saving) / (alpha + 1))


@within_floats
def mantri_sigma(alpha: ArrayLike, delta: ArrayLike) -> Numbers:
    r"""Threshold on the remaining time that the rule of Mantri amounts to.

    .. math:: P(t_{rem} > 2\, t_{new}) > \delta \iff t_{rem} > \sigma_M \bar x, \qquad
              \sigma_M = 2\, \frac{\alpha - 1}{\alpha}\, (1 - \delta)^{-1/\alpha}

    Parameters
    ----------
    alpha : array_like of float
        Tail index of task times, > 1.
    delta : array_like of float
        Probability :math:`\delta`, in [0, 1]; 0.25 by default in Mantri.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Threshold in units of :math:`\bar x`; infinite, no task is copied, at ``delta=1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Xu & Lau, section II. They read the rule as "only if the total resource consumption is expected
    to decrease"; at tail index 2 and :math:`\delta = 0.25` its threshold is below the one from
    which that is so (`theory.detection.sigma_star`).

    Examples
    --------
    >>> round(mantri_sigma(2.0, 0.75), 6)  # 2 * 1/2 * (1/4)^(-1/2)
    2.0
    """
    alpha, delta = _alpha(alpha), numbers("delta", delta)
    require((delta >= 0) & (delta <= 1), "delta", delta, "a probability, from 0 to 1")
    with np.errstate(divide="ignore"):  # at delta = 1 no remaining time is enough
        return plain(2 * (alpha - 1) / alpha * (1 - delta) ** (-1 / alpha))


def _alpha(alpha: ArrayLike) -> np.ndarray:
    alpha = numbers("alpha", alpha)
    require((alpha > 1) & (alpha <= 1e100), "alpha", alpha, "above 1 (and at most 1e+100)")
    return alpha
