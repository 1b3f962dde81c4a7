"""The answer of the Detection page: clone at once, or wait and see."""

from __future__ import annotations

from pages.detection.charts import saved
from pages.detection.question.detection import Question
from pages.shared.words.gains import crossing
from pages.shared.words.numbers import bold, number, plain
from pages.shared.words.winner import between, headline
from sim.result import Comparison


def by_theory(asked: Question) -> str:
    """Return what the theory answers in a sentence: whether to clone at once or to wait for stragglers."""
    cutoff = f"the load up to which cloning pays, {number(asked.cutoff)}"
    load = f"a load of {plain(asked.load)}"
    if asked.light:
        return f"By theory **clone at once**: {load} is below {cutoff}."
    return f"By theory **wait and copy stragglers**: {load} is not below {cutoff}. Detection {saved(asked)}."


def simulated_answer(comparison: Comparison, statistic: str = "mean") -> str:
    """Return in a sentence which ends jobs sooner, cloning (SCA) or detection (SDA), and what it costs."""
    two = between(comparison, "SCA", "SDA", statistic)
    found = two or headline(comparison, statistic)
    found = f"{found} {crossing(comparison, statistic, ('SCA', 'SDA') if two else (), after=found)}".rstrip()
    return found.replace(bold("SCA"), f"{bold('SCA')} (clones)", 1).replace(
        bold("SDA"), f"{bold('SDA')} (waits)", 1
    )
