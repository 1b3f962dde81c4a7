"""Several logs of one cluster, one after another: what they tell of tasks together.

Settings may differ from log to log, so no single one of them is the history of all. What is joined are the
copies, from which a model is learned (`sim.advice.whatif.model.fit`); what is played is the last log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from sim.logs.frames import table_of
from sim.logs.history import SCHEMAS, History

#: Seconds between two logs of which the times are not known, or overlap.
_APART = 3600.0


def joined(histories: Sequence[History]) -> History:
    r"""Return one history with the jobs of several, each after the one before.

    Hosts of one name are one host. Executors are started anew for each log: those of earlier logs get other
    names, so that their first tasks are cold and their factors their own.

    Parameters
    ----------
    histories : sequence of History
        In order of time; settings, origin and notes are those of the last.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.source import Upload
    >>> rows = b"job_id,stage_id,task_id,start_s,end_s,host,slot\na,map,0,0,4,h1,w\na,map,1,0,9,h1,w\n"
    >>> both = joined([read_history(Upload("one.csv", rows))] * 2)
    >>> both.jobs["job"].to_pylist(), both.copies["stage"].to_pylist(), both.hosts["host"].to_pylist()
    (['1/a', 'a'], [0, 0, 1, 1], ['h1'])
    >>> both.copies["launch"].to_pylist(), both.copies["slot"].to_pylist()
    ([-3609.0, -3609.0, 0.0, 0.0], ['1/w', '1/w', 'w', 'w'])
    """
    *earlier, last = histories
    if not earlier:
        return last
    frames = {name: [last.frame(name)] for name in SCHEMAS}
    begin = last.limits[0]
    for number, one in reversed([*enumerate(earlier, start=1)]):
        moved = one.origin - last.origin if one.origin and last.origin else 0.0
        if one.limits[1] + moved > begin:
            moved = begin - _APART - one.limits[1]
        begin = one.limits[0] + moved
        for name, frame in _moved(one, moved, f"{number}/").items():
            frames[name].insert(0, frame)
    stages = np.cumsum([0, *(len(one) for one in frames["stages"])])
    jobs = np.cumsum([0, *(len(one) for one in frames["jobs"])])
    for frame, first, job in zip(frames["stages"], stages, jobs, strict=False):
        frame["parents"] = [[int(row + first) for row in listed] for listed in frame["parents"]]
        frame["job"] = np.where(frame["job"] >= 0, frame["job"] + job, -1)
    for frame, first in zip(frames["copies"], stages, strict=False):
        frame["stage"] += first
    whole = {name: pd.concat(parts, ignore_index=True) for name, parts in frames.items()}
    whole["hosts"] = whole["hosts"].groupby("host", as_index=False, sort=False)["slots"].max()
    return replace(last, **{name: table_of(frame, SCHEMAS[name]) for name, frame in whole.items()})


def _moved(one: History, seconds: float, prefix: str) -> dict[str, pd.DataFrame]:
    """Return the tables of a log later by so many seconds, with names of its own."""
    found = {name: one.frame(name) for name in SCHEMAS}
    for name in ("jobs", "stages"):
        found[name][["submit", "end"]] += seconds
    found["jobs"]["job"] = prefix + found["jobs"]["job"]
    found["stages"]["stage"] = prefix + found["stages"]["stage"]
    found["copies"][["launch", "began", "end"]] += seconds
    slot = found["copies"]["slot"].astype(str)
    found["copies"]["slot"] = slot.where(slot.eq(""), prefix + slot)
    found["slots"]["time"] += seconds
    return found
