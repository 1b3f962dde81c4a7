"""How jobs and stages of a log are called."""

from __future__ import annotations

from sim.telling.words import IN_WORDS, clipped


def title_of(kind: str, identifier: object, name: object, most: int = IN_WORDS) -> str:
    """Return how a job or stage is called, in so many characters: its name, and always its identifier.

    Examples
    --------
    >>> title_of("job", "7", "nightly"), title_of("job", "7", "")
    ('nightly (7)', 'job 7')
    >>> title_of("stage", "12", "count at App.java:46", 17)
    'count at Ap… (12)'
    """
    own = clipped(identifier, most - len(kind) - 1)
    if not name or name == identifier:
        return f"{kind} {own}"
    left = most - len(own) - 3
    return f"{clipped(name, left)} ({own})" if left > 2 else f"{kind} {own}"
