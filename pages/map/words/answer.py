"""The answer in a sentence: who wins where, and whom to choose when one does not know where one is."""

from __future__ import annotations

from pages.map.words.cells import above, place
from pages.map.words.names import names
from pages.shared.words.numbers import bold, counted, listed
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
        return f"In none of the {size} cells can a best policy be told{so_far}."
    listed_ = [
        f"{bold(f'{LETTERS[i]} {called[i]}')} in {count}" for count, i in sorted(winners, reverse=True)
    ]
    listed_ += [f"no difference between the best in {alike}"] if alike else []
    told = f"Least {found.plane.by.title} in {size} cells{so_far}: {listed(listed_)}."
    others = {
        "the best cannot be told": found.count(UNKNOWN),
        "the queue grows under every policy": found.count(UNSTABLE),
    }
    more = [f"{count} {what}" for what, count in others.items() if count]
    return f"{told} In {', in '.join(more)}." if more else told


def choice(found: Picture) -> str:
    """Say who is least far from the best where it is farthest: for those who do not know where they are."""
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
