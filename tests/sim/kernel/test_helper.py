"""Helpers are machine code only as a part of their callers, and can be called from Python all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from sim.kernel.compile import OPTIONS, inlined, kernel
from tests.conftest import JIT_IS_OFF

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")


@kernel
def below(x):
    return 3 * x + 1


@inlined
def above(x):
    return below(x) // 2 + below(x + 1)


@kernel
def refused(x):
    if x > 5:
        raise ValueError("more than five")
    return x


def called(function):
    """Compile a caller of a function that is not kept."""
    return numba.njit(**OPTIONS | {"cache": False})(function)


def written_down(helper) -> list[bool]:
    return [result.entry_point.__class__.__name__ == "_Key" for result in helper.overloads.values()]


def test_a_helper_of_a_compiled_function_has_no_address_until_python_calls_it():
    above._reset_overloads()
    below._reset_overloads()
    caller = called(lambda x: above(x) + below(x))
    assert caller(7) == 22 // 2 + 25 + 22
    assert written_down(above) == written_down(below) == [True]
    for library in (above.overloads[numba.int64,].library, below.overloads[numba.int64,].library):
        assert not library._finalized
        assert "wrapper" not in str(library._final_module)
    assert above(7) == above.py_func(7) == 36
    assert written_down(above) == [False]
    assert caller(8) == above.py_func(8) + below.py_func(8)
    assert called(lambda x: above(x))(9) == above.py_func(9)


def test_a_caller_has_its_helpers_once_however_they_are_reached():
    one = called(lambda x: above(x) + below(x) + above(x + 1))
    assert one(2) == above.py_func(2) + below.py_func(2) + above.py_func(3)
    (result,) = one.overloads.values()
    names = [function.name for function in result.library.get_defined_functions()]
    assert len(names) == len(set(names)) > 0


def test_an_error_in_a_helper_is_raised_by_the_caller():
    caller = called(lambda x: refused(x) + 1)
    assert caller(5) == 6
    with pytest.raises(ValueError, match="more than five"):
        caller(6)


def test_a_helper_can_be_handed_on_as_a_value():
    kind = numba.types.FunctionType(numba.int64(numba.int64))
    apply = numba.njit(numba.int64(kind, numba.int64), nogil=True)(lambda function, x: function(x) + 1)
    assert called(lambda x: below(x))(4) == 13
    assert apply(below, 4) == 14


def test_helpers_for_other_types_are_other_helpers():
    caller = called(lambda x, y: below(x) + below(y))
    assert caller(2, 0.5) == 7 + 2.5
    assert caller(np.float64(0.5), 2) == 7 + 2.5


KEPT = """
from numba.core import event
class Compiled(event.Listener):
    def on_start(self, one): print("compiled", one.data["dispatcher"].py_func.__name__)
    def on_end(self, one): pass
event.register("numba:compile", Compiled())
from kept import root
print(root(10))
"""
SOURCE = """
import numba
from sim.kernel.compile import OPTIONS, kernel

@kernel
def inner(x):
    if x < 0:
        raise ValueError("below zero")
    return x + 1

@kernel
def outer(x):
    return inner(x) * 2

@numba.njit(**OPTIONS)
def root(x):
    return outer(x)
"""


def test_what_is_kept_of_a_caller_has_its_helpers_in_it(tmp_path):
    (tmp_path / "kept.py").write_text(SOURCE)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "c"), "PYTHONPATH": f"{tmp_path}:{ROOT}"}

    def lines():
        command = [sys.executable, "-c", KEPT]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    assert lines() == ["compiled root", "compiled outer", "compiled inner", "22"]
    assert lines() == ["22"]
    assert [file.name.partition("-")[0] for file in tmp_path.rglob("*.nbc")] == ["kept.root"]
