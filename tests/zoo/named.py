"""The remedy that `sim.whatif` names for a world, and its promises for each remedy, beside the truth.

Like `judge` it knows `sim`; what is true comes from `tests.zoo.remedies`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sim.advice.whatif.answer import BUDGET, Answer
from sim.advice.whatif.model import fit
from sim.advice.whatif.remedies.hosts import slow_hosts
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import system_of
from sim.logs.formats import read_history
from sim.model.fields import BadInput
from tests.zoo.eventlog import event_log, host_name
from tests.zoo.judge import SURE, USEFUL, setting_of, told
from tests.zoo.remedies import Mended, cuts, never_cold, split, truth_of, with_healthy, without_hosts
from tests.zoo.simulator import play
from tests.zoo.truth import Change, truth
from tests.zoo.worlds import World

#: Figures whose promised change is held to the true one.
JUDGED = ("mean", "slot_time")
#: Causes of worlds that remedies mend, beside luck, which copies mend.
MENDED = {
    "host": frozenset({"slow_hosts", "slow_executors"}),
    "split": frozenset({"skew_five", "skew_sizes", "short_noise"}),
    "warm": frozenset({"cold"}),
}
#: A remedy is as good as another whose true gain is so much larger, as a share of today's mean.
NEAR = 0.02


@dataclass(frozen=True)
class Promise:
    """What is promised of a remedy and a figure, and what is true."""

    way: str
    figure: str
    value: float
    low: float
    high: float
    true: float
    error: float

    @property
    def covers(self) -> bool:
        """Whether the interval holds the truth, as far as that is known."""
        return self.low - SURE * self.error <= self.true <= self.high + SURE * self.error


@dataclass(frozen=True)
class Named:
    """What was said about a world, and what is true.

    Parameters
    ----------
    number, law, causes, recorded
        Of the world.
    verdict : str
        Of the check; refused where there is no model.
    first : str
        Key of the remedy that is advised; empty for none.
    trial : bool
        Whether copies are advised for a trial.
    gains : dict
        Key of a remedy within the budget of slot-time, or that is advised -> the true change of the mean job
        time in the way that is shown, and its error; of copies that of the best setting, or the advised one.
    first_gain, first_cost : Change or None
        What the advised remedy truly changes of mean and slot-time.
    promises : tuple of Promise
    """

    number: int
    law: str
    causes: tuple[str, ...]
    recorded: str
    verdict: str
    first: str
    trial: bool
    gains: dict[str, tuple[float, float]]
    first_gain: Change | None
    first_cost: Change | None
    promises: tuple[Promise, ...]

    @property
    def best(self) -> str:
        """The remedy that truly gains most; empty where none clearly gains."""
        useful = {key: gain for key, (gain, error) in self.gains.items() if gain + SURE * error <= USEFUL}
        return min(useful, key=useful.__getitem__, default="")

    @property
    def right(self) -> bool:
        """Whether the advised remedy clearly gains, and no other gains more than it by `NEAR`."""
        if not self.first or self.first_gain is None or self.harms:
            return False
        most = min(gain for gain, _ in self.gains.values())
        return self.first_gain.value <= USEFUL and self.first_gain.value <= most + NEAR

    @property
    def mends(self) -> bool:
        """Whether the advised remedy clearly gains, and mends a cause that the world was made with."""
        gains = self.first_gain is not None and self.first_gain.value <= USEFUL and not self.harms
        return gains and not MENDED.get(self.first, frozenset()).isdisjoint(self.causes)

    @property
    def harms(self) -> bool:
        """Whether the advised remedy makes jobs longer or costs more than the budget, beyond noise."""
        if self.first_gain is None or self.first_cost is None:
            return False
        longer = self.first_gain.value - SURE * self.first_gain.error > 0
        return longer or self.first_cost.value - SURE * self.first_cost.error > BUDGET

    @classmethod
    def of(cls, row: dict[str, Any]) -> Named:
        """Return it from its values of JSON."""
        made = {item.name: row[item.name] for item in fields(cls)}
        for name in ("first_gain", "first_cost"):
            made[name] = Change(**row[name]) if row[name] else None
        made["promises"] = tuple(Promise(**one) for one in row["promises"])
        made["gains"] = {key: tuple(value) for key, value in row["gains"].items()}
        return cls(**made | {"causes": tuple(row["causes"])})

    def as_json(self) -> dict[str, Any]:
        """Return all of it as values of JSON."""
        return asdict(self)


def name_remedy(world: World, *, replications: int, draws: int) -> Named:
    """Let `sim` name the remedy for a world, and compare."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"zoo-{world.number}"
        path.write_text(event_log(world, play(world, world.setting, 0)))
        history = read_history(path)
    found: Answer | None = None
    mended: dict[str, Mended] = {}
    try:
        question = Replay(fit(history))
        found = answer(question, system_of(history), replications=replications, sweep=False, threads=1)
        slow = {host for host in range(world.cluster.hosts) if host_name(host) in slow_hosts(question)}
        mended = {"leave out": without_hosts(world, slow), "replace": with_healthy(world, slow)}
    except BadInput:
        pass
    mended |= {"warm": never_cold(world)} | ({"split": split(world)} if cuts(world) else {})
    true = truth_of(world, mended, draws)
    return _named(world, found, true, _copies(world, found, draws))


