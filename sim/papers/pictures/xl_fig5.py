"""XL Fig. 5: flowtime and resource of one large job under ESE, by its threshold."""

from __future__ import annotations

from sim.papers.picture import Mark, Panel, Picture
from sim.papers.pictures.thresholds import draw_sigmas

PICTURE = Picture(
    key="xl-fig5",
    paper="XL",
    place="Fig. 5",
    title="Flowtime and resource of one job of 10,000 tasks under ESE, by its threshold",
    panels=(
        Panel("threshold σ (mean task times)", "flowtime", xlim=(0, 4.2), ylim=(100, 260)),
        Panel("threshold σ (mean task times)", "resource", xlim=(0, 4.2), ylim=(90, 120)),
    ),
    draw=draw_sigmas("xl-fig5", "ESE"),
    marks=(Mark("smallest close to 1.7", x=1.7), Mark("smallest close to 1.7", x=1.7, panel=1)),
    about="Drawn from the recorded claims: 50 runs a point, on the same luck.",
)
