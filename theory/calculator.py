"""Values written as in a shell: read in the types of a function, and written out again.

An argument is read by the annotation of its parameter. Lists are ``10,40,25`` (``10,`` of one
number; a single ``10`` will do for a list, too), infinity is ``inf``, and a missing entry ``none``.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from theory import FUNCTIONS


class _Numbers:
    """Stands for ``ArrayLike``, which is too wide a union to be read by its parts."""


def call(name: str, words: Sequence[str]) -> object:
    """Call a function of the theory with arguments written ``name=value``.

    Examples
    --------
    >>> call("mg1_wait", ["load=0.5,0.75", "scv=1"])
    array([1., 3.])
    >>> call("mg1_wait", ["load=0.5", "svc=1"])
    Traceback (most recent call last):
        ...
    ValueError: mg1_wait has no argument svc; did you mean scv? It takes: load scv [service=1.0]
    """
    wanted = _parameters(find(name))
    given = _read_all(name, wanted, words)
    missing = [key for key, parameter in wanted.items() if _required(parameter) and key not in given]
    if missing:
        raise ValueError(f"{name} needs {' '.join(missing)}; it takes: {usage(name)}")
    try:
        return find(name)(**given)
    except ValueError as error:
        raise ValueError(f"{name}: {' '.join(str(error).split())}") from error


def find(name: str) -> Callable[..., Any]:
    """Return the function of that name.

    Examples
    --------
    >>> find("sigma_sta")
    Traceback (most recent call last):
        ...
    ValueError: there is no function sigma_sta; did you mean sigma_star? python -m theory lists all
    """
    if name not in FUNCTIONS:
        raise ValueError(f"there is no function {name}{_meant(name, FUNCTIONS)} python -m theory lists all")
    return FUNCTIONS[name]


def meaning(function: object) -> str:
    """Return the first line of the docstring, its markup such as ``this`` left out.

    Examples
    --------
    >>> meaning(meaning)
    'Return the first line of the docstring, its markup such as this left out.'
    """
    return re.sub(":math:|`", "", (inspect.getdoc(function) or "").partition("\n")[0])


def usage(name: str) -> str:
    """Return the arguments of a function, the optional ones in brackets.

    Examples
    --------
    >>> usage("threshold")
    'beta [physical=true]'
    """
    return " ".join(
        key if _required(parameter) else f"[{key}={text(parameter.default)}]"
        for key, parameter in _parameters(find(name)).items()
    )


def read(word: str, wanted: Any) -> object:
    """Return the value that a word stands for where the annotation `wanted` is given.

    Examples
    --------
    >>> read("inf", float), read("3", int), read("true", bool), read("1,none", Sequence[float | None])
    (inf, 3, True, [1.0, None])
    """
    kind, parts = get_origin(wanted), get_args(wanted)
    if wanted in _READERS:
        return _READERS[wanted](word)
    if kind is Sequence:
        return [read(item, parts[0]) for item in _items(word)]
    if kind is Literal and word in parts:
        return word
    if kind in (Union, UnionType):
        return _read_first(word, parts)
    raise ValueError(word)


def text(value: object) -> str:
    """Return a result as words: lists as they are typed, several named values on a line each.

    Examples
    --------
    >>> text(np.array([10.0, np.inf])), text(True), text(None)
    ('10.0,inf', 'true', 'none')
    """
    value = simple(value)
    if isinstance(value, dict):
        return "\n".join(f"{key}={text(item)}" for key, item in value.items())
    if isinstance(value, list):
        apart = "\n\n" if any(isinstance(v, dict) for v in value) else ";" if _nested(value) else ","
        return apart.join(map(text, value))
    return value if isinstance(value, str) else json.dumps(value).replace("null", "none")


def as_json(value: object) -> str:
    """Return a result as JSON; infinity, which JSON lacks, is the string "inf".

    Examples
    --------
    >>> as_json(np.array([1.5, np.inf]))
    '[1.5, "inf"]'
    """
    return json.dumps(simple(value), allow_nan=False)


def simple(value: object) -> object:
    """Return a result made of numbers, strings, lists and dictionaries alone.

    Examples
    --------
    >>> simple((np.int64(2), np.array([0.5, -np.inf])))
    [2, [0.5, '-inf']]
    """
    if is_dataclass(value):
        return {field.name: simple(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (np.ndarray, np.generic)):
        return simple(value.tolist())
    if isinstance(value, dict):
        return {key: simple(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [simple(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function, locals={"ArrayLike": _Numbers}, eval_str=True).parameters)


def _required(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty


def _read_all(name: str, wanted: dict[str, inspect.Parameter], words: Sequence[str]) -> dict[str, object]:
    given: dict[str, object] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{name} takes its arguments as name=value (got {word}): {usage(name)}")
        if key not in wanted:
            raise ValueError(f"{name} has no argument {key}{_meant(key, wanted)} It takes: {usage(name)}")
        if key in given:
            raise ValueError(f"{name}: {key} is given twice")
        given[key] = _read_argument(name, key, value, wanted[key].annotation)
    return given


def _read_argument(name: str, key: str, word: str, wanted: Any) -> object:
    try:
        return read(word, wanted)
    except ValueError:
        raise ValueError(f"{name}: {key} must be {_accepted(wanted)} (got {word or 'nothing'})") from None


def _meant(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else "."


def _items(word: str) -> list[str]:
    """Split a list; a comma at its end marks a list of one."""
    return word.removesuffix(",").split(",")


def _read_first(word: str, kinds: Sequence[Any]) -> object:
    for kind in kinds:
        try:
            return read(word, kind)
        except ValueError:
            continue
    raise ValueError(word)


def _read_numbers(word: str) -> object:
    values = [_read_first(item, (float, bool)) for item in _items(word)]
    return values if "," in word else values[0]


def _read_truth(word: str) -> bool:
    if word.lower() not in ("true", "false"):
        raise ValueError(word)
    return word.lower() == "true"


def _read_whole(word: str) -> int:
    value = float(word)
    if not value.is_integer():
        raise ValueError(word)
    return int(value)


def _read_nothing(word: str) -> None:
    if word != "none":
        raise ValueError(word)


_READERS: dict[Any, Callable[[str], object]] = {
    bool: _read_truth,
    int: _read_whole,
    float: float,
    NoneType: _read_nothing,
    _Numbers: _read_numbers,
}
_ACCEPTED = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    NoneType: "none",
    _Numbers: "a number, or a list such as 10,40,25",
}


def _accepted(wanted: Any) -> str:
    if wanted in _ACCEPTED:
        return _ACCEPTED[wanted]
    if get_origin(wanted) is Sequence:
        return "a list such as 1,2,3"
    return " or ".join(part if isinstance(part, str) else _accepted(part) for part in get_args(wanted))


def _nested(values: list[object]) -> bool:
    return any(isinstance(value, list) for value in values)
