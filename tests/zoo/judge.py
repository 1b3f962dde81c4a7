"""The promises and advice of `sim.whatif` about the history of a world, beside the truth.

This is the only place of the zoo that knows `sim`.
"""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sim.advice.diagnosis import diagnose
from sim.advice.whatif.answer import BUDGET, Answer
from sim.advice.whatif.model import fit
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.setting_effect import SettingEffect as Promised
from sim.advice.whatif.setting_effect import chosen
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK, system_of
from sim.engines.slots.scenario import SlotPolicy
from sim.logs.formats import read_history
from sim.model.fields import BadInput
from tests.zoo.causes import make
from tests.zoo.eventlog import event_log
from tests.zoo.simulator import LEAST, play
from tests.zoo.truth import Change, truth
from tests.zoo.worlds import Setting, World

#: Figures whose promised change is held to the true one.
JUDGED = ("mean", "p95", "slot_time")
#: A change is told from none beyond so many standard errors of the truth.
SURE = 2.0
#: A mean so much shorter is useful.
USEFUL = -0.03


@dataclass(frozen=True)
class Promise:
    """A promised change of a figure under a setting, and the true one."""

    setting: str
    figure: str
    value: float
    low: float
    high: float
    true: float
    error: float
    sure: float = math.inf

    @property
    def change(self) -> Promised:
        """As What-if has it."""
        return Promised(self.value, self.low, self.high, self.sure)

    @property
    def covers(self) -> bool:
        """Whether the interval holds the truth, as far as that is known."""
        return self.low - SURE * self.error <= self.true <= self.high + SURE * self.error


@dataclass(frozen=True)
class Judgement:
    """What was said about a world, and what is true.

    Parameters
    ----------
    number, size, law, causes, recorded, tasks
        Of the world.
    verdict : str
        Of the check: good, fair, poor; or refused, where there is no model.
    grades : mapping
        Check -> grade.
    sentence : str
        Of the diagnosis; or why there is no model.
    promises : tuple of Promise
        Those of all settings but today's.
    advice : str
        What is advised; empty where there is none.
    changes : bool
        Whether that is another setting than today's.
    trial : bool
        Whether it is to be tried for an hour.
    gain, cost : Change
        What it truly changes of mean and slot-time.
    best : Change
        The true change of the mean under the best setting that is truly within the budget.
    seconds : float
        That reading, diagnosis and answer took.
    """

    number: int
    size: str
    law: str
    causes: tuple[str, ...]
    recorded: str
    tasks: int
    verdict: str
    grades: dict[str, str]
    sentence: str
    promises: tuple[Promise, ...]
    advice: str
    changes: bool
    trial: bool
    gain: Change
    cost: Change
    best: Change
    seconds: float

    @property
    def harms(self) -> bool:
        """Whether the advice makes jobs longer, or costs more slot-time than the budget, beyond noise."""
        longer = self.gain.value - SURE * self.gain.error > 0
        dear = self.cost.value - SURE * self.cost.error > BUDGET
        return self.changes and (longer or dear)

    @property
    def said(self) -> bool:
        """Whether the advice is a trial, and no worse than it was said to be at worst."""
        advised = (
            one for one in self.promises if one.setting == self.advice and one.figure in ("mean", "slot_time")
        )
        return self.trial and all(one.true - SURE * one.error <= one.high for one in advised)

    @property
    def helps(self) -> bool:
        """Whether what is advised makes jobs clearly shorter, and harms in no other way."""
        return self.changes and self.gain.value <= USEFUL and not self.harms

    @property
    def could_help(self) -> bool:
        """Whether a setting within the budget makes jobs clearly shorter."""
        return self.best.value + SURE * self.best.error <= USEFUL

    @classmethod
    def of(cls, row: dict[str, Any]) -> Judgement:
        """Return a judgement from its values of JSON."""
        made = {item.name: row[item.name] for item in fields(cls)}
        made |= {name: Change(**row[name]) for name in ("gain", "cost", "best")}
        made["promises"] = tuple(Promise(**one) for one in row["promises"])
        return cls(**made | {"causes": tuple(row["causes"])})

    def advised_again(self) -> Judgement:
        """Return it with the advice that today's rule takes from its promises, in their order of means."""
        promised: dict[str, dict[str, Promise]] = {}
        for one in self.promises:
            promised.setdefault(one.setting, {})[one.figure] = one
        changes = {
            setting: {name: one.change for name, one in figures.items()}
            for setting, figures in promised.items()
        }
        gains = {setting: change["mean"].value for setting, change in changes.items()}
        best, trial = chosen(gains, changes, "mean", BUDGET)
        if self.verdict in ("poor", "refused") or not best:
            nothing = Change(0, 0)
            kept = self.advice and self.recorded
            return replace(self, advice=kept, changes=False, trial=False, gain=nothing, cost=nothing)
        gain, cost = (
            Change(one.true, one.error) for one in (promised[best]["mean"], promised[best]["slot_time"])
        )
        return replace(self, advice=best, changes=True, trial=trial, gain=gain, cost=cost)

    def as_json(self) -> dict[str, Any]:
        """Return all of it as values of JSON."""
        return asdict(self) | {"harms": self.harms, "helps": self.helps}


