"""Systems: what ran when a history was recorded, what can be switched on, and in what words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sim.fields import BadInput
from sim.slots.policy import SlotPolicy, read_policy
from sim.traces.history import History
from theory.shown import quoted

NONE = "fifo+none"


@dataclass(frozen=True)
class System:
    """A system whose operator can switch copies on.

    Parameters
    ----------
    key, title : str
        How the shell calls it, and people.
    file : str
        Where its settings are written.
    options : tuple of str
        Policies that can be set.
    settings : callable
        Turns a policy of the system into exact names and values.
    """

    key: str
    title: str
    file: str
    options: tuple[str, ...]
    settings: Callable[[SlotPolicy], dict[str, str]]


def _milliseconds(seconds: float) -> str:
    return f"{round(1000 * seconds)}ms"


def _spark(policy: SlotPolicy) -> dict[str, str]:
    if policy.speculation.key == "none":
        return {"spark.speculation": "false"}
    values = policy.speculation.as_dict
    named = {
        "spark.speculation": "true",
        "spark.speculation.multiplier": f"{values['multiplier']:g}",
        "spark.speculation.quantile": f"{values['quantile']:g}",
        "spark.speculation.interval": _milliseconds(values["interval"]),
        "spark.speculation.minTaskRuntime": _milliseconds(values["min_runtime"]),
    }
    if values["threshold"]:
        named["spark.speculation.task.duration.threshold"] = _milliseconds(values["threshold"])
    return named


SPARK = System(
    "spark",
    "Apache Spark",
    "spark-defaults.conf",
    (
        "fifo+spark",
        "fifo+spark:multiplier=1.5,quantile=0.75",
        "fifo+spark:multiplier=1.5",
        "fifo+spark:multiplier=2,quantile=0.75",
        "fifo+spark:multiplier=2,quantile=0.5",
        "fifo+spark:multiplier=1.5,quantile=0.5",
        "fifo+spark:multiplier=1.2,quantile=0.5",
        "fifo+spark:multiplier=3,quantile=0.5",
    ),
    _spark,
)


def _hadoop(policy: SlotPolicy) -> dict[str, str]:
    named = {f"mapreduce.{kind}.speculative": "true" for kind in ("map", "reduce")}
    if policy.speculation.key == "none":
        return dict.fromkeys(named, "false")
    values, prefix = policy.speculation.as_dict, "mapreduce.job.speculative."
    return named | {
        f"{prefix}retry-after-no-speculate": f"{round(1000 * values['wait'])}",
        f"{prefix}retry-after-speculate": f"{round(1000 * values['pause'])}",
        f"{prefix}minimum-allowed-tasks": f"{values['least_copies']:g}",
        f"{prefix}speculative-cap-total-tasks": f"{values['total_share']:g}",
        f"{prefix}speculative-cap-running-tasks": f"{values['running_share']:g}",
    }


def _tez(policy: SlotPolicy) -> dict[str, str]:
    if policy.speculation.key == "none":
        return {"tez.am.speculation.enabled": "false"}
    values = policy.speculation.as_dict
    named = {
        "tez.am.speculation.enabled": "true",
        "tez.am.soonest.retry.after.no.speculate": f"{round(1000 * values['wait'])}",
        "tez.am.soonest.retry.after.speculate": f"{round(1000 * values['pause'])}",
        "tez.am.minimum.allowed.speculative.tasks": f"{values['least_copies']:g}",
        "tez.am.proportion.total.tasks.speculatable": f"{values['total_share']:g}",
        "tez.am.proportion.running.tasks.speculatable": f"{values['running_share']:g}",
    }
    if values["single_timeout"] >= 0:
        timeout = f"{round(1000 * values['single_timeout'])}"
        named["tez.am.legacy.speculative.single.task.vertex.timeout"] = timeout
    return named


def _flink(policy: SlotPolicy) -> dict[str, str]:
    if policy.speculation.key == "none":
        return {"execution.batch.speculative.enabled": "false"}
    values, detector = policy.speculation.as_dict, "slow-task-detector."
    return {
        "execution.batch.speculative.enabled": "true",
        "execution.batch.speculative.block-slow-node-duration": _milliseconds(values["block"]),
        f"{detector}check-interval": _milliseconds(values["interval"]),
        f"{detector}execution-time.baseline-ratio": f"{values['ratio']:g}",
        f"{detector}execution-time.baseline-multiplier": f"{values['multiplier']:g}",
        f"{detector}execution-time.baseline-lower-bound": _milliseconds(values["lower_bound"]),
    }


HADOOP = System(
    "hadoop",
    "Hadoop MapReduce",
    "mapred-site.xml",
    ("fifo+hadoop", "fifo+hadoop:pause=5", "fifo+hadoop:pause=1", "fifo+hadoop:running_share=0.3,pause=1"),
    _hadoop,
)
TEZ = System(
    "tez",
    "Apache Tez",
    "tez-site.xml",
    ("fifo+tez", "fifo+tez:pause=5", "fifo+tez:pause=1", "fifo+tez:running_share=0.3,pause=1"),
    _tez,
)
FLINK = System(
    "flink",
    "Apache Flink",
    "flink-conf.yaml",
    (
        "fifo+flink",
        "fifo+flink:lower_bound=10",
        "fifo+flink:lower_bound=1",
        "fifo+flink:lower_bound=1,multiplier=2",
        "fifo+flink:lower_bound=1,ratio=0.5",
    ),
    _flink,
)
SYSTEMS = {system.key: system for system in (SPARK, HADOOP, TEZ, FLINK)}
#: Which of them writes histories of a format.
WRITES = {"spark": "spark", "jhist": "hadoop", "rumen": "hadoop"}


def system_of(history: History, asked: str = "") -> System | None:
    """Return the system that is asked for, or that recorded a history; None if it has no speculation.

    Raises
    ------
    BadInput
        If there is no such system.
    """
    if asked and asked not in SYSTEMS:
        raise BadInput(f"system: {quoted(asked)} is not accepted; give one of {', '.join(SYSTEMS)}")
    return SYSTEMS.get(asked or WRITES.get(history.format, ""))


def today(history: History) -> str:
    """Return the policy under which a history was recorded.

    Spark names its settings in the log. MapReduce does not: copies in the history tell that they were on.
    """
    if history.format == "spark":
        return _spark_today(history.settings)
    copied = any(history.copies["speculative"].to_pylist())
    return "fifo+hadoop" if copied and WRITES.get(history.format) == "hadoop" else NONE


def _spark_today(settings: Mapping[str, str]) -> str:
    """Read the settings of Spark; those that are left at their defaults are not in its log."""
    if settings.get("spark.speculation", "false").strip().lower() != "true":
        return NONE
    old = _version(settings.get("spark.version", "4.0")) < (4, 0)
    values = {
        "multiplier": _number(settings.get("spark.speculation.multiplier"), 1.5 if old else 3.0),
        "quantile": _number(settings.get("spark.speculation.quantile"), 0.75 if old else 0.9),
        "interval": _seconds(settings.get("spark.speculation.interval"), 0.1),
        "min_runtime": _seconds(settings.get("spark.speculation.minTaskRuntime"), 0.1),
        "threshold": _seconds(settings.get("spark.speculation.task.duration.threshold"), 0.0),
    }
    given = ",".join(f"{name}={value!r}" for name, value in values.items())
    try:
        return read_policy(f"fifo+spark:{given}").text
    except BadInput:  # values that Spark itself would not have run with
        return "fifo+spark"


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2]) or (4, 0)


def _number(text: str | None, default: float) -> float:
    try:
        return default if text is None else float(text)
    except ValueError:
        return default


_UNITS = {"": 1e-3, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def _seconds(text: str | None, default: float) -> float:
    """Read a time as Spark does: a number with a unit, milliseconds without.

    Examples
    --------
    >>> _seconds("250ms", 0.1), _seconds("2min", 0.1), _seconds("500", 0.1), _seconds("soon", 0.1)
    (0.25, 120.0, 0.5, 0.1)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", (text or "").lower())
    if not found or found[2] not in _UNITS:
        return default
    return float(found[1]) * _UNITS[found[2]]
