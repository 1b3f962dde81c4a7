"""Hopper Fig. 5a: how many probes per task are enough, and how far off Sparrow is, at each utilisation.

All four claims are judged under one reading of the paper; under each of the others their numbers are shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sim.model.statistics import Estimate
from sim.papers.claim import REPRODUCED, SHAPE, Claim, Measured, Region
from sim.papers.hopper.fig5 import (
    CHOSEN,
    HEADLINE,
    HIGH,
    HOPPER,
    LOADS,
    MEDIUM,
    OTHERS,
    READINGS,
    SETTING,
    SPARROW,
    Reading,
    Runs,
    as_measured,
    further,
    largest_fall,
    runs,
    worst,
)


def judged(
    of_reading: Callable[[bool, Reading], Estimate], at_load: Callable[[Runs], Estimate] | None, quick: bool
) -> Measured:
    """Return a claim's number under the headline and each other reading, at each load, and under `OTHERS`.

    Parameters
    ----------
    of_reading : callable
        What is judged: (quick, reading) -> number over the utilisations.
    at_load : callable, optional
        The same at one utilisation, from its runs.
    """
    others: list[tuple[str, Estimate]] = []
    if at_load:
        others += [(f"utilisation {load:.0%}", at_load(runs(load, quick))) for load in LOADS]
        if not quick:
            others += [(f"{n}, {MEDIUM:.0%}", at_load(runs(MEDIUM, quick, r))) for n, r in OTHERS.items()]
    readings = {name: of_reading(quick, reading) for name, reading in READINGS.items()}
    return as_measured(of_reading(quick, HEADLINE), quick, readings, others)


def four_probes(quick: bool) -> Measured:
    """Return the largest ratio over the utilisations at d = 4."""
    return judged(partial(worst, HOPPER), lambda found: found.ratio(HOPPER), quick)


def plateau(quick: bool) -> Measured:
    """Return how much d = 10 gains on d = 4, at the utilisation where it is most."""
    return judged(largest_fall, Runs.fall, quick)


def sparrow(quick: bool) -> Measured:
    """Return Sparrow's ratio at the medium utilisation."""
    return judged(
        lambda quick, reading: runs(MEDIUM, quick, reading).ratio(SPARROW),
        lambda found: found.ratio(SPARROW),
        quick,
    )


def sparrow_further(quick: bool) -> Measured:
    """Return by how much Sparrow's ratio is higher at the high utilisation than at the medium one."""
    return judged(further, None, quick)


claim = partial(Claim, paper="Hopper", place="Fig. 5a", setting=SETTING, unit="x central", alike=False)

CLAIMS = (
    claim(
        key="hopper-fig5a-four-probes",
        system="Hopper",
        statement="With four probes a task jobs take at most 15 % longer than under the centralised "
        "scheduler.",
        method="Largest ratio of mean flowtimes over four utilisations, paired over replications. " + CHOSEN,
        reported=1.15,
        compute=four_probes,
        region=Region(high=1.15),
        shape=Region(high=1.5),
    ),
    claim(
        key="hopper-fig5a-plateau",
        system="Hopper",
        statement="The difference from the centralised scheduler plateaus beyond four probes.",
        method="Largest fall of the ratio from d = 4 to d = 10 over four utilisations, paired. " + CHOSEN,
        reported=0.0,
        compute=plateau,
        region=Region(-0.05, 0.05),
        shape=Region(-0.15, 0.15),
        because={
            REPRODUCED: (
                "With copies of tasks known to be slow four probes find all the slots that are wanted; where "
                "any running task is copied the ratio falls on, since more probes find more idle slots."
            )
        },
    ),
    claim(
        key="hopper-fig5a-sparrow",
        system="Sparrow",
        statement="At medium utilisations Sparrow's jobs take more than twice as long as the centralised "
        "ones.",
        method=f"Ratio of mean flowtimes at {MEDIUM:.0%}, paired over replications. " + CHOSEN,
        reported=2.0,
        compute=sparrow,
        region=Region(low=2.0),
        shape=Region(low=1.2),
        because={
            SHAPE: (
                "Sparrow is slower, since its copies wait in queues, but not by so much; it is "
                "{up to four copies of any running task|plain} times as slow only where such copies fill "
                "the idle slots of the centralised one, and under that reading neither the plateau nor the "
                "rise at high utilisation holds."
            )
        },
    ),
    claim(
        key="hopper-fig5a-sparrow-further",
        system="Sparrow",
        statement="At high utilisations Sparrow is even further off than at medium ones.",
        method=f"Ratio of mean flowtimes at {HIGH:.0%} less that at {MEDIUM:.0%}, paired over replications; "
        "the paper prints no number, a twentieth of the centralised mean is taken for further. " + CHOSEN,
        reported=0.05,
        taken=True,
        compute=sparrow_further,
        region=Region(low=0.05),
        shape=Region(low=0.0),
    ),
)
