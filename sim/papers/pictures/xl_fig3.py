"""XL Fig. 3: mean flowtime and mean resource under SDA, by its threshold."""

from __future__ import annotations

from sim.papers.picture import Mark, Panel, Picture
from sim.papers.pictures.thresholds import draw_sigmas

PICTURE = Picture(
    key="xl-fig3",
    paper="XL",
    place="Fig. 3",
    title="Mean flowtime and mean resource under SDA, by its threshold",
    panels=(
        Panel("threshold σ (mean task times)", "mean flowtime (units)", xlim=(0, 4.2), ylim=(6.0, 17.0)),
        Panel("threshold σ (mean task times)", "mean resource", xlim=(0, 4.2), ylim=(1.1, 1.4)),
    ),
    draw=draw_sigmas("xl-fig3", "SDA"),
    marks=(Mark("smallest at 1 + √2/2", x=1.707), Mark("smallest at 1 + √2/2", x=1.707, panel=1)),
    about="Drawn from the recorded claims: 10 runs a point, on the same jobs and luck.",
)
