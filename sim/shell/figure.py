"""Figures of `run` and `sweep` as SVG, drawn without a browser, which Plotly needs for that."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from sim.model.fields import BadInput
from sim.telling.palette import palette

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Statistics of the flowtime that a sweep shows, side by side.
_SHOWN = ("mean", "p50", "p95")


def as_svg(table: pd.DataFrame, unit: str, field: str = "") -> bytes:
    """Draw the flowtime of each policy with its 95 % intervals.

    Parameters
    ----------
    table : DataFrame
        Of a comparison (`Comparison.to_frame`), or of a sweep, with the values of the field first.
    unit : str
        Of time.
    field : str, optional
        What a sweep varies; without it the quantiles of the flowtime are drawn, else the mean, median and p95
        over the field. A value without an interval is a mark alone.

    Raises
    ------
    BadInput
        If matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput(
            "figure: needs matplotlib, which is not installed; install straggler-lab[figure]"
        ) from None
    known = table[table["measure"].eq("flowtime")]
    if field:
        panels = {name: known[known["statistic"].eq(name)] for name in _SHOWN}
    else:
        panels = {"": known[known["statistic"].str.startswith("p")]}
    # text stays text, and the same figure has the same bytes
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "straggler-lab"}):
        drawn = Figure(figsize=(4.2 * len(panels) + 1.5, 4.2), layout="constrained")
        places = drawn.subplots(1, len(panels), squeeze=False)[0]
        for place, (name, rows) in zip(places, panels.items(), strict=True):
            _draw(place, rows, field)
            place.set_xlabel(field or "quantile of the flowtime (% of jobs)")
            place.set_ylabel(f"{f'{name} of the ' * bool(name)}flowtime ({unit})")
        drawn.legend(*places[0].get_legend_handles_labels(), loc="outside upper left", frameon=False, ncols=2)
        file = io.BytesIO()
        drawn.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _draw(place: Axes, rows: pd.DataFrame, field: str) -> None:
    """Draw a line for each policy, with a bar from the lower to the upper end of each interval."""
    colors = palette(dark=False).series
    x = rows[field] if field else rows["statistic"].str[1:].astype(float)
    for number, policy in enumerate(dict.fromkeys(rows["policy"])):
        own = rows[rows["policy"].eq(policy)]
        ends = [(own["value"] - own["low"]).fillna(0.0), (own["high"] - own["value"]).fillna(0.0)]
        color = colors[number % len(colors)]
        place.errorbar(x[own.index], own["value"], ends, label=policy, color=color, marker="o", capsize=3)
    if (rows["value"] > 0).all() and rows["value"].max() > 20 * rows["value"].min():
        place.set_yscale("log")
    place.grid(alpha=0.25)
