"""The parser of the shell's lines, whose errors are one line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import NoReturn

from sim.model.fields import BadInput
from theory.quoting import shortened


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Refuse the words of a line."""
        raise BadInput(re.sub(r"\S{81,}", lambda word: shortened(word[0]), message))


def refuse_empty(words: Sequence[str]) -> None:
    """Refuse ``--name=--``, which argparse before Python 3.13 turns into an empty list."""
    for one in words:
        if one.startswith("--") and one.endswith("=--"):
            raise BadInput(f"{shortened(one[:-3])}: '--' is not accepted; give a value")
