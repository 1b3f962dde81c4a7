r"""Chooses the machines that get the clones of a job's tasks: Pseudocode 1 of Dolly.

Machine :math:`k` makes a task an outlier with probability :math:`p_k`, so that the copies of a task
are all outliers with the product of theirs. A task is cloned until that product is at most its
share of the job's target, :math:`p^{c_o} = 1 - (1 - \epsilon)^{1/n}`.

Reference: G. Ananthanarayanan, A. Ghodsi, S. Shenker and I. Stoica, "Why let resources idle?
Aggressive cloning of jobs with Dolly", HotCloud 2012.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from theory.cloning import task_level_limit
from theory.domain import guarded_ceil, require, vector, whole, within_floats
from theory.shape import single

#: A product that misses the target by a rounding error has met it.
_SLACK = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class ClonePlacement:
    """Machines that get clones, task by task, and the state they leave behind."""

    machines: tuple[tuple[int, ...], ...]  # of each task, in the order of launching
    outlier: tuple[float, ...]  # probability that all copies of the task are outliers
    target: float  # what that probability should not exceed
    running: int  # tasks running in the cluster, the clones included


@within_floats
def clone_placement(
    outlier: ArrayLike,
    free: ArrayLike,
    original: Sequence[int],
    epsilon: float,
    running: int,
    slots: int,
    ceiling: float,
    as_printed: bool = False,
) -> ClonePlacement:
    r"""Clone the tasks of a job one after the other, each on as few machines as will do.

    .. math:: \text{while } p_t > 1 - (1 - \epsilon)^{1/n} \text{ and } U + 1 < \tau S:\quad
              \text{clone } t \text{ on the next machine},\; p_t \leftarrow p_t\, p_k,\;
              U \leftarrow U + 1

    Parameters
    ----------
    outlier : array_like of float, shape (machines,)
        Outlier probability :math:`p_k` of each machine, in [0, 1].
    free : array_like of int, shape (machines,)
        Free slots of each machine, at least 0.
    original : sequence of int
        Machine (counted from 0) of the original of each task; their number is that of the tasks
        :math:`n`.
    epsilon : float
        Acceptable probability that the job has an outlier, in (0, 1).
    running : int
        Tasks running in the cluster :math:`U \ge 0`, the originals included.
    slots : int
        Slots of the cluster :math:`S`, at least 1.
    ceiling : float
        Share of the slots :math:`\tau` up to which clones may fill the cluster, in [0, 1]; 0.7 in
        the paper.
    as_printed : bool, optional
        Whether to follow the printed pseudocode.

    Returns
    -------
    ClonePlacement
        Fields `machines` (a tuple for each task), `outlier`, `target` and `running`.

    Raises
    ------
    ValueError
        If an argument is outside its domain.

    Notes
    -----
    Corrected: machines are taken in *ascending* order of outlier probability (ties by number),
    which makes their number the smallest; the loop tests the probability reached; the machine of
    the original and machines without a free slot are passed over.

    As printed the order is descending, which makes the number the largest; the test is
    :math:`p_t\, p_k > p^{c_o}`, of the *next* clone before it is launched, so that the loop stops
    one clone short of the target; and every task's first clone goes to the same machine, whether
    it has a slot or runs the original. The printed loop has no end of the list; here it ends there.

    Examples
    --------
    >>> clone_placement([0.5, 0.2, 0.1, 0.4], [1, 1, 1, 1], [0], 0.05, 4, 10, 1).machines  # 0.5 * 0.1
    ((2,),)
    >>> printed = clone_placement([0.5, 0.2, 0.1, 0.4], [1, 1, 1, 1], [0], 0.05, 4, 10, 1, as_printed=True)
    >>> printed.machines, printed.outlier  # stops at 0.5 * 0.5 * 0.4, twice the target
    (((0, 3),), (0.1,))
    """
    p, space = vector("outlier", outlier), vector("free", free).copy()
    home = [whole("original", machine, least=0) for machine in original]
    _check(p, space, home)
    running, slots = whole("running", running, least=0), whole("slots", slots)
    require(0 <= single("ceiling", ceiling) <= 1, "ceiling", ceiling, "from 0 to 1")
    room = guarded_ceil(ceiling * slots) - running - 1  # clones that may still be launched
    target = float(task_level_limit(len(home), 1, single("epsilon", epsilon)))
    place = _printed if as_printed else _corrected
    placed = []
    for machine in home:
        placed.append(place(p, space, machine, target, room))
        space[placed[-1][0]] -= 1
        room -= len(placed[-1][0])
    chosen = tuple(tuple(machines) for machines, _ in placed)
    return ClonePlacement(chosen, tuple(q for _, q in placed), target, running + sum(map(len, chosen)))


def _corrected(
    p: np.ndarray, space: np.ndarray, home: int, target: float, room: int
) -> tuple[list[int], float]:
    candidates = [int(k) for k in np.argsort(p, kind="stable") if k != home and space[k] > 0]
    chosen: list[int] = []
    reached = float(p[home])
    while reached > _SLACK * target and len(chosen) < min(len(candidates), room):
        chosen.append(candidates[len(chosen)])
        reached *= float(p[chosen[-1]])
    return chosen, reached


def _printed(
    p: np.ndarray, space: np.ndarray, home: int, target: float, room: int
) -> tuple[list[int], float]:
    order = [int(k) for k in np.argsort(-p, kind="stable")]
    chosen: list[int] = []
    reached = float(p[home])
    while len(chosen) < min(len(order), room) and reached * p[order[len(chosen)]] > _SLACK * target:
        chosen.append(order[len(chosen)])
        reached *= float(p[chosen[-1]])
    return chosen, reached


def _check(p: np.ndarray, space: np.ndarray, home: Sequence[int]) -> None:
    require((p >= 0) & (p <= 1), "outlier", p, "from 0 to 1")
    require((space >= 0) & (space == np.floor(space)), "free", space, "whole numbers of at least 0")
    require(space.size == p.size, "free", space, f"one number for each of {p.size} machines")
    require(len(home) > 0, "original", home, "the machine of at least one task")
    require(np.asarray(home) < p.size, "original", home, f"machines from 0 to {p.size - 1}")
