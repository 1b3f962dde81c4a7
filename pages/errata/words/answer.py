"""The answer of the Errata page: how much of a paper is right as printed."""

from __future__ import annotations

from pages.errata.words.finding import Paper
from pages.shared.words.numbers import bold, counted


def found(paper: Paper) -> str:
    """Return in a sentence how many results of a paper are confirmed, corrected, and slips of the pen.

    Examples
    --------
    >>> found(Paper("k", "K", "K, 2020", ("a", "b"), (), ("c",)))
    'K: **2 results are confirmed, none is corrected**, and 1 small slip is listed below.'
    """
    right, wrong, slips = len(paper.confirmed), len(paper.findings), len(paper.slips)
    results = f"{counted(right, 'result')} {_are(right)} confirmed, {wrong or 'none'} {_are(wrong)} corrected"
    return f"{paper.short}: {bold(results)}, and {counted(slips, 'small slip')} {_are(slips)} listed below."


def _are(count: int) -> str:
    return "are" if count > 1 else "is"
