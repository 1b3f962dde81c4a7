"""The documents' commands and code, block by block."""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import pkgutil
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sim.model.fields import BadInput
from sim.shell import app
from sim.shell import verbs as shell

ROOT = Path(__file__).resolve().parents[1]
#: The first document that people read; and every document, that of hosting included.
README = ROOT / "README.md"
PAGES = [
    README,
    *(ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "deploy/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
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


#: Code in a line; and what in it is a file of ours, a name of Python, or a command.
IN_LINE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"(?:sim|theory|pages|tests|docs|deploy|examples|\.ci)(?:/[\w.@-]+)+/?")
NAME = re.compile(r"(?:sim|theory|pages|tests|docs)(?:\.\w+)+")
#: What stands for something else: `NAME`, `ACTION`.
STANDS_IN = re.compile(r"\b[A-Z]{4,}\b")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def missing(text: str) -> Iterator[str]:
    """Yield what a document names in its lines, and is not there: files, names of Python, commands, options.

    Examples
    --------
    >>> list(missing("`sim/no.py` `sim/engines/run.py` `sim.no` `python -m sim no` `python -m no`"))
    ['sim/no.py', 'sim.no', 'python -m sim no', 'python -m no']
    >>> list(missing("`python -m sim whatif` `python -m sim whatif LOG --no 1` `straggler-lab --port 1`"))
    ['python -m sim whatif LOG --no 1', 'straggler-lab --port 1']
    """
    for code in IN_LINE.findall(FENCED.sub("", text)):
        if FILE.fullmatch(code):
            there = STANDS_IN.search(code) or (ROOT / code).exists()
        elif NAME.fullmatch(code):
            there = STANDS_IN.search(code) or _is_name(code)
        else:
            words = shlex.split(code) if code.count("'") % 2 == 0 else []
            there = not is_ours(words) or is_command(words)
        if not there:
            yield code


def _is_name(dotted: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    try:
        pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):
        return False
    return True


def _called(words: list[str]) -> list[str]:
    """Return a command without the variables that it is given, and without the folder of its program."""
    words = list(itertools.dropwhile(lambda word: re.match(r"[A-Z_]+=", word), words))
    return [words[0].rpartition("/")[2], *words[1:]] if words else []


def is_ours(words: list[str]) -> bool:
    """Whether a command is the program, or runs a module."""
    words = _called(words)
    return words[:1] == ["straggler-lab"] or words[:2] == ["python", "-m"]


def is_command(words: list[str]) -> bool:
    """Whether there is such a module to be run and, of ours, such an action with such options."""
    words = [word for word in _called(words) if word != "…"]
    if words[0] == "straggler-lab":
        return _parses(app.parser(), words[1:])
    if not _is_module(words[2]):
        return False
    given = words[3:] if words[2] == "sim" else []
    alone = not given or given[0] == "ACTION" or (len(given) == 1 and given[0] in shell.VERBS)
    return alone or _parses(shell.parser(), given)


def _is_module(dotted: str) -> bool:
    """Whether there is a module of this name."""
    try:
        return importlib.util.find_spec(dotted) is not None
    except ModuleNotFoundError:
        return False


def _parses(parser: argparse.ArgumentParser, words: list[str]) -> bool:
    """Whether a parser takes these words."""
    try:
        parser.parse_args(words)
    except (BadInput, SystemExit):
        return False
    return True
