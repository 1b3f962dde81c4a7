"""Names that a log gives to jobs, stages, hosts and files, shortened to one line."""

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


def title_of(kind: str, identifier: object, name: object, most: int = IN_WORDS) -> str:
    """Return how a job or stage is called, in so many characters: its name, and always its identifier.

    Examples
    --------
    >>> title_of("job", "7", "nightly"), title_of("job", "7", "")
    ('nightly (7)', 'job 7')
    >>> title_of("stage", "12", "count at App.java:46", 17)
    'count at Ap… (12)'
    """
    own = brief(identifier, most - len(kind) - 1)
    if not name or name == identifier:
        return f"{kind} {own}"
    left = most - len(own) - 3
    return f"{brief(name, left)} ({own})" if left > 2 else f"{kind} {own}"
