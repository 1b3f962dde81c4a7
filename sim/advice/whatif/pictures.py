"""Data for the charts of the check: recorded times beside those of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.advice.whatif.played import Played
from sim.advice.whatif.runs import Question


@dataclass(frozen=True, eq=False)
class Pictures:
    """What the check compares.

    Parameters
    ----------
    recorded, low, middle, high : ndarray
        Time of each job that ended: recorded, and the model's 5 %, 50 % and 95 % quantile.
    ranks : ndarray
        Share of the simulated times of each stage that are below the recorded one.
    figures : mapping of str to ndarray
        Figures in each replication.
    """

    recorded: np.ndarray
    low: np.ndarray
    middle: np.ndarray
    high: np.ndarray
    ranks: np.ndarray
    figures: Mapping[str, np.ndarray]


def pictures(question: Question, plays: Sequence[Played]) -> Pictures:
    """Return what replications of today's setting show beside the history."""
    model, kept = question.model, question.kept
    ended = np.isfinite(model.job_times[kept])
    times = np.array([play.job_times for play in plays])[:, ended]
    low, middle, high = np.quantile(times, (0.05, 0.5, 0.95), axis=0)
    figures = {name: np.array([play.figures[name] for play in plays]) for name in plays[0].figures}
    return Pictures(model.job_times[kept][ended], low, middle, high, ranks(question, plays), figures)


def ranks(question: Question, plays: Sequence[Played]) -> np.ndarray:
    """Return for each stage whose time is known the share of its simulated times that are below it."""
    stages = question.kept[question.model.stage_job] & np.isfinite(question.model.recorded)
    simulated = np.array([play.stage_times for play in plays])[:, stages]
    recorded = question.model.recorded[stages]
    return np.asarray((simulated < recorded).mean(axis=0) + 0.5 * (simulated == recorded).mean(axis=0))
