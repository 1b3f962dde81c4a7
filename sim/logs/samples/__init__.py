"""Logs of our own to try a diagnosis on, with what is known about their truth.

The Spark logs are of one application on Spark 4.0, four hosts of three cores, whose tasks sleep: a base
of 0.8 to 2 s times a Pareto factor of index 1.5 cut at 12, drawn anew for every copy; without
speculation, and with it (multiplier 1.5, quantile 0.75) under the same draws. They are reduced to the
events and fields that are read. The accounting table is made here from a seed. The four runs before and
after, with luck of their own each, and the logs of a fleet are made by the simulator of our tests
(`tests.zoo`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from importlib import resources

import numpy as np

from sim.logs.source import Upload

#: Factors of the hosts of the accounting sample: two are slow.
HOSTS = {f"node{number:02}": 1.0 for number in range(1, 9)} | {"node03": 1.8, "node06": 1.6}
#: Tail index of the luck of the accounting sample.
INDEX = 2.5
#: The task of each array of `nightly` that has so many times the work of others.
SLOW_TASK, SLOW_WORK = 7, 8.0
#: The change of the mean job time by copies in `before_after`: the mean of 400 plays of each setting.
TRUE_CHANGE = -0.325
#: Logs of `fleet` -> what is known of their truth. The same jobs ran on the same hosts.
FLEET = {
    "nightly-billing": "host 10.0.0.2 takes 1.9 times as long as the others",
    "click-sessions": "tasks of a stage read unequal amounts, and their times are in proportion",
    "fraud-scores": "one task in twenty has bad luck: it takes 3 to 8 times as long, and a copy draws anew",
    "stock-levels": "nothing is slow",
}
_SLOTS_PER_HOST = 4


def spark(*, speculation: bool) -> Upload:
    """Return the Spark log with or without speculation."""
    name = f"spark_{'with' if speculation else 'without'}_speculation.zstd"
    return Upload(name, (resources.files(__name__) / name).read_bytes())


def fleet(name: str) -> Upload:
    """Return one of the logs of a fleet (`FLEET`): 30 Spark jobs of 709 tasks, on 4 hosts of 2 slots."""
    return Upload(name, (resources.files(__name__) / "applications" / f"{name}.parquet").read_bytes())


def before_after(run: int) -> Upload:
    """Return one of four runs of 30 Spark jobs: 1 and 2 without second copies, 3 and 4 with them.

    All tasks of a stage have the same work, and all hosts are alike; each copy of each run draws a Pareto
    factor of its own. So luck is all that makes tasks unequal. With copies the mean job time changes by
    `TRUE_CHANGE`.
    """
    name = f"run_{run}.parquet"
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
    bases = (np.full(tasks, random.uniform(600, 1800)) for _ in range(arrays))
    return Upload("slurm_arrays.txt", _accounting(random, "sweep", bases, datetime(2024, 3, 4, 8)))


def nightly(run: int, arrays: int = 24, tasks: int = 40) -> Upload:
    """Return the accounting table of one of several runs of the same arrays.

    A task lasts the base of its array, times its own work, times the factor of its host (`HOSTS`), times a
    Pareto factor of index `INDEX`. Bases and work are the same in every run: work is lognormal (0.2), and
    `SLOW_TASK` of each array has `SLOW_WORK` times as much. Where a task runs and its luck are those of the
    run.

    Examples
    --------
    >>> first, second = (nightly(run).data.decode().splitlines() for run in (1, 2))
    >>> first[1][:24], second[1][:24], len(first) == len(second) == 1 + 24 * 40
    ('1001_0|nightly-1|COMPLET', '1001_0|nightly-1|COMPLET', True)
    """
    same, random = np.random.default_rng(22), np.random.default_rng([run, 21])
    work = np.exp(same.normal(0, 0.2, (arrays, tasks)))
    work[:, SLOW_TASK] *= SLOW_WORK
    bases = same.uniform(600, 1800, arrays)[:, None] * work
    begin = datetime(2024, 3, 4, 20) + timedelta(days=7 * run)
    return Upload(f"nightly_{run}.txt", _accounting(random, "nightly", bases, begin, mixed=True))


def _accounting(
    random: np.random.Generator, name: str, bases: Iterable[np.ndarray], begin: datetime, mixed: bool = False
) -> bytes:
    """Return arrays that run one after the other; `bases` has the seconds of each task of an array.

    Where slots are mixed, each array takes them in another order.
    """
    hosts = [host for host in HOSTS for _ in range(_SLOTS_PER_HOST)]
    rows = ["JobID|JobName|State|Submit|Start|End|ElapsedRaw|NodeList"]
    for array, base in enumerate(bases, start=1):
        free = [(0, slot) for slot in range(len(hosts))]
        last = 0
        if mixed:
            hosts = random.permutation(hosts).tolist()
        for task, seconds in enumerate(base):
            free.sort()
            launch, slot = free[0]
            elapsed = round(seconds * HOSTS[hosts[slot]] * (1 - random.random()) ** (-1 / INDEX))
            free[0] = (launch + elapsed, slot)
            last = max(last, launch + elapsed)
            start, end = (begin + timedelta(seconds=at) for at in (launch, launch + elapsed))
            times = "|".join(at.isoformat() for at in (begin, start, end))
            rows.append(f"{1000 + array}_{task}|{name}-{array}|COMPLETED|{times}|{elapsed}|{hosts[slot]}")
        begin += timedelta(seconds=last)
    return ("\n".join(rows) + "\n").encode()
