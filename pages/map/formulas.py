"""How the numbers of the Map page are computed, and what they assume."""

from __future__ import annotations

from pages.shared.words.formulas import Latex, Part
from sim.map.picture import Picture
from sim.map.standing import boundaries
from sim.map.survey import CLEAR, FEWEST, STRIDE
from sim.telling.words import begun


def formulas(found: Picture) -> tuple[Part, ...]:
    """Return the formulas and assumptions, with the numbers of what is seen."""
    precision = found.plane.precision
    return (
        "**Gain** of the best policy over the second best, and **regret** of a policy, in a cell:",
        Latex(
            r"\text{gain} = \frac{x_{\text{second}} - x_{\text{best}}}{x_{\text{second}}}, \qquad "
            r"\text{regret} = \frac{x_{\text{policy}} - x_{\text{best}}}{x_{\text{best}}}"
        ),
        "Every policy of a cell runs the same jobs with the same luck, so differences are paired; intervals "
        "are Student’s over replications, 95 %. A cell is hatched where the interval of the best against "
        "any other holds 0. Of a hundred cells without any difference about five would be coloured, "
        "somewhat more since a cell is looked at several times. The half width of a mean regret is the mean "
        "of the cells’ half widths, as if all erred the same way.",
        f"**Which cells are simulated.** First every {STRIDE}th, both ways, then the cells in the middle "
        "between them, finer and finer; but none that lies on a line between two cells that are alike: the "
        "same winner, or a tie of the same policies. Its colour is linear between theirs. **How often.** "
        f"Until the gain over the second best is known to ± {precision:g} percentage points; another policy "
        f"is let go from {FEWEST} replications on once it is above the best by {CLEAR:g} half widths. "
        "Replications have as many jobs as the interval of a difference needs at that load.",
        *(f"**{begun(one.title)}** (line of theory): {one.about}" for one in boundaries(found.plane)),
    )
