"""The model checked on the history it comes from, before it predicts other settings.

The jobs are played under the setting that the history was recorded with. Each check compares what was
recorded with what the replications show, and is good, fair or poor; the verdict is good if all are, and poor
if one is. Where it is poor no gain is shown; where it is fair intervals are widened until they hold what was
recorded (`Check.widened`). Luck is held against what it should not depend on, too
(`sim.advice.whatif.residuals`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.advice.whatif.model import Model
from sim.advice.whatif.pictures import ranks
from sim.advice.whatif.played import Played, quantile
from sim.advice.whatif.residuals import Residual, residuals
from sim.advice.whatif.runs import Question
from sim.telling.words import in_percent, short

GOOD, FAIR, POOR = "good", "fair", "poor"
#: Checks that compare a figure, and the figure.
COMPARED = {
    "mean job time": "mean",
    "p50": "p50",
    "p95": "p95",
    "makespan": "makespan",
    "copies": "copies",
    "won": "won",
    "killed_time": "killed_time",
}
#: Jobs below which it is said how many of them, not which share.
_FEW = 10


@dataclass(frozen=True)
class Item:
    """One check.

    Parameters
    ----------
    name : str
        What is compared.
    recorded, expected : float
        What the history says, and the model.
    grade : str
        good, fair or poor.
    sentence : str
        The same in words.
    """

    name: str
    recorded: float
    expected: float
    grade: str
    sentence: str

    @property
    def ratio(self) -> float:
        """Recorded over the model: above 1 where the history took longer."""
        return self.recorded / self.expected if self.expected > 0 else math.inf


@dataclass(frozen=True)
class Check:
    """All checks, and what they amount to.

    Parameters
    ----------
    items : tuple of Item
    residuals : tuple of Residual
        Luck held against what it should not depend on, the clear ones among the items.
    widened : float
        What the half widths of intervals are multiplied by where the check is fair, so that those of the
        recorded setting hold what was recorded; 1 where they do.
    """

    items: tuple[Item, ...]
    residuals: tuple[Residual, ...] = ()
    widened: float = 1.0

    @property
    def verdict(self) -> str:
        """Say good, fair or poor."""
        grades = {item.grade for item in self.items}
        return POOR if POOR in grades else FAIR if FAIR in grades else GOOD


def check(question: Question, plays: Sequence[Played]) -> Check:
    """Compare the replications of today's setting with the history.

    Parameters
    ----------
    question : Question
        At the recorded rate, on the recorded slots.
    plays : sequence of Played
        Its replications under the setting of the history.
    """
    figures, luck = _figures(question, plays), residuals(question.model)
    found = [
        _job_times(question, plays),
        _ratio("mean job time", *figures["mean"]) if figures else None,
        *(_quantile(name, *figures[name]) for name in ("p50", "p95") if figures),
        _ratio("makespan", *_makespans(question, plays)),
        *_copies(question, plays),
        _ranks(question, plays),
        _pairs(question),
        *(Item(f"luck and {one.name}", one.share, 0.0, one.grade, one.sentence) for one in luck if one.clear),
    ]
    items = tuple(item for item in found if item is not None)
    checked = Check(items, luck)
    return replace(checked, widened=_widened(figures)) if checked.verdict == FAIR else checked


def _figures(question: Question, plays: Sequence[Played]) -> dict[str, tuple[float, np.ndarray]]:
    """Return mean and quantiles of the times of jobs that ended: recorded, and in each replication."""
    ended = _ended(question)
    recorded = question.model.job_times[question.kept][ended]
    if not recorded.size:
        return {}
    times = [play.job_times[ended] for play in plays]
    found = {"mean": (float(recorded.mean()), np.array([one.mean() for one in times]))}
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        found[name] = quantile(recorded, share), np.array([quantile(one, share) for one in times])
    return found


def _widened(figures: Mapping[str, tuple[float, np.ndarray]]) -> float:
    """Return by what bands are widened so that they hold the recorded mean and quantiles."""
    factor = 1.0
    for recorded, values in figures.values():
        low, middle, high = np.quantile(values, (0.05, 0.5, 0.95))
        half = high - middle if recorded > middle else middle - low
        factor = max(factor, abs(recorded - middle) / half if half > 0 else 1.0)
    return float(factor)


def _quantile(name: str, recorded: float, values: np.ndarray) -> Item | None:
    """Compare a quantile of the job times: good inside the model's 90 % band, or within a tenth of it."""
    if not recorded > 0:
        return None
    mean, (low, high) = float(values.mean()), np.quantile(values, (0.05, 0.95))
    ratio = recorded / mean
    inside = low <= recorded <= high or 0.9 <= ratio <= 1.1
    outside = not (values.min() <= recorded <= values.max()) and (ratio < 0.6 or ratio > 1.67)
    grade = GOOD if inside else POOR if outside else FAIR
    words = {"p50": "half of the job times are below", "p95": "95 % of the job times are below"}
    sentence = (
        f"{words[name]} {short(recorded, 4)} s recorded, {short(mean, 4)} s in the model "
        f"(90 %: {short(float(low))} to {short(float(high))})"
    )
    return Item(name, recorded, mean, grade, sentence)


def _pairs(question: Question) -> Item | None:
    """Say what originals and their copies tell, where the log has them."""
    hidden = question.model.evidence.hidden
    if not hidden.pairs:
        return None
    again = hidden.again
    if hidden.probability > 0.95 and again > 0.2:
        sentence = f"{hidden.signs[-1]}: about {in_percent(again)} of the slow tasks are slow by themselves"
        return Item("originals and copies", again, 0.0, FAIR, sentence)
    return Item("originals and copies", again, 0.0, GOOD, hidden.signs[-1])


