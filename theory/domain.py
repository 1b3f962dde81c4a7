"""Checks at the door: a refused argument is named, shown, and told what would do."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike


def require(holds: bool | np.bool_ | np.ndarray, name: str, value: object, accepted: str) -> None:
    """Raise a `ValueError` naming the argument unless `holds`.

    Parameters
    ----------
    holds : bool or ndarray of bool
        The condition, written so that NaN fails it (``0 < x`` rather than ``not x <= 0``).
    name, value : str, object
        The argument as the caller knows it, and what it was given.
    accepted : str
        What would be accepted, to complete the sentence "<name> must be ...".

    Raises
    ------
    ValueError
        If any element of `holds` is false.

    Examples
    --------
    >>> require(2 > 1, "alpha", 2, "above 1")
    >>> require(0.5 > 1, "alpha", 0.5, "above 1")
    Traceback (most recent call last):
        ...
    ValueError: alpha must be above 1 (got 0.5)
    """
    if not np.all(holds):
        shown = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
        raise ValueError(f"{name} must be {accepted} (got {shown})")


def whole(name: str, value: float, least: int = 1) -> int:
    """Return `value` as an `int`, refusing fractions, NaN and anything below `least`.

    Examples
    --------
    >>> whole("copies", 3.0)
    3
    >>> whole("copies", 2.5)
    Traceback (most recent call last):
        ...
    ValueError: copies must be a whole number of at least 1 (got 2.5)
    """
    require(
        math.isfinite(value) and value == math.floor(value) and value >= least,
        name,
        value,
        f"a whole number of at least {least}",
    )
    return int(value)


def vector(name: str, values: ArrayLike) -> np.ndarray:
    """Return `values` as a one-dimensional float array without NaN, of at least one entry.

    Examples
    --------
    >>> vector("T", [3, 1])
    array([3., 1.])
    """
    array = np.atleast_1d(np.asarray(values, dtype=float))
    require(array.ndim == 1 and array.size > 0, name, values, "a list of at least one number")
    require(~np.isnan(array), name, values, "free of NaN")
    return array


def guarded_ceil(value: float) -> int:
    r"""Ceiling of a float expression that forgives its last rounding error.

    ``1.1 * 10`` is 11.000000000000002 in binary; its ceiling must still be 11.

    Examples
    --------
    >>> guarded_ceil(1.1 * 10), guarded_ceil(math.log(0.01) / math.log(0.1)), guarded_ceil(2.01)
    (11, 2, 3)
    """
    nearest = round(value)
    return nearest if math.isclose(value, nearest, rel_tol=1e-9, abs_tol=1e-12) else math.ceil(value)


def guarded_floor(value: float) -> int:
    """Floor of a float expression that forgives its last rounding error.

    Examples
    --------
    >>> guarded_floor(2.9999999999999996), guarded_floor(2.9)
    (3, 2)
    """
    return -guarded_ceil(-value)
