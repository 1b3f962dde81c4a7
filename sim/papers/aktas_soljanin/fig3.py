"""AS Fig. 3: the policy that Deep-Q learning finds, beside Redundant-small with r = 2."""

from __future__ import annotations

from functools import partial

from sim.papers.aktas_soljanin import SETTING
from sim.papers.claim import FAILED, REPRODUCED, Claim, Measured, Region


def excess_of_learned(size_tail: float, quick: bool) -> Measured:
    """Find the largest excess of the learned policy, over the offered loads 0.1 to 0.9."""
    from sim.papers.aktas_soljanin.learned import learns

    return learns(size_tail, quick)


def excess_of_promised(quick: bool) -> Measured:
    """Find the largest excess of Redundant-small, over the offered loads 0.1 to 0.9."""
    from sim.papers.aktas_soljanin.learned import equals

    return equals(quick)


claim = partial(
    Claim, paper="AS", place="Fig. 3", system="Redundant-RL", reported=0.0, unit="of the mean slowdown"
)
LEARNS = partial(
    claim,
    statement="A policy learned by Deep-RL is as good as Redundant-small with the best d.",
    method=(
        "Redundant-RL as shipped, on jobs it was not trained with: mean slowdown over that of the best of a "
        "sweep, less 1, in pairs; judged at the offered load where it is largest; 2 % more is as good."
    ),
    region=Region(high=0.02),
    because={
        REPRODUCED: "It is better than the best d at every offered load, since it decides anew for each job "
        "by the load of the moment; and it is told the offered load, for which the best d is chosen.",
    },
)

CLAIMS = (
    LEARNS(
        key="as-fig3-learns-beta3",
        place="Fig. 3, beta = 3",
        setting=SETTING.format(3),
        compute=partial(excess_of_learned, 3),
    ),
    LEARNS(
        key="as-fig3-learns-beta1-5",
        place="Fig. 3, beta = 1.5",
        setting=SETTING.format(1.5),
        compute=partial(excess_of_learned, 1.5),
    ),
    claim(
        key="as-fig3-equal",
        statement="Redundant-small with approximately computed d* is as good as policies learned by Deep-RL.",
        setting=SETTING.format(3),
        method=(
            "Mean slowdown with r = 2 and the d* of Claim 1 over that of Redundant-RL as shipped (rates "
            "1.5, 2 and 3), less 1, in pairs; judged at the offered load where it is largest, of which 5 % "
            "would be as good."
        ),
        compute=excess_of_promised,
        region=Region(-0.05, 0.05),
        because={
            FAILED: "Ours is better than Redundant-small: it sees the load that each job finds and chooses "
            "among the rates 1.5, 2 and 3, while d* and r = 2 are fixed for a run."
        },
    ),
)
