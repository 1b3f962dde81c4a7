r"""One job that waits for its slowest task: when its tasks end, and how that looks.

Every task takes a minute on a healthy machine, times a straggle factor :math:`\mathrm{Pareto}(1, \beta)`.
With c copies of each task the fastest counts, whose tail index is :math:`c \beta`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose

import numpy as np
import plotly.graph_objects as go

from theory.order_statistics import (
    maximum_moment,
    minimum_moment,
    order_statistic_moment,
    order_statistic_quantile,
)
from theory.pareto import minimum_of_copies
from theory.service_rate import blow_up


@dataclass(frozen=True, slots=True)
class OneJob:
    """A job alone on enough slots. Times are in minutes, and means unless said otherwise.

    Attributes
    ----------
    finish : ndarray of shape (tasks,)
        When the fastest, the second fastest, ... the slowest task has finished.
    typical : float
        Median time of one task.
    end : float
        When the job has finished: the last of `finish`.
    end_doubled : float
        The same for a job of twice as many tasks.
    slot_time : float
        Time that slots are busy for one task, all its copies together.
    """

    finish: np.ndarray
    typical: float
    end: float
    end_doubled: float
    slot_time: float


def one_job(tasks: int, copies: int, tail: float) -> OneJob:
    """Return what the theory says of a job of `tasks` tasks, each run as `copies` copies.

    Examples
    --------
    >>> job = one_job(tasks=1, copies=1, tail=1.5)
    >>> round(job.end, 6), round(job.slot_time, 6)  # the mean of one task, 1.5 / (1.5 - 1)
    (3.0, 3.0)
    """
    fastest = minimum_of_copies(1.0, tail, copies)
    return OneJob(
        finish=np.asarray(order_statistic_moment(tasks, np.arange(1, tasks + 1), fastest.a)),
        typical=float(order_statistic_quantile(0.5, 1, 1, fastest.a)),
        end=float(maximum_moment(tasks, fastest.a)),
        end_doubled=float(maximum_moment(2 * tasks, fastest.a)),
        slot_time=float(minimum_moment(1, tail) / blow_up(copies, tail)),
    )


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
        annotation={"text": f"job done: {job.end:.1f} min", "font_color": ink, "yshift": 2},
        annotation_position="top",
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


def change(now: float, before: float) -> str:
    """Say in words how `now` differs from `before`.

    Examples
    --------
    >>> change(3.0, 4.0), change(4.0, 4.0)
    ('-25 % against one copy', 'the same as with one copy')
    """
    percent = round(100 * (now / before - 1))
    return f"{percent:+d} % against one copy" if percent else "the same as with one copy"


def notices(job: OneJob, single: OneJob) -> list[str]:
    """Return what the numbers of this very job show, a sentence or two each."""
    told = [
        f"Half of the tasks end within {job.typical:.1f} minutes. The job needs {job.end / job.typical:.1f} "
        "times as long, all because of its slowest task.",
        f"With twice as many tasks it would take {job.end_doubled / job.end:.1f} times as long, though no "
        "task became slower.",
    ]
    if job.end < single.end:
        free = isclose(job.slot_time, single.slot_time)
        before = "no longer than one copy does" if free else f"instead of {single.slot_time:.1f}"
        told.append(
            f"The copies end the job after {job.end:.1f} minutes instead of {single.end:.1f}. A task keeps "
            f"slots busy for {job.slot_time:.1f} minutes, {before}."
        )
    else:
        told.append("Nobody knows beforehand which task it will be. Try a second copy of each.")
    return told
