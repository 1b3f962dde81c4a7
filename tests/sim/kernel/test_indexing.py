"""Indices of kernels count from the beginning of an array; those of other functions as in Python."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from sim.kernel.compile import OPTIONS


def entry(values: Any, place: Any) -> Any:
    """Return the entry at a place."""
    return values[place]


@pytest.mark.small
@pytest.mark.compiled
def test_a_kernel_finds_no_entry_at_a_negative_place():
    kernel = numba.njit(**OPTIONS | {"cache": False, "boundscheck": True})(entry)
    assert kernel(np.arange(3), 2) == 2
    with pytest.raises(IndexError):
        kernel(np.arange(3), -1)


@pytest.mark.small
@pytest.mark.compiled
def test_functions_of_others_count_from_the_end():
    assert numba.njit(entry)(np.arange(3), -1) == 2
