"""Aktas & Soljanin, section 4: cost, conditioning, a limit, and infinite moments."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pages.errata.evidence import OTHER, PRINTED, Line, Numbers, Picture, by_name
from sim.telling.plot import Part
from sim.telling.words import number, plain
from theory.coding import coded_cost
from theory.optimal_demand import optimal_demand
from theory.order_statistics import order_statistic_moment
from theory.queueing import erlang_c, erlang_c_limit
from theory.response_time import response_time
from theory.small_jobs import redundant_cost

#: The paper's setting: expansion rate of its figures, tail index of slowdowns, and of task sizes.
R, ALPHA, BETA = 2, 3.0, 1.5


def last_task() -> Numbers:
    """Return the cost of some jobs, and the same by the sum in the text."""
    jobs = ((1, 1), (2, 1), (4, 2), (10, 10), (20, 10))
    right = [float(coded_cost(n, k, ALPHA)) for n, k in jobs]
    last = [float(order_statistic_moment(n, k, ALPHA)) for n, k in jobs]
    table = pd.DataFrame(
        {
            "sum in the text": [number(cost - end) for cost, end in zip(right, last, strict=True)],
            "right": [number(cost) for cost in right],
        },
        index=[f"n = {n}, k = {k}" for n, k in jobs],
    )
    return Numbers({}, table)


def conditioning() -> Numbers:
    """Return the mean cost of a job by the largest demand that is coded, as printed and corrected."""
    demand = np.geomspace(10, 3000, 160)
    right, printed = (redundant_cost(demand, R, ALPHA, BETA, as_printed=p) for p in (False, True))
    none = float(redundant_cost(0, R, ALPHA, BETA))
    same = [float(redundant_cost(60, 1, ALPHA, BETA, as_printed=p)) for p in (False, True)]
    values = {
        "none": number(none),
        "lowest": number(float(np.min(printed))),
        "right": number(same[0]),
        "printed": number(same[1]),
    }
    lines = (
        Line("right", demand, right),
        Line("as printed", demand, printed, PRINTED),
        Line("no redundancy", demand, np.full(demand.size, none), OTHER),
    )
    axes: tuple[Part, Part] = (
        {"type": "log", "tickvals": [10, 30, 100, 300, 1000, 3000]},
        {"rangemode": "tozero"},
    )
    picture = Picture(lines, "largest demand d that is coded", "mean cost of a job", axes=axes)
    return Numbers(values, picture=picture)


def limit() -> Numbers:
    """Return the probability to wait by the number of servers, and its printed limit."""
    servers, load = np.unique(np.geomspace(1, 300, 60).round()), 0.7
    right = np.asarray(erlang_c(servers, load))
    printed = np.asarray(erlang_c_limit(servers, load, as_printed=True))
    at = {int(c): float(erlang_c(c, load)) for c in (1, 10, 100)}
    waits = ", ".join(f"{number(p, 2)} with {c} server{'s' if c > 1 else ''}" for c, p in at.items())
    lines = (Line("Erlang's formula", servers, right), Line("printed limit", servers, printed, PRINTED))
    log: Part = {"type": "log", "tickvals": [1, 3, 10, 30, 100, 300]}
    return Numbers(
        {"waits": waits, "limit": plain(float(printed[-1]))},
        picture=Picture(lines, "servers c", "probability to wait", axes=(log, {"range": [0, 1]})),
    )


def infinite() -> Numbers:
    """Return the best demand and its response time by the largest task size."""
    load, bounds = 0.65, (1e4, 1e5, 1e6, 1e7)
    unbounded = [float(response_time(d, R, load, ALPHA, BETA)) for d in (0, 100, np.inf)]
    finite = sum(np.isfinite(t) for t in unbounded)
    best = [float(optimal_demand(load, R, ALPHA, BETA, size_max=b)) for b in bounds]
    least = [
        float(response_time(d, R, load, ALPHA, BETA, size_max=b)) for d, b in zip(best, bounds, strict=True)
    ]
    table = pd.DataFrame(
        {"best d": [number(d) for d in best], "response time there": [number(t) for t in least]},
        index=[f"sizes up to {b:,.0f}" for b in bounds],
    )
    return Numbers({"beta": f"{BETA}", "load": f"{load}", "finite": f"{finite}"}, table)


def valleys() -> Numbers:
    """Return the response time by the largest demand that is coded, with its valleys."""
    demand, load, bound = np.geomspace(8, 4e4, 400), 0.65, 1e3
    time = np.asarray(response_time(demand, R, load, ALPHA, BETA, size_max=bound))
    best = float(optimal_demand(load, R, ALPHA, BETA, size_max=bound))
    least = float(response_time(best, R, load, ALPHA, BETA, size_max=bound))
    shown = np.where(np.isfinite(time) & (time < 3 * least), time, np.nan)
    known = np.isfinite(shown)
    log: Part = {"type": "log", "tickvals": [10, 30, 100, 300, 1000, 3000, 10000, 30000], "tickformat": "~s"}
    line = Line("response time", demand[known], shown[known])
    picture = Picture((line,), "largest demand d that is coded", "mean response time", axes=(log, {}))
    values = {"load": f"{load}", "bound": plain(bound), "least": number(least), "best": number(best)}
    return Numbers(values, picture=picture)


EVIDENCE = by_name(last_task, conditioning, limit, infinite, valleys)
