"""Logs of our own to try a diagnosis on, with what is known about their truth.

The Spark logs are of one application on Spark 4.0, four hosts of three cores, whose tasks sleep: a base
of 0.8 to 2 s times a Pareto factor of index 1.5 cut at 12, drawn anew for every copy; without
speculation, and with it (multiplier 1.5, quantile 0.75) under the same draws. They are reduced to the
events and fields that are read. The accounting table is made here from a seed.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from importlib import resources

import numpy as np

from sim.traces.source import Upload

#: Factors of the hosts of the accounting sample: two are slow.
HOSTS = {f"node{number:02}": 1.0 for number in range(1, 9)} | {"node03": 1.8, "node06": 1.6}
#: Tail index of the luck of the accounting sample.
INDEX = 2.5
_SLOTS_PER_HOST = 4


def spark(*, speculation: bool) -> Upload:
    """Return the Spark log with or without speculation."""
    name = f"spark_{'with' if speculation else 'without'}_speculation.zstd"
    return Upload(name, (resources.files(__name__) / name).read_bytes())


def slurm(seed: int = 1, arrays: int = 30, tasks: int = 64) -> Upload:
    """Return an accounting table as sacct writes it.

    Arrays run one after the other. A task lasts the base of its array, 10 to 30 minutes, times the factor
    of its host (`HOSTS`) times a Pareto factor of index `INDEX`.

    Examples
    --------
    >>> slurm().data.decode().splitlines()[1]
    '1001_0|sweep-1|COMPLETED|2024-03-04T08:00:00|2024-03-04T08:00:00|2024-03-04T08:24:02|1442|node01'
    """
    random = np.random.default_rng([seed, 20])
    hosts = [host for host in HOSTS for _ in range(_SLOTS_PER_HOST)]
    rows = ["JobID|JobName|State|Submit|Start|End|ElapsedRaw|NodeList"]
    begin = datetime(2024, 3, 4, 8)
    for array in range(1, arrays + 1):
        base = random.uniform(600, 1800)
        free = [(0, slot) for slot in range(len(hosts))]
        last = 0
        for task in range(tasks):
            free.sort()
            launch, slot = free[0]
            elapsed = round(base * HOSTS[hosts[slot]] * (1 - random.random()) ** (-1 / INDEX))
            free[0] = (launch + elapsed, slot)
            last = max(last, launch + elapsed)
            start, end = (begin + timedelta(seconds=at) for at in (launch, launch + elapsed))
            times = "|".join(at.isoformat() for at in (begin, start, end))
            rows.append(f"{1000 + array}_{task}|sweep-{array}|COMPLETED|{times}|{elapsed}|{hosts[slot]}")
        begin += timedelta(seconds=last)
    return Upload("slurm_arrays.txt", ("\n".join(rows) + "\n").encode())
