"""Claims of "Why let resources idle? Aggressive cloning of jobs with Dolly"."""

from __future__ import annotations

from sim.claims.claim import Claim
from sim.claims.dolly import (
    fig6_job_cost,
    fig6_job_late,
    fig6_small_cost,
    fig6_small_late,
    fig6_small_mantri,
    fig6_task_late,
    fig6_task_mantri,
)

CLAIMS: tuple[Claim, ...] = tuple(
    module.CLAIM
    for module in (
        fig6_task_late,
        fig6_task_mantri,
        fig6_job_late,
        fig6_job_cost,
        fig6_small_late,
        fig6_small_mantri,
        fig6_small_cost,
    )
)
