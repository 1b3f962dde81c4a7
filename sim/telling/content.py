"""Prose in files of data: Markdown with sections, or TOML, with places for values.

A Markdown file begins with facts, lines ``key: value``. Sections follow, each under a heading of two marks,
and may begin with facts, too; below them are parts, each under a heading of three. A list is a paragraph
whose items begin with ``- `` or ``1. ``. Lines may be broken anywhere.

A place is ``{{ name }}``, ``{{ name|percent }}`` or ``{{ name.2|counted task }}``: a value, or an item of it,
written by a function of `sim.telling.words`. What cannot be shown, or is not used, is an error that says the
file, the section and the name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sim.telling.words import counted, listed, number, percent, plain, short

Made = TypeVar("Made")
Keys = Collection[str]
#: Where the files are.
FOLDER = Path(__file__).parents[1] / "content"
_PLACE = re.compile(r"\{\{ ([\w-]+)(?:\.(\w+))?(?:\|(\w+)(?: ([^}]+))?)? \}\}")
_FACT = re.compile(r"([a-z][\w-]*): (\S.*)")
_ITEM = re.compile(r"^(?:- |\d+\. )", re.MULTILINE)
_WRITERS: dict[str, Callable[..., str]] = {
    one.__name__: one for one in (counted, listed, number, percent, plain, short)
}


class ContentError(ValueError):
    """A file of prose that cannot be shown: it lacks something, or has what nothing needs."""


class Piece(str):
    """The title of a part, whose text is put where this is the value; nothing is put where it is empty."""


@dataclass(frozen=True, slots=True)
class Section:
    r"""A heading with what stands below it.

    Parameters
    ----------
    where : str
        The file, and the headings down to this one.
    title : str
        The heading; nothing for a whole file.
    facts : mapping of str to str
        The lines ``key: value`` at its beginning.
    text : str
        Its paragraphs, each in one line.
    items : tuple of str
        The items of its lists.
    parts : mapping of str to Section
        The headings one level below.

    Examples
    --------
    >>> file = parse("short: A\n## Told\nIt is\n{{ how }}.\n\n- a\n- b\n### long\n{{ T|plain }} min", "a.md")
    >>> told = file.part("Told")
    >>> file.facts["short"], told.told({"how": Piece("long"), "T": 2.5}), told.items
    ('A', 'It is 2.5 min.', ('a', 'b'))
    >>> told.told({"how": Piece("short")})
    Traceback (most recent call last):
        ...
    sim.telling.content.ContentError: a.md: Told: short is missing
    """

    where: str
    title: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    items: tuple[str, ...] = ()
    parts: Mapping[str, Section] = field(default_factory=dict)

    def part(self, title: str) -> Section:
        """Return the part under a heading."""
        if title not in self.parts:
            raise ContentError(f"{self.where}: {title} is missing")
        return self.parts[title]

    def told(self, values: Mapping[str, Any]) -> str:
        """Return the text, filled with values; functions are called."""
        return self._filled(self.text, values)

    def listed(self, values: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the items, filled."""
        return tuple(self._filled(one, values) for one in self.items)

    @property
    def places(self) -> set[str]:
        """The names of all values that it and its parts have places for."""
        own = {found[1] for text in (self.text, *self.items) for found in _PLACE.finditer(text)}
        return own.union(*(one.places for one in self.parts.values()))

    def check(self, needed: Keys = (), known: Keys = (), *, text: bool = False, items: bool = False) -> None:
        """Raise `ContentError` unless it has the facts and parts needed, no unknown ones, and only this."""
        there = (*self.facts, *self.parts)
        wrong = [f"{one} is missing" for one in needed if one not in there]
        wrong += [f"{one} is not known" for one in there if one not in (*needed, *known)]
        if (bool(self.text), bool(self.items)) != (text, items):
            shape = " and ".join(["text"] * text + ["a list"] * items) or "headings"
            wrong.append(f"has to be {shape}, and nothing else")
        if wrong:
            raise ContentError(f"{self.where}: {wrong[0]}")

    def _filled(self, text: str, values: Mapping[str, Any]) -> str:
        filled = _PLACE.sub(lambda place: self._written(place, values), text)
        return re.sub(" +", " ", filled).strip()  # a piece may be empty

    def _written(self, place: re.Match[str], values: Mapping[str, Any]) -> str:
        name, item, writer, given = place.groups()
        try:
            value = values[name]() if callable(values[name]) else values[name]
            if item:
                isnamed = not isinstance(value, Mapping | tuple)
                value = getattr(value, item) if isnamed else value[int(item) if item.isdigit() else item]
        except (LookupError, AttributeError):
            raise ContentError(f"{self.where}: {place[0]} has no value") from None
        if isinstance(value, Piece):
            return self._filled(self.part(value).text, values) if value else ""
        if writer is None and isinstance(value, str | int):
            return str(value)
        if writer not in _WRITERS:
            raise ContentError(f"{self.where}: {place[0]} has to be written by one of {', '.join(_WRITERS)}")
        more: list[Any] = [] if given is None else [int(given) if given.isdigit() else given]
        return _WRITERS[writer]([*map(str, value)] if writer == "listed" else value, *more)


