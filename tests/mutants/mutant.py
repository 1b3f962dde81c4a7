"""A deliberate bug: a piece of text in one definition, its replacement, and the tests that should notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

#: Folders of the sources.
SOURCES = ("theory", "sim", "pages")


class Stale(Exception):
    """The list and the sources no longer fit: mend the list."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a definition is: its file, and its lines in there."""

    path: Path
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Mutant:
    """A deliberate bug.

    Parameters
    ----------
    name : str
        What goes wrong, in words joined by hyphens.
    where : str
        A function, class or value: the end of its dotted name, as far as no other has that, so that its file
        may be moved. Of what is no Python, the path of the file.
    old, new : str
        Text that is found there exactly once, and what replaces it.
    tests : str
        What pytest is called with, beside its own options: the narrowest selection that must fail.
    plain : bool
        Whether these tests run without compilation, which saves compiling an engine that is thrown away.
    """

    name: str
    where: str
    old: str
    new: str
    tests: str
    plain: bool = False

    def applied(self, root: Path) -> tuple[Path, str]:
        """Return the file and its text with the bug in it.

        Raises
        ------
        Stale
            If there is not one such place below `root`, or the old text is not there exactly once.
        """
        place = self._place(root)
        lines = place.path.read_text().splitlines(keepends=True)
        there = "".join(lines[place.first - 1 : place.last])
        if (found := there.count(self.old)) != 1:
            raise Stale(f"{self.name}: {self.old!r} is found {found} times in {self.where}")
        lines[place.first - 1 : place.last] = [there.replace(self.old, self.new)]
        return place.path, "".join(lines)

    def _place(self, root: Path) -> Place:
        path = root / self.where
        if path.is_file():
            return Place(path, 1, len(path.read_text().splitlines()))
        found = defined(root).get(self.where.rpartition(".")[2], {})
        places = [place for name, place in found.items() if f".{name}".endswith(f".{self.where}")]
        if len(places) != 1:
            raise Stale(f"{self.name}: {self.where} is defined {len(places)} times")
        return places[0]


@cache
def defined(root: Path) -> dict[str, dict[str, Place]]:
    """Return the places of all definitions: by their own name, then by their dotted one."""
    found: dict[str, dict[str, Place]] = {}
    for path in sorted(path for folder in SOURCES for path in (root / folder).rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for name, first, last in _definitions(ast.parse(path.read_text()), module):
            found.setdefault(name.rpartition(".")[2], {}).setdefault(name, Place(path, first, last))
    return found


def _definitions(node: ast.AST, inside: str) -> Iterator[tuple[str, int, int]]:
    """Yield dotted name, first and last line of each function, class and value, and of those in it."""
    for one in getattr(node, "body", []):
        last = one.end_lineno or one.lineno
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([one.lineno, *(line.lineno for line in one.decorator_list)])
            yield f"{inside}.{one.name}", first, last
            yield from _definitions(one, f"{inside}.{one.name}")
        elif isinstance(one, ast.Assign | ast.AnnAssign):
            for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
                names = [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
                yield from ((f"{inside}.{name}", one.lineno, last) for name in names)
