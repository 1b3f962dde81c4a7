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

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sim.traces.diagnosis.design import MOST_HOSTS, design, first_waves, waves_that_vary
from sim.traces.diagnosis.least_squares import Fit
from sim.traces.diagnosis.survival import beyond, kaplan_meier

PARTS = ("work", "machine", "first_wave")
_REPLICATIONS = 200
_FEW_STAGES = 10
#: Stages are resampled in at most so many sets.
_MOST_UNITS = 100
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
    exponent : float
        Durations grow like bytes read to this power; 0 unless work is clear.
    cold : tuple of two floats
        What the log duration gains in the first copy of a stage on a slot, and in the first of all; 0 unless
        the first wave is clear.
    """

    luck: Share | None
    machine: Share | None
    work: Share | None
    first_wave: Share | None
    hosts: pd.DataFrame
    reasons: dict[str, str]
    residual: np.ndarray = field(repr=False)
    exponent: float = 0.0
    cold: tuple[float, float] = (0.0, 0.0)


def shares(ratios: pd.DataFrame, seed: int = 1) -> Shares:
    """Split the variance of log durations; `ratios` comes from `durations.ratios`."""
    y = np.log(ratios["ratio"].to_numpy(float))
    nobody = pd.DataFrame({"host": [], "copies": [], "factor": [], "low": [], "high": []})
    if y.size == 0:
        reasons = dict.fromkeys((*PARTS, "luck"), "no stage has ten finished tasks")
        return Shares(None, None, None, None, nobody, reasons, y)
    columns, blocks, reasons = design(ratios)
    weight = ratios["weight"].to_numpy(float)
    fit = Fit(ratios["stage"].to_numpy(int), weight, columns, blocks)
    variance, y = _complete(fit, y, ratios["complete"].to_numpy(bool))
    found, beta = fit.sums(y, variance).parts(blocks)
    draws, betas = _bootstrap(fit, y, variance, seed)
    intervals = {
        name: Share(found[name], *np.quantile([draw[name] for draw in draws], (0.025, 0.975)).tolist())
        for name in found
    }
    residual = np.log(ratios["ratio"].to_numpy(float))
    clear = {name: block for name, block in blocks.items() if intervals[name].low > _CLEAR}
    for block in clear.values():
        residual = residual - fit.columns[:, block] @ beta[block]
    cold = np.zeros(2)
    if "first_wave" in clear:
        varied = waves_that_vary(first_waves(ratios), ratios["stage"].to_numpy(int))
        cold[varied] = beta[clear["first_wave"]]
    return Shares(
        luck=intervals["luck"],
        machine=intervals.get("machine"),
        work=intervals.get("work"),
        first_wave=intervals.get("first_wave"),
        hosts=_ranked(ratios, blocks, beta, betas) if "machine" in blocks else nobody,
        reasons=reasons,
        residual=residual,
        exponent=float(beta[clear["work"]][0]) if "work" in clear else 0.0,
        cold=(float(cold[0]), float(cold[1])),
    )


def _complete(fit: Fit, y: np.ndarray, complete: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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
    fit: Fit, y: np.ndarray, variance: np.ndarray, seed: int
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
    names = [host for host in hosts.index[: MOST_HOSTS + 1] if host]
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
