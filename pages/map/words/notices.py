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
        told.insert(1, "Italics: not simulated, but between simulated cells of which the same is known.")
    if found.count(ALIKE):
        told.insert(1, "Hatched, small letters: these cannot be told apart.")
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
            f"In {counted(count, 'cell')} nothing can be told: the jobs are too few for a reliable "
            "interval, or some are unfinished. Give more jobs, or rank by the median."
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
            f"{counted(size - found.simulated, 'cell')} of {size} were not simulated. A region that is "
            "smaller than the coarse cells can be missed; the shell’s `--full` simulates all."
        )
