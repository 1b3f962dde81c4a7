"""A deliberate bug: one piece of text in one file, its replacement, and the tests that should notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class Stale(Exception):
    """The list and the sources no longer fit: mend the list."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A deliberate bug.

    Parameters
    ----------
    name : str
        What goes wrong, in words joined by hyphens.
    file : str
        Source, from the top of the project.
    old, new : str
        Text that is found in the file exactly once, and what replaces it.
    tests : str
        What pytest is called with, beside its own options: the narrowest selection that must fail.
    plain : bool
        Whether these tests run without compilation, which saves compiling an engine that is thrown away.
    """

    name: str
    file: str
    old: str
    new: str
    tests: str
    plain: bool = False

    def applied(self, source: str) -> str:
        """Return the source with the bug in it.

        Raises
        ------
        Stale
            If the old text is not there, or more than once.
        """
        found = source.count(self.old)
        if found != 1:
            raise Stale(f"{self.name}: {self.old!r} is found {found} times in {self.file}")
        return source.replace(self.old, self.new)

    def check(self, root: Path) -> None:
        """Raise `Stale` if the bug cannot be put into the sources below `root`."""
        path = root / self.file
        if not path.is_file():
            raise Stale(f"{self.name}: there is no {self.file}")
        self.applied(path.read_text())
