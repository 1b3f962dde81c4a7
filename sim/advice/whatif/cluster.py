"""The recorded cluster for the engine: its slots over time, their machines, and how slow those are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sim.advice.diagnosis.shares import Shares
from sim.advice.diagnosis.spells import Spell
from sim.advice.whatif.doubt import Drawn
from sim.advice.whatif.price import executor_slots, linger, middle_pair
from sim.logs.history import History
from sim.model.fields import BadInput

#: A cluster of so many times the recorded slots is the largest that a history is asked about.
MOST_TIMES = 100


@dataclass(frozen=True, eq=False)
class Cluster:
    """Machines, and slots over time.

    Parameters
    ----------
    hosts : tuple of str
        Names of the machines; empty where the log has none, and every slot counts as a machine.
    sizes : tuple of int
        Slots of each machine.
    factors : tuple of float
        How much longer copies take on each.
    holders : tuple of tuple of str
        For each machine the executor of each of its slots; empty where they do not differ.
    executors : mapping of str to float
        How much longer copies take on each executor, against the others of its machine.
    spells : mapping of Spell to float
        How much longer copies take that a host launches at a time, against its other times.
    first : float
        First job, in seconds of the history: times of `spells` count from its origin.
    changes : tuple of (float, int)
        Times in seconds after the first job, and the number of slots from each on; the first at 0 or before.
    linger : float
        For how long a copy that lost still holds its slot.
    executor_slots : int
        Slots of an executor, as Spark counts them; 0 where another system ran.
    middle_pair : bool
        Whether Spark took the mean of the middle two as the median.
    """

    hosts: tuple[str, ...]
    sizes: tuple[int, ...]
    factors: tuple[float, ...]
    changes: tuple[tuple[float, int], ...]
    holders: tuple[tuple[str, ...], ...] = ()
    executors: Mapping[str, float] = field(default_factory=dict)
    spells: Mapping[Spell, float] = field(default_factory=dict)
    first: float = 0.0
    linger: float = 0.0
    executor_slots: int = 0
    middle_pair: bool = False

    @property
    def machine_slots(self) -> int:
        """Slots of the largest machine: as many numbers every machine has."""
        return max(self.sizes)

    @property
    def numbers(self) -> int:
        """Numbers of slots, those that stand for none included."""
        return len(self.sizes) * self.machine_slots

    @property
    def slots(self) -> int:
        """Most slots at once."""
        return max(slots for _, slots in self.changes)

    @property
    def order(self) -> np.ndarray:
        """Numbers of all slots, wave by wave over the machines: the order in which they are taken."""
        width = self.machine_slots
        waves = [(wave, machine) for machine, size in enumerate(self.sizes) for wave in range(size)]
        return np.array([machine * width + wave for wave, machine in sorted(waves)], np.int32)

    def slowness(self, drawn: Drawn) -> np.ndarray:
        """Return the factor of each number of a slot in a model."""
        found = np.ones((len(self.sizes), self.machine_slots))
        for machine, name in enumerate(self.hosts):
            found[machine] *= drawn.host.get(name, 1.0)
            if drawn.executor and self.holders:
                for place, holder in enumerate(self.holders[machine][: self.sizes[machine]]):
                    found[machine, place] *= drawn.executor.get(holder, 1.0)
        return found.ravel()

    def slow_times(self, drawn: Drawn) -> tuple[tuple[float, float, np.ndarray, float], ...]:
        """Return when slots are slow for a time: from, until, their numbers and the factor."""
        machines = {name: place for place, name in enumerate(self.hosts) if name}
        return tuple(
            (
                one.begin - self.first,
                one.end - self.first,
                np.arange(self.machine_slots) + machines[one.host] * self.machine_slots,
                factor,
            )
            for one, factor in drawn.spell.items()
            if one.host in machines and one.end > self.first  # not of an earlier log
        )

    def slot_time(self, until: float) -> float:
        """Return the slot-time there is from the first job until a time.

        Examples
        --------
        >>> Cluster((), (1, 1), (1.0, 1.0), ((0.0, 1), (6.0, 2))).slot_time(10.0)
        14.0
        """
        times = np.array([min(time, until) for time, _ in self.changes] + [until])
        return float(np.diff(times) @ [slots for _, slots in self.changes])

    def with_slots(self, slots: int) -> Cluster:
        """Return the cluster with a fixed number of slots, on as many machines of the usual size.

        Raises
        ------
        BadInput
            If they are more than `MOST_TIMES` the recorded ones: no history tells anything of such a cluster.
        """
        recorded = max(number for _, number in self.changes)
        if slots > recorded * MOST_TIMES:
            raise BadInput(
                f"slots: {slots} is not accepted, since the history has {recorded}; "
                f"give at most {recorded * MOST_TIMES}"
            )
        width = max(1, round(sum(self.sizes) / len(self.sizes)))
        machines = -(-slots // width)
        sizes = [slots // machines + (machine < slots % machines) for machine in range(machines)]
        factors = (self.factors + (1.0,) * machines)[:machines]
        hosts = (self.hosts + ("",) * machines)[:machines] if self.hosts else ()
        return replace(
            self, hosts=hosts, sizes=tuple(sizes), factors=factors, changes=((0.0, slots),), holders=()
        )


def cluster_of(history: History, parts: Shares, first: float) -> Cluster:
    """Return the cluster of a history; times count from `first`."""
    changes = _changes(history, first)
    most = max(slots for _, slots in changes)
    hosts = [host for host in history.hosts["host"].to_pylist() if host]
    ran = Cluster(
        (),
        (1,) * most,
        (1.0,) * most,
        changes,
        linger=linger(history)[0],
        executor_slots=executor_slots(history),
        middle_pair=middle_pair(history),
    )
    if not hosts:
        return ran
    known = dict(zip(history.hosts["host"].to_pylist(), history.hosts["slots"].to_pylist(), strict=True))
    sizes = [known[host] for host in hosts]
    if min(sizes) < 1 or sum(sizes) < most:
        sizes = [most // len(hosts) + (place < most % len(hosts)) for place in range(len(hosts))]
    kept = [place for place, size in enumerate(sizes) if size > 0]
    factors = parts.hosts.set_index("host")["factor"].reindex(hosts).fillna(1.0)
    return replace(
        ran,
        hosts=tuple(hosts[place] for place in kept),
        sizes=tuple(sizes[place] for place in kept),
        factors=tuple(float(factors.iloc[place]) for place in kept),
        holders=_holders(history, [(hosts[place], sizes[place]) for place in kept]),
        executors=parts.fit.factors("executor"),
        spells=parts.fit.spells(),
        first=first,
    )


def _holders(history: History, machines: list[tuple[str, int]]) -> tuple[tuple[str, ...], ...]:
    """Return which executor each slot of a machine belongs to: they share its slots evenly."""
    seen = history.frame("copies")[["host", "slot"]].astype(str).drop_duplicates()
    by_host = {host: sorted(set(slots) - {""}) for host, slots in seen.groupby("host")["slot"]}
    found = []
    for host, size in machines:
        names = by_host.get(host, [])
        found.append(tuple(names[place * len(names) // size] for place in range(size)) if names else ())
    return tuple(found)


def _changes(history: History, first: float) -> tuple[tuple[float, int], ...]:
    """Return times and the number of slots from each on; those before the first job count from it."""
    table = history.slots.to_pydict()
    listed = [(time - first, slots) for time, slots in zip(table["time"], table["slots"], strict=True)]
    if not any(slots > 0 for _, slots in listed):
        raise BadInput(
            "history: no slots are known and none was ever busy; give a history with tasks that ran"
        )
    before = [slots for time, slots in listed if time <= 0]
    later = [(time, slots) for time, slots in listed if time > 0]
    while len(later) > 0 and later[-1][1] == 0:  # executors that leave when all is over
        later.pop()
    start = before[-1] if before else 0
    return ((0.0, start), *later)
