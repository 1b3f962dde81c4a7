"""The chart of the Start page: the tasks of one job in the order they end."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from pages.start.question import OneJob


def chart(job: OneJob, single: OneJob, *, longest: float, ink: str) -> go.Figure:
    """Draw each task as a bar, the slowest in the second colour, before the bars of `single` copies.

    `longest` is the end of the time axis, in minutes, so that it stays where it is; `ink` is the colour
    of text.
    """
    rank = np.arange(1, job.finish.size + 1)
    figure = go.Figure(
        [
            _bars(rank[:-1], job.finish[:-1], "tasks"),
            _bars(rank[-1:], job.finish[-1:], "the slowest task"),
        ]
    )
    if single.end > job.end:
        ghost = _bars(rank, single.finish, "with one copy")
        figure.add_trace(ghost.update(marker_color="rgba(128, 128, 128, 0.35)", zorder=-1))
    figure.add_vline(
        job.end,
        line={"dash": "dot", "color": ink, "width": 1.5},
        annotation={"text": f"job done: {job.end:.1f} min", "font_color": ink},
        # beside the line, where the fastest tasks leave room; above it is the legend
        annotation_position="top right" if job.end < longest / 2 else "top left",
    )
    axis = {"fixedrange": True, "tickfont_color": ink, "title_font_color": ink}
    figure.update_layout(
        barmode="overlay",
        bargap=0.25,
        height=330,
        margin={"l": 8, "r": 8, "t": 56, "b": 8},
        legend={"orientation": "h", "y": 1.22, "font_color": ink},
        uirevision="one job",
        xaxis={"title_text": "time (min)", "range": [0, longest], **axis},
        yaxis={
            "title_text": "tasks, fastest first",
            "autorange": "reversed",
            "showticklabels": False,
            **axis,
        },
    )
    return figure


def _bars(rank: np.ndarray, minutes: np.ndarray, name: str) -> go.Bar:
    hover = f"{name}<br>number %{{y}} to end, after %{{x:.1f}} min<extra></extra>"
    return go.Bar(x=minutes, y=rank, name=name, orientation="h", hovertemplate=hover)
