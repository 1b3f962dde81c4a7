r"""Whether tasks that were slow are slow again where their stage recurs.

Of two runs of a task in turn at least one was slow. Of a task that is slow by itself both were, with the
chance `_STAYS`; of one that had bad luck the other is slow as often as any of its kind, :math:`r_k`. If the
share :math:`\lambda` of the slow tasks is slow by itself, the other run is slow with the chance
:math:`b = \lambda \cdot 0.9 + (1 - \lambda) r_k`, and both are, of those that were slow at all, with
:math:`b / (b + 2 (1 - b))`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

#: Grid of the share of slow tasks that would be as slow again.
SHARES = np.linspace(0, 1, 11)
#: Chance that a task that is slow by itself is slow in another run.
_STAYS_SLOW = 0.9
#: Copies of all kinds that the share of slow ones of a kind is drawn towards.
_DRAWN = 20.0


@dataclass(frozen=True, eq=False)
class Recurrence:
    """What runs of the same tasks tell.

    Parameters
    ----------
    likelihood : ndarray
        Of each of `SHARES`, over that of none.
    runs : int
        Copies that have another run.
    pairs, both : int
        Runs in turn of which one was slow at least, and of which both were.
    """

    likelihood: np.ndarray
    runs: int
    pairs: int
    both: int


def recurrence(
    place: np.ndarray,
    stage: np.ndarray,
    kind: np.ndarray,
    host: np.ndarray,
    cold: np.ndarray,
    slow: np.ndarray,
) -> Recurrence:
    """Say how likely each share of tasks is that are slow by themselves.

    A host may be slow for a time, or in one kind of stage, so two runs on one host tell little of the task:
    they count where tasks keep to their hosts. Nor do copies on a cold slot, beside warm ones in their stage:
    they may be the first tasks of every run.

    Parameters
    ----------
    place, stage, kind, host : ndarray of int
        Codes of each copy, -1 where unknown; `place` is the task of a kind that recurs.
    cold : ndarray, shape (copies, 2)
        From `waves.first_waves`.
    slow : ndarray of bool
        Whether it was slow.
    """
    nothing = Recurrence(np.ones(SHARES.size), 0, 0, 0)
    first = pd.DataFrame(cold > 0)
    place = np.where((first & (first.groupby(stage).transform("mean") < 1)).any(axis=1), -1, place)
    if not (place >= 0).any():
        return nothing
    table = pd.DataFrame({"place": place, "stage": stage, "kind": kind, "host": host, "slow": slow})
    rate = table["slow"].groupby(table["kind"]).agg(["sum", "count"])
    rate = (rate["sum"] + _DRAWN * slow.mean()) / (rate["count"] + _DRAWN)
    runs = table[table["place"] >= 0].drop_duplicates(["place", "stage"]).sort_values("stage", kind="stable")
    other = runs.groupby("place")[["host", "slow"]].shift(-1)
    compared = other["host"].notna()
    if not compared.any():
        return nothing
    if (apart := compared & (other["host"].ne(runs["host"]) | runs["host"].lt(0))).sum() > compared.sum() / 2:
        compared = apart
    this, next_ = runs["slow"][compared].to_numpy(bool), other["slow"][compared].to_numpy(bool)
    chance = np.minimum(rate.reindex(runs["kind"][compared]).to_numpy(float), _STAYS_SLOW)[this | next_, None]
    both = (this & next_)[this | next_, None]
    again = SHARES * _STAYS_SLOW + (1 - SHARES) * chance
    likely = np.where(both, again, 2 * (1 - again)) / (2 - again)
    log = np.log(np.maximum(likely, 1e-12)).sum(axis=0)
    many = int(runs.groupby("place")["place"].transform("size").gt(1).sum())
    return Recurrence(np.exp(np.clip(log - log[0], -600, 600)), many, int(both.size), int(both.sum()))
