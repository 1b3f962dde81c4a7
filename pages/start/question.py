r"""The question of the Start page: when the tasks of one job end, and how long it waits for the slowest.

Every task takes a minute on a healthy machine, times a straggle factor :math:`\mathrm{Pareto}(1, \beta)`.
With c copies of each task the fastest counts, whose tail index is :math:`c \beta`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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


def free_up_to(copies: int) -> float:
    r"""Return the tail index up to which so many copies of every task cost no slot-time.

    .. math:: B(c) = \frac{c \beta - 1}{c^2 (\beta - 1)} \ge 1 \iff \beta \le \frac{c + 1}{c}

    Parameters
    ----------
    copies : int
        At least 2.

    Examples
    --------
    >>> free_up_to(2), blow_up(2, free_up_to(2))
    (1.5, 1.0)
    """
    return (copies + 1) / copies
