"""The colours of a chart: those of the app's two themes, given to policies in the order of selection.

`.streamlit/config.toml` is where they are chosen; they are read from it and not repeated here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Where the files of the app are: beside installed packages, or in the checkout.

#: Where this package is, in a checkout or among installed packages.
ROOT = Path(__file__).resolve().parents[2]
#: The folder of the app beside installed packages (`deploy/wheel.py`).
INSTALLED = "straggler_lab"


def place(root: Path = ROOT) -> Path:
    """Return the file of the app: installed beside this package, or in the checkout."""
    installed = root / INSTALLED / "app.py"
    return installed if installed.exists() else root / "app.py"


CONFIG = place().parent / ".streamlit" / "config.toml"
#: Opacity of a 95 % band.
BAND = 0.2
#: What a tint is mixed with, and its share; the contrast with the paper from which on a colour stands out.
WHITE, TINT, STANDS_OUT = "#FFFFFF", 0.4, 3.0
#: Policies that are compared at a time at most: so many colours are theirs.
MOST_POLICIES = 5


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme, as ``#rrggbb``.

    Attributes
    ----------
    series : tuple of str
        Ten, in the order in which series take them.
    ink : str
        Text and axes.
    paper : str
        The background.
    """

    series: tuple[str, ...]
    ink: str
    paper: str

    def of(self, names: Iterable[str]) -> dict[str, str]:
        """Return the colour of each name: the first has the first colour.

        Examples
        --------
        >>> palette(dark=False).of(["fair+late", "hopper"])["hopper"] == palette(dark=False).series[1]
        True
        """
        return {name: self.series[place % len(self.series)] for place, name in enumerate(names)}

    @property
    def jobs(self) -> tuple[str, ...]:
        """Ten colours of jobs, none of them a policy's: those after the policies', and a tint of each.

        Neighbours differ in hue, and most in how light they are.

        Examples
        --------
        >>> set(palette(dark=False).jobs) & set(palette(dark=False).series[:MOST_POLICIES])
        set()
        """
        own = self.series[MOST_POLICIES:]
        tints = [self._tint(color) for color in own]
        return tuple(one for place, color in enumerate(own) for one in (color, tints[(place + 2) % len(own)]))

    def _tint(self, color: str) -> str:
        """Return a lighter tint of a colour; one nearer ink, where a lighter one does not stand out."""
        lighter = mixed(color, WHITE, TINT)
        return lighter if contrast(lighter, self.paper) >= STANDS_OUT else mixed(color, self.ink, TINT)

    @property
    def grid(self) -> str:
        """Lines behind the data, pale in either theme."""
        return faded(self.ink, 0.15)


@cache
def palette(dark: bool) -> Palette:
    """Return the palette of the dark or the light theme."""
    theme = tomllib.loads(CONFIG.read_text())["theme"]["dark" if dark else "light"]
    return Palette(tuple(theme["chartCategoricalColors"]), theme["textColor"], theme["backgroundColor"])


def faded(color: str, opacity: float = BAND) -> str:
    """Return a ``#rrggbb`` colour with an opacity in [0, 1].

    Examples
    --------
    >>> faded("#0072B2")
    'rgba(0,114,178,0.2)'
    """
    red, green, blue = bytes.fromhex(color[1:])
    return f"rgba({red},{green},{blue},{opacity:g})"


def mixed(color: str, other: str, share: float) -> str:
    """Return a ``#rrggbb`` colour with a share of another.

    Examples
    --------
    >>> mixed("#000000", "#FFFFFF", 0.2)
    '#333333'
    """
    parts = zip(bytes.fromhex(color[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + "".join(f"{round(one + share * (two - one)):02X}" for one, two in parts)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two ``#rrggbb`` colours (WCAG 2.2), from 1 to 21.

    Examples
    --------
    >>> round(contrast("#000000", "#FFFFFF"), 6)
    21.0
    """
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(color[1:])]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
