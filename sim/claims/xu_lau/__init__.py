"""Claims of Xu and Lau, "Optimization for Speculative Execution of Multiple Jobs", called XL here."""

from __future__ import annotations

from sim.claims.claim import Claim
from sim.claims.xu_lau import (
    fig2_mantri_p80,
    fig2_mantri_p90,
    fig2_mantri_resource,
    fig2_sca_mean,
    fig2_sca_p80,
    fig2_sca_p90,
    fig2_sca_resource,
    fig2_sda_mean,
    fig3_flowtime,
    fig3_resource,
    fig4_alpha2,
    fig4_alpha3,
    fig5_flowtime,
    fig5_gain,
    fig5_resource,
    fig6_ese_p80,
    fig6_mantri_p80,
    fig6_mean,
    fig6_resource_30,
    fig6_resource_40,
)

CLAIMS: tuple[Claim, ...] = tuple(
    module.CLAIM
    for module in (
        fig2_sca_mean,
        fig2_sda_mean,
        fig2_sca_p80,
        fig2_sca_p90,
        fig2_mantri_p80,
        fig2_mantri_p90,
        fig2_sca_resource,
        fig2_mantri_resource,
        fig3_flowtime,
        fig3_resource,
        fig4_alpha2,
        fig4_alpha3,
        fig5_flowtime,
        fig5_resource,
        fig5_gain,
        fig6_ese_p80,
        fig6_mantri_p80,
        fig6_mean,
        fig6_resource_40,
        fig6_resource_30,
    )
)
