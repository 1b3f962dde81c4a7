r"""How long a task usually takes for its size: what its peers took, for sizes like its own.

The size of a task is what it read or wrote, in bytes or records: of these, for each kind of stage, the one
that goes along best with durations. Within a kind, log durations are fitted by log sizes, both less the
median of their stage, by a line through the origin with the least absolute errors and a slope
:math:`\beta` in [0, 1]. A task of size *s* usually takes

.. math:: s^\beta \cdot \operatorname{median}_j \, d_j / s_j^\beta

over its peers *j*: the others of its stage of like size (between the same two powers of two; 0 counts as 1),
else those of its kind in any job, else all of its stage, else all of its kind. The last two serve only a task
that is at most twice as large as the largest of them and at least half as large as the smallest: how long a
larger one takes, they do not tell. What does, at last, are tasks of stages of the same name in any jobs, with
sizes and durations in units of the medians of their stages. A task is no peer of itself, so that a straggler
does not raise what is usual for it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

#: Peers below which they do not tell what is usual.
FEWEST = 5
#: A task is larger than its peers, or smaller, by more than this factor: they do not tell what it takes.
_BEYOND = 2.0
#: Classes of size, each twice the one before.
_CLASSES = 128


def usual(
    stage: np.ndarray,
    kind: np.ndarray,
    name: np.ndarray,
    duration: np.ndarray,
    sizes: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Return the usual duration of each task for its size; NaN where too few peers tell.

    Parameters
    ----------
    stage, kind, name : ndarray of int
        Of each task: its stage, the kind of that, and the name of that. A kind has whole stages of one name.
    duration : ndarray
        In seconds; NaN where it is not known to the end.
    sizes : mapping of str to ndarray
        Measures of size of each task, NaN where unknown.

    Examples
    --------
    Six tasks read nothing and take 2 s, six read a lot and take 300 s, but the last, which takes 900 s:

    >>> duration = np.array([2.0] * 6 + [300.0] * 5 + [900.0])
    >>> one = np.zeros(12, int)
    >>> usual(one, one, one, duration, {"bytes": np.repeat([0.0, 2e9], 6)}).round(1)[[0, 11]]
    array([  2., 300.])
    """
    size, power = _sizes(stage, kind, duration, sizes)
    found = np.full(duration.size, np.nan)
    for group, like in ((stage, True), (kind, True), (stage, False), (kind, False)):
        found = np.where(np.isnan(found), _of_peers(group, like, duration, size, power), found)
    if np.isnan(found).any():
        known = np.where(np.isnan(duration), np.nan, size)
        shares = duration / np.where(middle := group_medians(stage, duration), middle, np.nan)[stage]
        times = size / group_medians(stage, known)[stage]
        relative = _of_peers(name, True, shares, times, power)
        found = np.where(np.isnan(found), relative * _median_of_others(stage, duration), found)
    return found


def _of_peers(
    group: np.ndarray, like: bool, duration: np.ndarray, size: np.ndarray, power: np.ndarray
) -> np.ndarray:
    """Return what a task takes by the others of its group, those of like size or all."""
    grown = size**power
    alike = np.floor(np.log2(np.where(power > 0, size, 1.0))) if like else np.zeros(size.size)
    code = np.unique(group * _CLASSES + np.nan_to_num(alike), return_inverse=True)[1].reshape(-1)
    middle = _median_of_others(code, duration / grown)
    if not like:
        low, high = _ends_of_others(code, np.where(np.isnan(duration), np.nan, size))
        middle[(power > 0) & ((size > _BEYOND * high) | (size < low / _BEYOND))] = np.nan
    return np.asarray(middle * grown)


