"""The model fitted to a history, and checked on it, by a player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sim.advice.whatif.check import Check, check
from sim.advice.whatif.model import Model, fit
from sim.advice.whatif.pictures import Pictures, pictures
from sim.advice.whatif.played import Played
from sim.advice.whatif.runs import Question, in_parts, plays
from sim.engines.slots.policy import SlotPolicy
from sim.logs.history import History
from sim.running.player import HERE, Player

#: Tasks that could be played in the time that a copy in a log takes of a fit, about.
FIT = 15


def fitted(history: History, **options: Any) -> Model:
    """Fit the model to a history, for any process."""
    return fit(history)


def check_model(
    question: Question, policy: SlotPolicy, replications: int, player: Player = HERE
) -> tuple[Check, Pictures]:
    """Check the model at the recorded rate and slots.

    Parameters
    ----------
    question : Question
    policy : SlotPolicy
        Of the history.
    replications : int
    player : Player, optional
    """
    asked = replace(question, doubted=False, rate=1.0, slots=0)
    found = in_parts(player, plays, asked, policy, range(replications))
    checked: tuple[Check, Pictures] = player(_judged, asked, found)
    return checked


def _judged(question: Question, found: Sequence[Played], **options: Any) -> tuple[Check, Pictures]:
    """Compare replications with the history, for any process."""
    return check(question, found), pictures(question, found)
