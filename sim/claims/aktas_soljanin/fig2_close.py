"""AS Fig. 2: Claim 1 follows the simulated response times."""

from __future__ import annotations

from sim.claims.aktas_soljanin.setting import SETTING
from sim.claims.claim import FAILED, Claim, Measured, Region


def compute(quick: bool) -> Measured:
    """Find the largest gap of Claim 1 from the simulation, relative to it."""
    from sim.claims.aktas_soljanin.figure2 import LOADS, found, largest_gap

    others = {
        "load up to 0.5": largest_gap(quick, LOADS[:5]),
        "load from 0.7 on": largest_gap(quick, LOADS[6:]),
    }
    return found(largest_gap(quick), quick, others)


CLAIM = Claim(
    key="as-fig2-close",
    paper="AS",
    place="Fig. 2",
    statement="The mean response time by Claim 1 follows the simulated values fairly closely.",
    setting=SETTING.format(3),
    method=(
        "Simulated means of 30 runs of 100,000 jobs; the largest gap where no queue grows, "
        "of which 10 % would be fairly close."
    ),
    reported=0.0,
    unit="of the simulated mean",
    compute=compute,
    region=Region(-0.1, 0.1),
    because={
        FAILED: "It does where little waits; near 0.6 jobs that wait for n different nodes make queues that "
        "an M/G/c queue has not."
    },
)
