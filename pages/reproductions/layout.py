"""The table of claims, and one of them opened."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from pages.frame.menu import link, onwards
from pages.reproductions import charts
from pages.reproductions import charts as figure
from pages.reproductions.controls import PAGE
from pages.reproductions.question import PAPERS, Row, estimate, rows
from pages.reproductions.words import (
    KEY,
    MARKED,
    as_read,
    known,
    live,
    readings,
    summary,
    table,
    touching,
    with_unit,
)
from pages.server.private import session
from pages.shared.app.turns import made_once, turns
from pages.shared.charts.on_page import show_figure, show_headlines
from pages.shared.controls.links import VERSION, key, remember
from pages.shared.words.foreign import show_error
from pages.shared.words.tables import downloads, json_text
from sim.model.cached import once
from sim.papers.claim import typeset
from sim.papers.nearest import told_nearest
from sim.papers.picture import Curve, Picture, as_json
from sim.papers.record import curves
from sim.papers.reproduce import again
from sim.running.processes.child import Limits
from sim.running.processes.jobs import Job, Jobs
from sim.running.processes.worker import Ended
from sim.telling.words import fixed, plain

# A claim computed anew at quick scale while the visitor waits, in one process for the whole server.
#
# Equal requests are computed once, others wait for their turn; who moves on is waited for no longer and the
# computation ends. Pages and their simulations go first: the process is a nice one.

#: Of one computation: processor time of minutes at most, memory of the largest quick run several times over.
LIMITS = Limits(memory=2 * 2**30, seconds=180, patience=600, result=2**20)
#: Seconds between two looks at the session, and between two drawings.
TICK_S, PACE_S = 0.1, 0.5
#: Where a session has what came out, and of which claim.
KEPT = f"{PAGE}:again"


@once
def _jobs() -> Jobs:
    """Return the process that computes, for all sessions."""
    return Jobs(1, LIMITS)


def show_again(row: Row) -> None:
    """Draw the button that computes the claim anew, the progress, and what came out."""
    pressed = st.button(
        "Run it now, at quick scale",
        icon=":material/replay:",
        key=f"{PAGE}:run",
        help="Fewer and smaller runs, in a process of its own.",
    )
    if pressed:
        try:
            st.session_state[KEPT] = (row.claim.key, _computed(row))
        except Ended as ended:
            busy = "This server is too busy to run it now; try again in a few minutes."
            ended_by = f"It was ended: {ended.reason}. The shell has no such limit."
            show_error(busy if ended.reason == "late" else ended_by)
    key, found = st.session_state.get(KEPT, ("", {}))
    if key == row.claim.key:
        st.markdown(told(row, found))


def _computed(row: Row) -> dict[str, Any]:
    """Return the quick outcome of a claim, drawing how far it is."""
    key, place, owner = row.claim.key, st.empty(), session() or None
    with _jobs().joined(key, again, key, owner=owner, expected=_took(row)) as job, turns().lent():
        drawn = 0.0
        while not job.wait(TICK_S):
            st.session_state.get("any")  # ends the run of who has moved on
            if time.monotonic() - drawn > PACE_S:
                drawn = time.monotonic()
                place.progress(*_progress(row, job, drawn))
        place.empty()
        found: dict[str, Any] = job.result()
        return found


def _progress(row: Row, job: Job, now: float) -> tuple[float, str]:
    """Return the share that is done, by what it took when it was recorded, and a sentence."""
    if job.begun is None:
        return 0.0, f"Waits until {_jobs().place(job) + 1} before it are computed …"
    took, passed = _took(row), now - job.begun
    told = f"Computing … {fixed(passed, 0)} s; it took {fixed(took, 0)} s when it was recorded"
    return min(passed / took, 0.95), told


def _took(row: Row) -> float:
    """Return the seconds that the quick run took when it was recorded, at least one."""
    return max(float(row.found["quick"].get("seconds", 0.0)), 1.0)


def told(row: Row, found: dict[str, Any]) -> str:
    """Return what came out in words, beside what is recorded of a quick run."""
    kept = row.found["quick"]
    same = abs(found["value"] - kept["value"]) <= 1e-6 * max(abs(kept["value"]), 1e-3)
    return (
        f"**Just computed, at quick scale: {with_unit(known(estimate(found)), row.claim.unit)}, "
        f"{MARKED[found['verdict']]}** ({found['seconds']:.1f} s). "
        + (
            "It is what was recorded of a quick run."
            if same
            else f"Recorded of a quick run: {known(estimate(kept))}."
        )
    )


# Details below a claim: the shell line, where its number comes from, files to download.


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


#: Pixels of a column's width, and of a row: three lines of text.
WIDTHS = {"Paper": 120, "What it says": 250, "Reported": 110, "Ours, 95 %": 120, "Verdict": 130, "Why": 400}
ROW = 96
#: Shares of the width: the last headline has a reason.
HEADLINES = (3, 3, 5)


def show_table(some: Sequence[Row]) -> None:
    """Draw the claims, one a row; a click opens one."""
    if not some:
        return
    keys = [row.claim.key for row in some]
    name = f"{PAGE}:table:{st.session_state[key(PAGE, 'claim')]}"  # made anew, so that no row stays marked

    def open_row() -> None:
        chosen = st.session_state[name].selection.rows
        if chosen and chosen[0] in range(len(keys)):  # a stranger may say that any row was marked
            remember(PAGE, "claim", keys[chosen[0]])

    st.dataframe(
        table(some),
        key=name,
        hide_index=True,
        row_height=ROW,
        height=min(len(some), 12) * ROW + 40,
        column_config={title: st.column_config.TextColumn(width=width) for title, width in WIDTHS.items()},
        on_select=open_row,
        selection_mode="single-row",
        alt=f"{len(some)} claims of the papers with the reported number, ours, and the verdict",
    )
    st.caption(
        "Mark a row to open its claim. Each number was computed here beforehand, at the paper's scale; "
        "nothing on this page is simulated while you wait. ± is half of the 95 % interval over replications."
    )


def show_claim(row: Row, dark: bool) -> None:
    """Draw a claim: its numbers, its figure, its setting and what other choices give."""
    claim, found = row.claim, row.found
    with st.container():
        st.header(typeset(claim.statement.rstrip(".")), anchor=False)
        show_headlines(
            [
                (
                    "Read as" if claim.taken else "Reported",
                    plain(claim.reported),
                    f"{as_read(claim.unit) or '–'}; {PAPERS[claim.paper]}, {typeset(claim.place)}",
                ),
                ("Ours", known(row.ours), f"{as_read(claim.unit) or '–'}; {_runs(found)}"),
                ("Verdict", MARKED[found["verdict"]], typeset(found["reason"])),
            ],
            HEADLINES,
        )
        if nearest := found.get("nearest"):
            st.markdown(typeset(told_nearest(nearest)))
        if row.picture:
            show_picture(row.picture, dark)
        if row.choices:
            st.markdown("**What each choice that the paper leaves open gives**")
            show_figure("choices", charts.draw_choices(row, dark), charts.alt_choices(row))
            st.caption(
                "Bars are 95 % intervals; the shaded numbers reproduce the claim. Only ours is judged."
            )
        if claim.key.startswith(KEY):
            show_readings()
        st.markdown(
            f"**Setting.** {typeset(claim.setting)}.\n\n**How ours is computed.** {typeset(claim.method)}"
        )
        show_links(claim.key)
        show_details(row)
        show_again(row)


def show_readings() -> None:
    """Draw the table of readings of Hopper's Fig. 5a."""
    st.markdown(f"**What the readings of the figure give.** {summary(rows())}")
    st.table(readings(rows()), border="horizontal")
    st.caption(
        "All claims of the figure are judged under the first reading: speculation as the authors describe "
        "it, extra copies of tasks that are stragglers or are likely to become some. Ratios are of mean "
        "flowtimes to the centralised scheduler."
    )


