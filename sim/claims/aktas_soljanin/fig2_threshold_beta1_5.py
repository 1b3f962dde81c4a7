"""AS Fig. 2: at offered load 0.6 some threshold is best; sizes of infinite variance."""

from __future__ import annotations

from sim.claims.aktas_soljanin.setting import SETTING
from sim.claims.claim import Claim, Measured, Region


def compute(quick: bool) -> Measured:
    """Tell whether some demand is better than none and than all, beyond doubt at 95 %."""
    from sim.claims.aktas_soljanin.figure2 import judged, thresholds

    return judged(thresholds, 1.5, quick, ("flowtime", "p95"))


CLAIM = Claim(
    key="as-fig2-threshold-beta1-5",
    paper="AS",
    place="Fig. 2",
    statement="At offered load 0.6 redundancy helps up to a threshold of d and hurts beyond it.",
    setting=SETTING.format(1.5),
    method="Simulated: the 95 % quantile of response times, best d against 0 and infinity, paired.",
    reported=1.0,
    unit="(1: a threshold is best)",
    compute=compute,
    region=Region(1.0, 1.0),
)
