"""What the papers report, claim by claim: one small file a claim, one line each in its folder's list.

``python -m sim reproduce`` computes them; the outcome at the scale of the papers is in `results.json`.
"""

from __future__ import annotations

from sim.claims.aktas_soljanin import CLAIMS as AKTAS_SOLJANIN
from sim.claims.claim import Claim
from sim.claims.dolly import CLAIMS as DOLLY
from sim.claims.hopper import CLAIMS as HOPPER
from sim.claims.xu_lau import CLAIMS as XU_LAU
from sim.fields import BadInput, unknown

#: Key -> claim, in the order of the papers' figures.
CLAIMS: dict[str, Claim] = {claim.key: claim for claim in (*HOPPER, *AKTAS_SOLJANIN, *XU_LAU, *DOLLY)}


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
