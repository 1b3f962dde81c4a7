"""AS Fig. 2: from offered load 0.7 on redundancy for every job is unstable; sizes of infinite variance."""

from __future__ import annotations

from sim.claims.aktas_soljanin.setting import SETTING
from sim.claims.claim import Claim, Measured, Region


def compute(quick: bool) -> Measured:
    """Count the offered loads 0.7 to 0.9 at which the queue grows through the runs."""
    from sim.claims.aktas_soljanin.figure2 import found, grown, share

    return found(share(grown(1.5, quick)), quick)


CLAIM = Claim(
    key="as-fig2-unstable-beta1-5",
    paper="AS",
    place="Fig. 2",
    statement="At offered loads of 0.7 and more a large d drives the system to instability.",
    setting=SETTING.format(1.5),
    method="Simulated with d infinite: the queue rises from quarter to quarter, by over 2 % of the arrivals.",
    reported=1.0,
    unit="of the loads 0.7 to 0.9",
    compute=compute,
    region=Region(1.0, 1.0),
)
