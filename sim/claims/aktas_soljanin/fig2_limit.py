"""AS Fig. 2: at which offered load redundancy for every job fills the cluster."""

from __future__ import annotations

from sim.claims.aktas_soljanin.setting import SETTING
from sim.claims.claim import FAILED, Claim, Measured, Region


def compute(quick: bool) -> Measured:
    """Measure how busy an overloaded cluster gets, with both placements."""
    from sim.claims.aktas_soljanin.figure2 import found, limit

    return found(limit("distinct", quick), quick, {"placement pool": limit("pool", quick)})


CLAIM = Claim(
    key="as-fig2-limit",
    paper="AS",
    place="Fig. 2",
    statement="With d infinite offered load 0.6 is stable and 0.7 is not; by equation (2) up to 0.63.",
    setting=SETTING.format(3),
    method=(
        "Simulated: the share of the slots that is busy in an overloaded cluster, "
        "times rho_0 / rho of equation (2)."
    ),
    reported=0.63,
    unit="",
    compute=compute,
    region=Region(0.6, 0.7),
    because={
        FAILED: "While the job at the head waits for n different nodes, free slots stay idle, which "
        "equation (2) does not know: at offered load 0.6 the queue grows, slowly."
    },
)
