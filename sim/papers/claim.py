"""A claim of a paper as a value: the reported number, how ours is computed, and how they are compared."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sim.model.statistics import Estimate
from sim.telling.words import number, percent

# Texts of claims and their records, converted from the form of the shell to that of a screen.

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "eta": "η",
    "xi": "ξ",
    "rho_0": "ρ₀",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
}
#: Spelled-out text -> shown text.
SPELLED: dict[str, str | Callable[[re.Match[str]], str]] = {
    rf"\b({'|'.join(GREEK)})\b": lambda found: GREEK[found[0]],
    r"sqrt\((\d+)\)": r"√\1",
    r" >= ": " ≥ ",
    r" x (?=\S)": " × ",
    r" - (?=\S)": " − ",
    r"\bd infinite\b": "d = ∞",
    r"\bflowtime p50\b": "median flowtime",
    r"\b1 refusals\b": "1 refusal",
    r"\b(probes|copies) a task\b": r"\1 per task",
    r"\b(tasks|jobs) a (job|unit|run|point)\b": r"\1 per \2",
    r"(?<=\d)%": " %",
}


def typeset(text: str) -> str:
    """Return a name or a sentence with its symbols, and a space before a percent sign.

    Examples
    --------
    >>> typeset("1 refusals, 60%"), typeset("sigma = 1 + sqrt(2)/2: mean"), typeset("5 % against 1 %")
    ('1 refusal, 60 %', 'σ = 1 + √2/2: mean', '5 % against 1 %')
    >>> typeset("the 0.8 quantile of gamma x slot-time at 40 jobs a unit of time, E[x] = 1")
    'the 0.8 quantile of γ × slot-time at 40 jobs per unit of time, E[x] = 1'
    """
    for spelled, shown in SPELLED.items():
        text = re.sub(spelled, shown, text)
    return text


REPRODUCED = "reproduced"
SHAPE = "reproduced in shape"
FAILED = "not reproduced"
UNDECIDED = "undecided"
VERDICTS = (REPRODUCED, SHAPE, FAILED, UNDECIDED)
#: Numbers that differ by less are equal.
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Measured:
    """What we found: a number with its interval, and the same under every reasonable other choice.

    Parameters
    ----------
    estimate : Estimate
        The number that is judged; an exact one has its own value as both bounds.
    replications : int, optional
        Runs behind it; 0 for a number of the theory.
    seed : int, optional
        Seed of those runs.
    choices : mapping of str to Estimate, optional
        Where the paper leaves a choice open: what each choice gives. Not judged.
    """

    estimate: Estimate
    replications: int = 0
    seed: int = 0
    choices: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Region:
    """Numbers that would bear a claim out.

    Examples
    --------
    >>> Region(0.5, 0.7).meets(Estimate(0.72, 0.69, 0.75)), Region(0.5, 0.7).meets(Estimate(0.8, 0.78, 0.82))
    (True, False)
    >>> Region(0.5, 0.7).meets(Estimate(0.6, 0.1, 1.1)) is None  # says nothing
    True
    """

    low: float = -math.inf
    high: float = math.inf

    def meets(self, estimate: Estimate) -> bool | None:
        """Whether the interval reaches into the region; None if it is too wide to tell.

        Too wide is an interval that is wider than the region itself, or that there is none.
        """
        if estimate.value is None or estimate.low is None or estimate.high is None:
            return None
        if estimate.low > self.high or estimate.high < self.low:
            return False
        if estimate.high - estimate.low > self.high - self.low:
            return None
        return True

    def holds(self, estimate: Estimate) -> bool:
        """Whether all of the interval lies in the region.

        Examples
        --------
        >>> Region(0.0, 1.0).holds(Estimate(0.1, -0.1, 0.3)), Region(0.0, 1.0).holds(Estimate(0.1, 0.0, 0.2))
        (False, True)
        """
        low, high = estimate.low, estimate.high
        return low is not None and high is not None and self.low <= low and high <= self.high


@dataclass(frozen=True, slots=True)
class Verdict:
    """One of `VERDICTS`, and why in one sentence, whose numbers are still to be filled in."""

    word: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One number a paper reports.

    Parameters
    ----------
    key : str
        How the shell and `results.json` call it.
    paper, place : str
        The paper, as the project calls it, and the figure, section or sentence.
    system : str
        The system, or the result, that it is about.
    statement : str
        What the paper says, in one sentence.
    setting : str
        Under which setting, as far as the paper states it.
    method : str
        How ours is computed, with the choices the paper leaves open.
    reported : float
        The number in the paper.
    compute : callable
        Called with whether a quick answer will do; returns `Measured`. It imports what it needs.
    region : Region
        Numbers that reproduce the claim.
    unit : str, optional
        The unit of the reported number.
    shape : Region, optional
        Numbers that reproduce its shape: the direction, or the place of an optimum.
    because : mapping of str to str, optional
        Verdict -> the reason, known from looking into it; one sentence, with places for the numbers that
        were computed (`sim.papers.reproduce`).
    alike : bool, optional
        Whether a quick answer estimates the same number, only less precisely: not where it is of a smaller
        cluster, or of a queue that grows.
    taken : bool, optional
        Whether the paper prints no number and `reported` is what its words are taken for.
    """

    key: str
    paper: str
    place: str
    system: str
    statement: str
    setting: str
    method: str
    reported: float
    compute: Callable[[bool], Measured]
    region: Region
    unit: str = ""
    shape: Region | None = None
    because: Mapping[str, str] = field(default_factory=dict)
    alike: bool = True
    taken: bool = False

    @property
    def bound(self) -> str:
        """The sign of what is reported where that is a bound: nothing beyond it bears the claim out."""
        if self.region.high == self.reported and math.isinf(self.region.low):
            return "≤"
        if self.region.low == self.reported and math.isinf(self.region.high):
            return "≥"
        return ""

    def judge(self, estimate: Estimate) -> Verdict:
        """Return the verdict on a number of ours.

        Reproduced if its interval reaches into the region, reproduced in shape if it lies in the wider
        one, not reproduced if it is outside. An interval that is wider than the region, or that reaches
        into the wider one and out of it, decides nothing.
        """
        inside = self.region.meets(estimate)
        if inside:
            why = self.because.get(REPRODUCED, "")
            return Verdict(
                REPRODUCED, why if why and self.bound else f"{why} {self._near(estimate)}".lstrip()
            )
        touches = self.shape.meets(estimate) if self.shape else False
        if self.shape is not None and touches and self.shape.holds(estimate):
            return self._verdict(SHAPE, "The direction is the reported one, the number is not.")
        if inside is None or touches is None or touches:
            return self._verdict(UNDECIDED, "The interval is too wide to tell.")
        return self._verdict(FAILED, "Ours differs; why is not known yet.")

    def _near(self, estimate: Estimate) -> str:
        """Say how near a number of ours that reproduces the claim is, and how far it might have been."""
        assert estimate.value is not None
        assert estimate.low is not None
        assert estimate.high is not None
        if self.bound:
            beyond = not self.region.low <= estimate.value <= self.region.high
            return "The interval of ours reaches the bound." if beyond else "Ours is within the bound."
        if abs(estimate.value - self.reported) < ROUNDING:
            return "Ours is the reported number."
        if estimate.low <= self.reported <= estimate.high:
            return "The reported number is within the interval of ours."
        above = estimate.value > self.reported
        away = abs(estimate.value - self.reported)
        allowed = self.region.high - self.reported if above else self.reported - self.region.low
        side = "high" if above else "low"
        if math.isinf(allowed):
            return f"Ours is {self._told(away)} {side}er; any {side}er number is counted as reproduced."
        told = f"counted as reproduced up to {self._told(allowed)}"
        if away > allowed:
            told = f"its interval reaches what is {told}"
        return f"Ours is {self._told(away)} too {side}; {told}."

    def _told(self, away: float) -> str:
        """Return a distance from what is reported, in percent of it unless that is 0."""
        return percent(away / abs(self.reported)) if self.reported else number(away, 2)

    def _verdict(self, word: str, otherwise: str) -> Verdict:
        return Verdict(word, self.because.get(word, otherwise))
