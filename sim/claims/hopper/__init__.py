"""Claims of the SIGCOMM paper on Hopper: sections 4.3 and 4.4, and 5, the decentralised scheduler."""

from __future__ import annotations

from sim.claims.claim import Claim
from sim.claims.hopper import (
    fig5a_four_probes,
    fig5a_plateau,
    fig5a_sparrow,
    fig5b_two_refusals,
    section43_fairness,
    section44_locality,
)

CLAIMS: tuple[Claim, ...] = tuple(
    module.CLAIM
    for module in (
        section43_fairness,
        section44_locality,
        fig5a_four_probes,
        fig5a_plateau,
        fig5a_sparrow,
        fig5b_two_refusals,
    )
)
