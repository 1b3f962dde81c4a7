"""What an executor is, as a history tells: its cores, its slots, and the memory that is billed for it.

A container is billed with what lies beside the heap: the overhead, memory of Python and memory off the heap.
A standalone worker gives an executor no overhead unless it is asked for.

Reference: ``spark.executor.memoryOverhead`` and the settings beside it in the configuration of Apache Spark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sim.logs.formats.spark_executors import EXECUTORS, MASTER, read
from sim.logs.history import History

#: Megabytes in a gigabyte as clouds bill it, and of overhead at least.
GB, LEAST_OVERHEAD = 1024.0, 384.0
#: Overhead as a share of the heap; on Kubernetes of programs that are not on the JVM.
SHARE, SHARE_OF_OTHERS = 0.1, 0.4
_UNITS = {"b": 1 / 2**20, "k": 1 / 1024, "m": 1.0, "g": 1024.0, "t": 2.0**20, "p": 2.0**30}


@dataclass(frozen=True)
class Executor:
    """An executor; the mean of those that came, where they differ.

    Parameters
    ----------
    cores : float
        That a cloud bills as vCPUs.
    slots : float
        Tasks it runs at a time.
    memory : float or None
        GB that are billed; None if the log does not tell.
    overhead : float
        Of which beside the heap.
    """

    cores: float
    slots: float
    memory: float | None = None
    overhead: float = 0.0


def executor_of(history: History) -> tuple[Executor | None, str]:
    """Return the executor of a history, and what its log does not tell of it.

    Parameters
    ----------
    history : History

    Returns
    -------
    Executor or None
    str
        What is missing; empty if nothing is.
    """
    settings = history.settings
    if history.format != "spark":
        return None, "executors, which only logs of Spark have"
    came = read(settings.get(EXECUTORS, ""))
    if not came:
        local = settings.get(MASTER) == "local"
        return None, "executors: it ran in local mode" if local else "executors: no event says that one came"
    each, many = _whole(settings.get("spark.task.cpus")), came.total()
    slots = sum(count * (cores // each) for cores, count in came.items()) / many
    if not slots:
        return None, "executors with a slot: spark.task.cpus is above their cores"
    cores = sum(count * cores for cores, count in came.items()) / many
    heap = megabytes(settings.get("spark.executor.memory"))
    if heap is None:
        return Executor(cores, slots), "memory of executors (spark.executor.memory)"
    overhead = _beside(heap, settings)
    return Executor(cores, slots, (heap + overhead) / GB, overhead / GB), ""


def _beside(heap: float, settings: Mapping[str, str]) -> float:
    """Return the megabytes that are billed beside the heap."""
    asked = (megabytes(settings.get(f"spark.{name}executor.memoryOverhead")) for name in ("", "yarn."))
    given = next((one for one in asked if one is not None), None)
    if given is None:
        given = 0.0 if settings.get(MASTER) == "spark" else _usual(heap, settings)
    python = megabytes(settings.get("spark.executor.pyspark.memory")) or 0.0
    off = settings.get("spark.memory.offHeap.enabled", "").lower() == "true"
    return given + python + (megabytes(settings.get("spark.memory.offHeap.size"), "b") or 0.0) * off


def _usual(heap: float, settings: Mapping[str, str]) -> float:
    """Return the overhead of containers for which none is asked."""
    others = settings.get("spark.kubernetes.resource.type", "java") != "java"
    share = SHARE_OF_OTHERS if others else SHARE
    for name in ("spark.kubernetes.memoryOverheadFactor", "spark.executor.memoryOverheadFactor"):
        share = _number(settings.get(name), share)
    least = megabytes(settings.get("spark.executor.minMemoryOverhead"))
    return max(share * heap, LEAST_OVERHEAD if least is None else least)


def megabytes(text: str | None, unit: str = "m") -> float | None:
    """Read a size as Spark does: a whole number and perhaps a unit; None if it is no size.

    Parameters
    ----------
    text : str or None
    unit : str, optional
        Of a number without one.

    Examples
    --------
    >>> megabytes("2g"), megabytes("512"), megabytes("1048576", "b"), megabytes("much"), megabytes(None)
    (2048.0, 512.0, 1.0, None, None)
    """
    found = re.fullmatch(r"(\d{1,15})\s*([bkmgtp]?)b?", (text or "").strip().lower())
    return int(found[1]) * _UNITS[found[2] or unit] if found else None


def _number(text: str | None, default: float) -> float:
    return float(text) if text and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()) else default


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and int(text) > 0 else 1
