"""Files to download: a button each, in a row; the content is made on demand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import PurePath

import streamlit as st

from pages.shared.charts.serialized import SerializedFigure
from sim.telling.document import Drawn, Head, Part, as_html
from sim.telling.palette import palette

#: Suffix of a file -> its media type, and the remark beside its label.
KINDS = {
    ".csv": ("text/csv", None),
    ".json": ("application/json", None),
    ".parquet": ("application/vnd.apache.parquet", "All that was read, compact: drop it here again."),
    ".html": ("text/html", "One file with all charts, to zoom and to save as pictures."),
}
SHARE = "The address of this page holds every control: copy it to share what you see."


def downloads(*files: tuple[str, str, Callable[[], str | bytes]]) -> None:
    """Draw a button for each file: its label, its name, and what makes its content."""
    with st.container(horizontal=True):
        for label, name, make in files:
            kind, about = KINDS[PurePath(name).suffix]
            st.download_button(
                label, make, name, kind, icon=":material/download:", on_click="ignore", help=about
            )


def json_text(value: Mapping[str, object]) -> str:
    """Return what a JSON file has."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)


def charts_page(figures: Mapping[str, SerializedFigure]) -> str:
    """Return charts, by their titles, as one page that needs no network."""
    drawn = {title: figure.figure.to_plotly_json() for title, figure in figures.items()}
    dark = palette(True).ink in str([values["layout"] for values in drawn.values()])  # they are of one theme
    parts: list[Part] = []
    for number, (title, values) in enumerate(drawn.items()):
        parts += [Head(title), Drawn(f"chart-{number}", [values], title)]
    return as_html("straggler-lab", parts, scheme="dark" if dark else "light")