def _copies(world: World, found: Answer | None, draws: int) -> tuple[str, dict[str, Change]]:
    """Return the setting of copies that stands for them, and what it truly changes."""
    nothing = {name: Change(0.0, 0.0) for name in ("mean", "slot_time")}
    if found is None:
        return "", nothing
    settings = {text: setting_of(option.policy) for text, option in found.options.items()}
    true = truth(world, settings.values(), draws)
    advice = found.advice
    if advice is not None and advice.policy != found.today:
        return advice.policy, true[settings[advice.policy]]
    allowed = {text: true[one] for text, one in settings.items() if true[one]["slot_time"].value <= BUDGET}
    best = min(allowed, key=lambda text: allowed[text]["mean"].value, default=found.today)
    return best, true[settings[best]]


def _named(
    world: World,
    found: Answer | None,
    true: dict[str, dict[str, Change]],
    copies: tuple[str, dict[str, Change]],
) -> Named:
    remedies = found.remedies if found else None
    promises, shown = [], {"copy": copies[1]}
    ways = {
        "leaving out slow hosts": "leave out",
        "replacing slow hosts": "replace",
        "splitting large tasks": "split",
        "keeping slots warm": "warm",
    }
    for one in remedies.judged if remedies else ():
        changes = {one.does: one.change, **one.others}
        for does, change in changes.items():
            if change is None or (way := ways.get(does)) not in true:
                continue
            for figure in JUDGED:
                promised, truly = change[figure], true[way][figure]
                promises.append(
                    Promise(
                        way, figure, promised.value, promised.low, promised.high, truly.value, truly.error
                    )
                )
        if one.change is not None and (way := ways.get(one.does)) in true:
            shown[one.remedy.key] = true[way]
    if remedies is None:
        shown |= {"warm": true["warm"]} | ({"split": true["split"]} if "split" in true else {})
    first = remedies.first if remedies else None
    key = first.remedy.key if first else ""
    dear = [name for name, one in shown.items() if one["slot_time"].value > BUDGET and name != key]
    for name in dear:
        del shown[name]
    advice = found.advice if found else None
    return Named(
        number=world.number,
        law=world.law,
        causes=world.causes,
        recorded=told(world.setting),
        verdict=found.check.verdict if found else "refused",
        first=key,
        trial=advice is not None and advice.trial,
        gains={name: (one["mean"].value, one["mean"].error) for name, one in shown.items()},
        first_gain=shown[key]["mean"] if key else None,
        first_cost=shown[key]["slot_time"] if key else None,
        promises=tuple(promises),
    )
