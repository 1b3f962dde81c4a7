"""The remedy for a log of a fleet: the answer of What-if, in short.

The question is the one that What-if begins with, and who leads its answer leads here
(`sim.advice.whatif.answer.Answer.leading_remedy`): nothing is advised that the page of one log would not
advise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sim.logs.history import History
from sim.model.fields import BadInput
from sim.running.player import HERE, Player
from sim.telling.words import begun

#: Replications of a setting, as What-if begins with.
REPLICATIONS = 100
#: Remedy -> what it is called; those of What-if, and what is no remedy.
TRIAL, NOTHING, UNTOLD = "trial", "nothing", "untold"


@dataclass(frozen=True)
class Advised:
    """The remedy that What-if puts first.

    Parameters
    ----------
    remedy : str
        Key of the remedy (`sim.advice.whatif.remedies`); "trial" where a setting is to be tried, "nothing"
        where nothing surely pays, "untold" where the history cannot be played.
    title : str
        What it is called.
    told : str
        The answer in a sentence or two.
    low, value, high : float or None
        Change of the mean job time as a share, with its 95 % interval; None where nothing is to be done.
    slot_low, slot_value, slot_high : float or None
        Slot-hours more that it takes.
    """

    remedy: str
    title: str
    told: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    slot_value: float | None = None
    slot_low: float | None = None
    slot_high: float | None = None

    @property
    def surely(self) -> bool:
        """Whether it surely pays."""
        return self.value is not None and self.remedy != TRIAL

    def hours(self, recorded: float, end: str = "value") -> float | None:
        """Return hours of job time that it wins of those that were recorded; None where it wins none.

        Examples
        --------
        >>> Advised("split", "split", "", -0.25, -0.5, -0.125).hours(8.0, "low")
        4.0
        """
        change: float | None = getattr(self, end)
        return None if change is None else -change * recorded


def advised(
    history: History, player: Player = HERE, about_to_play: Callable[[int], object] = lambda tasks: None
) -> Advised:
    """Answer what What-if answers about a history, in short.

    Parameters
    ----------
    history : History
    player : Player, optional
    about_to_play : callable, optional
        Told how many tasks will be played, about.
    """
    from sim.advice.whatif.checking import FIT, fitted
    from sim.advice.whatif.pieces import Aim, Inquiry, tasks_to_play
    from sim.advice.whatif.runs import Question
    from sim.advice.whatif.steps import steps
    from sim.advice.whatif.systems import system_of

    try:
        system = system_of(history, "")
        model = player(fitted, history, tasks=FIT * history.copies.num_rows)
        inquiry = Inquiry.of(Question(model), system, REPLICATIONS)
        about_to_play(tasks_to_play(inquiry.question, len(inquiry.policies) - 1, inquiry.replications))
        *_, last = steps(inquiry, Aim(), player, first=REPLICATIONS, sweep=False)
    except BadInput as error:
        return untold(error)
    return in_short(last.answer)


def untold(error: BadInput) -> Advised:
    """Return that nothing can be told, and why."""
    return Advised(UNTOLD, "cannot be told", str(error))


def in_short(found: Any) -> Advised:
    """Return an answer of What-if in short.

    Parameters
    ----------
    found : sim.advice.whatif.answer.Answer
    """
    from sim.advice.whatif.check import POOR
    from sim.advice.whatif.cost import cost
    from sim.advice.whatif.remedies.copying import COPY
    from sim.advice.whatif.report import why_not

    def of(remedy: str, title: str, told: str, one: Any) -> Advised:
        change, slots = one.change[found.objective], cost(found, one).slot_hours
        return Advised(
            remedy, title, told, change.value, change.low, change.high, slots.value, slots.low, slots.high
        )

    if found.check.verdict == POOR:
        return Advised(UNTOLD, "cannot be told", f"No advice: {why_not(found)}")
    leading = found.leading_remedy
    if leading is not None:
        return of(leading.remedy.key, leading.remedy.title, found.remedies.sentence, leading)
    advice, untold = found.advice, f" {found.undecided}" * bool(found.undecided)
    if advice is None or advice.policy == found.today:
        told = found.remedies.sentence if found.remedies else f"{begun(advice.reason)}."
        return Advised(NOTHING, "nothing surely pays", f"{told}{untold}")
    option = found.options[advice.policy]
    name = option.policy.name
    if found.risky:  # tasks of this application must not run twice
        return Advised(NOTHING, "nothing surely pays", f"{found.safety.sentence} It would be {name}.")
    told = f"{name}: {advice.reason}.{untold}"
    if advice.trial:
        return of(TRIAL, "try for an hour", f"Try for an hour: {told}", option)
    if not found.copies:
        return of(COPY.key, "switch copies off", told, option)
    return of(COPY.key, COPY.title, told, option)
