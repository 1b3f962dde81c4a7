r"""Queues in steady state: the cost of waiting before any task is copied.

Customers arrive as a Poisson process at :math:`c` servers and wait in one line, first come first
served. The load :math:`\rho = \lambda E[X] / c` is that of one server. A number of servers need not
be whole: Aktas & Soljanin model a cluster of capacity :math:`NC`, shared by jobs that each take
:math:`\sigma` units, as :math:`c = NC / \sigma` servers.

Reference: Aktas & Soljanin, "Learning Effective Straggler Mitigation from Experience and
Modeling", section 4, equations (3) to (6).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, gammaincc, gammaln

from theory.domain import require, within_floats
from theory.shape import Numbers, numbers, plain, quotient, scaled


@within_floats
def erlang_c(servers: ArrayLike, load: ArrayLike) -> Numbers:
    r"""Probability that a customer of an M/M/c queue has to wait, for a real number of servers.

    .. math:: P_q = \Big( 1 + (1 - \rho)\, c\, e^{c\rho} (c\rho)^{-c}\, \Gamma(c, c\rho) \Big)^{-1}

    Parameters
    ----------
    servers : array_like of float
        Number of servers :math:`c`, > 0, fractions included.
    load : array_like of float
        Load of one server :math:`\rho`, >= 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability: 0 at ``load=0``, `load` itself for one server, and 1 for ``load >= 1``.

    Raises
    ------
    ValueError
        If `servers` is not positive and finite, or `load` is negative.

    Notes
    -----
    Aktas & Soljanin, equation (4): Erlang's formula at whole `servers` and its usual continuation
    between them. Evaluated as a logarithm, with :math:`\Gamma(c, c\rho) / \Gamma(c)`, since each
    factor leaves the floats at a few hundred servers.

    Examples
    --------
    >>> round(erlang_c(1, 0.7), 6)  # one server is found busy with probability rho
    0.7
    >>> round(erlang_c(2, 0.5), 6)  # one Erlang on two servers: 2 rho^2 / (1 + rho)
    0.333333
    """
    c, rho = _station(servers, load)
    stable = rho < 1
    below = np.where(stable, rho, 0.5)  # whatever is stable: not used above 1
    log_odds = np.log1p(-below) + _log_scale(c, below) + np.log(gammaincc(c, c * below))
    return plain(np.where(stable, expit(-log_odds), 1.0))


@within_floats
def erlang_c_limit(servers: ArrayLike, load: ArrayLike, as_printed: bool = False) -> Numbers:
    r"""Limit form of the probability to wait, as servers are added at a fixed load.

    .. math:: P_q \sim \frac{(\rho\, e^{1-\rho})^c}{(1 - \rho) \sqrt{2 \pi c}} \longrightarrow 0,
              \qquad \text{as printed } P_q \to \rho

    Parameters
    ----------
    servers : array_like of float
        Number of servers :math:`c`, > 0.
    load : array_like of float
        Load of one server :math:`\rho`, >= 0.
    as_printed : bool, optional
        Whether to return the limit as printed, :math:`\rho`.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Probability: the asymptotic form, and 1 where it exceeds 1 or ``load >= 1``.

    Raises
    ------
    ValueError
        If `servers` is not positive and finite, or `load` is negative.

    Notes
    -----
    Aktas & Soljanin, equation (5). Erratum: it takes :math:`\Gamma(c, x) \sim x^{c-1} e^{-x}`, true
    for a fixed :math:`c`; but here :math:`x = c\rho < c` grows with :math:`c`, and
    :math:`\Gamma(c, c\rho) \sim \Gamma(c)`. The printed value is that of a single server: in a large
    cluster at a fixed load hardly any job waits.

    Examples
    --------
    >>> erlang_c_limit(1000, 0.7) < 1e-20, erlang_c_limit(1000, 0.7, as_printed=True)
    (True, 0.7)
    >>> round(erlang_c_limit(100, 0.8), 4), round(erlang_c(100, 0.8), 4)
    (0.0197, 0.0196)
    """
    c, rho = _station(servers, load)
    if as_printed:
        return plain(np.minimum(rho + np.zeros_like(c), 1.0))
    stable = rho < 1
    below = np.where(stable, rho, 0.5)
    log_limit = -c * _rate_gap(below) - np.log1p(-below) - np.log(2 * np.pi * c) / 2
    with np.errstate(under="ignore"):  # a probability below the smallest float is 0
        return plain(np.where(stable, np.exp(np.minimum(log_limit, 0.0)), 1.0))


@within_floats
def mmc_wait(servers: ArrayLike, load: ArrayLike, service: ArrayLike = 1.0) -> Numbers:
    r"""Mean waiting time in an M/M/c queue, for a real number of servers.

    .. math:: E[W] = P_q\, \frac{\rho}{\lambda (1 - \rho)} = P_q\, \frac{E[X]}{c\, (1 - \rho)}

    Parameters
    ----------
    servers : array_like of float
        Number of servers :math:`c`, > 0, fractions included.
    load : array_like of float
        Load of one server :math:`\rho`, >= 0.
    service : array_like of float, optional
        Mean service time :math:`E[X]`, > 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Time in line, in the unit of `service`; infinite for ``load >= 1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Aktas & Soljanin, the equation before (4).

    Examples
    --------
    >>> round(mmc_wait(1, 0.75), 6)  # rho / (1 - rho)
    3.0
    >>> round(mmc_wait(2, 0.5, service=3.0), 6)  # rho^2 / (1 - rho^2) of the mean service time
    1.0
    """
    c, rho = _station(servers, load)
    service = _service(service)
    stable = rho < 1
    per_head = quotient(service, c * (1 - np.where(stable, rho, 0.5)), stable, otherwise=np.inf)
    return plain(scaled(per_head, erlang_c(c, rho)))


@within_floats
def mmc_sojourn(servers: ArrayLike, load: ArrayLike, service: ArrayLike = 1.0) -> Numbers:
    r"""Mean time in an M/M/c queue: the wait and the service.

    .. math:: E[T] = E[X] + P_q\, \frac{E[X]}{c\, (1 - \rho)}

    Parameters
    ----------
    servers : array_like of float
        Number of servers :math:`c`, > 0, fractions included.
    load : array_like of float
        Load of one server :math:`\rho`, >= 0.
    service : array_like of float, optional
        Mean service time :math:`E[X]`, > 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Time in the system, in the unit of `service`; infinite for ``load >= 1``.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Examples
    --------
    >>> round(mmc_sojourn(1, 0.75), 6)  # 1 / (1 - rho)
    4.0
    """
    return plain(_service(service) + mmc_wait(servers, load, service))


@within_floats
def mg1_wait(load: ArrayLike, scv: ArrayLike, service: ArrayLike = 1.0) -> Numbers:
    r"""Mean waiting time in an M/G/1 queue, exactly (Pollaczek-Khinchine).

    .. math:: E[W] = \frac{\lambda\, E[X^2]}{2 (1 - \rho)}
              = \frac{\mathcal{C}^2 + 1}{2}\, \frac{\rho}{1 - \rho}\, E[X]

    Parameters
    ----------
    load : array_like of float
        Load :math:`\rho = \lambda E[X]`, >= 0.
    scv : array_like of float
        Squared coefficient of variation of the service time :math:`\mathcal{C}^2`, >= 0 and
        perhaps infinite: 0 if constant, 1 if exponential.
    service : array_like of float, optional
        Mean service time :math:`E[X]`, > 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Time in line, in the unit of `service`: 0 at ``load=0``, infinite for ``load >= 1`` and, at
        any load above 0, for an infinite `scv`.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Examples
    --------
    >>> mg1_wait(0.5, 0.0), mg1_wait(0.5, 1.0)  # constant service halves the wait
    (0.5, 1.0)
    """
    _, rho = _station(1.0, load)
    busy_over_idle = quotient(rho, 1 - rho, rho < 1, otherwise=np.inf)
    return plain(_longer(scv, scaled(_service(service), busy_over_idle), rho))


@within_floats
def mgc_wait(servers: ArrayLike, load: ArrayLike, scv: ArrayLike, service: ArrayLike = 1.0) -> Numbers:
    r"""Mean waiting time in an M/G/c queue, approximately (Lee & Longton).

    .. math:: E[W_{M/G/c}] \approx \frac{\mathcal{C}^2 + 1}{2}\, E[W_{M/M/c}]

    Parameters
    ----------
    servers : array_like of float
        Number of servers :math:`c`, > 0, fractions included.
    load : array_like of float
        Load of one server :math:`\rho`, >= 0.
    scv : array_like of float
        Squared coefficient of variation of the service time :math:`\mathcal{C}^2`, >= 0 and
        perhaps infinite.
    service : array_like of float, optional
        Mean service time :math:`E[X]`, > 0.

    Returns
    -------
    float or ndarray, of the broadcast shape
        Time in line, in the unit of `service`: 0 at ``load=0``, infinite for ``load >= 1`` and, at
        any load above 0, for an infinite `scv`.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Aktas & Soljanin, equation (3). Exact for one server and for exponential service. With several
    servers an infinite `scv` makes the *approximation* infinite, not always the wait: spare servers
    let others pass a giant job.

    Examples
    --------
    >>> round(mgc_wait(2, 0.5, 1.0), 6), round(mgc_wait(2, 0.5, 3.0), 6)  # the first is M/M/2
    (0.333333, 0.666667)
    """
    wait = np.asarray(mmc_wait(servers, load, service))
    return plain(_longer(scv, wait, numbers("load", load)))


def _station(servers: ArrayLike, load: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    servers, load = numbers("servers", servers), numbers("load", load)
    require((servers > 0) & np.isfinite(servers), "servers", servers, "positive and finite")
    require(load >= 0, "load", load, "at least 0")
    return servers, load


def _service(service: ArrayLike) -> np.ndarray:
    service = numbers("service", service)
    require((service > 0) & np.isfinite(service), "service", service, "positive and finite")
    return service


def _longer(scv: ArrayLike, wait: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Return the wait under exponential service, corrected for another variation."""
    scv = numbers("scv", scv)
    require(scv >= 0, "scv", scv, "at least 0")
    known = np.isfinite(scv)
    with np.errstate(over="ignore", under="ignore"):  # beyond the floats: inf or 0 is the answer
        longer = (np.where(known, scv, 1.0) + 1) / 2 * wait
    # a wait of 0 under load is only an underflow, and does not outweigh an infinite variation
    return np.where(load == 0, 0.0, np.where(known, longer, np.inf))


def _rate_gap(rho: np.ndarray) -> np.ndarray:
    """Return rho - 1 - ln rho, without loss near 1; infinite at 0."""
    with np.errstate(divide="ignore"):
        gap: np.ndarray = rho - 1 - np.log(rho)
        return gap


def _log_scale(c: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """Logarithm of e^(c rho) (c rho)^-c Gamma(c + 1)."""
    return np.asarray(c * _rate_gap(rho) + _stirling(c))


def _stirling(c: np.ndarray) -> np.ndarray:
    """Logarithm of Gamma(c + 1) (e / c)^c, whose parts would cancel at many servers."""
    many = np.maximum(c, 100.0)  # from where on the next term of the series is below the last digit
    x = 1 / many
    series = np.log(2 * np.pi * many) / 2 + (1 - (1 / 30 - x * x / 105) * x * x) * x / 12
    few = np.minimum(c, 100.0)
    return np.asarray(np.where(c < 100, gammaln(few + 1) - few * np.log(few) + few, series))
