"""What the claims of Dolly have in common: the setting, open choices and statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sim.claims.claim import Measured
from sim.claims.runs import Kept, measured, replicated

NAME = "dolly-fig6"
FACEBOOK = (
    "epsilon = 0.05, tau = 0.7, a month of a Facebook cluster: 21 % of the slots busy, 82 % of the jobs with "
    "fewer than 10 tasks and 6 % of the work; its trace is not public, ours is drawn to have these shares"
)
#: Choices the paper leaves open -> the fields they change.
OPEN: dict[str, dict[str, Any]] = {
    "remaining times seen after a fifth of the work": {"observe": "fraction:0.2"},
    "elapsed times only": {"observe": "never"},
}


def saved(small: bool) -> Callable[[Kept, Kept], float]:
    """Share of the mean flowtime that the second policy saves, of all jobs or of those of up to 10 tasks."""

    def statistic(before: Kept, after: Kept) -> float:
        chosen = before.tasks <= 10 if small else np.ones(before.tasks.size, dtype=bool)
        return float(1 - after.age[chosen].mean() / before.age[chosen].mean())

    return statistic


def more_busy(before: Kept, after: Kept) -> float:
    """Points of utilisation that the second policy uses more."""
    return 100 * (after.utilisation - before.utilisation)


def against(baseline: str, policy: str, statistic: Callable[[Kept, Kept], float], quick: bool) -> Measured:
    """Estimate a statistic of two policies, under each way of seeing stragglers and of learning."""
    head, _, values = policy.partition(":")
    learned, printed = (
        f"{head}:" + ",".join([*filter(None, [values]), more]) for more in ("window=20", "printed=1")
    )
    more = {
        "p learned in windows of 20 units": replicated(NAME, (baseline, learned), statistic, quick),
        "against no copies": replicated(NAME, ("fair+none", policy), statistic, quick),
        "Pseudocode 1 as printed": replicated(NAME, (baseline, printed), statistic, quick),
    }
    return measured(NAME, (baseline, policy), statistic, quick, OPEN, more)
