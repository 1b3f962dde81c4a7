"""Which stages wait for which, where a log does not record it: read off their times.

A stage begins when it was submitted or, where the log does not tell that, when its first task was launched.
It waits for those of its job that had ended then, if one of them had ended just before: within the usual
delay of a launch. It may wait for fewer: the times allow it. A stage that began while others ran, or long
after all had ended, waits for none: a first task that was launched late waited for a slot.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa

from sim.logs.formats.knows import NO, SOME
from sim.logs.history import SCHEMAS, History
from sim.telling.words import counted

#: Share of the time of a job, and seconds, within which a stage begins when what it waited for has ended.
_DELAY, _LEAST, _MOST = 0.02, 1.0, 60.0
#: Stages of a job above which only those that had ended just before are looked at.
_MANY = 200


def with_order(history: History, order: str) -> History:
    r"""Return a history with the parents that the times of its stages suggest, if its log records none.

    Parameters
    ----------
    history : History
    order : str
        What its format tells of them (`Knows.order`).

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.source import Upload
    >>> rows = b"job_id,stage_id,task_id,start_s,end_s\na,map,0,0,4\na,map,1,0,9\na,reduce,0,9.1,12\n"
    >>> found = read_history(Upload("two.csv", rows))
    >>> found.stages["parents"].to_pylist(), found.order_from
    ([[], [0]], 'times')
    """
    stages = history.stages
    if order not in (NO, SOME) or any(len(one) for one in stages["parents"].to_pylist()):
        return history
    copies = history.frame("copies")[["stage", "launch", "end"]].dropna()
    of_stage = copies.groupby("stage").agg(begin=("launch", "min"), end=("end", "max"))
    table = history.frame("stages")[["job", "submit"]].join(of_stage, how="inner").query("job >= 0")
    table["begin"] = table["submit"].fillna(table["begin"])
    parents: list[list[int]] = [[] for _ in range(stages.num_rows)]
    for _, one in table.groupby("job"):
        if len(one) > 1:
            _order(one, parents)
    if not any(parents):
        return history
    column = pa.array(parents, SCHEMAS["stages"].field("parents").type)
    place = stages.column_names.index("parents")
    waiting = sum(map(bool, parents))
    note = (
        f"the log does not record which stage waits for which: {counted(waiting, 'stage')} of "
        f"{len(parents):,} began when others of their job had just ended, and are taken to wait for them"
    )
    told = stages.set_column(place, SCHEMAS["stages"].field("parents"), column)
    return replace(history, stages=told, order_from="times", notes=(*history.notes, note))


def _order(stages: pd.DataFrame, parents: list[list[int]]) -> None:
    """Add the parents of the stages of a job; rows are those of the history."""
    rows, begin, end = stages.index.to_numpy(), stages["begin"].to_numpy(), stages["end"].to_numpy()
    delay = float(np.clip(_DELAY * (end.max() - begin.min()), _LEAST, _MOST))
    before: dict[int, set[int]] = {}
    for place in np.argsort(begin, kind="stable"):
        ended = np.flatnonzero(end <= begin[place] + 1e-9)
        if not ended.size or begin[place] - end[ended].max() > delay:
            continue
        if rows.size > _MANY:
            ended = ended[begin[place] - end[ended] <= delay]
        known: set[int] = set()
        for one in ended[np.argsort(-end[ended], kind="stable")].tolist():
            if one not in known:  # what a parent waits for needs no arrow of its own
                parents[rows[place]].append(int(rows[one]))
                known |= {one, *before.get(one, ())}
        before[int(place)] = known
        parents[rows[place]].sort()
