"""The papers' figures, drawn with our curves, in a file a paper."""

from __future__ import annotations

from sim.papers.picture import Picture
from sim.papers.pictures import aktas_soljanin, dolly, hopper, xu_lau

#: Key -> picture, in the order of the papers.
PICTURES: dict[str, Picture] = {
    picture.key: picture
    for picture in (*hopper.PICTURES, *aktas_soljanin.PICTURES, *xu_lau.PICTURES, *dolly.PICTURES)
}
