"""What to notice on a map: how to read it, what theory says, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator

from pages.map.words.names import names
from pages.shared.words.numbers import counted
from sim.map.boundaries import boundaries
from sim.map.picture import BETWEEN, Picture
from sim.map.standing import ALIKE, UNKNOWN, UNSTABLE


def reading(found: Picture) -> str:
    """Return how the map is read."""
    told = [
        "Letter and colour: the best policy of a cell; a stronger colour saves more against the second best "
        "(pale: nothing, full: half or more).",
        "Click a cell to open it on the page Compare.",
    ]
    if any(one.known == BETWEEN for one in found.squares.values()):
        told.insert(1, "Italics: not simulated, but like the simulated cells around.")
    if found.count(ALIKE):
        told.insert(1, "Hatched, small letters: a tie of these.")
    if found.count(UNKNOWN):
        told.insert(1, "Grey, ?: not known.")
    if found.count(UNSTABLE):
        told.insert(1, "Grey, ×: the queue grows under every policy.")
    return " ".join(told)


def notices(found: Picture) -> list[str]:
    """Return the remarks, in Markdown."""
    return list(_notices(found))


def _notices(found: Picture) -> Iterator[str]:
    for one in boundaries(found.plane):
        yield f"**{one.title}** (line of theory): {one.about}"
    if count := found.count(UNKNOWN):
        yield (
            f"In {counted(count, 'cell')} the best is not known: too few jobs for an interval, or some "
            "unfinished. Give more jobs, or rank by the median."
        )
    for i, regret in enumerate(found.regrets):
        if regret.unstable:
            yield (
                f"Under **{names(found.plane)[i]}** the queue grows in {counted(regret.unstable, 'cell')}: "
                "there it cannot win, and its regret has no number."
            )
    size = found.plane.size
    if size > found.simulated and found.final:
        yield (
            f"{size - found.simulated} of {size} cells were not simulated: those around them are alike. A "
            "small region may be missed; `--full` in the shell simulates all."
        )