def setting_of(policy: SlotPolicy) -> Setting:
    """Return a policy of Spark as the simulator of the zoo takes it."""
    rule = policy.speculation
    if rule.key == "none":
        return None
    values = rule.as_dict
    least, threshold = values["min_runtime"], values["threshold"]
    more = [least, threshold] if threshold else [] if least == LEAST else [least]
    return (values["multiplier"], values["quantile"], *more)


def told(setting: Setting) -> str:
    """Return a setting in a word.

    Examples
    --------
    >>> told(None), told((1.5, 0.75)), told((4, 0.9, 30)), told((3, 0.9, 0.1, 12))
    ('off', '1.5/0.75', '4/0.9/30', '3/0.9/0.1/12')
    """
    return "off" if setting is None else "/".join(f"{number:g}" for number in setting)


def judge(seed: int, number: int, *, replications: int = 30, draws: int = 40) -> Judgement:
    """Judge what is said about a world."""
    return judge_world(make(seed, number), replications=replications, draws=draws)


def judge_world(world: World, *, replications: int, draws: int) -> Judgement:
    """Let `sim` answer the history of a world, and compare."""
    started = time.perf_counter()
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"zoo-{world.number}"
        path.write_text(event_log(world, play(world, world.setting, 0)))
        history = read_history(path)
    sentence, found = diagnose(history).sentence, None
    try:
        question = Replay(fit(history))
        found = answer(question, system_of(history), replications=replications, sweep=False, threads=1)
    except BadInput as error:
        sentence = str(error)
    seconds = time.perf_counter() - started
    options = {told(setting_of(read)): setting_of(read) for read in _policies(found)}
    true = truth(world, options.values(), draws)
    advice = found.advice if found else None
    now = told(world.setting)
    advised = (
        now if found is None or advice is None else told(setting_of(found.options[advice.policy].policy))
    )
    of = true[options.get(advised, world.setting)]
    allowed = [one for one in true.values() if one["slot_time"].value <= BUDGET]
    return Judgement(
        number=world.number,
        size=world.size,
        law=world.law,
        causes=world.causes,
        recorded=now,
        tasks=world.tasks,
        verdict=found.check.verdict if found else "refused",
        grades={item.name: item.grade for item in found.check.items} if found else {},
        sentence=sentence,
        promises=tuple(_promises(found, true, now)),
        advice=advised if advice else "",
        changes=advised != now,
        trial=advice is not None and advice.trial,
        gain=of["mean"],
        cost=of["slot_time"],
        best=min((one["mean"] for one in allowed), key=lambda change: change.value),
        seconds=seconds,
    )


def _policies(found: Answer | None) -> list[SlotPolicy]:
    from sim.engines.slots.scenario import read_policy

    if found is None:
        return [read_policy(text) for text in ("fifo+none", *SPARK.options)]
    return [option.policy for option in found.options.values()]


def _promises(found: Answer | None, true: dict[Setting, dict[str, Change]], now: str) -> list[Promise]:
    listed = []
    for option in found.options.values() if found else ():
        setting = setting_of(option.policy)
        for figure in JUDGED if told(setting) != now else ():
            change, truly = option.change[figure], true[setting][figure]
            if math.isfinite(change.value):
                listed.append(
                    Promise(
                        told(setting),
                        figure,
                        change.value,
                        change.low,
                        change.high,
                        truly.value,
                        truly.error,
                        change.sure,
                    )
                )
    return listed
