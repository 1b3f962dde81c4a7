"""AS Fig. 2: the demand that Claim 1 calls best is good in the simulation."""

from __future__ import annotations

from sim.claims.aktas_soljanin.setting import SETTING
from sim.claims.claim import Claim, Measured, Region


def compute(quick: bool) -> Measured:
    """Find the largest loss, over the offered loads, of going by Claim 1 instead of the best demand."""
    from sim.claims.aktas_soljanin.figure2 import LOADS, found, losses

    lost = losses(quick)
    others = {f"offered load {load}": one for load, one in zip(LOADS, lost, strict=True)}
    return found(max(lost, key=lambda one: one.value or 0.0), quick, others)


CLAIM = Claim(
    key="as-fig2-optimum",
    paper="AS",
    place="Fig. 2",
    statement="The approximation allows accurately estimating the optimal d.",
    setting=SETTING.format(3),
    method="Simulated mean response time at the d* of Claim 1 over that at the best d of a sweep, less 1.",
    reported=0.0,
    unit="of the best mean",
    compute=compute,
    region=Region(-0.05, 0.05),
)
