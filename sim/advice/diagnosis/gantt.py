"""Bars of a Gantt chart of one job or stage: a lane for each slot, not for each task."""

from __future__ import annotations

import heapq

import numpy as np
import pandas as pd

from sim.advice.diagnosis.spread import STRAGGLER
from sim.logs.history import History


def gantt(history: History, *, job: int | None = None, stage: int | None = None) -> pd.DataFrame:
    """Return the copies of a job or a stage (rows of its table) as bars on lanes.

    Returns
    -------
    DataFrame
        lane, host, launch, end, stage (row), task, copy, fate, speculative, ratio (NaN without a median)
        and straggler, in order of launch. Copies on one lane do not overlap, and a lane stays on its host.
    """
    copies = history.frame("copies").dropna(subset=["launch", "end"])
    copies = copies[copies["end"] >= copies["launch"]]
    duration = copies["end"] - copies["began"]
    median = duration[copies["complete"]].groupby(copies["stage"]).median()
    copies["ratio"] = duration / median.reindex(copies["stage"]).to_numpy(float)
    copies["straggler"] = copies["ratio"] > STRAGGLER
    if stage is not None:
        copies = copies[copies["stage"].eq(stage)]
    if job is not None:
        copies = copies[history.stages["job"].to_numpy()[copies["stage"]] == job]
    bars = copies.sort_values(["launch", "end"], ignore_index=True)
    bars["host"] = bars["host"].astype(str)
    bars.insert(0, "lane", lanes(bars))
    shown = [
        "lane",
        "host",
        "launch",
        "end",
        "stage",
        "task",
        "copy",
        "fate",
        "speculative",
        "ratio",
        "straggler",
    ]
    return bars[shown]


def lanes(bars: pd.DataFrame, slack: float = 0.0) -> np.ndarray:
    """Put each bar on the free lane of its host that was used last, hosts side by side.

    Parameters
    ----------
    bars : DataFrame
        host, launch and end, in order of launch.
    slack : float, optional
        By how much a bar may begin before the one on its lane ends.

    Examples
    --------
    >>> bars = pd.DataFrame({"host": list("baab"), "launch": [0, 0, 1, 2], "end": [2, 3, 2, 3]})
    >>> lanes(bars).tolist()
    [2, 0, 1, 2]
    >>> lanes(bars, slack=2.0).tolist()
    [1, 0, 0, 1]
    """
    free: dict[str, list[tuple[float, int]]] = {}
    used: dict[str, int] = {}
    own = np.empty(len(bars), int)
    for row, (host, launch, end) in enumerate(zip(bars["host"], bars["launch"], bars["end"], strict=True)):
        here = free.setdefault(host, [])
        if here and here[0][0] <= launch + slack:
            until, own[row] = here[0]
            heapq.heapreplace(here, (max(end, until), int(own[row])))
        else:
            own[row] = used[host] = used.get(host, -1) + 1
            heapq.heappush(here, (end, int(own[row])))
    first, base = 0, {}
    for host in sorted(used):
        base[host] = first
        first += used[host] + 1
    return own + np.array([base[host] for host in bars["host"]], int)
