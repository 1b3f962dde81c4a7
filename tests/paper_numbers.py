"""``python -m tests.paper_numbers FILE ...``: sentences of papers with a number that no claim has.

Texts of papers are not here; give yours, in plain text. Percentages and factors count: what a paper measured.
A number that a claim of any paper has in its statement or its method is taken for told, so some sentences
are left out by chance, and settings of an experiment are among those that are listed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sim.papers import CLAIMS

#: A percentage or a factor, as papers write them.
NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s*(?:%|percent|\\%|×|x\b|times\b)")


def told() -> set[str]:
    """Return the numbers that claims state, percentages also as the share that is compared."""
    texts = [
        f"{one.statement} {one.method} {one.reported:g} {100 * one.reported:g}" for one in CLAIMS.values()
    ]
    return {found for text in texts for found in re.findall(r"\d+(?:\.\d+)?", text)}


def untold(text: str, known: set[str]) -> Iterator[tuple[list[str], str]]:
    """Yield the numbers of each sentence that are not among the known ones, and the sentence.

    Examples
    --------
    >>> list(untold("It saves 31 % here. It is 5.8 times as dear, by 12 % (Fig. 3). Nothing.", {"31"}))
    [(['5.8', '12'], 'It is 5.8 times as dear, by 12 % (Fig. 3).')]
    """
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z\[(])", " ".join(text.split())):
        if numbers := [one for one in NUMBER.findall(sentence) if one not in known]:
            yield numbers, sentence


def main() -> None:
    """List them, file by file."""
    known = told()
    for name in sys.argv[1:]:
        for numbers, sentence in untold(Path(name).read_text("utf-8"), known):
            print(f"{Path(name).name}: {', '.join(numbers)}: {sentence[:300]}")


if __name__ == "__main__":
    main()
