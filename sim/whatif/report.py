"""The answer as JSON and as text."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from sim.whatif.answer import Answer, Option
from sim.whatif.check import recorded_figures
from sim.whatif.cost import cost
from sim.whatif.reach import Point, Reach
from sim.whatif.sharing import sharing_of
from sim.whatif.systems import differs

JOB_TIME = ("mean", "p50", "p95")
HALVES = ("small_jobs", "large_jobs")
OTHERS = ("makespan", "slot_time", "copies", "won", "killed_time")


def band(values: np.ndarray) -> dict[str, float]:
    """Return the mean, and the limits that hold 90 % of the replications."""
    low, high = np.quantile(values, (0.05, 0.95))
    return {"value": float(values.mean()), "low": float(low), "high": float(high)}


def finite(value: float) -> float | None:
    """Return a number for JSON, None if there is none."""
    return value if math.isfinite(value) else None


def as_json(answer: Answer) -> dict[str, Any]:
    """Return the answer as values of JSON."""
    question = answer.question
    return {
        "check": {
            "verdict": answer.check.verdict,
            "checks": [dataclasses.asdict(item) for item in answer.check.items],
            "widened": answer.check.widened,
            "luck": [
                {"name": one.name, "share": one.share, "chance": one.chance, "sentence": one.sentence}
                for one in answer.check.residuals
            ],
            "recorded": recorded_figures(question),
        },
        "today": answer.today,
        "sharing": sharing_of(answer.question.model.history).sentence,
        "policies": {text: _option(answer, option) for text, option in answer.options.items()},
        "advice": None if answer.advice is None else dataclasses.asdict(answer.advice),
        "undecided": answer.undecided,
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
            "price": answer.price or None,
            "notes": list(question.model.notes),
            "played_otherwise": list(differs(answer.system, question.model.history)),
        },
    }


def _option(answer: Answer, option: Option) -> dict[str, Any]:
    return {
        "job_time": {name: band(option.figure(name)) for name in JOB_TIME},
        **{name: band(option.figure(name)) for name in (*OTHERS, *HALVES) if name in option.plays[0].figures},
        "change": {name: dataclasses.asdict(change) for name, change in option.change.items()},
        "cost": dataclasses.asdict(cost(answer, option)),
    }


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
                "change": {name: dataclasses.asdict(change) for name, change in point.change.items()},
            }
            for point in reach.points
        ],
    }


def as_text(answer: Answer) -> str:
    """Return the answer for a terminal."""
    lines = [f"The model is {answer.check.verdict} on this history:"]
    lines += [f"  {item.grade:5} {item.sentence}" for item in answer.check.items]
    width = max(len(text + answer.note(text)) for text in answer.options)
    head = ("mean", "p95", "slot-time", "copies", "won", "change of mean", "of slot-time")
    lines += ["", f"{'policy':{width}} {head[0]:>9} {head[1]:>9} {head[2]:>10} {head[3]:>7} {head[4]:>6} "
              f"{head[5]:>24} {head[6]:>13}"]  # fmt: skip
    for text, option in answer.options.items():
        mean, extra = option.change["mean"], option.change["slot_time"]
        interval = f"{100 * mean.value:+.1f} % ({100 * mean.low:+.1f} to {100 * mean.high:+.1f})"
        lines.append(
            f"{text + answer.note(text):{width}} "
            f"{option.figure('mean').mean():9.4g} {option.figure('p95').mean():9.4g} "
            f"{option.figure('slot_time').mean():10.5g} {option.figure('copies').mean():7.4g} "
            f"{option.figure('won').mean():6.3g} {interval:>24} {100 * extra.value:+11.1f} %"
        )
    lines += ["", f"Today: {answer.today}"]
    lines += [shared] if (shared := sharing_of(answer.question.model.history).sentence) else []
    if answer.advice is None:
        lines.append("No advice: " + why_not(answer))
    else:
        lines.append(f"Advice: {answer.advice.policy}; {answer.advice.reason}")
        lines += [answer.undecided] * bool(answer.undecided)
        lines += [f"  {name} {value}" for name, value in answer.advice.settings.items()]
        lines += [cost(answer, answer.options[answer.advice.policy]).sentence] * (answer.price > 0)
        lines += [answer.reach.sentence] if answer.reach else []
    return "\n".join(lines)


def why_not(answer: Answer) -> str:
    """Say why there is no advice."""
    if answer.check.verdict == "poor":
        return "the model does not reproduce this history well enough."
    return "the system that wrote this history has no copies that could be switched on."
