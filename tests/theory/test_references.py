"""Every formula agrees with an independent reference; an error of one percent is noticed."""

from __future__ import annotations

import ast
import math
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.theory import references
from tests.theory.references import REFERENCES
from theory import FUNCTIONS

FOLDER = Path(references.__file__).parent
for path in FOLDER.glob("[a-z]*.py"):
    import_module(f"{references.__name__}.{path.stem}")
#: How wrong a formula is made, to see that its reference notices.
ERROR = 0.01


def numbers(value: Any) -> list[float | None]:
    """Return all numbers of an answer in their order: of fields by their names, of lists, or one."""
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        return [number for name in sorted(value) for number in numbers(value[name])]
    if isinstance(value, (list, tuple, np.ndarray)):
        return [number for one in value for number in numbers(one)]
    return [None if value is None else float(value)]


def differ(found: list[float | None], expected: list[float | None], close: float) -> bool:
    nothing = close * 1e-2 * max((abs(one) for one in expected if one and abs(one) < math.inf), default=1.0)

    def same(one: float | None, other: float | None) -> bool:
        if one is None or other is None:
            return one is other
        return one == other or math.isclose(one, other, rel_tol=close, abs_tol=nothing)

    return len(found) != len(expected) or not all(map(same, found, expected))


def test_every_formula_has_a_reference() -> None:
    assert set(FUNCTIONS) == set(REFERENCES)


@pytest.mark.parametrize("name", REFERENCES)
def test_a_formula_agrees_with_its_reference(name: str) -> None:
    one = REFERENCES[name]
    assert one.cases
    for case in one.cases:
        found, expected = numbers(FUNCTIONS[name](*case)), numbers(one.value(*case))
        assert not differ(found, expected, one.close), (case, found, expected)
        for place, number in enumerate(found):  # each number by itself
            if number is not None and 0 < abs(number) < math.inf:
                wrong = [*found[:place], number * (1 + ERROR), *found[place + 1 :]]
                assert differ(wrong, expected, one.close), (case, place)


def test_references_know_nothing_of_ours() -> None:
    paths = sorted(FOLDER.glob("*.py"))
    assert len(paths) > 3
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            ours = [name for name in names if str(name).split(".")[0] in ("theory", "sim", "pages", "tests")]
            assert all(name.startswith("tests.theory.references") for name in ours), (path.name, ours)


def test_a_formula_without_a_reference_would_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(REFERENCES, "blow_up")
    with pytest.raises(AssertionError, match="blow_up"):
        test_every_formula_has_a_reference()