def _sizes(
    stage: np.ndarray, kind: np.ndarray, duration: np.ndarray, sizes: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return of each task its size, by the measure that fits its kind best, and the power of it that fits.

    A task of unknown size is taken as large as the median of its stage.
    """
    best, size, power = np.zeros(duration.size), np.ones(duration.size), np.zeros(duration.size)
    for values in sizes.values():
        log = np.log(np.maximum(values, 1.0))
        if not np.isfinite(log).any():
            continue
        middle = group_medians(stage, log)[stage]
        slope, gain = _slopes(kind, log - middle, _centred(stage, duration))
        better = gain[kind] > best
        best[better], power[better] = gain[kind][better], slope[kind][better]
        filled = np.where(np.isfinite(log), log, np.nan_to_num(middle))
        size[better] = np.exp(filled[better])
    return size, power


def _centred(stage: np.ndarray, duration: np.ndarray) -> np.ndarray:
    """Return log durations less the median of their stage; NaN where there is none above 0."""
    log = np.log(np.where(duration > 0, duration, np.nan))
    return np.asarray(log - group_medians(stage, log)[stage])


def _slopes(kind: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return of each kind the slope in [0, 1] with the least absolute errors, and how much it lowers them.

    It is the median of y/x, weighted by |x|.
    """
    count = int(kind.max(initial=-1)) + 1
    told = np.flatnonzero(np.isfinite(x) & np.isfinite(y) & (np.abs(x) > 1e-9))
    code, x, y = kind[told], x[told], y[told]
    order = np.lexsort((y / x, code))
    code, x, y = code[order], x[order], y[order]
    weight = np.cumsum(np.abs(x))
    total = np.bincount(code, np.abs(x), count)
    before = np.cumsum(total) - total
    past = np.flatnonzero(weight >= (before + total / 2)[code])
    slope = np.zeros(count)
    first = np.unique(code[past], return_index=True)[1]
    slope[code[past[first]]] = np.clip(y[past[first]] / x[past[first]], 0, 1)
    return slope, np.bincount(code, np.abs(y) - np.abs(y - slope[code] * x), count)


def group_medians(code: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the median of the known values of each group, NaN of a group without any.

    Examples
    --------
    >>> group_medians(np.array([0, 0, 0, 2]), np.array([3.0, 1.0, np.nan, 5.0]))
    array([ 2., nan,  5.])
    """
    ordered, begin, count, _ = _ordered(code, values)
    if not ordered.size:
        return np.full(count.size, np.nan)
    low, high = (begin + np.maximum(count - 1, 0) // 2, begin + count // 2)
    middle = (ordered[np.minimum(low, ordered.size - 1)] + ordered[np.minimum(high, ordered.size - 1)]) / 2
    return np.where(count > 0, middle, np.nan)


def _median_of_others(code: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return for each member the median of the others of its group, NaN where these are below `FEWEST`."""
    ordered, begin, count, rank = _ordered(code, values)
    own = rank >= 0
    others = count[code] - own
    found = np.full(values.size, np.nan)
    told = np.flatnonzero(others >= FEWEST)
    low, high = (others[told] - 1) // 2, others[told] // 2
    skipped = np.where(own, rank, values.size)[told]
    places = (begin[code[told]] + place + (place >= skipped) for place in (low, high))
    found[told] = sum(ordered[place] for place in places) / 2
    return found


def _ends_of_others(code: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each member the least and the largest value of the others of its group, NaN without any."""
    ordered, begin, count, rank = _ordered(code, values)
    own, known = rank >= 0, count[code]
    found = np.full((2, values.size), np.nan)
    told = np.flatnonzero(known - own > 0)
    first, last = begin[code[told]], (begin + count - 1)[code[told]]
    found[0, told] = ordered[first + (rank[told] == 0)]
    found[1, told] = ordered[last - (own[told] & (rank[told] == known[told] - 1))]
    return found[0], found[1]


def _ordered(code: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return known values by group and size; where each group begins, its count; ranks, -1 of the unknown."""
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.lexsort((values[known], code[known]))]
    count = np.bincount(code[known], minlength=int(code.max(initial=-1)) + 1)
    begin = np.cumsum(count) - count
    rank = np.full(values.size, -1)
    rank[order] = np.arange(order.size) - begin[code[order]]
    return values[order], begin, count, rank
