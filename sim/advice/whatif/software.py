"""The software that ran, as a history shows it: version, executors, how long its copies take to die."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from sim.logs.history import FINISHED, KILLED, History

#: Copies that lost, from which their log tells how long they hold their slots.
FEWEST = 5
#: Where it does not: as long as those of Spark on the JVM do, of which medians of 10 to 120 ms were measured.
SPARK_LINGER = 0.06


def version(settings: Mapping[str, str]) -> tuple[int, ...]:
    """Return the version of Spark; the newest where the log does not tell.

    Examples
    --------
    >>> version({"spark.version": "3.4.1"}), version({})
    ((3, 4), (4, 0))
    """
    text = settings.get("spark.version", "4.0")
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2]) or (4, 0)


def middle_pair(history: History) -> bool:
    """Say whether the median of an even number of times is the mean of the middle two: in Spark up to 3.4."""
    return history.format == "spark" and version(history.settings) < (3, 5)


def executor_slots(history: History) -> int:
    """Return how many slots Spark counts for an executor; 0 if another system ran.

    Without ``spark.executor.cores`` Spark counts one, whatever a standalone executor takes.
    """
    if history.format != "spark":
        return 0
    cores, each = (_whole(history.settings.get(name)) for name in ("spark.executor.cores", "spark.task.cpus"))
    return max(1, cores // each)


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and int(text) > 0 else 1


def linger(history: History) -> tuple[float, str]:
    """Return how long a copy still holds its slot when another has ended its task, and in words."""
    copies = history.frame("copies")
    won = copies[copies["fate"].eq(FINISHED)].groupby(["stage", "task"])["end"].min().rename("won")
    lost = copies[copies["fate"].eq(KILLED)].join(won, on=["stage", "task"])
    after = (lost["end"] - lost["won"])[lost["launch"] < lost["won"]].to_numpy(float)
    after = np.maximum(after[np.isfinite(after)], 0.0)
    if after.size >= FEWEST:
        seen = float(after.mean())
        return seen, (
            f"the slot of a copy that lost is free {1000 * seen:.0f} ms after the other won, the mean of "
            f"{after.size:,} in the log"
        )
    if history.format == "spark":
        return SPARK_LINGER, (
            f"the slot of a copy that lost is taken to be free {1000 * SPARK_LINGER:.0f} ms after the other "
            "won: the log has too few to tell; with PySpark it may be seconds"
        )
    return 0.0, "the slot of a copy that lost is taken to be free at once: the log has too few to tell"
