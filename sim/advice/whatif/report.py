"""The answer as JSON, and the sentences of it that have numbers of several parts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sim.advice.whatif.answer import Answer, Option
from sim.advice.whatif.check import COMPARED, POOR, Check, recorded_figures
from sim.advice.whatif.cost import Cost, HasChange, cost
from sim.advice.whatif.longer import Longer, longer
from sim.advice.whatif.reach import Point, Reach
from sim.advice.whatif.remedies import told as remedies_told
from sim.advice.whatif.remedies.judged import Remedies, shorter
from sim.advice.whatif.setting_effect import SettingEffect
from sim.advice.whatif.sharing import sharing_of
from sim.advice.whatif.systems import differs
from sim.telling.words import begun, counted

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
