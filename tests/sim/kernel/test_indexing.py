"""Indices of kernels count from the beginning of an array; those of other functions as in Python."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numba
import numpy as np
import pytest

from sim.kernel.compile import OPTIONS


def entry(values: Any, place: Any) -> Any:
    """Return the entry at a place."""
    return values[place]


def compiled(module: str, **options: Any) -> Any:
    """Compile it as a function of a module."""
    function = FunctionType(entry.__code__, {}, "entry")
    function.__module__ = module
    return numba.njit(**OPTIONS | {"cache": False} | options)(function)


@pytest.mark.small
@pytest.mark.compiled
def test_a_kernel_of_ours_finds_no_entry_at_a_negative_place() -> None:
    kernel = compiled("sim.kernel.tried", boundscheck=True)
    assert kernel(np.arange(3), 2) == 2
    with pytest.raises(IndexError):
        kernel(np.arange(3), -1)


@pytest.mark.small
@pytest.mark.compiled
@pytest.mark.skipif(bool(numba.config.BOUNDSCHECK), reason="bounds are checked whatever is asked for")
def test_what_is_before_a_view_is_what_a_kernel_of_ours_finds_there() -> None:
    assert compiled("sim.kernel.tried", boundscheck=False)(np.arange(3)[1:], -1) == 0


@pytest.mark.small
@pytest.mark.compiled
@pytest.mark.parametrize("options", [{}, {"boundscheck": True}])
def test_rules_of_others_and_other_functions_count_from_the_end(options: dict[str, Any]) -> None:
    assert compiled("oldest_first", **options)(np.arange(3), -1) == 2
    assert numba.njit(entry)(np.arange(3), -1) == 2
