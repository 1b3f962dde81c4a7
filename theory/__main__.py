"""The calculator: ``python -m theory``, ``python -m theory NAME argument=value ... [--json]``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from importlib import import_module

from theory import CHAPTERS, FUNCTIONS
from theory.calculator import as_json, call, find, meaning, text, usage
from theory.shell import finished

USAGE = """\
python -m theory NAME argument=value ...   the value; lists as T=10,40,25, infinity inf, true and false
python -m theory NAME ... --json           the same as JSON: a number, list or object; infinity is "inf"
python -m theory help NAME                 the equation, the arguments, the source, an example
"""
HELP = ("-h", "--help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer on standard output and return 0; after bad input, one line on standard error and 2."""

    def run() -> int:
        print(_answer(list(sys.argv[1:] if arguments is None else arguments)))
        return 0

    return finished("theory", run, ValueError)


def _answer(words: list[str]) -> str:
    options = [word for word in words if word.startswith("-")]
    words = [word for word in words if word not in options]
    for option in options:
        if option not in ("--json", *HELP):
            raise ValueError(f"there is no option {option}; there are --json and --help")
    written = as_json if "--json" in options else text
    if words[:1] == ["help"]:
        words, options = words[1:], [*options, "--help"]
    if not words:
        return _menu() if written is text else written({name: meaning(FUNCTIONS[name]) for name in FUNCTIONS})
    if set(options) & set(HELP):
        return written(_page(words[0]))
    return written(call(words[0], words[1:]))


def _menu() -> str:
    width = max(map(len, FUNCTIONS))
    lines = [USAGE.rstrip()]
    for module, names in CHAPTERS.items():
        lines += ["", meaning(import_module(f"theory.{module}"))]
        lines += [f"  {name:{width}}  {meaning(FUNCTIONS[name])}" for name in names]
    return "\n".join(lines)


def _page(name: str) -> str:
    return f"{name} {usage(name)}".rstrip() + f"\n\n{inspect.getdoc(find(name))}"


if __name__ == "__main__":
    sys.exit(main())
