"""Hosts and executors told apart: what a host adds, and what an executor adds to that of its host.

The fit has an effect of each. Where one of two executors of a host is slow it may give half of that to the
host. So a host is as slow as the usual one of its executors: of two the one that is nearer to the usual
executor of all. How a host and its executors share a factor is not known well, but their product is.
"""

from __future__ import annotations

import numpy as np

from sim.advice.diagnosis.hierarchy import Posterior, usual_of


class Machines:
    """Holders of slots, as far as the fit tells them apart.

    Parameters
    ----------
    fit : Posterior

    Attributes
    ----------
    holder : ndarray of int
        Code of the host and executor of each copy.
    apart : bool
        Whether some host has several executors.
    """

    def __init__(self, fit: Posterior) -> None:
        one = fit.columns
        self._fit = fit
        pairs = np.column_stack([one.host, one.executor])
        _, first, self.holder = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        self.holder = self.holder.reshape(-1)
        self._first, self._host = first, one.host[first]
        self.apart = bool((one.executor >= 0).any())

    def of_holder(self, values: np.ndarray) -> np.ndarray:
        """Return by how much the mean of each copy's holder is above that of the usual holder."""
        if not self._first.size:
            return values
        mean = np.bincount(self.holder, values) / np.bincount(self.holder)
        return np.asarray((mean - usual_of(mean))[self.holder])

    def parts(self, draw: int | None, measured: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what host, and what executor, adds to each copy, without what is measured.

        Parameters
        ----------
        draw : int or None
            Of the fit.
        measured : ndarray
            What is measured of each copy, and is another cause.
        """
        if not self._first.size:
            return measured, measured
        total = (self._fit.holder(draw) - self.of_holder(measured))[self._first]
        total = total - usual_of(total)  # whether all are slow is not known
        spell = self._fit.spell(draw)
        if not self.apart:
            return total[self.holder] + spell, np.zeros(self.holder.size)
        host = _of_hosts(total, self._host)
        return host[self.holder] + spell, (total - host)[self.holder]


def _of_hosts(total: np.ndarray, host: np.ndarray) -> np.ndarray:
    """Return the effect of the host of each executor: that of its usual executor.

    Examples
    --------
    >>> _of_hosts(np.array([0.0, 0.5, 0.0, 0.0, 0.4, 0.4]), np.array([0, 0, 1, 1, 2, 2])).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.4, 0.4]
    """
    away = np.abs(total - np.median(total))
    order = np.lexsort((away, host))
    _, begin, size = np.unique(host[order], return_index=True, return_counts=True)
    usual = total[order][begin + (size - 1) // 2]
    return np.asarray(usual[np.unique(host, return_inverse=True)[1]])
