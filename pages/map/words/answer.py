"""The answer in a sentence: which policy wins where, and which to choose if the cell is not known."""

from __future__ import annotations

from pages.map.words.cells import above, place
from pages.map.words.names import names
from pages.shared.words.numbers import bold, counted, listed
from sim.map.criterion import Criterion
from sim.map.picture import Picture
from sim.map.plane import LETTERS
from sim.map.standing import ALIKE, UNKNOWN, UNSTABLE


def answer(found: Picture) -> str:
    """Return the answer."""
    return " ".join(part for part in (wins(found), choice(found)) if part)


def wins(found: Picture) -> str:
    """Say in how many cells each policy is the best."""
    called, size = names(found.plane), found.plane.size
    so_far = "" if found.final else " so far"
    winners = [(one.wins, i) for i, one in enumerate(found.regrets) if one.wins]
    alike = found.count(ALIKE)
    if not winners and not alike:
        return f"No policy is surely the best in any of the {size} cells{so_far}."
    counts = [(f"{bold(f'{LETTERS[i]} {called[i]}')}", count) for count, i in sorted(winners, reverse=True)]
    told = [f"{who} in {count}" for who, count in counts]
    if told:
        who, count = counts[0]
        told[0] = f"{who} has the {lowest(found.plane.by)} in {count} of {size} cells{so_far}"
    others = [
        (alike, "it is a tie"),
        (found.count(UNKNOWN), "the best is not known"),
        (found.count(UNSTABLE), "the queue grows under every policy"),
    ]
    more = [f"in {count} {what}" for count, what in others if count]
    if not told:
        more[0] = f"In {alike} of {size} cells{so_far} it is a tie"
    return "; ".join(filter(None, (listed(told) if told else "", ", ".join(more)))) + "."


def lowest(by: Criterion) -> str:
    """Return what the best policy has: the shortest time, or the lowest slowdown.

    Examples
    --------
    >>> from sim.map.criterion import CRITERIA
    >>> lowest(CRITERIA["median"]), lowest(CRITERIA["slowdown"])
    ('shortest median flowtime', 'lowest mean slowdown')
    """
    return f"{'lowest' if by.measure == 'slowdown' else 'shortest'} {by.title}"


def choice(found: Picture) -> str:
    """Say which policy has the least worst regret: for readers who do not know their cell."""
    safe = safest(found)
    if safe is None:
        return ""
    one, name = found.regrets[safe], names(found.plane)[safe]
    if one.where is None or not one.worst.value:
        return f"No policy is better than {bold(f'{LETTERS[safe]} {name}')} in any cell."
    return (
        f"If you do not know where on the map you are, choose {bold(f'{LETTERS[safe]} {name}')}: at worst "
        f"{above(one.worst)} above the best (at {place(found.plane, one.where)}), on average "
        f"{above(one.mean)}."
    )


def safest(found: Picture) -> int | None:
    """Return the policy with the least worst regret, of those that are in question in every cell."""
    worst = {
        i: one.worst.value
        for i, one in enumerate(found.regrets)
        if one.worst.value is not None and not one.unstable and not one.over
    }
    return min(worst, key=worst.__getitem__) if worst else None


def alt(found: Picture) -> str:
    """Say in words what the map shows."""
    plane = found.plane
    told = answer(found).replace("*", "")
    simulated = counted(found.simulated, "cell")
    return f"Map of {plane.size} cells, {simulated} simulated. {told}"
