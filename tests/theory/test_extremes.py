"""Every function of the theory, at the ends of the floats and at the borders of its domain.

The answer is a number, infinity, or a `ValueError` in words: never NaN, a warning or another error. Calls
begin from the examples in each function's docstring, of which some numbers are replaced.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.depth import each
from theory import FUNCTIONS
from theory.calculator import call, simple, usage
from theory.domain import MOST_COPIES, within_floats

EXTREME = [
    *(sys.float_info.max, 1e308, 1e155, 1e154, 1e100, 1e16, 1e9),
    *(sys.float_info.min, 5e-324, 1e-308, 1e-100, 1e-16),
    *(0.0, -0.0, math.inf, -math.inf, math.nan, -1.0),
    *(end for one in (0.5, 1.0, 2.0) for end in (np.nextafter(one, 0), one, np.nextafter(one, 9))),
]
NUMBERS = st.sampled_from([float(number) for number in EXTREME]) | st.floats() | st.integers(-3, 2000)
SETTINGS = {"theory": math, "np": np, "math": math, "inf": math.inf}
#: Functions whose examples are no plain calls, with a call.
CALLS: dict[str, dict[str, Any]] = {
    "dag_cases": {"T": [12.0, 60.0], "weight": [4.0, 1.0], "S": 54.0, "beta": 1.5},
    "dag_allocation": {"T": [12.0, 60.0], "weight": [4.0, 1.0], "S": 54.0, "beta": 1.5},
    "gradient_projection": {
        "m": [10, 20],
        "scale": [1.0, 2.0],
        "alpha": 2.0,
        "machines": 100,
        "limit": 8,
        "gamma": 0.01,
    },
    "largest_stable_step": {
        "m": [10, 20],
        "scale": [1.0, 2.0],
        "alpha": 2.0,
        "machines": 100,
        "limit": 8,
        "gamma": 0.01,
    },
}
#: Functions without arguments.
CONSTANT = {name for name, function in FUNCTIONS.items() if not inspect.signature(function).parameters}


def examples(name: str) -> Iterator[dict[str, Any]]:
    """Yield the arguments of the calls in a function's docstring."""
    function = FUNCTIONS[name]
    if name in CALLS:
        yield CALLS[name]
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(function) or ""):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name and not refused(example):
                try:
                    arguments = [eval(ast.unparse(one), SETTINGS) for one in node.args]
                    options = {one.arg or "": eval(ast.unparse(one.value), SETTINGS) for one in node.keywords}
                except NameError:  # of a value made in a line before
                    continue
                bound = inspect.signature(function).bind(*arguments, **options)
                yield {key: simple(value) for key, value in bound.arguments.items()}


def refused(example: doctest.Example) -> bool:
    return "Traceback" in example.want


BASES = {name: list(examples(name)) for name in FUNCTIONS if name not in CONSTANT}


def test_every_function_has_a_call_to_begin_from() -> None:
    assert len(FUNCTIONS) > 80
    assert not [name for name, bases in BASES.items() if not bases]


def replaced(draw: st.DrawFn, value: Any) -> Any:
    """Return an argument with some of its numbers replaced."""
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [replaced(draw, one) if draw(st.booleans()) else one for one in value]
    new = draw(NUMBERS)
    whole = isinstance(value, int) and math.isfinite(new) and float(new).is_integer()
    return int(new) if whole else float(new)


@st.composite
def calls(draw: st.DrawFn, name: str) -> dict[str, Any]:
    arguments = dict(draw(st.sampled_from(BASES[name])))
    numeric = [
        key for key, value in arguments.items() if not (isinstance(value, (bool, str)) or value is None)
    ]
    for key in draw(st.lists(st.sampled_from(numeric), min_size=1, max_size=3, unique=True)):
        arguments[key] = replaced(draw, arguments[key])
    return arguments


def flat(result: object) -> Iterator[object]:
    result = simple(result)
    if isinstance(result, (dict, list)):
        for one in result.values() if isinstance(result, dict) else result:
            yield from flat(one)
    else:
        yield result


def assert_tells(name: str, arguments: dict[str, Any]) -> None:
    """Warnings are errors in all tests."""
    refusal, result = "", None
    try:
        result = FUNCTIONS[name](**arguments)
    except ValueError as error:
        refusal = str(error)
        assert_in_words(refusal)
    assert refusal or "nan" not in list(flat(result))


def assert_in_words(refusal: str) -> None:
    assert refusal
    assert "\n" not in refusal


@pytest.mark.parametrize("name", BASES)
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_the_answer_is_a_number_or_infinity_or_a_refusal(name: str, data: st.DataObject) -> None:
    assert_tells(name, data.draw(calls(name)))


@each("name", BASES)
def test_each_argument_alone_at_each_extreme(name: str) -> None:
    base = BASES[name][0]
    for key, value in base.items():
        if isinstance(value, (bool, str)) or value is None:
            continue
        for extreme in EXTREME:
            many = isinstance(value, (list, tuple))
            assert_tells(name, base | {key: [float(extreme), *value[1:]] if many else float(extreme)})


@each("name", FUNCTIONS)
def test_every_function_is_guarded(name: str) -> None:
    assert hasattr(FUNCTIONS[name], "__wrapped__")
    assert usage(name) is not None


@pytest.mark.parametrize(
    "fault",
    [
        lambda: np.float64(1e200) ** 2,
        lambda: np.array([1.0, 2.0]) / np.array([0.0, 1.0]),
        lambda: math.exp(1e3),
        lambda: 1.0 / 0.0,
        lambda: math.nan,
        lambda: {"a": (1, np.array([math.nan]))},
        lambda: np.zeros(10**17),
    ],
)
def test_what_leaves_the_floats_is_refused(fault: Any) -> None:
    with pytest.raises(ValueError, match="beyond what floating-point"):
        within_floats(fault)()


def test_infinity_and_what_a_function_has_thought_of_pass() -> None:
    def thought_of() -> list[float]:
        with np.errstate(over="ignore"):
            return [float(np.float64(1e200) ** 2), math.inf]

    assert within_floats(thought_of)() == [math.inf, math.inf]


def test_copies_are_not_tried_without_end() -> None:
    with pytest.raises(ValueError, match=f"at most {MOST_COPIES:,}"):
        FUNCTIONS["detection_optimum"](2.0, limit=MOST_COPIES + 1)


def test_the_shell_shows_a_refusal_in_one_line() -> None:
    with pytest.raises(ValueError, match=r"blow_up: these arguments are beyond") as refusal:
        call("blow_up", ["k=1e200", "beta=1.5"])
    assert "\n" not in str(refusal.value)
