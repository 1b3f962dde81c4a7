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
#: Systems by the format of the history.
SYSTEMS = {"spark": SPARK}


def system_of(history: History, asked: str = "") -> System | None:
    """Return the system that is asked for, or that recorded a history; None if it has no speculation.

    Raises
    ------
    BadInput
        If there is no such system.
    """
    if asked and asked not in SYSTEMS:
        raise BadInput(f"system: {quoted(asked)} is not accepted; give one of {', '.join(SYSTEMS)}")
    return SYSTEMS.get(asked or history.format)


def today(history: History) -> str:
    """Return the policy under which a history was recorded, by the settings that it names."""
    if history.format == "spark":
        return _spark_today(history.settings)
    return NONE


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
