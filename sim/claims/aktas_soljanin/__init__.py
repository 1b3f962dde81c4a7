"""Claims of Aktas and Soljanin, "Learning Effective Straggler Mitigation ...", called AS here."""

from __future__ import annotations

from sim.claims.aktas_soljanin import (
    fig2_close,
    fig2_helps_beta1_5,
    fig2_helps_beta3,
    fig2_limit,
    fig2_optimum,
    fig2_threshold_beta1_5,
    fig2_threshold_beta3,
    fig2_unstable_beta1_5,
    fig2_unstable_beta3,
    fig3_equal,
    fig3_learns_beta1_5,
    fig3_learns_beta3,
)
from sim.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = tuple(
    module.CLAIM
    for module in (
        fig2_helps_beta3,
        fig2_helps_beta1_5,
        fig2_threshold_beta3,
        fig2_threshold_beta1_5,
        fig2_unstable_beta3,
        fig2_unstable_beta1_5,
        fig2_limit,
        fig2_close,
        fig2_optimum,
        fig3_learns_beta3,
        fig3_learns_beta1_5,
        fig3_equal,
    )
)
