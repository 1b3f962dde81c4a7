"""XL Fig. 2: the distribution of jobs by flowtime and by resource, in a light cluster."""

from __future__ import annotations

import numpy as np

from sim.papers.picture import Curve, Mark, Panel, Picture
from sim.papers.pictures.distributions import shares
from sim.papers.xu_lau import GAMMA
from sim.papers.xu_lau.fig2 import PRESET

POLICIES = {"SCA": "sca", "SDA": "sda", "Mantri": "mantri-xl", "no backup": "no-backup"}
FLOWTIMES, RESOURCES = np.linspace(0, 40, 41), np.linspace(0, 8, 33)


def draw(quick: bool) -> tuple[Curve, ...]:
    """Return the distributions of both panels under each policy."""
    curves = []
    for name, policy in POLICIES.items():
        curves.append(shares(name, PRESET, policy, quick, FLOWTIMES, lambda kept: kept.age))
        curves.append(shares(name, PRESET, policy, quick, RESOURCES, lambda kept: GAMMA * kept.resource, 1))
    return tuple(curves)


PICTURE = Picture(
    key="xl-fig2",
    paper="XL",
    place="Fig. 2",
    title="The distribution of jobs by flowtime and by resource, in a light cluster",
    panels=(
        Panel("flowtime (units)", "share of the jobs", ylim=(0, 1.02)),
        Panel("resource (γ × slot-time)", "share of the jobs", ylim=(0, 1.02)),
    ),
    draw=draw,
    marks=(
        Mark("80 % within 6, SCA", x=6, y=0.8),
        Mark("90 % within 9, SCA", x=9, y=0.9),
        Mark("80 % within 17, Mantri", x=17, y=0.8),
        Mark("90 % within 25, Mantri", x=25, y=0.9),
        Mark("80 % below 2, SCA", x=2, y=0.8, panel=1),
        Mark("80 % below 1.5, Mantri", x=1.5, y=0.8, panel=1),
    ),
    simulated=True,
    about="Three runs of 1,500 units, as in the paper; without any backup beside.",
)
