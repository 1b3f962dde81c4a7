"""The depth of a run: some of many cases, with ``-m slow`` all, or others each week; many in one test."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import pytest
from _pytest.mark import ParameterSet

#: What a check may end with; a case that is skipped is none.
WRONG = (Exception, pytest.fail.Exception, pytest.skip.Exception)


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


#: After so many weeks each case of a weekly sample has had its turn.
WEEKS = 13


def of_week(cases: Iterable[Any], day: date) -> list[Any]:
    """Return every 13th case, beginning with another one each week: neighbours take long in different weeks.

    Weeks begin on Mondays and are counted through, as the last one of a year may be the 52nd or the 53rd.
    """
    return list(cases)[(day.toordinal() - 1) // 7 % WEEKS :: WEEKS]


def each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let one test go through all cases, in place of a test for each as `parametrize` makes them.

    For checks of a millisecond, of which pytest would take longer to keep account. All cases are tried;
    those that fail are named in notes of their errors. The cases share the fixtures of the test.
    """
    keys, cases = [name.strip() for name in names.split(",")], list(cases)
    assert cases, f"there is no {names}"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def loop(**fixtures: Any) -> None:
            wrong = []
            for case in cases:
                name, values = named(case, len(keys))
                try:
                    test(**fixtures, **dict(zip(keys, values, strict=True)))
                except WRONG as error:
                    error.add_note(f"{names}: {name}")
                    wrong.append(error)
            if len(wrong) == 1 and isinstance(wrong[0], Exception):
                raise wrong[0]
            if wrong:
                raise BaseExceptionGroup(f"{len(wrong)} of {len(cases)} cases", wrong)

        whole = inspect.signature(test)
        others = [one for name, one in whole.parameters.items() if name not in keys]
        loop.__signature__ = whole.replace(parameters=others)  # type: ignore[attr-defined]
        return loop

    return decorate


def named(case: Any, count: int) -> tuple[str, tuple[Any, ...]]:
    """Return what a case is called in a message, and its values."""
    name = case.id if isinstance(case, ParameterSet) else None
    values = tuple(case.values) if isinstance(case, ParameterSet) else case if count > 1 else (case,)
    return name or ", ".join(repr(value)[:200] for value in values), tuple(values)
