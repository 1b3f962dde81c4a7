"""XL Fig. 6: the distribution of jobs by flowtime and by resource, in an overloaded cluster."""

from __future__ import annotations

import numpy as np

from sim.papers.picture import Curve, Mark, Panel, Picture
from sim.papers.pictures.distributions import shares
from sim.papers.xu_lau import GAMMA
from sim.papers.xu_lau.fig6 import ESE

POLICIES = {"ESE": ESE, "Mantri": "mantri-xl", "no backup": "no-backup"}
PRESET = "xu-lau-fig6-40"
FLOWTIMES, RESOURCES = np.linspace(0, 40, 41), np.linspace(0, 8, 33)


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return the distributions of the jobs that ended, under each policy."""
    curves = []
    for name, policy in POLICIES.items():
        curves.append(shares(name, PRESET, policy, quick, FLOWTIMES, lambda kept: kept.flowtime))
        curves.append(
            shares(name, PRESET, policy, quick, RESOURCES, lambda kept: GAMMA * kept.resource[kept.done], 1)
        )
    return tuple(curves)


PICTURE = Picture(
    key="xl-fig6",
    paper="XL",
    place="Fig. 6",
    title="The distribution of jobs by flowtime and by resource, at 40 jobs a unit of time",
    panels=(
        Panel("flowtime (units)", "share of the jobs that ended", ylim=(0, 1.02)),
        Panel("resource (γ × slot-time)", "share of the jobs that ended", ylim=(0, 1.02)),
    ),
    draw=draw,
    marks=(Mark("80 % within 10, ESE", x=10, y=0.8), Mark("80 % within 18, Mantri", x=18, y=0.8)),
    simulated=True,
    about="Three runs of 1,500 units; the offered load is 1.68, so of all jobs a quarter cannot end.",
)
