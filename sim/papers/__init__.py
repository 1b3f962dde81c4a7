"""The claims of the papers: one file per figure, one line each here.

``python -m sim reproduce`` computes them; the outcome at the scale of the papers is in `results.json`.
"""

from __future__ import annotations

from sim.model.fields import BadInput, unknown
from sim.papers.aktas_soljanin import fig2 as aktas_soljanin_fig2
from sim.papers.aktas_soljanin import fig3 as aktas_soljanin_fig3
from sim.papers.aktas_soljanin import theorems as aktas_soljanin_theorems
from sim.papers.claim import Claim
from sim.papers.dolly import fig6 as dolly_fig6
from sim.papers.dolly import formulas as dolly_formulas
from sim.papers.hopper import fig5a as hopper_fig5a
from sim.papers.hopper import fig5b as hopper_fig5b
from sim.papers.hopper import section43 as hopper_section43
from sim.papers.hopper import section44 as hopper_section44
from sim.papers.hopper import theorems as hopper_theorems
from sim.papers.xu_lau import fig2 as xu_lau_fig2
from sim.papers.xu_lau import fig3 as xu_lau_fig3
from sim.papers.xu_lau import fig4 as xu_lau_fig4
from sim.papers.xu_lau import fig5 as xu_lau_fig5
from sim.papers.xu_lau import fig6 as xu_lau_fig6
from sim.papers.xu_lau import theorems as xu_lau_theorems

#: One line a figure, or the theorems of a paper, in the order of the listing.
FIGURES = (
    hopper_theorems,
    hopper_section43,
    hopper_section44,
    hopper_fig5a,
    hopper_fig5b,
    aktas_soljanin_theorems,
    aktas_soljanin_fig2,
    aktas_soljanin_fig3,
    xu_lau_theorems,
    xu_lau_fig2,
    xu_lau_fig3,
    xu_lau_fig4,
    xu_lau_fig5,
    xu_lau_fig6,
    dolly_formulas,
    dolly_fig6,
)

#: Key -> claim, in the order of the figures.
CLAIMS: dict[str, Claim] = {claim.key: claim for figure in FIGURES for claim in figure.CLAIMS}


def chosen(keys: list[str]) -> list[Claim]:
    """Return the claims of these keys; a key may end early (``xl-fig2``), and ``all`` means all.

    Raises
    ------
    BadInput
        If no claim is called so, with the nearest key.

    Examples
    --------
    >>> [claim.key for claim in chosen(["xl-fig4-alpha2"])]
    ['xl-fig4-alpha2']
    """
    found: dict[str, Claim] = {}
    for key in keys:
        here = {
            name: claim
            for name, claim in CLAIMS.items()
            if key in (name, "all") or name.startswith(f"{key}-")
        }
        if not here:
            raise unknown("claim", key, list(CLAIMS))
        found |= here
    if not found:
        raise BadInput("claim: none is given; give at least one, or all")
    return list(found.values())
