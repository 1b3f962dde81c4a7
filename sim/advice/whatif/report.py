"""The answer as JSON, and the sentences of it that have numbers of several parts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sim.advice.whatif.answer import Answer, Option
from sim.advice.whatif.certificate import certificate
from sim.advice.whatif.check import COMPARED, POOR, Check, recorded_figures
from sim.advice.whatif.reach import Point, Reach
from sim.advice.whatif.remedies import judged as remedies_told
from sim.advice.whatif.remedies.judged import Remedies, shorter
from sim.advice.whatif.runs import sharing_of
from sim.advice.whatif.setting_effect import SettingEffect
from sim.advice.whatif.systems import differs
from sim.telling.words import begun, counted, spell

# The cost of a setting or remedy beside today's: slot-hours, and money where they have a price.

_HOUR = 3600.0
#: Hours of a day, and of a month as clouds bill it.
DAY, MONTH = 24.0, 730.0


class HasChange(Protocol):
    """A setting or a remedy, with what it changes."""

    @property
    def change(self) -> Mapping[str, SettingEffect] | None:
        """Figure -> change."""


@dataclass(frozen=True)
class Cost:
    """Slot-hours more than today's setting takes, and money for them; less where it is negative.

    Parameters
    ----------
    slot_hours, slot_hours_a_day, slot_hours_a_month : SettingEffect
        For the jobs in the figures, and for a day and a month of such jobs; with 95 % intervals.
    money, money_a_day, money_a_month : SettingEffect or None
        The same times the price of a slot-hour; None without one.
    jobs_an_hour : float
        At which days and months are estimated: jobs in the figures over the time they take today.
    rate : float
        Over the recorded one.
    """

    slot_hours: SettingEffect
    slot_hours_a_day: SettingEffect
    slot_hours_a_month: SettingEffect
    money: SettingEffect | None
    money_a_day: SettingEffect | None
    money_a_month: SettingEffect | None
    jobs_an_hour: float
    rate: float

    @property
    def shown(self) -> tuple[SettingEffect, SettingEffect]:
        """For the jobs in the figures and for a month: money if there is a price, else slot-hours."""
        if self.money is None or self.money_a_month is None:
            return self.slot_hours, self.slot_hours_a_month
        return self.money, self.money_a_month

    @property
    def sentence(self) -> str:
        """Say what it costs; in money if that is known."""
        whole, month = self.shown
        unit = "" if self.money else " slot-hours"
        return (
            f"Cost against today's setting: {whole.value:+.3g}{unit} for these jobs; an estimate of "
            f"{month.value:+.3g}{unit} ({month.low:+.3g} to {month.high:+.3g}) a month {self.at_rate}."
        )

    @property
    def at_rate(self) -> str:
        """Say for how many jobs an hour a month is estimated."""
        jobs = f"{self.jobs_an_hour:,.0f}" if self.jobs_an_hour >= 100 else f"{self.jobs_an_hour:.3g}"
        told = f"{jobs} job{'' if jobs == '1' else 's'} an hour"
        if self.rate != 1:
            return f"at {told}, {self.rate:.4g} times the recorded rate"
        return f"at the recorded rate of {told}"


def cost(answer: Answer, of: HasChange) -> Cost:
    """Return what a setting or a remedy costs; what changes nothing costs nothing."""
    hours = answer.figure(answer.today, "slot_time") / _HOUR
    lasted = answer.figure(answer.today, "makespan") / _HOUR
    change = of.change["slot_time"] if of.change else SettingEffect(0.0, 0.0, 0.0)
    once, day = times(change, hours), times(change, DAY * hours / lasted)
    month, price = times(change, MONTH * hours / lasted), answer.tariff.slot_hour
    paid, paid_a_day, paid_a_month = (times(one, price) if price else None for one in (once, day, month))
    jobs = int(answer.question.kept.sum()) / lasted
    return Cost(once, day, month, paid, paid_a_day, paid_a_month, jobs, answer.question.rate)


def times(change: SettingEffect, factor: float) -> SettingEffect:
    """Return a change in another unit.

    Examples
    --------
    >>> times(SettingEffect(0.5, -1.0, 2.0), 2.0)
    SettingEffect(value=1.0, low=-2.0, high=4.0, sure=4.0)
    """
    return SettingEffect(*(factor * one for one in (change.value, change.low, change.high, change.sure)))


# How long a log must be to halve the width of a prediction.
#
# What a history leaves open, and what luck does to the jobs that are played, is an error of means: it falls
# with the square root of the number of jobs, and four times as many halve an interval. Where luck has a
# heavy tail they take a third off it (index 1.5: 35 % on average of five generated histories of 15 and 60
# jobs).

#: Width from which an interval is wide, as a share of today's.
WIDE = 0.3
#: Times as many jobs that halve an interval.
TIMES = 4


@dataclass(frozen=True)
class Longer:
    """A log that would halve the interval of a promised change.

    Parameters
    ----------
    policy : str
        Whose change is meant.
    width : float
        Of its interval, as a share of today's.
    jobs, seconds : int, float
        Of the log that is needed.
    now, span : int, float
        Of the log that is there.
    widened : bool
        Whether a fair check has widened the interval: that stays.
    """

    policy: str
    width: float
    jobs: int
    seconds: float
    now: int
    span: float
    widened: bool

    @property
    def sentence(self) -> str:
        """Say it, with the policy as the shell names it."""
        return self.told(self.policy)

    def told(self, name: str) -> str:
        """Say it, with what the policy is called.

        Examples
        --------
        >>> said = Longer("fifo+spark", 0.44, 104, 11520.0, 26, 2880.0, False).told("speculation")
        >>> said.partition(": ")[0]
        'The interval of the change with speculation is 44 points wide'
        >>> said.partition(": ")[2]
        'the log has 26 jobs in 48 min. One of about 104 jobs (3.2 h at this pace) would roughly halve it.'
        """
        stays = " What the fair check adds to it stays." if self.widened else ""
        return (
            f"The interval of the change with {name} is {100 * self.width:.0f} points wide: the log has "
            f"{counted(self.now, 'job')} in {spell(self.span, 2)}. One of about {counted(self.jobs, 'job')} "
            f"({spell(self.seconds, 2)} at this pace) would roughly halve it.{stays}"
        )


def longer(answer: Answer) -> Longer | None:
    """Return what would halve the interval of the advised or most promising change; None if it is narrow."""
    options = {text: one for text, one in answer.options.items() if text != answer.today}
    if not options:
        return None

    def value(text: str) -> float:
        return options[text].change[answer.objective].value

    advised = answer.advice.policy if answer.advice else ""
    policy = advised if advised in options else min(options, key=value)
    if (width := _width(options[policy], answer.objective)) < WIDE:
        return None
    question = answer.question
    jobs, span = int(question.kept.sum()), float(question.model.history.span)
    widened = answer.check.widened > 1
    return Longer(policy, width, TIMES * jobs, TIMES * span, jobs, span, widened)


def _width(option: Option, objective: str) -> float:
    return option.change[objective].high - option.change[objective].low


# What the parts of the JSON of an answer mean, each in one place: for other programs.

#: Part -> what it says.
MEANINGS = {
    "headline": "what to do first, in a sentence",
    "check": "whether the model, played under the setting of the history, gives what was recorded: good, "
    "fair or poor; where it is poor nothing is advised",
    "certificate": "how often promises like these have held on real clusters and in generated ones, and how "
    "often advice did harm; null where the model has changed since that was counted",
    "today": "the policy that the history ran under",
    "sharing": "how the jobs of the history shared the slots",
    "policies": "each setting: its figures, with the band that holds 90 % of the replications, and its "
    "changes against today's, with paired 95 % intervals",
    "advice": "the setting to switch on, or today's where no other surely pays within the budget; on trial "
    "where it pays unless the slow tasks are slow by themselves; null where none can be given",
    "first": "what the log shows to do first by itself, where neither a setting nor a remedy is advised",
    "without": "what is advised without some of the jobs, where the check is poor",
    "remedies": "what else can be done: each with its change, the most there is to gain (its ceiling), how "
    "it is applied, and why it is not advised",
    "safety": "whether a task may run twice, by what the log tells of its writes: nothing against it, ask, "
    "or do not",
    "price": "what a slot-hour costs, where a price was given",
    "undecided": "what the history leaves open of what copies gain, and which next log would tell",
    "longer": "how much longer a log would make a wide promise sharper",
    "reach": "up to which load the recommended setting pays",
}


#: What comes before what the diagnosis of the log says to do first, and after it.
LOG = "What the log shows by itself:"
BY_THE_LOG = "The log shows this by itself: of what was played, nothing surely pays."
#: What to do where a check is poor, and nothing else is known.
ANOTHER_LOG = "Give a part of the log, or another one."
#: Known causes of a check that is not good.
CAUSES = {
    "job times": "Jobs outside the band took longer or shorter than their tasks explain: other users of the "
    "cluster, or executors that came and went, are the usual causes.",
    "mean job time": "A model that is too fast or too slow as a whole misses work between stages, or slots "
    "that were taken by others.",
    "p50": "Short jobs take longer or shorter than in the model.",
    "p95": "Long jobs take longer or shorter than in the model: one with a cause of its own is enough.",
    "luck and host and time": "Some hosts were slow for a while, which is luck to the model: a copy on the "
    "same host meets it again, and one elsewhere does not.",
    "luck and load": "Tasks take longer when the cluster is busy: copies make it busier, and gain less.",
    "luck and time": "The cluster, or the data, changed while the log was written: give a part of it.",
    "luck and bytes read": "Tasks that read more take longer in another way than in the model: that "
    "is work, which a copy has again.",
    "luck and records read": "Tasks with more records take longer: that is work, which a copy has again.",
    "luck and first wave": "The first tasks on a slot take longer in another way than the model has it.",
    "luck and host": "Some hosts are slower than the model has it, for some of the stages.",
    "luck and executor": "Some executors are slower than the model has it.",
    "originals and copies": "A copy of these would be as slow again.",
    "makespan": "The last job ended earlier or later than in the model: often one long job decides.",
    "ranks of stage times": "Stages are slower or faster as a whole than their tasks explain.",
    "copies": "The scheduler copied at other times than its settings say.",
    "won": "Copies won more or less often than their luck explains.",
    "killed_time": "Killed copies ran for longer or shorter than in the model.",
}

JOB_TIME = ("mean", "p50", "p95")
HALVES = ("small_jobs", "large_jobs")
OTHERS = ("makespan", "slot_time", "copies", "won", "killed_time")


def band(values: np.ndarray, widened: float = 1.0) -> dict[str, float]:
    """Return the mean, and the limits that hold 90 % of the replications, so many times as far from it.

    Examples
    --------
    >>> band(np.array([4.0, 4.0]), widened=2.0)
    {'value': 4.0, 'low': 4.0, 'high': 4.0}
    """
    mean = float(values.mean())
    low, high = (mean + widened * (float(end) - mean) for end in np.quantile(values, (0.05, 0.95)))
    return {"value": mean, "low": max(low, 0.0), "high": high}


def told(found: SettingEffect | Cost) -> dict[str, Any]:
    """Return changes as JSON has them: a value and its interval."""
    return dataclasses.asdict(found, dict_factory=lambda pairs: {k: v for k, v in pairs if k != "sure"})


def finite(value: float) -> float | None:
    """Return a number for JSON, None if there is none."""
    return value if math.isfinite(value) else None


def as_json(answer: Answer) -> dict[str, Any]:
    """Return the answer as values of JSON."""
    question = answer.question
    return {
        "headline": headline(answer),
        "check": {
            "verdict": answer.check.verdict,
            "checks": [
                dataclasses.asdict(item) | {"ratio": finite(item.ratio) if item.name in COMPARED else None}
                for item in answer.check.items
            ],
            "widened": answer.check.widened,
            "luck": [
                {
                    "name": one.name,
                    "share": one.share,
                    "chance": one.chance,
                    "spread": one.spread,
                    "sentence": one.sentence,
                    "groups": one.groups.to_dict("records"),
                }
                for one in answer.check.residuals
            ],
            "recorded": recorded_figures(question),
        },
        "certificate": dataclasses.asdict(counted_of) if (counted_of := certificate()) else None,
        "today": answer.today,
        "sharing": sharing_of(answer.question.model.history).sentence,
        "policies": {text: _option(answer, text, option) for text, option in answer.options.items()},
        "advice": None if answer.advice is None else dataclasses.asdict(answer.advice),
        "first": answer.first,
        "without": [dataclasses.asdict(one) for one in answer.without],
        "remedies": None if answer.remedies is None else _remedies(answer, answer.remedies),
        "safety": _safety(answer),
        "price": answer.tariff.as_json,
        "undecided": answer.undecided,
        "longer": None if (found := longer(answer)) is None else _longer(found),
        "reach": None if answer.reach is None else _reach(answer.reach),
        "question": {
            "files": list(question.model.history.files),
            "rate": question.rate,
            "slots": question.slots or question.cluster.slots,
            "leave_out": question.leave_out,
            "load": finite(question.load),
            "jobs": int(question.kept.sum()),
            "small_jobs": int(question.small.sum()),
            "tasks": int(question.model.tasks.sum()),
            "replications": len(next(iter(answer.options.values())).plays),
            "seed": question.seed,
            "price": answer.tariff.slot_hour or None,
            "notes": list(question.model.notes),
            "played_otherwise": list(differs(answer.system, question.model.history)),
        },
    }


def _option(answer: Answer, text: str, option: Option) -> dict[str, Any]:
    there = [name for name in (*OTHERS, *HALVES) if name in option.plays[0].figures]
    wider = answer.check.widened
    return {
        "job_time": {name: band(answer.values(text, name), wider) for name in JOB_TIME},
        **{name: band(answer.values(text, name), wider) for name in there},
        "change": {name: told(change) for name, change in option.change.items()},
        "cost": told(cost(answer, option)),
    }


def _remedies(answer: Answer, found: Remedies) -> dict[str, Any]:
    told_of = remedies_told.as_json(found)
    for one in found.judged:
        told_of["each"][one.remedy.key]["cost"] = told(cost(answer, one)) if one.change else None
    return told_of


def _safety(answer: Answer) -> dict[str, Any]:
    found = answer.safety
    return {
        "level": found.level,
        "sentence": found.sentence,
        "restricted": found.restricted,
        "gain": _gain(answer),
        "writers": [
            dataclasses.asdict(one.writer) | {"stages": list(one.stages), "count": one.count}
            for one in found.found
        ],
    }


def _gain(answer: Answer) -> dict[str, Any] | None:
    """Return what is gained with copies in all stages and in some; None where that is not asked."""
    if answer.apart is None or answer.advice is None:
        return None
    stages = answer.apart.kept

    def changes(found: Mapping[str, SettingEffect]) -> dict[str, Any]:
        return {name: told(change) for name, change in found.items()}

    return {
        "sentence": answer.apart_told,
        "stages": int(stages.size),
        "copied_stages": int((~stages).sum()),
        "copied_work": answer.apart.work,
        "all": changes(answer.options[answer.advice.policy].change),
        "copied": changes(answer.apart.change) or None,
        "reason": answer.apart.why,
    }


def _longer(found: Longer) -> dict[str, Any]:
    return {"sentence": found.sentence} | dataclasses.asdict(found)


def _reach(reach: Reach) -> dict[str, Any]:
    def place(point: Point) -> dict[str, float]:
        return {"rate": point.rate, "load": point.load}

    return {
        "sentence": reach.sentence,
        "pays_up_to": place(reach.last),
        "surely_up_to": None if reach.sure is None else place(reach.sure),
        "stops_at": None if reach.stops is None else place(reach.stops),
        "points": [
            place(point)
            | {
                "pays": point.pays,
                "change": {name: told(change) for name, change in point.change.items()},
            }
            for point in reach.points
        ],
    }


def money_told(answer: Answer, of: HasChange) -> list[str]:
    """Say what a setting or remedy costs in money; nothing without a price."""
    return [cost(answer, of).sentence] if answer.tariff.slot_hour else []


def price_told(answer: Answer) -> list[str]:
    """Say what slots cost and what is assumed, or what is missing; nothing without a price."""
    found = answer.tariff
    return [found.sentence, *[found.assumed] * (found.slot_hour > 0)] if found.price.kind else []


def times_told(answer: Answer) -> str:
    """Say where the shown times come from: the model, of which question, and the recorded times."""
    recorded = recorded_figures(answer.question).get("mean")
    said = f" The recorded mean job time is {recorded:.4g} s." if recorded else ""
    if answer.as_recorded:
        return (
            "Times are the model's: today's are those of the check, and those of another setting are today's "
            f"with its change.{said}"
        )
    question = answer.question
    asked = [f"at {question.rate:.4g} times the recorded rate"] * (question.rate != 1)
    asked += [f"on {counted(question.slots, 'slot')}"] if question.slots else []
    return (
        f"Times are the model's {' and '.join(asked)}. The check plays what was recorded, so today's times "
        f"are others there.{said}"
    )


def why_not(answer: Answer) -> str:
    """Say why there is no advice."""
    if answer.check.verdict == POOR:
        return "the model does not reproduce this history well enough."
    return "the system that wrote this history has no copies that could be switched on."


def refused(found: Check) -> str:
    """Say which check of a poor model is worst, and its usual cause."""
    worst = next(item for item in found.items if item.grade == POOR)
    return f"{begun(worst.sentence)}. {CAUSES.get(worst.name, '')}".rstrip()


def headline(answer: Answer) -> str:
    """Say in a sentence what to do first, what it gains and what it costs."""
    figure = f"the {answer.objective} job time"
    if (first := answer.leading_remedy) is not None and first.change is not None:
        told = shorter(first.change_of(answer.objective))
        cost_told = first.change["slot_time"].percent
        return f"{begun(first.does)}: {figure} is {told}, slot-time changes by {cost_told}"
    if answer.check.verdict == POOR:
        return f"No recommendation: {why_not(answer)}"
    if not answer.advises and answer.first:
        return answer.first
    if answer.advice is None:
        return f"No recommendation: {why_not(answer)}"
    if answer.advice.policy == answer.today:
        return "Leave the settings as they are"
    option = answer.options[answer.advice.policy]
    gain, extra = option.change[answer.objective].percent, option.change["slot_time"].percent
    told = f"{option.policy.name}: {figure} changes by {gain}, slot-time by {extra}"
    if answer.risky:
        return f"{answer.safety.sentence} If all could: {told}"
    return f"Try for an hour {told}" if answer.advice.trial else told


def to_do(answer: Answer) -> list[str]:
    """Say what belongs to the headline: the risk of a trial, or what to do where the check is poor."""
    if answer.check.verdict == POOR:
        asked = f"{LOG} {answer.first}" if answer.first else ANOTHER_LOG
        return [refused(answer.check), *[asked] * bool(answer.first or not answer.without)]
    if not answer.advises:
        return [BY_THE_LOG] if answer.first else []
    trial = answer.advice is not None and answer.advice.trial and answer.leading_remedy is None
    return [answer.undecided] if trial else []
