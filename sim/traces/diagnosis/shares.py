r"""Where unequal durations come from: work, machine, first wave, and luck.

Within a stage, the log duration of a copy is

.. math:: \log t = \text{stage} + b \log(\text{bytes}) + \text{host} + \text{first wave} + \text{luck},

fitted by least squares with the weights of `durations.ratios`. Durations of killed copies are lower
bounds: their luck is replaced by its mean beyond the bound under the Kaplan-Meier estimate of all luck
(Buckley and James, 1979). A share is the variance of a part within stages over the sum of all parts,
after taking away what estimating the part adds to it. Intervals come from a bootstrap over stages, or
over copies where there are fewer than ten stages.

A part that the log cannot tell is None: machine with one host, work without bytes, first wave where
all copies of each stage are of the same wave, and a part that always goes along with another.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
import pandas as pd
from scipy import sparse

from sim.traces.diagnosis.survival import beyond, kaplan_meier

PARTS = ("work", "machine", "first_wave")
_REPLICATIONS = 200
_FEW_STAGES = 10
#: Stages are resampled in at most so many sets.
_MOST_UNITS = 100
#: Hosts beyond these, the busiest, are compared as one.
_MOST_HOSTS = 150
#: A part is taken out of the luck if even the low end of its share is above this.
_CLEAR = 0.1


@dataclass(frozen=True)
class Share:
    """A share of the variance, with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the variance of log durations within stages; None is what this log cannot tell.

    Parameters
    ----------
    luck, machine, work, first_wave : Share or None
        They add up to 1 over those that can be told. Luck holds all that cannot.
    hosts : DataFrame
        host, copies, factor (duration on it against the median host), low, high; slowest first.
    reasons : dict
        For each part that cannot be told, why.
    residual : ndarray
        Log ratio of each row of the ratios without the parts that are clear: its luck.
    """

    luck: Share | None
    machine: Share | None
    work: Share | None
    first_wave: Share | None
    hosts: pd.DataFrame
    reasons: dict[str, str]
    residual: np.ndarray = field(repr=False)


def shares(ratios: pd.DataFrame, seed: int = 1) -> Shares:
    """Split the variance of log durations; `ratios` comes from `durations.ratios`."""
    y = np.log(ratios["ratio"].to_numpy(float))
    nobody = pd.DataFrame({"host": [], "copies": [], "factor": [], "low": [], "high": []})
    if y.size == 0:
        reasons = dict.fromkeys((*PARTS, "luck"), "no stage has ten finished tasks")
        return Shares(None, None, None, None, nobody, reasons, y)
    columns, blocks, reasons = _design(ratios)
    weight = ratios["weight"].to_numpy(float)
    fit = _Fit(ratios["stage"].to_numpy(int), weight, columns, blocks)
    variance, y = _complete(fit, y, ratios["complete"].to_numpy(bool))
    found, beta = fit.sums(y, variance).parts(blocks)
    draws, betas = _bootstrap(fit, y, variance, seed)
    intervals = {
        name: Share(found[name], *np.quantile([draw[name] for draw in draws], (0.025, 0.975)).tolist())
        for name in found
    }
    residual = np.log(ratios["ratio"].to_numpy(float))
    for name, block in blocks.items():
        if intervals[name].low > _CLEAR:
            residual = residual - fit.columns[:, block] @ beta[block]
    return Shares(
        luck=intervals["luck"],
        machine=intervals.get("machine"),
        work=intervals.get("work"),
        first_wave=intervals.get("first_wave"),
        hosts=_ranked(ratios, blocks, beta, betas) if "machine" in blocks else nobody,
        reasons=reasons,
        residual=residual,
    )


def first_waves(ratios: pd.DataFrame) -> np.ndarray:
    """Say of each copy whether it is the first of its stage on its slot, and whether of all.

    A holder of several slots (an executor) is cold for a copy launched before any other of its copies
    has ended.

    Returns
    -------
    ndarray of float, shape (n, 2)
    """
    holder = ratios["slot"].astype(str).where(ratios["slot"].astype(str) != "", ratios["host"].astype(str))
    frame = pd.DataFrame({"holder": holder, "stage": ratios["stage"], "end": ratios["end"]})
    columns = []
    for by in (["holder", "stage"], ["holder"]):
        warm = frame.groupby(by)["end"].transform("min")
        columns.append(ratios["launch"].to_numpy(float) < warm.to_numpy(float))
    return np.column_stack(columns).astype(float)


def _design(ratios: pd.DataFrame) -> tuple[sparse.csr_matrix, dict[str, slice], dict[str, str]]:
    """Return the columns of each part that varies within stages, and why others are missing."""
    stage = ratios["stage"].to_numpy(int)
    reasons: dict[str, str] = {}
    found: dict[str, sparse.csr_matrix] = {}
    bytes_read = ratios["bytes"].to_numpy(float)
    known = pd.Series(bytes_read > 0).groupby(stage).transform("all").to_numpy(bool)
    work = np.where(known, np.log(np.where(known, bytes_read, 1.0)), 0.0)[:, None]
    if _varies(work, stage):
        found["work"] = sparse.csr_matrix(work)
    else:
        reasons["work"] = "the log has no bytes read that differ within a stage"
    hosts = ratios["host"].astype(str).to_numpy()
    busiest = pd.Series(hosts).value_counts()
    if (busiest.index != "").sum() < 2:
        reasons["machine"] = "all copies ran on one host" if len(busiest) else "the log names no hosts"
    else:
        names = [host for host in busiest.index[: _MOST_HOSTS + 1] if host][1:]
        place = pd.Index(names).get_indexer(hosts)
        rows = np.flatnonzero(place >= 0)
        found["machine"] = sparse.csr_matrix(
            (np.ones(rows.size), (rows, place[rows])), shape=(hosts.size, len(names))
        )
    waves = first_waves(ratios)
    waves = waves[:, [_varies(waves[:, [place]], stage) for place in range(2)]] if len(waves) else waves
    if waves.shape[1] and len(waves):
        found["first_wave"] = sparse.csr_matrix(waves)
    else:
        reasons["first_wave"] = "the copies of each stage are all of the first wave, or none is"
    return _separable(found, stage, reasons)


def _separable(
    found: dict[str, sparse.csr_matrix], stage: np.ndarray, reasons: dict[str, str]
) -> tuple[sparse.csr_matrix, dict[str, slice], dict[str, str]]:
    """Leave out a part that the others determine."""
    for name in ("first_wave", "work", "machine"):
        columns, blocks = _joined(found, stage.size)
        cross = _Fit(stage, np.ones(stage.size), columns, blocks).cross()
        if name in found and cross.size:
            own = np.zeros(len(cross), bool)
            own[blocks[name]] = True
            if _rank(cross[own][:, own]) + _rank(cross[~own][:, ~own]) > _rank(cross):
                reasons[name] = "it always goes along with another part"
                del found[name]
    return *_joined(found, stage.size), reasons


def _joined(found: dict[str, sparse.csr_matrix], rows: int) -> tuple[sparse.csr_matrix, dict[str, slice]]:
    """Put the columns of the parts side by side, and say where each part stands."""
    blocks, width = {}, 0
    for name, columns in found.items():
        blocks[name] = slice(width, width + columns.shape[1])
        width += columns.shape[1]
    return (sparse.hstack(list(found.values())).tocsr() if found else sparse.csr_matrix((rows, 0))), blocks


def _rank(cross: np.ndarray) -> int:
    """Return the rank of X'X, whatever the units of its columns."""
    scale = np.sqrt(np.maximum(np.diag(cross), 0.0))
    used = scale > 1e-9 * scale.max(initial=0.0)
    correlation = cross[used][:, used] / np.outer(scale[used], scale[used])
    return int(np.linalg.matrix_rank(correlation, tol=1e-8, hermitian=True)) if used.any() else 0


