"""Hopper Fig. 5a: more than four probes a task bring little more."""

from __future__ import annotations

from sim.claims.claim import FAILED, Claim, Measured, Region


def compute(quick: bool) -> Measured:
    """Return how much d = 10 gains on d = 4, at the utilisation where it is most."""
    from sim.claims.hopper.grid import FIG5A, REPLICATIONS, SEED, UTILISATIONS, everywhere, fall, ratios

    falls = [fall(ratios(FIG5A, utilisation, quick)) for utilisation in UTILISATIONS]
    most = max(falls, key=lambda one: one.value or 0.0)
    choices = {name: fall(found) for name, found in everywhere(quick).items()}
    return Measured(most, replications=REPLICATIONS, seed=SEED, choices=choices)


CLAIM = Claim(
    key="hopper-fig5a-plateau",
    paper="Hopper",
    place="Fig. 5a",
    statement="The difference from the centralised scheduler plateaus beyond four probes.",
    setting="50 schedulers, 10,000 workers, Pareto task sizes with beta = 1.5, utilisation 60 to 90 %",
    method=(
        "Largest fall of the ratio from d = 4 to d = 10 over four utilisations. "
        "U{1..100} tasks a job, every copy's duration Pareto(1, 1.5), latency 1 ms, "
        "Hopper's budget for up to four copies of any running task, LATE for Sparrow."
    ),
    reported=0.0,
    unit="x central",
    compute=compute,
    region=Region(-0.05, 0.05),
    shape=Region(-0.15, 0.15),
    because={
        FAILED: (
            "The copies make the slope. Here the budget copies any running task, up to four copies: at 60 "
            "% load the centralised policy keeps 91 % of the slots busy, and d reservations a task find "
            "slots for 70 % (d = 4) and 87 % (d = 10). Where fewer copies are wanted four probes find all "
            "slots: with one extra copy a task the ratio falls by 0.01 from there on, with copies only of "
            "tasks known to be slow, or none, by 0.00. Which copies the paper ran it does not say; "
            "latency is not it (0.22 without)."
        )
    },
)
