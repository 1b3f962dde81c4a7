"""Hopper Fig. 5a: Sparrow is more than twice as slow at medium utilisation."""

from __future__ import annotations

from sim.claims.claim import Claim, Measured, Region


def compute(quick: bool) -> Measured:
    """Return Sparrow's ratio at 70 % utilisation."""
    from sim.claims.hopper.grid import FIG5A, SPARROW, measured, ratios

    return measured(SPARROW, ratios(FIG5A, 0.7, quick)[SPARROW], quick)


CLAIM = Claim(
    key="hopper-fig5a-sparrow",
    paper="Hopper",
    place="Fig. 5a",
    statement="At medium utilisations Sparrow's jobs take more than twice as long as the centralised ones.",
    setting="50 schedulers, 10,000 workers, Pareto task sizes with beta = 1.5, utilisation 60 to 90 %",
    method=(
        "Ratio of mean flowtimes at 70 %, paired over replications. "
        "U{1..100} tasks a job, every copy's duration Pareto(1, 1.5), latency 1 ms, "
        "Hopper's budget for up to four copies of any running task, LATE for Sparrow."
    ),
    reported=2.0,
    unit="x central",
    compute=compute,
    region=Region(low=2.0),
    shape=Region(low=1.2),
)
