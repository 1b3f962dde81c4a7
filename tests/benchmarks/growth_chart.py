"""A chart of a few curves on two logarithmic axes, as SVG: it needs no browser and no other program."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 360, 70, 50
COLOURS = ("#0072b2", "#d55e00")


def chart(curves: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str) -> str:
    """Draw the curves from one power of ten to another.

    Examples
    --------
    >>> chart({"hopper": [(10, 20), (1000, 90)]}, "slots", "ns a task").count("<circle")
    2
    """
    xs = [math.log10(x) for points in curves.values() for x, _ in points]
    ys = [math.log10(y) for points in curves.values() for _, y in points]
    x_ends = math.floor(min(xs)), max(math.ceil(max(xs)), math.floor(min(xs)) + 1)
    y_ends = math.floor(min(ys)), max(math.ceil(max(ys)), math.floor(min(ys)) + 1)

    def place(x: float, y: float) -> tuple[float, float]:
        right = (math.log10(x) - x_ends[0]) / (x_ends[1] - x_ends[0])
        high = (math.log10(y) - y_ends[0]) / (y_ends[1] - y_ends[0])
        return LEFT + right * (WIDTH - LEFT - 90), HEIGHT - BOTTOM - high * (HEIGHT - BOTTOM - 20)

    parts = []
    for power in range(x_ends[0], x_ends[1] + 1):
        x, y = place(10**power, 10 ** y_ends[0])
        parts.append(f'<text x="{x:.0f}" y="{y + 18:.0f}" text-anchor="middle">{10**power:,}</text>')
    for power in range(y_ends[0], y_ends[1] + 1):
        x, y = place(10 ** x_ends[0], 10**power)
        right, _ = place(10 ** x_ends[1], 10**power)
        parts.append(f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{right:.0f}" y2="{y:.0f}" stroke="#ccc"/>')
        parts.append(f'<text x="{x - 8:.0f}" y="{y + 4:.0f}" text-anchor="end">{10**power:,}</text>')
    for colour, (name, points) in zip(COLOURS, curves.items(), strict=False):
        placed = [place(x, y) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in placed]
        x, y = placed[-1]
        parts.append(f'<text x="{x + 8:.0f}" y="{y + 4:.0f}" fill="{colour}">{name}</text>')
    middle = (LEFT + WIDTH - 90) / 2
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{across}</text>')
    parts.append(f'<text x="{LEFT - 50}" y="14">{up}</text>')
    style = 'font-family="sans-serif" font-size="13" style="background:#fff"'
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {style}>\n{body}\n</svg>\n'
    )
