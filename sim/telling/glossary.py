"""The words and symbols of this project, each defined once: for the documents and for every page.

A word means the same everywhere, and a symbol, too. Where a paper writes another letter, the page about it
says so.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a symbol, and what it means.

    Parameters
    ----------
    word : str
        As a table has it; what stands behind commas means the same or belongs to it.
    meaning : str
    forms : tuple of str, optional
        By which it is found in a text, where that is not the word itself.
    short : bool, optional
        Whether it is a name or an abbreviation: always written the same, and unknown to a newcomer, so that
        a page tells its meaning where it is first read (`pages/frame/parts/terms.js`).
    """

    word: str
    meaning: str
    forms: tuple[str, ...] = ()
    short: bool = False

    def is_in(self, text: str) -> bool:
        """Whether a text uses the word, in the plural, too; a name only as it is written.

        Examples
        --------
        >>> slot = Term("slot", "holds one copy at a time")
        >>> slot.is_in("Slots are busy"), slot.is_in("slot-time")
        (True, False)
        >>> late = Term("LATE", "copies the slowest tasks", short=True)
        >>> late.is_in("Fair shares + LATE"), late.is_in("a late task")
        (True, False)
        """
        return bool(_pattern(self).search(text))


@cache
def _pattern(term: Term) -> re.Pattern[str]:
    forms = "|".join(map(re.escape, term.forms or (term.word,)))
    if term.short:
        return re.compile(rf"(?<![\w-])(?:{forms})(?![\w-])")
    return re.compile(rf"(?<![\w-])(?:{forms})(?:e?s)?(?![\w-])", re.IGNORECASE)


def _read(text: str) -> tuple[Term, ...]:
    listed = tomllib.loads(text)["term"]
    return tuple(Term(**(one | {"forms": tuple(one.get("forms", ()))})) for one in listed)


#: All of them, as `glossary.toml` has them.
TERMS = _read(Path(__file__).with_name("glossary.toml").read_text("utf-8"))


def table() -> str:
    """Return all terms as a table in Markdown."""
    rows = [f"| {term.word} | {term.meaning} |" for term in TERMS]
    return "\n".join(["| word | meaning |", "|---|---|", *rows])


def short_terms() -> list[dict[str, object]]:
    """Return the names and abbreviations with their forms and meanings, for the browser.

    Examples
    --------
    >>> short_terms()[0]
    {'word': 'p95', 'forms': ['p95'], 'meaning': '95th percentile: 95 of 100 values are at most this'}
    """
    return [
        {"word": term.word, "forms": list(term.forms or (term.word,)), "meaning": term.meaning}
        for term in TERMS
        if term.short
    ]


@lru_cache(maxsize=1000)  # a class reads the same sentences
def defined(text: str) -> str:
    """Return the definitions of the words that a text uses, as a list in Markdown; empty if it uses none.

    Examples
    --------
    >>> print(defined("The median flowtime by warm-up"))
    - **flowtime**: of a job: finish − arrival (also: job completion time, JCT)
    - **warm-up**: the first arrivals, left out of the statistics because the cluster was still filling
    """
    return "\n".join(f"- **{term.word}**: {term.meaning}" for term in TERMS if term.is_in(text))
