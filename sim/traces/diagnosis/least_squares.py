"""Weighted least squares within stages, and the variance that each part of the columns explains."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Sums:
    """Weighted sums of squares and products around stage means, which add up over stages.

    Parameters
    ----------
    cross, right, square : ndarray
        X'WX, X'Wy and y'Wy.
    cross_squared : ndarray
        X'WWX.
    weight, variance : float
        Sum of weights, and of weights times the variance beyond lower bounds.
    copies, stages : float
        How many.
    """

    cross: np.ndarray
    right: np.ndarray
    square: np.ndarray
    cross_squared: np.ndarray
    weight: np.ndarray
    variance: np.ndarray
    copies: np.ndarray
    stages: np.ndarray

    def times(self, number: np.ndarray) -> Sums:
        """Return the sums over units, each taken a number of times; arrays have the unit first."""
        return Sums(*(np.tensordot(number, getattr(self, one.name), 1) for one in fields(self)))

    def parts(self, blocks: dict[str, slice]) -> tuple[dict[str, float], np.ndarray]:
        """Return the share of each part and the coefficients."""
        inverse = np.linalg.pinv(self.cross, rcond=1e-10, hermitian=True) if self.right.size else self.cross
        beta = inverse @ self.right
        used = self.stages + rank(self.cross)
        left = max(float(self.square - beta @ self.right), 0.0) + self.variance
        luck = float(left / self.weight * self.copies / max(self.copies - used, 1))
        spread = inverse @ self.cross_squared @ inverse * luck
        found = {"luck": luck}
        for name, block in blocks.items():
            scale = self.cross[block, block] / self.weight
            estimated = float(beta[block] @ scale @ beta[block])
            found[name] = max(0.0, estimated - float(np.sum(scale * spread[block, block])))
        whole = sum(found.values())
        return {name: value / whole if whole > 0 else 0.0 for name, value in found.items()}, beta


class Fit:
    """Weighted least squares within stages."""

    def __init__(
        self, stage: np.ndarray, weight: np.ndarray, columns: sparse.csr_matrix, blocks: dict[str, slice]
    ) -> None:
        self.columns, self.blocks = columns, blocks
        self.stage = np.unique(stage, return_inverse=True)[1]
        self.stages = int(self.stage.max(initial=-1)) + 1
        self.weight = weight * weight.size / weight.sum()

    def cross(self) -> np.ndarray:
        """Return X'WX around stage means."""
        return self.sums(np.zeros(self.weight.size), np.zeros(self.weight.size)).cross

    def sums(self, y: np.ndarray, variance: np.ndarray, times: np.ndarray | None = None) -> Sums:
        """Return the sums over all copies, each taken a number of times."""
        weight = self.weight if times is None else self.weight * times
        cross, right, square = self._around_means(weight, y)
        squared = self._around_means(weight * self.weight, y)[0]
        taken = np.unique(self.stage[weight > 0]).size
        return Sums(
            cross, right, square, squared,
            weight.sum(), weight @ variance, np.array(np.count_nonzero(weight)), np.array(taken),
        )  # fmt: skip

    def _around_means(self, weight: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        member = sparse.csr_matrix((weight, (self.stage, np.arange(y.size))), shape=(self.stages, y.size))
        total = np.maximum(np.asarray(member.sum(axis=1)).ravel(), 1e-300)
        sum_x, sum_y = (member @ self.columns).toarray(), member @ y
        weighted = self.columns.multiply(weight[:, None]).tocsr()
        cross = (weighted.T @ self.columns).toarray() - (sum_x.T / total) @ sum_x
        right = np.asarray(weighted.T @ y).ravel() - sum_x.T @ (sum_y / total)
        return cross, right, weight @ y**2 - sum_y @ (sum_y / total)

    def by_unit(self, y: np.ndarray, variance: np.ndarray, units: int) -> Sums:
        """Return the sums of each of some sets of stages, the set first."""
        found = []
        for unit in range(units):
            rows = np.flatnonzero(self.stage % units == unit)
            part = Fit(self.stage[rows], self.weight[rows], self.columns[rows], self.blocks)
            part.weight = self.weight[rows]
            found.append(part.sums(y[rows], variance[rows]))
        return Sums(*(np.array([getattr(one, name.name) for one in found]) for name in fields(Sums)))

    def explained(self, y: np.ndarray) -> np.ndarray:
        """Return the fitted values, stage means included."""
        sums = self.sums(y, np.zeros(y.size))
        beta = (
            np.linalg.pinv(sums.cross, rcond=1e-10, hermitian=True) @ sums.right
            if sums.right.size
            else sums.right
        )
        part = self.columns @ beta
        total = np.bincount(self.stage, self.weight)
        return part + (np.bincount(self.stage, self.weight * (y - part)) / total)[self.stage]


def rank(cross: np.ndarray) -> int:
    """Return the rank of X'X, whatever the units of its columns."""
    scale = np.sqrt(np.maximum(np.diag(cross), 0.0))
    used = scale > 1e-9 * scale.max(initial=0.0)
    correlation = cross[used][:, used] / np.outer(scale[used], scale[used])
    return int(np.linalg.matrix_rank(correlation, tol=1e-8, hermitian=True)) if used.any() else 0
