"""The documents' commands and code, block by block."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Every document that people read, and the README of the server's folder.
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: A block, and the mark on the line above it.
BLOCK = re.compile(r"(?:^<!-- ([^\n]+) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: A mark with the reason for which a block is not run.
EXCUSE = re.compile(r"not run: \w.+")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code: its document, its mark if it has one, its language and its text."""

    page: Path
    mark: str
    language: str
    text: str

    @property
    def is_excused(self) -> bool:
        """Whether its mark says why it is not run."""
        return bool(EXCUSE.fullmatch(self.mark))

    def commands(self) -> list[list[str]]:
        """Return its commands in words, without comments."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [words for line in lines if (words := shlex.split(line, comments=True))]


def blocks(language: str) -> Iterator[Block]:
    """Yield the blocks of a language in all documents."""
    for page in PAGES:
        for mark, found, text in BLOCK.findall(page.read_text(encoding="utf-8")):
            if found == language:
                yield Block(page, mark, found, text)


def arguments(words: list[str]) -> tuple[str, list[str]] | None:
    """Return module and arguments of ``python -m sim`` or ``python -m theory``, or nothing.

    Examples
    --------
    >>> arguments([".venv/bin/python", "-m", "sim", "presets"])
    ('sim', ['presets'])
    """
    called = len(words) > 2 and words[0].endswith("python") and words[1] == "-m"
    return (words[2], words[3:]) if called and words[2] in ("sim", "theory") else None