def _centred(columns: np.ndarray, stage: np.ndarray) -> np.ndarray:
    mean = pd.DataFrame(columns).groupby(stage).transform("mean").to_numpy()
    return columns - mean


def _varies(column: np.ndarray, stage: np.ndarray) -> bool:
    return bool(column.size) and bool(np.abs(_centred(column, stage)).max() > 1e-9)


@dataclass(frozen=True)
class _Sums:
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

    def times(self, number: np.ndarray) -> _Sums:
        """Return the sums over units, each taken a number of times; arrays have the unit first."""
        return _Sums(*(np.tensordot(number, getattr(self, one.name), 1) for one in fields(self)))

    def parts(self, blocks: dict[str, slice]) -> tuple[dict[str, float], np.ndarray]:
        """Return the share of each part and the coefficients."""
        inverse = np.linalg.pinv(self.cross, rcond=1e-10, hermitian=True) if self.right.size else self.cross
        beta = inverse @ self.right
        used = self.stages + _rank(self.cross)
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


class _Fit:
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

    def sums(self, y: np.ndarray, variance: np.ndarray, times: np.ndarray | None = None) -> _Sums:
        """Return the sums over all copies, each taken a number of times."""
        weight = self.weight if times is None else self.weight * times
        cross, right, square = self._around_means(weight, y)
        squared = self._around_means(weight * self.weight, y)[0]
        taken = np.unique(self.stage[weight > 0]).size
        return _Sums(
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

    def by_unit(self, y: np.ndarray, variance: np.ndarray, units: int) -> _Sums:
        """Return the sums of each of some sets of stages, the set first."""
        found = []
        for unit in range(units):
            rows = np.flatnonzero(self.stage % units == unit)
            part = _Fit(self.stage[rows], self.weight[rows], self.columns[rows], self.blocks)
            part.weight = self.weight[rows]
            found.append(part.sums(y[rows], variance[rows]))
        return _Sums(*(np.array([getattr(one, name.name) for one in found]) for name in fields(_Sums)))

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


def _complete(fit: _Fit, y: np.ndarray, complete: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Replace lower bounds by the mean beyond them; return the variance beyond each and the values."""
    bound = y.copy()
    variance = np.zeros(y.size)
    if complete.all():
        return variance, y
    for _ in range(5):
        explained = fit.explained(y)
        x, survival = kaplan_meier(bound - explained, complete, fit.weight)
        mean, beyond_bound = beyond(x, survival, (bound - explained)[~complete])
        y = y.copy()
        y[~complete] = explained[~complete] + mean
        variance[~complete] = beyond_bound
    return variance, y


def _bootstrap(
    fit: _Fit, y: np.ndarray, variance: np.ndarray, seed: int
) -> tuple[list[dict[str, float]], np.ndarray]:
    """Return shares and coefficients for resampled stages, or copies where stages are few."""
    random = np.random.default_rng([seed, 16])
    draws, betas = [], []
    units = min(fit.stages, _MOST_UNITS)
    by_unit = fit.by_unit(y, variance, units) if fit.stages >= _FEW_STAGES else None
    for _ in range(_REPLICATIONS if by_unit is not None else _REPLICATIONS // 2):
        if by_unit is not None:
            sums = by_unit.times(
                np.bincount(random.integers(units, size=units), minlength=units).astype(float)
            )
        else:
            sums = fit.sums(y, variance, np.bincount(random.integers(y.size, size=y.size), minlength=y.size))
        found, beta = sums.parts(fit.blocks)
        draws.append(found)
        betas.append(beta)
    return draws, np.array(betas)


def _ranked(
    ratios: pd.DataFrame, blocks: dict[str, slice], beta: np.ndarray, betas: np.ndarray
) -> pd.DataFrame:
    """Return the hosts by how slow they are against the median host."""
    hosts = ratios["host"].astype(str).value_counts()
    names = [host for host in hosts.index[: _MOST_HOSTS + 1] if host]
    effects = np.concatenate([[0.0], beta[blocks["machine"]]])
    draws = np.column_stack([np.zeros(len(betas)), betas[:, blocks["machine"]]])
    effects, draws = effects - np.median(effects), draws - np.median(draws, axis=1, keepdims=True)
    low, high = np.quantile(draws, (0.025, 0.975), axis=0)
    table = pd.DataFrame(
        {
            "host": names,
            "copies": hosts[names].to_numpy(),
            "factor": np.exp(effects),
            "low": np.exp(low),
            "high": np.exp(high),
        }
    )
    return table.sort_values("factor", ascending=False, ignore_index=True)
