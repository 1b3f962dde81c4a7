"""Claims of Xu and Lau, "Optimization for Speculative Execution of Multiple Jobs", called XL here."""

from __future__ import annotations

from sim.claims.claim import Claim
from sim.claims.xu_lau import fig4_alpha2, fig4_alpha3

CLAIMS: tuple[Claim, ...] = tuple(module.CLAIM for module in (fig4_alpha2, fig4_alpha3))
