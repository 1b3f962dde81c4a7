"""Numbers of an answer and where they are told: each is its source, and moves with it and nothing else."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

#: A number moves by a tenth, a count by one: what is told in whole percent shows it.
MORE = 1.1
Path = tuple[str | int, ...]


class Face(NamedTuple):
    """What is told of a source.

    Parameters
    ----------
    source : Any
        Value classes, sequences and mappings whose numbers all differ.
    tells : callable
        Of the source: mappings, sequences, tables, texts and numbers.
    of : mapping of str to callable
        Key -> what stands there, worked out from the source without the product.
    texts : mapping of str to callable
        Key of a text -> whether a number of the source is told in it, given its place.
    """

    source: Any
    tells: Callable[[Any], Any]
    of: Mapping[str, Callable[[Any], Any]]
    texts: Mapping[str, Callable[[Path], bool]] = {}


def flat(told: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the keys of what is told, joined with points, and the number or text of each."""
    match told:
        case pd.DataFrame():
            yield from flat(told.to_dict("records"), at)
        case Mapping():
            for key, value in told.items():
                yield from flat(value, f"{at}.{key}" if at else str(key))
        case list() | tuple():
            for number, value in enumerate(told):
                yield from flat(value, f"{at}.{number}" if at else str(number))
        case _:
            yield at, told


def numbers(source: Any, at: Path = ()) -> Iterator[Path]:
    """Yield the places of all numbers of a source, but for zeros, which stay what they are."""
    for key, value in _parts(source):
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield from [(*at, key)] * bool(value)
        else:
            yield from numbers(value, (*at, key))


def _parts(source: Any) -> Iterator[tuple[str | int, Any]]:
    match source:
        case np.ndarray():
            return
        case _ if dataclasses.is_dataclass(source):
            names = [one.name for one in dataclasses.fields(source) if one.init and one.name[0] != "_"]
            yield from ((name, getattr(source, name)) for name in names)
        case Mapping():
            yield from source.items()
        case list() | tuple():
            yield from enumerate(source)


def moved(source: Any, place: Path) -> Any:
    """Return the source with another number in a place."""
    if not place:
        return source + 1 if isinstance(source, int) else source * MORE
    key, *rest = place
    old = next(value for name, value in _parts(source) if name == key)
    new = moved(old, tuple(rest))
    match source:
        case _ if dataclasses.is_dataclass(source):
            return dataclasses.replace(source, **{str(key): new})  # type: ignore[type-var]
        case Mapping():
            return {**source, key: new}
    changed = [new if number == key else value for number, value in enumerate(source)]
    return type(source)(*changed) if hasattr(source, "_fields") else type(source)(changed)


def assert_told(face: Face, silent: Callable[[Path], bool] | None = None) -> None:
    """Assert that each key tells what it should, whichever number of the source moves.

    Where `silent` is given, each number moves something, but for those of which it says that they do not.
    """
    before = dict(flat(face.tells(face.source)))
    numeric = {key for key, value in before.items() if _is_number(value)}
    assert numeric <= face.of.keys(), f"nobody says what these are: {sorted(numeric - face.of.keys())}"
    _assert_equal(before, face, face.source, ())
    for place in numbers(face.source):
        other = moved(face.source, place)
        after = dict(flat(face.tells(other)))
        _assert_equal(after, face, other, place)
        for key, tells in face.texts.items():
            assert (after[key] != before[key]) == tells(place), (key, place, after[key])
        if silent is not None:
            is_told = not all(_alike(after.get(key), value) for key, value in before.items())
            assert is_told != silent(place), place


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _assert_equal(told: Mapping[str, Any], face: Face, source: Any, place: Path) -> None:
    for key, of in face.of.items():
        assert _alike(told[key], of(source)), (key, told[key], of(source), place)


def _alike(one: Any, other: Any) -> bool:
    if _missing(one) or _missing(other):
        return _missing(one) and _missing(other)
    return bool(one == pytest.approx(other)) if _is_number(one) and _is_number(other) else bool(one == other)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
