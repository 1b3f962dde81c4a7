"""AS Fig. 3: Redundant-small with the d* of Claim 1 is as good as what Deep-Q learning finds."""

from __future__ import annotations

from sim.claims.aktas_soljanin.setting import SETTING
from sim.claims.claim import FAILED, Claim, Measured, Region


def compute(quick: bool) -> Measured:
    """Find the largest excess of Redundant-small, over the offered loads 0.1 to 0.9."""
    from sim.claims.aktas_soljanin.figure3 import LOADS, promised_over_learned, worst

    by_load, high = (
        {load: promised_over_learned(load, quick, statistic) for load in LOADS}
        for statistic in ("mean", "p95")
    )
    return worst(by_load, quick, {f"p95, offered load {load}": one for load, one in high.items()})


CLAIM = Claim(
    key="as-fig3-equal",
    paper="AS",
    place="Fig. 3",
    statement="Redundant-small with approximately computed d* is as good as policies learned by Deep-RL.",
    setting=SETTING.format(3),
    method=(
        "Mean slowdown with r = 2 and the d* of Claim 1 over that of Redundant-RL as shipped, less 1, in "
        "pairs; judged at the offered load where it is largest, of which 5 % would be as good."
    ),
    reported=0.0,
    unit="of the mean slowdown",
    compute=compute,
    region=Region(-0.05, 0.05),
    because={
        FAILED: "Ours is better than Redundant-small: it sees the load that each job finds and chooses among "
        "the rates 1.5, 2 and 3, while d* and r = 2 are fixed for a run."
    },
)
