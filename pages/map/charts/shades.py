"""The shade that stands for a gain: never so dark that its letter cannot be read."""

from __future__ import annotations

import math
from functools import lru_cache

from pages.shared.charts.palette import Palette, mixed

#: Opacity of no gain and of the largest, and the gain from which a colour is as strong as it gets.
PALE, STRONG, LARGE = 0.12, 0.6, 0.5
#: Contrast of a letter with the colour it stands on, at least (WCAG 2.2, AA).
CONTRAST = 4.5


def strength(gain: float | None, strongest: float = STRONG) -> float:
    """Return the opacity that stands for a gain.

    Examples
    --------
    >>> strength(0.0), strength(0.5), strength(0.9), round(strength(0.1), 3)
    (0.12, 0.6, 0.6, 0.335)
    """
    share = min(max(gain or 0.0, 0.0), LARGE) / LARGE
    return round(PALE + (strongest - PALE) * math.sqrt(share), 6)


@lru_cache
def strongest(color: str, colors: Palette) -> float:
    """Return the strongest opacity of a colour on which a letter can be read.

    Examples
    --------
    >>> from pages.shared.charts.palette import palette
    >>> strongest("#FFFFFF", palette(dark=False)), strongest("#000000", palette(dark=False))
    (0.6, 0.42)
    """
    opacity = STRONG
    while opacity > PALE and contrast(colors.ink, mixed(colors.paper, color, opacity)) < CONTRAST:
        opacity -= 0.02
    return round(opacity, 2)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two ``#rrggbb`` colours (WCAG 2.2: relative luminance).

    Examples
    --------
    >>> round(contrast("#000000", "#FFFFFF"), 3)
    21.0
    """
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(color[1:])]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
