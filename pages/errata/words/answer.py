"""The answer of the Errata page: how much of a paper is right as printed."""

from __future__ import annotations

from pages.errata.words.finding import Paper
from pages.shared.words.foreign import bold
from sim.telling.words import counted, listed


def found(paper: Paper) -> str:
    """Return in a sentence how many results of a paper are confirmed and corrected, and what else there is.

    Examples
    --------
    >>> found(Paper("k", "K", "K, 2020", ("a", "b"), (), ("c",)))
    'K: **2 results are confirmed, none is corrected**; 1 small slip is listed below.'
    """
    right, wrong = len(paper.confirmed), len(paper.corrections)
    remarks, slips = len(paper.findings) - wrong, len(paper.slips)
    results = f"{counted(right, 'result')} {_are(right)} confirmed, {wrong or 'none'} {_are(wrong)} corrected"
    others = [*([counted(remarks, "remark")] if remarks else []), counted(slips, "small slip")]
    return f"{paper.short}: {bold(results)}; {listed(others)} {_are(remarks + slips)} listed below."


def _are(count: int) -> str:
    return "are" if count > 1 else "is"
