"""Checks of arguments: a refusal names the argument, its value, and the values that are accepted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from theory.quoting import shortened

#: Most copies of a task that are tried one after the other.
MOST_COPIES = 100_000
P = ParamSpec("P")
Result = TypeVar("Result")


def require(holds: bool | np.bool_ | np.ndarray, name: str, value: object, accepted: str) -> None:
    """Raise a `ValueError` naming the argument unless `holds`.

    Parameters
    ----------
    holds : bool or ndarray of bool
        The condition, written so that NaN fails it (``0 < x`` rather than ``not x <= 0``).
    name, value : str, object
        The argument as the caller knows it, and its value.
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
        raise ValueError(f"{name} must be {accepted} (got {shortened(str(shown))})")


def within_floats(function: Callable[P, Result]) -> Callable[P, Result]:
    """Let a public function refuse arguments at which its arithmetic would leave the floats.

    Near 1e308 a product overflows, and what is computed from it may be wrong without being NaN. Where
    infinity or 0 is the answer of the mathematics, a function says so itself, under its own `errstate`.

    Raises
    ------
    ValueError
        Instead of a warning, of NaN, of an error of the arithmetic, or for want of memory.

    Examples
    --------
    >>> @within_floats
    ... def square(x):
    ...     return np.float64(x) ** 2
    >>> square(1e200)
    Traceback (most recent call last):
        ...
    ValueError: these arguments are beyond what floating-point numbers can tell
    """

    @wraps(function)
    def checked(*arguments: P.args, **options: P.kwargs) -> Result:
        try:
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                result = function(*arguments, **options)
        except (ArithmeticError, MemoryError, RuntimeError):  # the last of a root that SciPy does not find
            result = None
        if result is None or _has_nan(result):
            raise ValueError("these arguments are beyond what floating-point numbers can tell")
        return result

    return checked


def _has_nan(result: object) -> bool:
    """Tell whether a number, an array or anything made of them has NaN in it."""
    if isinstance(result, float):
        return result != result
    if isinstance(result, np.ndarray):
        return result.dtype.kind == "f" and bool(np.isnan(result).any())
    if isinstance(result, (list, tuple)):
        return any(map(_has_nan, result))
    if isinstance(result, dict):
        return any(map(_has_nan, result.values()))
    return is_dataclass(result) and any(_has_nan(getattr(result, field.name)) for field in fields(result))


def whole(name: str, value: float, least: int = 1, most: float = math.inf) -> int:
    """Return `value` as an `int`, refusing fractions, NaN and anything below `least` or above `most`.

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
        math.isfinite(value) and value == math.floor(value) and least <= value <= most,
        name,
        value,
        f"a whole number of at least {least}" + (f" and at most {most:,}" if most < math.inf else ""),
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
