"""What stands below a claim: the shell line, where its number comes from, files to take away."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.reproductions.question import Row
from pages.shared.words.downloads import downloads, json_text


def show_details(row: Row) -> None:
    """Draw the shell line, the provenance and the files."""
    key, found = row.claim.key, row.found
    st.code(f"python -m sim reproduce {key}", language="bash")
    st.caption(
        f"Recorded by version {found['version']}"
        + (f", commit {found['commit']}" if found.get("commit") else "")
        + f", seed {found['seed']}, {found['replications']} replications, {found['seconds']:,.0f} s; "
        f"digest of rule and setting {found['digest']}."
    )
    downloads(
        ("Outcome (JSON)", f"{key}.json", lambda: json_text({"key": key, **found})),
        ("Choices (CSV)", f"{key}.csv", lambda: as_table(row).to_csv(index=False)),
    )


def as_table(row: Row) -> pd.DataFrame:
    """Return the judged number and those of the choices, one a row."""
    found = {"as judged": row.ours, **row.choices}
    return pd.DataFrame([{"choice": name, **one.as_dict()} for name, one in found.items()])
