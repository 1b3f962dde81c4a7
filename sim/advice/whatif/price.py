"""What slots cost: a price per slot-hour, per executor-hour, or as billed by vCPU-hour and GB-hour.

Whatever is given, changes of slot-time are priced by the hour of a slot: its part of an executor.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.logs.formats.spark_files import EXECUTORS, MASTER, read
from sim.logs.history import FINISHED, KILLED, History
from sim.model.fields import About, BadInput, canonical

if TYPE_CHECKING:  # the shell asks for what can be priced before anything of a log is needed
    from sim.logs.history import History

# What an executor is, as a history tells: its cores, its slots, and the memory that is billed for it.
#
# A container is billed with what lies beside the heap: the overhead, memory of Python and memory off the
# heap. A standalone worker gives an executor no overhead unless it is asked for.
#
# Reference: ``spark.executor.memoryOverhead`` and the settings beside it in the configuration of Apache
# Spark.

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


# The software that ran, as a history shows it: version, executors, how long its copies take to die.

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


#: What has a price -> what it is called.
PRICED = {"slot": "slot-hour", "executor": "executor-hour", "vcpu": "vCPU-hour", "gb": "GB-hour"}
#: What has a price -> the option of the shell, and the control of the page, that give it.
GIVEN = {"slot": "price", "executor": "price_executor", "vcpu": "price_vcpu", "gb": "price_gb"}
#: Kind of price -> its title, and what has a price in it.
KINDS = {
    "slot": ("Slot-hour", ("slot",)),
    "executor": ("Executor-hour", ("executor",)),
    "billed": ("vCPU-hour and GB-hour", ("vcpu", "gb")),
}
#: The largest that is accepted.
MOST = 1e9
ASSUMED = (
    "Assumed: executors are billed as long as they live, busy or idle. Slot-time that is saved is money only "
    "if executors are given back, and slot-time that is added costs only if more are taken."
)


@dataclass(frozen=True)
class Price:
    """Prices of an hour, in any currency; 0 where none is given.

    Parameters
    ----------
    slot : float, optional
        Of a slot; beside one of the others it stands in for them where a log has no executor sizes.
    executor : float, optional
    vcpu, gb : float, optional
        Of a core and of a GB of memory, as clouds bill them.

    Raises
    ------
    BadInput
        If executors have a price in two ways.
    """

    slot: float = 0.0
    executor: float = 0.0
    vcpu: float = 0.0
    gb: float = 0.0

    def __post_init__(self) -> None:
        """Refuse two prices of the same."""
        if self.executor and (self.vcpu or self.gb):
            raise BadInput(
                "price-executor: not accepted together with price-vcpu or price-gb, which price executors, "
                "too; give one of them"
            )

    @classmethod
    def of(cls, kind: str, given: Mapping[str, float]) -> Price:
        """Return a price of a kind from what is given under the names of `GIVEN`.

        Examples
        --------
        >>> Price.of("executor", {"price": 0.1, "price_executor": 0.5, "price_vcpu": 9.0, "price_gb": 0.0})
        Price(slot=0.1, executor=0.5, vcpu=0.0, gb=0.0)
        """
        return cls(**{name: given[GIVEN[name]] for name in {"slot", *KINDS[kind][1]}})

    @classmethod
    def of_options(cls, options: Mapping[str, Any]) -> Price:
        """Return the price that the options of `GIVEN` name, as texts; None is not given.

        Examples
        --------
        >>> Price.of_options({"price": "0.1", "price_executor": None, "price_vcpu": "2", "price_gb": None})
        Price(slot=0.1, executor=0.0, vcpu=2.0, gb=0.0)
        """
        about = About("price of an hour", low=0, high=MOST)
        asked = {name: options[given] for name, given in GIVEN.items() if options[given] is not None}
        return cls(
            **{
                name: canonical(GIVEN[name].replace("_", "-"), one, float, about)
                for name, one in asked.items()
            }
        )

    @property
    def kind(self) -> str:
        """The kind that is asked for; empty without a price."""
        given = [kind for kind, (_, names) in KINDS.items() if any(getattr(self, name) for name in names)]
        return given[-1] if given else ""


FREE = Price()


@dataclass(frozen=True)
class Tariff:
    """A price on a history.

    Parameters
    ----------
    price : Price
    executor : Executor or None
        Of the history.
    untold : str
        What its log does not tell of executors.
    by_demand : bool or None
        Whether executors came and went by demand; None if the log does not tell.
    """

    price: Price
    executor: Executor | None = None
    untold: str = ""
    by_demand: bool | None = None

    @property
    def missing(self) -> str:
        """What the log would have to tell for the price that is asked for; empty if nothing."""
        if self.price.kind in ("", "slot"):
            return ""
        needs_memory = bool(self.price.gb)
        known = self.executor is not None and (self.executor.memory is not None or not needs_memory)
        return "" if known else self.untold

    @property
    def kind(self) -> str:
        """The kind that is used; empty if there is none."""
        if not self.missing:
            return self.price.kind
        return "slot" if self.price.slot else ""

    @property
    def executor_hour(self) -> float | None:
        """Price of an hour of an executor; None where slots are priced."""
        if self.kind == "executor":
            return self.price.executor
        if self.kind == "billed" and self.executor is not None:
            return self.price.vcpu * self.executor.cores + self.price.gb * (self.executor.memory or 0.0)
        return None

    @property
    def slot_hour(self) -> float:
        """Price of an hour of a slot; 0 if it is not known."""
        if (whole := self.executor_hour) is not None and self.executor is not None:
            return whole / self.executor.slots
        return self.price.slot if self.kind else 0.0

    @property
    def sentence(self) -> str:
        """Say what a slot-hour costs, and why, or what is missing; empty without a price."""
        if self.missing:
            given = [name for name in KINDS[self.price.kind][1] if getattr(self.price, name)]
            asked = " and ".join(PRICED[name] for name in given)
            told = f"The price per {asked} cannot be used: the log does not tell {self.missing}."
            if self.kind:
                return f"{told} In its place a slot-hour costs {self.price.slot:g}."
            return f"{told} Give the price of a slot-hour."
        if self.kind == "slot":
            return f"A slot-hour costs {self.price.slot:g}."
        if self.executor is None or self.executor_hour is None:
            return ""
        slots = f"{self.executor.slots:.3g} slot{'' if self.executor.slots == 1 else 's'}"
        begun = f"An executor of {slots} costs {self.executor_hour:.4g} an hour"
        return f"{begun}{self._billed}; a slot-hour costs {self.slot_hour:.4g}."

    @property
    def assumed(self) -> str:
        """Say what is assumed, and whether this log bears it out."""
        if self.by_demand is None:
            return ASSUMED
        if self.by_demand:
            return f"{ASSUMED} In this log they came and went by demand (spark.dynamicAllocation)."
        return f"{ASSUMED} In this log spark.dynamicAllocation was not on: Spark gave no executor back."

    @property
    def _billed(self) -> str:
        one = self.executor
        if self.kind != "billed" or one is None:
            return ""
        told = f"{one.cores:.3g} vCPU at {self.price.vcpu:g}"
        if one.memory is None or not self.price.gb:
            return f" ({told})"
        beside = f", {one.overhead:.3g} of them beside the heap" if one.overhead else ""
        return f" ({told} and {one.memory:.4g} GB at {self.price.gb:g}{beside})"

    @property
    def as_json(self) -> dict[str, Any] | None:
        """The price as values of JSON; None without one."""
        if not self.price.kind:
            return None
        return {
            "asked": self.price.kind,
            "used": self.kind or None,
            **{f"{name}_hour": value for name, value in asdict(self.price).items() if value},
            "priced_slot_hour": self.slot_hour or None,
            "executor": None if self.executor is None else asdict(self.executor),
            "missing": self.missing or None,
            "sentence": self.sentence,
            "assumed": self.assumed,
        }


def tariff(price: Price, history: History) -> Tariff:
    """Return a price on a history."""
    by_demand = history.settings.get("spark.dynamicAllocation.enabled", "").strip().lower() == "true"
    return Tariff(price, *executor_of(history), by_demand if history.format == "spark" else None)
