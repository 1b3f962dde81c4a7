"""The answer of a diagnosis in one plain sentence."""

from __future__ import annotations

from sim.traces.diagnosis.replay import Lost
from sim.traces.diagnosis.shares import Shares

#: A host is called slow above this factor, if even the low end of its interval is above 1.
SLOW = 1.2
#: Below this share of their time, jobs are said to lose little.
_LITTLE = 0.02
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def sentence(lost: Lost, shares: Shares) -> str:
    """Say what stragglers cost, how much of it a second copy could at best mend, and what the rest is.

    A second copy draws the luck anew: the share of luck in the variance bounds what it can mend.
    """
    if lost.share is None:
        return "The log does not tell what stragglers cost: no job with finished tasks and both its times."
    if lost.share <= 0:
        return "Stragglers cost your jobs no time: tasks at the median of their stage would not be faster."
    cost = f"Stragglers cost your jobs {_percent(lost.share)} of their time"
    if lost.share < _LITTLE:
        return f"{cost}: there is little to mend."
    if shares.luck is None:
        return f"{cost}; no stage has ten finished tasks, so where they come from cannot be told."
    told = {
        name: share.value
        for name, share in (
            ("work", shares.work),
            ("machine", shares.machine),
            ("first_wave", shares.first_wave),
        )
        if share is not None
    }
    if not told:
        return f"{cost}; this log cannot tell luck, which a second copy mends, from work and slow hosts."
    mend = f"{cost}; a second copy could at best mend {_about(shares.luck.value)} of that"
    name = max(told, key=lambda one: told[one])
    rest = 1 - shares.luck.value
    if rest < 0.1:
        return f"{mend}."
    most = "most of the rest" if told[name] > rest / 2 else "the largest part of the rest"
    return f"{mend}; {most} comes from {_cause(name, shares)}."


def _cause(name: str, shares: Shares) -> str:
    if name == "work":
        return "unequal work"
    if name == "first_wave":
        return "slow first waves"
    hosts = shares.hosts
    slow = int(((hosts["factor"] > SLOW) & (hosts["low"] > 1)).sum())
    if not slow:
        return "hosts of unequal speed"
    number = _NUMBERS[slow] if slow < len(_NUMBERS) else f"{slow}"
    return f"{number} slow host{'' if slow == 1 else 's'}"


def _percent(share: float) -> str:
    return "less than 1 %" if share < 0.01 else f"{share:.0%}".replace("%", " %")


def _about(share: float) -> str:
    """Return a share in words.

    Examples
    --------
    >>> _about(0.52), _about(0.97)
    ('about half', 'nearly all')
    """
    words = (
        (0.06, "a small part"),
        (0.15, "about a tenth"),
        (0.29, "about a quarter"),
        (0.41, "about a third"),
        (0.58, "about half"),
        (0.71, "about two thirds"),
        (0.85, "about three quarters"),
        (1.01, "nearly all"),
    )
    return next(word for limit, word in words if share <= limit)
