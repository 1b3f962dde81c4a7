"""An answer in portions: what is sent at once is bounded; parts and pages of the rest can be asked for.

The first portion has the beginning of the text and, whole, what to do and the smallest parts of the JSON; of
a large part its plain fields. `more` in it says how many pages the text has, and how long the parts are that
are not whole. A part is sent as JSON with an item a line, in as many pages as it takes: those pages joined
are the part.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sim.model.fields import BadInput, unknown
from theory.quoting import shortened

#: Characters of all that is sent at once, and what of it surrounds the text and the values.
MOST, _FRAME = 8_000, 300
ROOM = MOST - _FRAME
#: Names the whole JSON, where a part is asked for.
WHOLE = "."
#: In the values: what else there is.
MORE = "more"
#: Characters for the names of parts, in the text and in the values.
_NAMES = 500
#: Parts that come first, where they have room: what to do.
_LEADING = ("headline", "sentence", "advice", "first", "findings")
#: Characters of a line that holds all of an item.
_WIDE = 200
#: What every question takes beside its own options, as JSON Schema.
OPTIONS = {
    "part": {
        "type": "string",
        "description": "only this part of the JSON: a key, or a path such as question.notes; . is all of it",
    },
    "page": {"type": "integer", "minimum": 1, "description": "which page of the text, or of the part"},
}


@dataclass(frozen=True, slots=True)
class Said:
    """An answer, as the shell prints it and as its JSON; of a portion the JSON may be empty."""

    text: str
    values: str


def portion(whole: Said, part: Any = None, page: Any = 1) -> Said:
    r"""Return what is sent of an answer.

    Parameters
    ----------
    whole : Said
    part : str, optional
        A key of its JSON, or several with dots between them; a place in a list is a number.
    page : int, optional
        Of the part; without one, of the text.

    Raises
    ------
    BadInput
        If there is no such part or page.

    Examples
    --------
    >>> said = Said("Two.", '{"logs": [{"log": "a"}, {"log": "b"}]}')
    >>> portion(said) == said, portion(said, "logs.1.log")
    (True, Said(text='logs.1.log, page 1 of 1\n"b"\n', values='{"part": "logs.1.log", "value": "b"}'))
    """
    values = json.loads(whole.values)
    if part is None:
        return _beginning(whole.text, values, page)
    if not isinstance(part, str):
        raise BadInput("part: a text is accepted, such as a key of the JSON")
    value, name = _found(values, part), shortened(part)
    pages = cut("".join(_lines(value)), ROOM - cost(f"{name}, page 1,000,000 of 1,000,000\n"))
    said = f"{name}, page {_checked(page, pages):,} of {len(pages):,}\n{pages[page - 1]}"
    beside = {"part": name, "value": value}
    fits = len(pages) == 1 and cost(said) + cost(beside) <= ROOM
    return Said(said, json.dumps(beside) if fits else "")


def cost(value: Any) -> int:
    r"""Return how many characters a value takes in a message.

    Examples
    --------
    >>> cost("two\nlines"), cost({"a": "ä"})
    (12, 10)
    """
    return len(json.dumps(value, ensure_ascii=False))


def cut(text: str, room: int) -> list[str]:
    r"""Return a text in pages that take no more than so many characters each, cut between lines.

    A line that is longer alone is cut where it must be.

    Examples
    --------
    >>> cut("one\ntwo\nthree\n", 12)
    ['one\ntwo\n', 'three\n']
    """
    pages, left = [""], room - cost("")
    for line in text.splitlines(keepends=True):
        for piece in _pieces(line, room - cost("")):
            size = cost(piece) - cost("")
            if size > left:
                pages.append("")
                left = room - cost("")
            pages[-1] += piece
            left -= size
    return pages


def _pieces(line: str, room: int) -> Iterator[str]:
    if cost(line) - cost("") <= room:
        yield line
        return
    middle = len(line) // 2
    yield from _pieces(line[:middle], room)
    yield from _pieces(line[middle:], room)


def _beginning(text: str, values: Mapping[str, Any], page: Any) -> Said:
    """Return a page of the text, with the first all that has room of the values."""
    if cost(text) + cost(values) <= ROOM:
        _checked(page, [text])
        return Said(text, json.dumps(values))
    kept, left = _leading(values, max(ROOM // 2, ROOM - cost(text)) - 2 * _NAMES)
    pages = cut(text, ROOM - cost(kept) - 2 * _NAMES)
    at, last = _checked(page, pages), len(pages)
    where = f"\n\nPage {at:,} of {last:,} of the text."
    if at > 1:
        return Said(pages[at - 1] + where, "")
    sizes = _fitting(((name, cost(values[name])) for name in left), _NAMES // 2)
    parts = {**dict(sizes), WHOLE: cost(values)} if left else {}
    listed = ", ".join(f"{name} ({size:,})" for name, size in parts.items())
    said = f" Not whole in the JSON, with their characters: {listed}. Ask for a part or page." * bool(parts)
    more = {MORE: {"page": at, "pages": last, "parts": parts}}
    return Said(f"{pages[0]}{where}{said}", json.dumps(kept | more))


def _leading(values: Mapping[str, Any], room: int) -> tuple[dict[str, Any], list[str]]:
    """Return what comes first and has room, and the names of the parts that are not whole in it."""
    order = sorted(values.items(), key=lambda pair: (pair[0] not in _LEADING, cost(pair[1])))
    whole = dict(_fitting(order, room))
    whole.pop(MORE, None)
    left = [name for name in values if name not in whole]
    plain = {
        name: {key: one for key, one in values[name].items() if not isinstance(one, dict | list)}
        for name in left
        if name != MORE and isinstance(values[name], dict)
    }
    plain = dict(_fitting(((name, one) for name, one in plain.items() if one), room - cost(whole)))
    shown = whole | plain
    return {name: shown[name] for name in values if name in shown}, left


def _fitting(pairs: Iterable[tuple[str, Any]], room: int) -> Iterator[tuple[str, Any]]:
    """Yield those pairs that an object of so many characters has room for, one after the other."""
    for name, value in pairs:
        if (size := cost({name: value})) <= room:
            room -= size
            yield name, value


def _checked(page: Any, pages: list[str]) -> int:
    if isinstance(page, bool) or not isinstance(page, int) or not 1 <= page <= len(pages):
        raise BadInput(f"page: give a whole number from 1 to {len(pages):,}")
    return page


def _found(values: Any, path: str) -> Any:
    """Return the part of this path; a key may have dots of its own."""
    found = list(_at(values, path))
    if found:
        return found[0]
    if path == WHOLE:
        return values
    raise unknown("part", path, list(values))


def _at(value: Any, path: str) -> Iterator[Any]:
    """Yield what a path may mean, the longest key first."""
    named = value if isinstance(value, dict) else {}
    if isinstance(value, list):
        number = path.partition(".")[0]
        inside = number.isascii() and number.isdigit() and len(number) < 10 and int(number) < len(value)
        named = {number: value[int(number)]} if inside else {}
    for name in sorted(named, key=len, reverse=True):
        if path == name:
            yield named[name]
        elif path.startswith(f"{name}."):
            yield from _at(named[name], path[len(name) + 1 :])


def _lines(value: Any, name: str = "", end: str = "") -> Iterator[str]:
    """Yield JSON in lines, each with an item that is short, or one end of an item that is not."""
    flat = f"{name}{json.dumps(value, ensure_ascii=False)}{end}\n"
    if len(flat) <= _WIDE or not isinstance(value, dict | list):
        yield flat
        return
    begin, close = "{}" if isinstance(value, dict) else "[]"
    yield f"{name}{begin}\n"
    pairs = (
        [(f"{json.dumps(key, ensure_ascii=False)}: ", one) for key, one in value.items()]
        if isinstance(value, dict)
        else [("", one) for one in value]
    )
    for number, (key, one) in enumerate(pairs, start=1):
        yield from _lines(one, key, "," * (number < len(pairs)))
    yield f"{close}{end}\n"
