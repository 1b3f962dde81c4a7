"""Claims of the SIGCOMM paper on Hopper, section 5: the decentralised scheduler."""

from __future__ import annotations

from sim.claims.claim import Claim
from sim.claims.hopper import fig5a_four_probes, fig5a_plateau, fig5a_sparrow, fig5b_two_refusals

CLAIMS: tuple[Claim, ...] = tuple(
    module.CLAIM for module in (fig5a_four_probes, fig5a_plateau, fig5a_sparrow, fig5b_two_refusals)
)
