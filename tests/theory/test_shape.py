"""Numbers in, a number out."""

from __future__ import annotations

import numpy as np
import pytest

from theory.shape import numbers, plain, quotient, scaled, single


def test_a_single_number_comes_out_as_a_plain_python_float():
    for value in (2, 2.0, np.float64(2), np.array(2)):
        assert type(plain(value)) is float
    assert type(plain(np.array([2.0]))) is np.ndarray


@pytest.mark.parametrize("bad", [float("nan"), [1.0, float("nan")]])
def test_nan_is_refused_by_name(bad):
    with pytest.raises(ValueError, match="beta must be free of NaN"):
        numbers("beta", bad)


@pytest.mark.parametrize("bad", [[1.0], [1.0, 2.0], np.zeros((1, 1))])
def test_a_list_is_no_single_number(bad):
    with pytest.raises(ValueError, match="S must be a single number"):
        single("S", bad)


def test_a_product_with_a_certain_factor_is_never_nan():
    scale = np.array([0.0, np.inf, 0.0, np.inf, 3.0, 1e300])
    factor = np.array([np.inf, 0.0, 2.0, 2.0, 4.0, 1e300])
    assert scaled(scale, factor).tolist() == [np.inf, 0.0, 0.0, np.inf, 12.0, np.inf]


def test_a_quotient_divides_only_where_asked_and_survives_overflow():
    a, b = np.array([1.0, 1.0, 1e300]), np.array([4.0, 0.0, 1e-300])
    assert quotient(a, b, b > 0, otherwise=7.0).tolist() == [0.25, 7.0, np.inf]
