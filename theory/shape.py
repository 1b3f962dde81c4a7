"""Numbers in, a number out; arrays in, an array out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from theory.domain import require

#: Return type of a function of a number or of an array.
Numbers = float | np.ndarray


def numbers(name: str, values: ArrayLike) -> np.ndarray:
    """Return `values` as a float array of any shape, refusing NaN.

    Examples
    --------
    >>> numbers("beta", 1.5), numbers("beta", [1, 2])
    (array(1.5), array([1., 2.]))
    >>> numbers("beta", [1, float("nan")])
    Traceback (most recent call last):
        ...
    ValueError: beta must be free of NaN (got [1, nan])
    """
    array = np.asarray(values, dtype=float)
    require(~np.isnan(array), name, values, "free of NaN")
    return array


def plain(result: ArrayLike) -> Numbers:
    """Return a Python `float` for a single number, and the array itself otherwise.

    Examples
    --------
    >>> plain(np.float64(2)), plain(np.array([1.0, 2.0]))
    (2.0, array([1., 2.]))
    """
    array = np.asarray(result, dtype=float)
    return float(array) if array.ndim == 0 else array


def scaled(scale: ArrayLike, factor: ArrayLike) -> np.ndarray:
    """Return ``scale * factor`` for `scale` > 0 and `factor` >= 0, either of which may have left the floats.

    A factor of exactly 0 or infinity is a statement of the mathematics (a null event, a divergent
    mean); a scale of 0 or infinity is only an underflow or overflow, so the factor wins.

    Examples
    --------
    >>> scaled(np.inf, 0.0), scaled(0.0, np.inf), scaled(2.0, 3.0)
    (array(0.), array(inf), array(6.))
    """
    scale, factor = np.broadcast_arrays(np.asarray(scale, dtype=float), np.asarray(factor, dtype=float))
    decided = (factor == 0) | np.isinf(factor)
    with np.errstate(over="ignore", under="ignore"):  # beyond the floats: inf or 0 is the answer
        return np.asarray(np.where(decided, factor, np.where(decided, 1.0, scale) * factor))


def quotient(a: np.ndarray, b: np.ndarray, where: np.ndarray, otherwise: float = 0.0) -> np.ndarray:
    """Return ``a / b`` `where` that is asked for, and `otherwise` elsewhere.

    Examples
    --------
    >>> b = np.array([2.0, 0.0])
    >>> quotient(np.array(1.0), b, b > 0)
    array([0.5, 0. ])
    """
    shape = np.broadcast_shapes(a.shape, b.shape, where.shape)
    result = np.full(shape, otherwise)
    with np.errstate(over="ignore", under="ignore"):  # beyond the floats: inf or 0 is the answer
        np.divide(a, b, out=result, where=where)
    return result


def single(name: str, value: ArrayLike) -> float:
    """Return `value` as a `float`, refusing NaN and anything but one number.

    Examples
    --------
    >>> single("S", 3)
    3.0
    >>> single("S", [3, 4])
    Traceback (most recent call last):
        ...
    ValueError: S must be a single number (got [3, 4])
    """
    array = numbers(name, value)
    require(array.ndim == 0, name, value, "a single number")
    return float(array)
