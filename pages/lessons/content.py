"""The text of a lesson: a Markdown file of facts, sections and places for values, read strictly.

A file begins with facts, ``key: value``, between two lines ``---``. A section begins with ``## Name``. Its
pieces, ``### name``, are alternatives: one is put where a value is the `Piece` of that name. A place is
``{{ name }}``, ``{{ name|percent }}`` or ``{{ name.2|counted task }}``: a value, or an item of it, written by
a function of `sim.telling.words`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from sim.telling.words import counted, listed, number, percent, plain, short

PLACE = re.compile(r"\{\{ (\w+)(?:\.(\w+))?(?:\|(\w+)(?: ([^}]+))?)? \}\}")
ITEM = re.compile(r"^(?:- |\d+\. )")
WRITERS: dict[str, Callable[..., str]] = {
    one.__name__: one for one in (counted, listed, number, percent, plain, short)
}


class BadContent(ValueError):
    """A text that cannot be shown: it lacks something, or has what nothing needs."""


class Piece(str):
    """The name of a piece of the section in which the value is put."""


@dataclass(frozen=True, slots=True)
class Content:
    r"""A file: its name, its facts, and the text of its sections and of their pieces, ``Section/piece``.

    Examples
    --------
    >>> told = "## Told\nIt is {{ how }}.\n### long\n{{ T|plain }} min\n"
    >>> text = parsed("some.md", f"---\ntitle: Tasks\n---\n{told}")
    >>> text.facts["title"], text.told("Told", {"how": Piece("long"), "T": 2.5})
    ('Tasks', 'It is 2.5 min.')
    >>> text.told("Told", {"how": Piece("short")})
    Traceback (most recent call last):
        ...
    pages.lessons.content.BadContent: some.md: Told/short: is missing
    """

    file: str
    facts: Mapping[str, str]
    sections: Mapping[str, str]

    def told(self, section: str, values: Mapping[str, Any]) -> str:
        """Return the text of a section without its list, filled with values; functions are called."""
        blocks = (self._filled(section, one, values) for one in self._blocks(section, is_item=False))
        return re.sub(" +", " ", " ".join(blocks)).strip()  # a piece may be empty

    def items(self, section: str, values: Mapping[str, Any]) -> list[str]:
        """Return the items of the list of a section, filled."""
        return [self._filled(section, one, values) for one in self._blocks(section, is_item=True)]

    def shape(self, section: str) -> tuple[bool, bool]:
        """Return whether a section has text, and whether it has a list."""
        text, items = (bool(self._blocks(section, is_item=one)) for one in (False, True))
        return text, items

    def places(self, *sections: str) -> set[str]:
        """Return the names of all values that these sections and their pieces have places for."""
        texts = [text for name, text in self.sections.items() if name.partition("/")[0] in sections]
        return {found[1] for text in texts for found in PLACE.finditer(text)}

    def check(
        self, what: str, there: Collection[str], needed: Collection[str], known: Collection[str]
    ) -> None:
        """Raise `BadContent` if something needed is not there, or something is there that is not known."""
        for name in needed:
            if name not in there:
                raise self.wrong(what, f"{name} is missing")
        for name in there:
            if name not in needed and name not in known:
                raise self.wrong(what, f"{name} is not known")

    def wrong(self, section: str, said: str) -> BadContent:
        """Return an error that names the file and the section."""
        return BadContent(f"{self.file}: {section}: {said}")

    def _blocks(self, section: str, *, is_item: bool) -> list[str]:
        if section not in self.sections:
            raise self.wrong(section, "is missing")
        blocks = re.split(r"\n\s*\n|\n(?=- |\d+\. )", self.sections[section])
        return [" ".join(ITEM.sub("", one).split()) for one in blocks if bool(ITEM.match(one)) is is_item]

    def _filled(self, section: str, text: str, values: Mapping[str, Any]) -> str:
        return PLACE.sub(lambda found: self._written(section, found, values), text)

    def _written(self, section: str, place: re.Match[str], values: Mapping[str, Any]) -> str:
        name, item, writer, given = place.groups()
        try:
            value = values[name]() if callable(values[name]) else values[name]
            if item:
                isnamed = not isinstance(value, Mapping | tuple)
                value = getattr(value, item) if isnamed else value[int(item) if item.isdigit() else item]
        except (LookupError, AttributeError):
            raise self.wrong(section, f"{place[0]} is not known") from None
        if isinstance(value, Piece):
            return self.told(f"{section.partition('/')[0]}/{value}", values) if value else ""
        if writer is None and isinstance(value, str | int):
            return str(value)
        if writer not in WRITERS:
            raise self.wrong(section, f"{place[0]} has to be written by one of {', '.join(WRITERS)}")
        more: list[Any] = [] if given is None else [int(given) if given.isdigit() else given]
        return WRITERS[writer]([*map(str, value)] if writer == "listed" else value, *more)


def parsed(file: str, text: str) -> Content:
    """Return the content of a file.

    Raises
    ------
    BadContent
        If it has no facts, if a section is empty or there twice, or if text belongs to no section.
    """
    empty = Content(file, {}, {})
    _, head, body = (*re.split(r"^---\n", text, maxsplit=2, flags=re.MULTILINE), "", "")[:3]
    facts: dict[str, str] = {}
    for line in head.splitlines():
        key, colon, value = line.partition(": ")
        if not (colon and value.strip()) or key in facts:
            raise empty.wrong("facts", f"{line} is not one; write key: value, each key once")
        facts[key] = value.strip()
    before, *parts = re.split(r"^(##{1,2} .+)\n", body, flags=re.MULTILINE)
    if not facts or before.strip():
        raise empty.wrong("facts", "are missing, between two lines ---, or text is above all sections")
    sections: dict[str, str] = {}
    above = ""
    for heading, section in zip(parts[::2], parts[1::2], strict=True):
        hashes, _, name = heading.partition(" ")
        above, name = (name, name) if hashes == "##" else (above, f"{above}/{name}")
        if name in sections or not section.strip():
            raise empty.wrong(name, "is there twice" if name in sections else "is empty")
        sections[name] = section.strip()
    return Content(file, facts, sections)


def read(name: str) -> Content:
    """Return the content of a lesson's file in `sim/content/lessons`."""
    path = resources.files("sim.content.lessons").joinpath(f"{name}.md")
    if not path.is_file():
        raise BadContent(f"{name}.md: is missing in sim/content/lessons")
    return parsed(f"{name}.md", path.read_text("utf-8"))
