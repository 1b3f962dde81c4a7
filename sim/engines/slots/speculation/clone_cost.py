r"""The effect of c copies of every task on a job's duration and resource, compiled: `theory.cloned_job`.

The tasks of a job are Pareto(:math:`\mu, \alpha`), :math:`\alpha` the tail index of the straggle factor;
with :math:`y = 1/(c\alpha)`

.. math:: E[d] + \gamma m c E[t] = \mu \Big( m B(m, 1 - y) + \gamma m \frac{\alpha c^2}{c \alpha - 1} \Big).

Costs are in units of :math:`\mu` here, so that jobs of equal m share them.

Reference: XL, equations (10)-(13).
"""

from __future__ import annotations

import math

from sim.kernel.compile import inlined, kernel

#: From here on the asymptotic series below are exact to about 1e-15.
FAR = 10.0
#: Costs that differ by less than this share are equal; as `theory.cloned_job.EQUAL`.
EQUAL = 1e-9


@kernel
def digamma(x):
    """Return the logarithmic derivative of the gamma function at x > 0 (Abramowitz, Stegun 6.3.5, 6.3.18)."""
    shift = 0.0
    while x < FAR:
        shift -= 1.0 / x
        x += 1.0
    z = 1.0 / (x * x)
    tail = z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * 691 / 32760)))))
    return shift + math.log(x) - 0.5 / x - tail


@kernel
def trigamma(x):
    """Return the derivative of `digamma` at x > 0 (Abramowitz and Stegun 6.4.6, 6.4.12)."""
    shift = 0.0
    while x < FAR:
        shift += 1.0 / (x * x)
        x += 1.0
    z = 1.0 / (x * x)
    tail = z * (1 / 6 - z * (1 / 30 - z * (1 / 42 - z * (1 / 30 - z * (5 / 66 - z * 691 / 2730)))))
    return shift + (1.0 + 0.5 / x + tail) / x


@kernel
def cost(m, c, alpha, gamma):
    """Duration plus weighted resource of a job of `m` tasks with `c` copies each."""
    y = 1.0 / (c * alpha)
    latest = math.exp(math.lgamma(m + 1.0) + math.lgamma(1.0 - y) - math.lgamma(m + 1.0 - y))
    return latest + gamma * m * alpha * c * c / (c * alpha - 1.0)


@inlined
def latest_of(m, c, alpha):
    """Return 1 / (c alpha), the mean of the last of `m` tasks, and how fast that falls, relatively."""
    y = 1.0 / (c * alpha)
    latest = math.exp(math.lgamma(m + 1.0) + math.lgamma(1.0 - y) - math.lgamma(m + 1.0 - y))
    return y, latest, digamma(m + 1.0 - y) - digamma(1.0 - y)


@inlined
def slope_of(m, c, alpha, gamma, y, latest, later):
    """Return the derivative of `cost` in `c`, given what `latest_of` says."""
    beyond = 1.0 / (c * alpha - 1.0)
    return gamma * m * (1.0 - beyond * beyond) - latest * later * y / c


@inlined
def curvature_of(m, c, alpha, gamma, y, latest, later):
    """Return the second derivative of `cost` in `c`, given what `latest_of` says."""
    spread = trigamma(1.0 - y) - trigamma(m + 1.0 - y)
    beyond = 1.0 / (c * alpha - 1.0)
    duration = latest * (y / c) * ((later * later + spread) * (y / c) + 2.0 * later / c)
    return duration + 2.0 * gamma * m * alpha * beyond * beyond * beyond


@kernel
def cost_slope(m, c, alpha, gamma):
    """Return the derivative of `cost` in `c`: increasing, and concave."""
    y, latest, later = latest_of(m, c, alpha)
    return slope_of(m, c, alpha, gamma, y, latest, later)


@kernel
def cost_curvature(m, c, alpha, gamma):
    """Return the second derivative of `cost` in `c`: positive, and decreasing."""
    y, latest, later = latest_of(m, c, alpha)
    return curvature_of(m, c, alpha, gamma, y, latest, later)


@kernel
def best_copies(m, slope, start, limit, alpha, gamma):
    """Real number of copies in [1, limit] that minimises cost + slope x copies; `start` is a guess.

    A Newton step from beyond the root lands before it, and steps from before it never overshoot, since
    the derivative increases and is concave.
    """
    if cost_slope(m, 1.0, alpha, gamma) + slope >= 0.0:
        return 1.0
    if cost_slope(m, limit, alpha, gamma) + slope <= 0.0:
        return limit
    c = min(max(start, 1.0), limit)
    for _ in range(60):
        y, latest, later = latest_of(m, c, alpha)
        excess = slope_of(m, c, alpha, gamma, y, latest, later) + slope
        step = -excess / curvature_of(m, c, alpha, gamma, y, latest, later)
        c = min(max(c + step, 1.0), limit)
        if abs(step) <= 1e-12 * c:
            break
    return c


@kernel
def best_whole_copies(m, most, alpha, gamma):
    """Whole number of copies in 1..most that minimises `cost`; the smaller if two are equally good.

    So are costs that differ by less than rounding may: one copy of a task and two, for a tail index of 2 and
    a weight of 1.
    """
    copies = 1
    now = cost(m, 1.0, alpha, gamma)
    while copies < most:
        more = cost(m, copies + 1.0, alpha, gamma)
        if more >= now * (1.0 - EQUAL):  # convex: it only gets worse
            break
        now = more
        copies += 1
    return copies
