"""XL Fig. 5: what ESE saves of one large job's resource fades as the tail gets lighter."""

from __future__ import annotations

from sim.claims.claim import Claim, Measured, Region
from sim.claims.xu_lau.settings import SINGLE, resource_saved_by_ese


def compute(quick: bool) -> Measured:
    """Return what ESE saves at tail index 4 as a share of what it saves at 2."""
    return resource_saved_by_ese(quick)


CLAIM = Claim(
    key="xl-fig5-gain",
    paper="XL",
    place="Fig. 5",
    statement="The improvement by ESE becomes inconspicuous as alpha grows from 2 to 4.",
    setting=SINGLE,
    method=(
        "Resource saved against no backup at the best sigma of each alpha; the saving at alpha = 4 "
        "over that at 2."
    ),
    reported=0.0,
    unit="",
    compute=compute,
    region=Region(-0.3, 0.3),
)