def check_used(values: Iterable[str], *sections: Section) -> None:
    """Raise `ContentError` if a value is computed that none of these sections has a place for."""
    for name in sorted({*values}.difference(*(one.places for one in sections))):
        raise ContentError(f"{sections[0].where}: {{{{ {name} }}}} is computed and not used")


def tables(path: Path) -> dict[str, dict[str, Any]]:
    """Return the tables of a TOML file, each text in one line.

    Raises
    ------
    ContentError
        If a text is empty.
    """
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return {key: _in_lines(table, f"{path.name}: {key}") for key, table in found.items()}


def _in_lines(value: Any, where: str) -> Any:
    if isinstance(value, dict):
        return {name: _in_lines(one, f"{where}: {name}") for name, one in value.items()}
    if not isinstance(value, str):
        return value
    if not value.strip():
        raise ContentError(f"{where}: has no text")
    return " ".join(value.split())


def made(kind: Callable[..., Made], where: str, **given: Any) -> Made:
    """Return what is made of a table.

    Raises
    ------
    ContentError
        If a line is missing, or one too many.
    """
    try:
        return kind(**given)
    except TypeError as error:
        raise ContentError(f"{where}: {error}") from None


def read(path: Path) -> Section:
    """Return a file of prose; see `parse`."""
    return parse(path.read_text(encoding="utf-8"), path.name)


def parse(source: str, where: str) -> Section:
    """Return a source as its sections.

    Raises
    ------
    ContentError
        If a section is empty or there twice, a fact is none, or a place names no value.
    """
    for line in _PLACE.sub("", source).splitlines():
        if "{{" in line:
            raise ContentError(f"{where}: no name in braces: {line.strip()}")
    return _section(source, where, "", 2)


def _section(source: str, where: str, title: str, level: int) -> Section:
    """Return what stands below a heading; those of this level are its parts."""
    head, *rest = re.split(rf"^{'#' * level} (.+)\n", source, flags=re.MULTILINE)
    parts: dict[str, Section] = {}
    for one, body in zip(rest[::2], rest[1::2], strict=True):
        if one in parts:
            raise ContentError(f"{where}: {one} is there twice")
        parts[one] = _section(body, f"{where}: {one}", one, level + 1)
    blocks = [block for block in re.split(r"\n\s*\n", head.strip()) if block]
    facts: dict[str, str] = {}
    if level < 4 and blocks and _FACT.match(blocks[0]):
        for line in blocks.pop(0).splitlines():
            if not (fact := _FACT.fullmatch(line)) or fact[1] in facts:
                raise ContentError(f"{where}: {line} is no fact; write key: value, each key once")
            facts[fact[1]] = fact[2]
    if not blocks and not parts:
        raise ContentError(f"{where}: has no text")
    text = "\n\n".join(" ".join(one.split()) for one in blocks if not _ITEM.match(one))
    items = (item for one in blocks if _ITEM.match(one) for item in _ITEM.split(one)[1:])
    return Section(where, title, facts, text, tuple(" ".join(one.split()) for one in items), parts)
