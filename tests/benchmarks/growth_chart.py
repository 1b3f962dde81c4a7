"""A picture of a few charts on logarithmic axes, as SVG: it needs no browser and no other program."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 70, 110, 34, 46
COLOURS = ("#0072b2", "#d55e00")


@dataclass(frozen=True)
class Chart:
    """A few curves.

    Parameters
    ----------
    title, across : str
        What goes up, and across.
    curves : mapping
        Name -> points.
    """

    title: str
    across: str
    curves: Mapping[str, Sequence[tuple[float, float]]]

    @property
    def ends(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """First and last power of ten of both axes."""
        points = [point for curve in self.curves.values() for point in curve]
        both = [[math.log10(point[axis]) for point in points] for axis in (0, 1)]
        found = [(math.floor(min(one)), math.ceil(max(one))) for one in both]
        (a, b), (c, d) = [(low, max(high, low + 1)) for low, high in found]
        return (a, b), (c, d)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point is drawn."""
        (left, right), (low, high) = self.ends
        across = (math.log10(x) - left) / (right - left)
        up = (math.log10(y) - low) / (high - low)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - BOTTOM - TOP)

    @property
    def parts(self) -> list[str]:
        """Return what is drawn."""
        (left, right), (low, high) = self.ends
        parts = [f'<text x="{LEFT - 50}" y="16" font-weight="bold">{self.title}</text>']
        for power in range(left, right + 1):
            x, y = self.place(10**power, 10**low)
            parts.append(f'<text x="{x:.0f}" y="{y + 18:.0f}" text-anchor="middle">{10**power:,}</text>')
        for power in range(low, high + 1):
            x, y = self.place(10**left, 10**power)
            end, _ = self.place(10**right, 10**power)
            parts.append(f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{end:.0f}" y2="{y:.0f}" stroke="#ccc"/>')
            parts.append(f'<text x="{x - 8:.0f}" y="{y + 4:.0f}" text-anchor="end">{10**power:,}</text>')
        middle = (LEFT + WIDTH - RIGHT) / 2
        parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{self.across}</text>')
        return parts + self._curves

    @property
    def _curves(self) -> list[str]:
        """The curves, each with its name where it ends; names keep a line apart."""
        parts, taken = list[str](), list[float]()
        for colour, (name, points) in zip(COLOURS, self.curves.items(), strict=False):
            placed = [self.place(x, y) for x, y in points]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in placed]
            x, y = placed[-1]
            if any(abs(y - other) < 15 for other in taken):
                y = min(taken) - 15
            taken.append(y)
            parts.append(f'<text x="{x + 8:.0f}" y="{y + 4:.0f}" fill="{colour}">{name}</text>')
        return parts


def picture(charts: Sequence[Chart]) -> str:
    """Draw charts, one below the other.

    Examples
    --------
    >>> picture([Chart("ns a task", "slots", {"hopper": [(10, 20), (1000, 90)]})]).count("<circle")
    2
    """
    style = 'font-family="sans-serif" font-size="13" style="background:#fff"'
    body = [
        f'<g transform="translate(0 {place * HEIGHT})">\n' + "\n".join(one.parts) + "\n</g>"
        for place, one in enumerate(charts)
    ]
    box = f"0 0 {WIDTH} {HEIGHT * len(charts)}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {style}>'
    return "\n".join([head, *body, "</svg>\n"])