def show_links(key: str) -> None:
    """Draw the link to the live page in the claim's setting, and those to the errata that touch it."""
    there = live(key)
    told = f"Open this setting on the page {there.page.capitalize()}" + (
        f": {there.but}" if there.but else ""
    )
    onwards(there.page, told, {"v": VERSION} | there.query)
    if found := touching(key):
        paper, titles = found
        link(
            "errata",
            f"Errata that touch it: {'; '.join(titles)}",
            {"v": VERSION, "paper": paper},
            icon=":material/fact_check:",
            icon_position="right",
        )


def _runs(found: dict[str, object]) -> str:
    count = found["replications"]
    return f"95 % interval, {count} replications" if count else "exact"


def show_picture(picture: Picture, dark: bool) -> None:
    """Draw a figure, a chart a panel."""
    found = of_picture(picture)
    st.markdown(f"**{typeset(picture.place)}: {picture.title[0].lower()}{picture.title[1:]}**")
    columns = st.columns(len(picture.panels), gap="medium")
    for place, (column, panel) in enumerate(zip(columns, picture.panels, strict=True)):
        with column:
            if panel.title:
                st.markdown(panel.title)
            drawn = figure.draw_picture(picture, found, place, dark)
            show_figure(f"picture:{place}", drawn, figure.alt_picture(picture, found, place))
            if said := figure.reported(picture, place):
                st.caption(said)
    st.caption(
        f"{typeset(picture.about)} Solid with a 95 % band: simulated. Dashed: computed. Stars and dashed "
        "black lines: the paper."
    )
