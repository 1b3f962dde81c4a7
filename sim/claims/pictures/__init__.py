"""The papers' figures, drawn with our curves: one file a figure, one line each here."""

from __future__ import annotations

from sim.claims.picture import Picture
from sim.claims.pictures import hopper_fig5a, hopper_fig5b

#: Key -> picture, in the order of the papers.
PICTURES: dict[str, Picture] = {one.PICTURE.key: one.PICTURE for one in (hopper_fig5a, hopper_fig5b)}
