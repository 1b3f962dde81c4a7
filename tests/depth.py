"""The depth of the usual run: some of many cases; with ``-m slow`` all the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], *usual: int) -> list[Any]:
    """Return all cases as `parametrize` takes them: those at the places `usual` as they are, others slow."""
    return [
        case
        if place in usual
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for place, case in enumerate(cases)
    ]


def slow(cases: Iterable[Any]) -> list[Any]:
    """Return all cases as slow ones."""
    return some(cases)


def every(step: int, cases: Iterable[Any]) -> list[Any]:
    """Return all cases; every so many-th is usual, from the first on."""
    cases = list(cases)
    return some(cases, *range(0, len(cases), step))
