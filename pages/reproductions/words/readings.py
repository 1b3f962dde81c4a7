"""Hopper's Fig. 5a under each reading of the paper: no claim is judged under a reading of its own."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pages.reproductions.question import Row
from pages.reproductions.words.marks import MARKS
from pages.reproductions.words.table import known
from pages.shared.words.numbers import counted, listed
from sim.claims.claim import REPRODUCED
from sim.claims.hopper.fig5 import READINGS

#: Claims that are read under every reading begin so.
KEY = "hopper-fig5a-"
#: Claim -> the head of its column.
HEADS = {
    "four-probes": "Hopper, d = 4 (at most 1.15)",
    "plateau": "its fall to d = 10 (none)",
    "sparrow": "Sparrow at 70 % (2 or more)",
    "sparrow-further": "Sparrow's rise to 90 % (up)",
}


def of_figure(some: Sequence[Row]) -> dict[str, Row]:
    """Return the claims of the figure by the last part of their keys."""
    return {row.claim.key.removeprefix(KEY): row for row in some if row.claim.key.startswith(KEY)}


def readings(some: Sequence[Row]) -> pd.DataFrame:
    """Return each claim's number and verdict under each reading, the judged one first."""
    found = of_figure(some)
    columns = {
        HEADS[name]: [
            f"{MARKS[row.claim.judge(row.choices[reading]).word]} {known(row.choices[reading])}"
            for reading in READINGS
        ]
        for name, row in found.items()
    }
    return pd.DataFrame(columns, index=pd.Index(list(READINGS), name="reading"))


def summary(some: Sequence[Row]) -> str:
    """Return which reading reproduces most of the figure's claims, and whether any reproduces all."""
    found = of_figure(some)
    held = {
        reading: [
            name for name, row in found.items() if row.claim.judge(row.choices[reading]).word == REPRODUCED
        ]
        for reading in READINGS
    }
    best = max(held, key=lambda reading: len(held[reading]))
    total = counted(len(found), "claim")
    if len(held[best]) == len(found):
        return f"The reading “{best}” reproduces all {total} of the figure."
    missing = listed([HEADS[name] for name in found if name not in held[best]])
    return (
        f"**No single reading gives all {total} of the figure.** Most, {len(held[best])}, are reproduced by "
        f"“{best}”, which misses: {missing}."
    )
