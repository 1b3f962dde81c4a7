"""Prose in files of data: Markdown with sections, or TOML, with values where ``{{ name }}`` stands.

A Markdown file begins with lines ``key: value``. Sections follow, each under a heading of two marks, and may
begin with such lines, too; below them are parts, each under a heading of three. Paragraphs may be broken into
lines anywhere. A name that has no value, a value that no name asks for, and a section without a text are
errors that say the file and the section.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

Made = TypeVar("Made")
#: Where the files are.
FOLDER = Path(__file__).parents[1] / "content"
#: Where a value is filled in.
PLACE = re.compile(r"\{\{ ([\w.-]+) \}\}")
_KEY = re.compile(r"([a-z][\w-]*): (\S.*)")
_ITEM = "- "


class ContentError(ValueError):
    """A file of prose that is not as its reader needs it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it.

    Parameters
    ----------
    where : str
        The file, and the headings down to this one.
    title : str
        The heading; nothing for a whole file.
    keys : mapping of str to str
        The lines ``key: value`` at its beginning.
    text : str
        Its paragraphs and items, each in one line.
    parts : tuple of Section
        The headings one level below.
    """

    where: str
    title: str
    keys: Mapping[str, str]
    text: str
    parts: tuple[Section, ...] = ()

    def key(self, name: str) -> str:
        """Return the value of a key.

        Raises
        ------
        ContentError
            If there is none.
        """
        if name not in self.keys:
            raise ContentError(f"{self.where}: has no line '{name}: ...'")
        return self.keys[name]

    def part(self, title: str) -> Section:
        """Return the part under a heading.

        Raises
        ------
        ContentError
            If there is none.
        """
        for one in self.parts:
            if one.title == title:
                return one
        raise ContentError(f"{self.where}: has no section '{title}'")

    @property
    def items(self) -> tuple[str, ...]:
        """The items of the list below the heading."""
        lines = self.text.splitlines()
        return tuple(line.removeprefix(_ITEM) for line in lines if line.startswith(_ITEM))

    @property
    def paragraphs(self) -> str:
        """The text without its list."""
        blocks = self.text.split("\n\n")
        return "\n\n".join(block for block in blocks if not block.startswith(_ITEM))

    def filled(self, values: Mapping[str, str]) -> Section:
        """Return the section with the values in its text; see `fill`."""
        text = fill(self.text, values, self.where)
        return Section(self.where, self.title, self.keys, text, self.parts)


def fill(text: str, values: Mapping[str, str], where: str) -> str:
    """Return a text with its values.

    Raises
    ------
    ContentError
        If a name has no value, or a value is not used.

    Examples
    --------
    >>> fill("{{ share }} of the tasks are slow.", {"share": "5 %"}, "a.md")
    '5 % of the tasks are slow.'
    >>> fill("All tasks are slow.", {"share": "5 %"}, "a.md")
    Traceback (most recent call last):
        ...
    sim.telling.content.ContentError: a.md: {{ share }} is computed and not used
    """
    asked = set(PLACE.findall(text))
    for name in sorted(asked - values.keys()):
        raise ContentError(f"{where}: {{{{ {name} }}}} has no value")
    for name in sorted(values.keys() - asked):
        raise ContentError(f"{where}: {{{{ {name} }}}} is computed and not used")
    return PLACE.sub(lambda place: values[place[1]], text)


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
    """Return a file of prose.

    Raises
    ------
    ContentError
        If a section has no text and no parts, two have the same heading, or braces hold no name.
    """
    return parse(path.read_text(encoding="utf-8"), path.name)


def parse(source: str, where: str) -> Section:
    r"""Return a source as its sections.

    Examples
    --------
    >>> found = parse("short: A\n\n## One\n\nkey: 1\n\nTold in\ntwo lines.\n\n### More\n\n- a\n- b\n", "a.md")
    >>> found.key("short"), found.part("One").key("key"), found.part("One").text
    ('A', '1', 'Told in two lines.')
    >>> found.part("One").part("More").items
    ('a', 'b')
    """
    for line in PLACE.sub("", source).splitlines():
        if "{{" in line:
            raise ContentError(f"{where}: no name in braces: {line.strip()}")
    return _section(source, where, "", 2)


def _section(source: str, where: str, title: str, level: int) -> Section:
    head, *rest = re.split(rf"^{'#' * level} (.+)\n", source, flags=re.MULTILINE)
    titles, bodies = rest[::2], rest[1::2]
    for one in titles:
        if titles.count(one) > 1:
            raise ContentError(f"{where}: two sections are called '{one}'")
    parts = tuple(
        _section(body, f"{where}: {one}", one, level + 1) for one, body in zip(titles, bodies, strict=True)
    )
    blocks = [block for block in re.split(r"\n\s*\n", head.strip()) if block]
    keys: dict[str, str] = {}
    if blocks and all(_KEY.fullmatch(line) for line in blocks[0].splitlines()):
        keys = dict(line.split(": ", 1) for line in blocks.pop(0).splitlines())
    if not blocks and not parts:
        raise ContentError(f"{where}: has no text")
    return Section(where, title, keys, "\n\n".join(map(_unbroken, blocks)), parts)


def _unbroken(block: str) -> str:
    """Return a paragraph in one line, or a list with one line an item."""
    if not block.startswith(_ITEM):
        return " ".join(block.split())
    items = re.split(rf"^{_ITEM}", block, flags=re.MULTILINE)[1:]
    return "\n".join(_ITEM + " ".join(item.split()) for item in items)
