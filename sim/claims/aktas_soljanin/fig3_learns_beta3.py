"""AS Fig. 3: what Deep-Q learning finds is as good as Redundant-small; size tail (beta) 3."""

from __future__ import annotations

from sim.claims.aktas_soljanin.setting import SETTING
from sim.claims.claim import REPRODUCED, Claim, Measured, Region


def compute(quick: bool) -> Measured:
    """Find the largest excess of the learned policy, over the offered loads 0.1 to 0.9."""
    from sim.claims.aktas_soljanin.figure3 import learns

    return learns(3, quick)


CLAIM = Claim(
    key="as-fig3-learns-beta3",
    paper="AS",
    place="Fig. 3",
    statement="A policy learned by Deep-RL is as good as Redundant-small with the best d.",
    setting=SETTING.format(3),
    method=(
        "Redundant-RL as shipped, on jobs it was not trained with: mean slowdown over that of the best of a "
        "sweep, less 1, in pairs; judged at the offered load where it is largest; 2 % more is as good."
    ),
    reported=0.0,
    unit="of the mean slowdown",
    compute=compute,
    region=Region(high=0.02),
    because={
        REPRODUCED: "It is better than the best d at every offered load, since it decides anew for each job "
        "by the load of the moment; and it is told the offered load, for which the best d is chosen.",
    },
)
