"""Names that a log gives to jobs, stages, hosts and files, as they are shown: in one line and short."""

from __future__ import annotations

from theory.shown import visible

#: Characters of a name in a sentence, and beside the row of a chart.
IN_WORDS, BESIDE = 40, 20


def brief(name: object, most: int = IN_WORDS) -> str:
    r"""Return a name, visible and of at most so many characters.

    Examples
    --------
    >>> print(brief("count at App.java:46", 12), brief("two\nlines"))
    count at Ap… two\nlines
    """
    text = visible(str(name)[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"


def title_of(identifier: str, name: str) -> str:
    """Return how a job or stage is called: by its name, with its identifier if that is another.

    Examples
    --------
    >>> title_of("7", "nightly"), title_of("7", "")
    ('nightly (7)', '7')
    """
    return f"{name} ({identifier})" if name and name != identifier else identifier
