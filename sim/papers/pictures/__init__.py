"""The papers' figures, drawn with our curves: one file per figure, one line each here."""

from __future__ import annotations

from sim.papers.picture import Picture
from sim.papers.pictures import (
    as_cost,
    as_fig1,
    as_fig2,
    as_fig3,
    dolly_fig5,
    dolly_fig6,
    hopper_fig5a,
    hopper_fig5b,
    hopper_note,
    hopper_section43,
    hopper_section44,
    xl_fig1,
    xl_fig2,
    xl_fig3,
    xl_fig4,
    xl_fig5,
    xl_fig6,
)

#: One line a figure, in the order of the papers.
FIGURES = (
    hopper_note,
    hopper_section43,
    hopper_section44,
    hopper_fig5a,
    hopper_fig5b,
    as_fig1,
    as_cost,
    as_fig2,
    as_fig3,
    xl_fig1,
    xl_fig2,
    xl_fig3,
    xl_fig4,
    xl_fig5,
    xl_fig6,
    dolly_fig5,
    dolly_fig6,
)
#: Key -> picture.
PICTURES: dict[str, Picture] = {figure.PICTURE.key: figure.PICTURE for figure in FIGURES}