def _ended(question: Question) -> np.ndarray:
    """Say of the jobs in the figures whether their recorded time is known."""
    return np.isfinite(question.model.job_times[question.kept])


def _job_times(question: Question, plays: Sequence[Played]) -> Item | None:
    """Count the recorded job times inside the model's 90 % band."""
    ended = _ended(question)
    recorded = question.model.job_times[question.kept][ended]
    if not recorded.size:
        return None
    times = np.array([play.job_times for play in plays])[:, ended]
    low, high = np.quantile(times, (0.05, 0.95), axis=0)
    share = float(np.mean((low <= recorded) & (recorded <= high)))
    too_many = share > 0.98 and recorded.size * math.log(0.9) < math.log(0.01)  # else it is chance
    grade = POOR if share < 0.6 else GOOD if share >= 0.8 and not too_many else FAIR
    return Item(
        "job times",
        share,
        0.9,
        grade,
        f"{_of(share, recorded.size)} inside the model's 90 % band",
    )


def _of(share: float, jobs: int) -> str:
    """Return which share of the recorded job times; of few jobs how many.

    Examples
    --------
    >>> _of(0.85, 26), _of(1 / 3, 3)
    ('85 % of 26 recorded job times are', '1 of 3 recorded job times is')
    """
    if jobs >= _FEW:
        return f"{in_percent(share)} of {jobs} recorded job times are"
    inside = round(share * jobs)
    return f"{inside} of {jobs} recorded job times {'is' if inside == 1 else 'are'}"


def _ratio(name: str, recorded: float, simulated: np.ndarray) -> Item | None:
    """Grade the ratio of a recorded to a simulated time; the 90 % band excuses up to a factor of two."""
    if not recorded > 0:
        return None
    low, high = np.quantile(simulated, (0.05, 0.95))
    mean = float(simulated.mean())
    ratio = recorded / mean
    outside = (ratio < 0.75 or ratio > 1.33) and not low <= recorded <= high
    poor = outside or ratio < 0.5 or ratio > 2  # a band that holds anything tells nothing
    grade = GOOD if 0.9 <= ratio <= 1.1 else POOR if poor else FAIR
    times = f"{short(recorded, 4)} s recorded, {short(mean, 4)} s in the model"
    sentence = f"{name}: {times}, recorded over model {ratio:.2f}"
    return Item(name, recorded, mean, grade, sentence)


def _makespans(question: Question, plays: Sequence[Played]) -> tuple[float, np.ndarray]:
    jobs = question.model.jobs[question.kept]
    if jobs["end"].isna().any():
        return 0.0, np.zeros(1)
    recorded = float(jobs["end"].max() - jobs["submit"].min())
    return recorded, np.array([play.makespan for play in plays])


def recorded_copies(model: Model, kept: np.ndarray) -> dict[str, float]:
    """Count what second copies did in the history: copies, won, killed_time."""
    history = model.history
    copies = history.frame("copies")
    rows = model.jobs.index[kept]
    copies = copies[np.isin(history.stages["job"].to_numpy()[copies["stage"]], rows)]
    extra, killed = copies["speculative"], copies["fate"].eq("killed")
    return {
        "copies": float(extra.sum()),
        "won": float((extra & copies["fate"].eq("finished")).sum()),
        "killed_time": float((copies["end"] - copies["launch"])[killed].sum()),
    }


def _copies(question: Question, plays: Sequence[Played]) -> list[Item]:
    """Compare copies, those that won and the time killed, if there were any or there should be."""
    recorded = recorded_copies(question.model, question.kept)
    words = {"copies": "second copies", "won": "copies that won", "killed_time": "slot-seconds killed"}
    found = []
    for name, words_of in words.items():
        values = np.array([play.figures[name] for play in plays])
        if not recorded[name] and not values.any():
            continue
        middle, spread = float(values.mean()), max(float(values.std(ddof=1)), 0.5)
        away = abs(recorded[name] - middle) / spread
        grade = GOOD if away <= 1.96 else POOR if away > 3.29 else FAIR
        model = f"{short(middle)} ± {short(spread, 2)} in the model"
        sentence = f"{words_of}: {short(recorded[name])} recorded, {model}"
        found.append(Item(name, recorded[name], middle, grade, sentence))
    return found


def _ranks(question: Question, plays: Sequence[Played]) -> Item | None:
    """See whether recorded stage times lie high or low among the simulated ones."""
    below = ranks(question, plays)
    if below.size < 3:
        return None
    middle = float(below.mean())
    away = abs(middle - 0.5) * math.sqrt(12 * below.size)
    grade = GOOD if away <= 2.58 else POOR if abs(middle - 0.5) > 0.25 else FAIR
    sentence = (
        f"recorded stage times are on average at rank {100 * middle:.0f} of 100 among the simulated ones"
    )
    return Item("ranks of stage times", middle, 0.5, grade, sentence)


def recorded_figures(question: Question) -> dict[str, float]:
    """Return what the history shows of the jobs in the figures."""
    times = question.model.job_times[question.kept]
    times = times[np.isfinite(times)]
    if not times.size:
        return {}
    found = {"mean": float(times.mean()), "p50": quantile(times, 0.5), "p95": quantile(times, 0.95)}
    return found | recorded_copies(question.model, question.kept)
