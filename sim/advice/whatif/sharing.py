"""How the slots were shared among jobs when a history was recorded.

Spark shares by `spark.scheduler.mode`. FAIR gives the same number of slots to every pool; inside a pool jobs
are served first come, first served, unless an allocation file says otherwise, which no log holds. A log with
FAIR and a single pool is therefore asked what ran: of the launches that tasks of several jobs waited for, how
many went to the oldest of these jobs.

Reference: ``FairSchedulableBuilder`` of Apache Spark, ``core/src/main/scala/org/apache/spark/scheduler/``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.logs.history import History
from sim.telling.words import counted

FIFO, FAIR = "fifo", "fair"
#: Launches that are looked at, at most, and that are needed for a judgement; the share of them that tells.
MOST, FEWEST, TELLING = 1000, 10, 0.9


@dataclass(frozen=True)
class Sharing:
    """How slots were shared.

    Parameters
    ----------
    key : str
        The sharing rule of the slot engine.
    sentence : str
        What was read of it and what is left out; empty where the log names nothing.
    """

    key: str
    sentence: str = ""


def sharing_of(history: History) -> Sharing:
    """Return how slots were shared among the jobs of a history.

    Examples
    --------
    >>> from sim.logs.formats import read_history
    >>> from sim.logs.samples import spark
    >>> sharing_of(read_history(spark(speculation=True))).key
    'fifo'
    """
    if history.settings.get("spark.scheduler.mode", "").strip().upper() != "FAIR":
        return Sharing(FIFO)
    pools = sorted({pool or "default" for pool in history.jobs["pool"].to_pylist()})
    if len(pools) == 1:
        oldest, wanted = launches_of_oldest(history)
        if wanted >= FEWEST and oldest >= TELLING * wanted:
            return Sharing(
                FIFO,
                f"The log sets FAIR, but all jobs are in one pool, and {oldest:,} of {wanted:,} launches "
                "for which several jobs waited went to the oldest: they were served first come, first "
                "served, as Spark does inside a pool without an allocation file.",
            )
    return Sharing(
        FAIR,
        f"The log sets FAIR, with {counted(len(pools), 'pool')}: played as equal shares of all running "
        "stages. Weights and least shares of pools, and the order of jobs inside a pool, are not in the log.",
    )


def launches_of_oldest(history: History) -> tuple[int, int]:
    """Count launches for which several jobs waited, and how many of them went to the oldest of these jobs.

    A stage waits from its submission to the last launch of a first copy. At most `MOST` launches are looked
    at, in equal steps.

    Returns
    -------
    int
        Launches that went to the oldest job.
    int
        Launches that several jobs waited for.
    """
    stages, copies = history.frame("stages"), history.frame("copies")
    first = copies[(copies["copy"] == 0) & copies["launch"].notna()].sort_values("launch")
    last = first.groupby("stage")["launch"].max()
    waits = stages.loc[last.index].assign(last=last).query("job >= 0 and submit <= last")
    first = first[first["stage"].isin(waits.index)]
    step = -(-len(first) // MOST) or 1
    submit, until, job = (waits[name].to_numpy() for name in ("submit", "last", "job"))
    order = history.frame("jobs")["submit"].rank(method="first").to_numpy()[job]
    place = dict(zip(waits.index, order, strict=True))
    oldest = wanted = 0
    for launch, stage in zip(first["launch"][::step], first["stage"][::step], strict=True):
        waiting = order[(submit < launch) & (launch < until)]
        own = place[stage]
        if np.any(waiting != own):
            wanted += 1
            oldest += bool(np.all(waiting >= own))
    return oldest, wanted
