"""What if: the answer of a question, from the check to the advice.

Settings are searched on one set of replications and judged on another, so that the best of many is not
flattered by its luck. All policies meet the same luck in the same replication.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from sim.slots.policy import SlotPolicy
from sim.whatif.check import POOR, Check, check
from sim.whatif.doubt import spread_of_mean
from sim.whatif.runs import Played, Question, read_policies, replicate, within_bounds
from sim.whatif.systems import NONE, System, today

#: Extra slot-time that a recommended setting may cost, as a share of today's, unless one is given.
BUDGET = 0.05
CHANGES = ("mean", "p95", "slot_time")


class HasFigures(Protocol):
    """A replication, or what is kept of one."""

    @property
    def figures(self) -> Mapping[str, float]:
        """The figures that are compared."""


@dataclass(frozen=True)
class Change:
    """A change against today's setting as a share of today's mean, with a paired 95 % interval.

    The interval holds what luck and the model leave open (`sim.whatif.doubt`).
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Option:
    """What a policy shows.

    Parameters
    ----------
    policy : SlotPolicy
    plays : tuple of HasFigures
        In order of replication.
    change : mapping
        mean, p95 and slot_time -> Change.
    """

    policy: SlotPolicy
    plays: tuple[HasFigures, ...]
    change: Mapping[str, Change]

    def figure(self, name: str) -> np.ndarray:
        """Return a figure in each replication."""
        return np.array([play.figures[name] for play in self.plays])


@dataclass(frozen=True)
class Advice:
    """What to set; the policy is today's where nothing else is better beyond doubt."""

    policy: str
    settings: Mapping[str, str]
    reason: str


@dataclass(frozen=True)
class Answer:
    """All that is found.

    Parameters
    ----------
    question : Question
    check : Check
        Of the model, at the recorded rate and slots.
    today : str
        The policy of the history.
    options : mapping
        Policy, as it was given -> Option.
    advice : Advice or None
        None where the check is poor, or no system is known whose settings could be given.
    """

    question: Question
    check: Check
    today: str
    options: Mapping[str, Option]
    advice: Advice | None


def differences(plays: Sequence[HasFigures], reference: Sequence[HasFigures], name: str) -> np.ndarray:
    """Compare a figure pair by pair, as shares of the reference's mean."""
    ours, theirs = (np.array([play.figures[name] for play in one]) for one in (plays, reference))
    return np.asarray((ours - theirs) / (float(theirs.mean()) or 1.0))


def changes(
    doubted: tuple[Sequence[HasFigures], Sequence[HasFigures]],
    plain: tuple[Sequence[HasFigures], Sequence[HasFigures]],
) -> dict[str, Change]:
    """Compare replications of a policy and of today's, under drawn models and under the model itself."""
    found = {}
    for name in CHANGES:
        values = differences(*doubted, name)
        half = 1.96 * spread_of_mean(values, differences(*plain, name))
        found[name] = Change(float(values.mean()), float(values.mean()) - half, float(values.mean()) + half)
    return found


def answer(
    question: Question,
    system: System | None,
    *,
    policies: Sequence[str] = (),
    replications: int = 100,
    budget: float = BUDGET,
    objective: str = "mean",
    threads: int | None = None,
    progress: Callable[[int], object] = lambda tasks: None,
) -> Answer:
    """Answer a question.

    Parameters
    ----------
    question : Question
    system : System or None
        Whose settings are compared, and recommended.
    policies : sequence of str, optional
        What is compared in place of the options of the system.
    replications : int, optional
        How many, at least 2; for the search as many again.
    budget : float, optional
        Most extra slot-time of a recommended setting, as a share of today's.
    objective : str, optional
        What is to become small: mean or p95 job time.
    threads : int, optional
        Replications played at a time.
    progress : callable, optional
        Called, from any thread, with the number of tasks played.
    """
    now = today(question.model.history)
    asked = read_policies(policies or options_of(system), question.scenario)
    known = {policy.text: text for text, policy in asked.items()}
    if now in known:
        now = known[now]
    asked = asked if now in asked else read_policies([now], question.scenario) | asked
    within_bounds(question.model, len(asked), replications)
    judged, searched = range(replications), range(replications, 2 * replications)

    def played(of: Question, which: range) -> dict[str, list[Played]]:
        found = replicate(of, list(asked.values()), which, threads=threads, progress=progress)
        return dict(zip(asked, found, strict=True))

    certain = replace(question, doubted=False)
    doubted, plain = played(question, judged), played(certain, judged)
    recorded = replace(certain, rate=1.0, slots=0)
    same = recorded == certain
    checked = check(
        recorded, plain[now] if same else replicate(recorded, [asked[now]], judged, threads=threads)[0]
    )
    options = {
        text: Option(
            policy,
            tuple(doubted[text]),
            changes((doubted[text], doubted[now]), (plain[text], plain[now])),
        )
        for text, policy in asked.items()
    }
    advice = None
    if checked.verdict != POOR and system is not None:
        advice = advise(played(question, searched), options, now, system, budget, objective)
    return Answer(question, checked, now, options, advice)


def options_of(system: System | None) -> tuple[str, ...]:
    """Return what is compared where no policies are given."""
    return (NONE, *(system.options if system else ("fifo+spark", "fifo+late", "fifo+mantri")))


def advise(
    trial: Mapping[str, Sequence[HasFigures]],
    options: Mapping[str, Option],
    now: str,
    system: System,
    budget: float,
    objective: str,
) -> Advice:
    """Recommend the best setting of the trial whose cost is within the budget, if it proves better."""
    own = {"none", *(text.partition("+")[2].partition(":")[0] for text in system.options)}
    settable = [text for text, option in options.items() if option.policy.speculation.key in own]

    def tried(text: str, name: str) -> float:
        return float(differences(trial[text], trial[now], name).mean())

    allowed = [text for text in settable if tried(text, "slot_time") <= budget]
    best = min(allowed, key=lambda text: tried(text, objective), default=now)
    gain = options[best].change[objective]
    cost = options[best].change["slot_time"]
    if best != now and gain.high < 0 and cost.value <= budget + (cost.high - cost.value):
        reason = (
            f"{objective} job time changes by {100 * gain.value:.1f} % "
            f"({100 * gain.low:.1f} to {100 * gain.high:.1f}), slot-time by {100 * cost.value:.1f} % "
            f"({100 * cost.low:.1f} to {100 * cost.high:.1f}; budget {100 * budget:g} %)"
        )
        return Advice(best, system.settings(options[best].policy), reason)
    reason = (
        f"do nothing: no setting of {system.title} within a budget of {100 * budget:g} % more slot-time "
        f"makes the {objective} job time shorter beyond doubt"
    )
    settings = system.settings(options[now].policy) if now in settable else {}
    return Advice(now, settings, reason)
