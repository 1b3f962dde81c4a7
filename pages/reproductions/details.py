"""Details below a claim: the shell line, where its number comes from, files to download."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.reproductions.question import Row
from pages.shared.app.runs import made_once
from pages.shared.words.downloads import downloads, json_text
from sim.papers.picture import Curve, Picture, as_json
from sim.papers.record import curves


def show_details(row: Row) -> None:
    """Draw the shell line, the provenance and the files."""
    key, found = row.claim.key, row.found
    st.code(f"python -m sim reproduce {key}", language="bash")
    st.caption(
        f"Recorded by version {found['version']}"
        + (f", commit {found['commit']}" if found.get("commit") else "")
        + f", seed {found['seed']}, {found['replications']} replications, {took(found['seconds'])}; "
        f"digest of rule and setting {found['digest']}."
    )
    picture = row.picture
    drawn = (
        [
            (
                "Curves (JSON)",
                f"{picture.key}.json",
                lambda: json_text({"curves": as_json(of_picture(picture))}),
            )
        ]
        if picture
        else []
    )
    downloads(
        ("Outcome (JSON)", f"{key}.json", lambda: json_text({"key": key, **found})),
        ("Choices (CSV)", f"{key}.csv", lambda: as_table(row).to_csv(index=False)),
        *drawn,
    )


def took(seconds: float) -> str:
    """Return how long a claim took; claims of one figure share their runs, which the first of them has made.

    Examples
    --------
    >>> took(15.997), took(0.001)
    ('16 s', 'less than 1 s (a formula, or runs of another claim)')
    """
    return f"{seconds:,.0f} s" if seconds >= 1 else "less than 1 s (a formula, or runs of another claim)"


def as_table(row: Row) -> pd.DataFrame:
    """Return the judged number and those of the choices, one a row."""
    found = {"as judged": row.ours, **row.choices}
    return pd.DataFrame([{"choice": name, **one.as_dict()} for name, one in found.items()])


def of_picture(picture: Picture) -> tuple[Curve, ...]:
    """Return the curves of a picture: as recorded if they were simulated, computed once a process if not."""
    if picture.simulated:
        return curves(picture.key)
    return made_once(("picture", picture.key), lambda: picture.draw(False))
