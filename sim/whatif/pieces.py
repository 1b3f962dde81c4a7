"""A question answered in pieces: the check, then all options with few replications, then with more.

Each piece runs for about a second, in whatever process, and is kept as its figures. From those that are there
an answer is made at any time; with all of them it is that of `sim.whatif.answer.answer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from sim.slots.policy import SlotPolicy
from sim.whatif.answer import (
    BUDGET,
    Advice,
    Answer,
    Option,
    advise,
    compared,
    liked,
    shown_options,
    with_remedies,
)
from sim.whatif.apart import play_apart
from sim.whatif.check import POOR, Check, check
from sim.whatif.model import Model
from sim.whatif.pictures import Pictures, pictures
from sim.whatif.price import FREE, Price
from sim.whatif.reach import Wanted
from sim.whatif.remedies.play import WAYS, plan, remedied
from sim.whatif.runs import MOST_COPIES, Question, replicate, within_bounds
from sim.whatif.setting_effect import HasFigures, SettingEffect, changes
from sim.whatif.systems import System, options_of

#: Replications of the first answers; the last has all.
ROUNDS = (20, 50)
#: Tasks that a piece plays, about; and fewest replications of a question that is scaled down.
TASKS, FEWEST = 300_000, 10


class Piece(NamedTuple):
    """Replications of a policy, or of today's where a way of a remedy is taken."""

    policy: str
    first: int
    last: int


@dataclass(frozen=True)
class Tally:
    """What is kept of a replication."""

    figures: Mapping[str, float]


@dataclass(frozen=True)
class Aim:
    """The limits of the advice: the most extra slot-time, the figure to improve, the price."""

    budget: float = BUDGET
    objective: str = "mean"
    price: Price = FREE


#: Policy or way, replication -> what is kept.
Tallies = dict[tuple[str, int], Tally]


@dataclass(frozen=True)
class Inquiry:
    """A question, and what is compared.

    Parameters
    ----------
    question : Question
    system : System or None
        Whose settings are recommended.
    policies : mapping of str to SlotPolicy
        What is compared, today's among it.
    today : str
        Its text.
    replications : int
        How many are judged; as many again are searched.
    """

    question: Question
    system: System | None
    policies: Mapping[str, SlotPolicy]
    today: str
    replications: int

    @classmethod
    def of(
        cls, question: Question, system: System | None, replications: int = 100, more: Sequence[str] = ()
    ) -> Self:
        """Return the inquiry about all options of a system; of fewer replications where it is too large.

        Parameters
        ----------
        question : Question
        system : System or None
        replications : int, optional
        more : sequence of str, optional
            Policies that are compared beside the options.

        Raises
        ------
        BadInput
            If `FEWEST` replications are too many, too.
        """
        asked, now = compared(question, dict.fromkeys((*options_of(system, question.model.history), *more)))
        most = most_replications(question.model, len(asked))
        within_bounds(question.model, len(asked), min(replications, FEWEST))
        return cls(question, system, asked, now, min(replications, max(most, FEWEST)))

    @property
    def rounds(self) -> tuple[int, ...]:
        """Replications of each answer, the last the best."""
        return (*(count for count in ROUNDS if count < self.replications), self.replications)

    def pieces(self, count: int) -> Iterator[Piece]:
        """Yield what an answer of so many replications needs: option by option, then the search."""
        order = sorted(self.policies, key=lambda text: text != self.today)
        size = max(1, TASKS // int(self.question.model.tasks.sum()))
        for text in order:
            yield from _parts(text, 0, count, size)
        for text in order:
            yield from _parts(text, count, 2 * count, size)

    def remedies(self) -> Iterator[Piece]:
        """Yield what the remedies need: their ways, and today's setting in as many replications."""
        size = max(1, TASKS // int(self.question.model.tasks.sum()))
        ways = list(plan(self.question, self.replications))
        yield from _parts(self.today, 0, max(count for _, count in ways), size)
        for way, count in ways:
            yield from _parts(way, 0, count, size)

    def policy(self, piece: Piece) -> SlotPolicy:
        """Return the policy under which a piece is played."""
        return self.policies[self.today if piece.policy in WAYS else piece.policy]

    def options(self, found: Tallies, count: int) -> dict[str, Option]:
        """Return the options whose replications are all there, in the order of the policies."""

        def plays(text: str) -> tuple[Tally, ...]:
            return tuple(found[text, number] for number in range(count))

        there = self.there(found, count)
        if self.today not in there:
            return {}
        now = plays(self.today)
        return {text: Option(self.policies[text], plays(text), changes(plays(text), now)) for text in there}

    def there(self, found: Tallies, count: int) -> list[str]:
        """Return the policies that have all of so many judged replications."""
        return [text for text in self.policies if all((text, number) in found for number in range(count))]

    def answer(
        self,
        found: Tallies,
        count: int,
        checked: tuple[Check, Pictures],
        aim: Aim = Aim(),
    ) -> Answer:
        """Return what is known from so many replications; without advice until all of them are there.

        Parameters
        ----------
        found : dict
            Of all pieces that are there.
        count : int
            Replications of each option.
        checked : tuple of Check and Pictures
            From `check_model`.
        aim : Aim, optional
        """
        options = self.options(found, count)
        searched = {
            text: [found[text, number] for number in range(count, 2 * count)]
            for text in options
            if all((text, number) in found for number in range(count, 2 * count))
        }
        advice: Advice | None = None
        leading = ""
        options = shown_options(options, checked[0], self.today)
        all_there = searched.keys() == self.policies.keys()
        if checked[0].verdict != POOR and self.system is not None and all_there:
            asked = searched, options, self.today, self.system, aim.budget, aim.objective
            advice, leading = advise(*asked), liked(*asked)
        answer = Answer(
            self.question,
            checked[0],
            self.today,
            options,
            advice,
            price=aim.price,
            pictures=checked[1],
            system=self.system,
            objective=aim.objective,
            budget=aim.budget,
            leading=leading,
        )
        return self._with_remedies(answer, found) if all_there else answer

    def _with_remedies(self, answer: Answer, found: Tallies) -> Answer:
        """Return the answer with its remedies, where all of them have been played."""
        if answer.check.verdict == POOR:
            return answer
        counts = dict(plan(self.question, self.replications))
        counts[self.today] = max(counts.values())
        plays = {
            key: [found[key, number] for number in range(count) if (key, number) in found]
            for key, count in counts.items()
        }
        if any(len(plays[key]) < count for key, count in counts.items()):
            return answer
        return with_remedies(answer, plays[self.today], plays)

    def apart_of(self, answer: Answer) -> tuple[Question, SlotPolicy, np.ndarray, range] | None:
        """Return what `play_without` asks of an answer; None where nothing is to be played."""
        known = answer.to_keep_apart
        if known is None or known[1].why:
            return None
        return self.question, known[0], known[1].kept, range(self.replications)

    def reach_of(self, answer: Answer) -> tuple[Question, Wanted, Mapping[str, SettingEffect], int] | None:
        """Return what `reach.reach` asks of an answer; None where nothing new is recommended."""
        known = answer.to_reach
        return None if known is None else (self.question, *known, self.replications)


def most_replications(model: Model, policies: int) -> int:
    """Return how many replications of so many policies stay within `MOST_COPIES`."""
    return MOST_COPIES // (int(model.tasks.sum()) * (2 * policies + 1))


def _parts(text: str, first: int, last: int, size: int) -> Iterator[Piece]:
    for begin in range(first, last, size):
        yield Piece(text, begin, min(begin + size, last))


def missing(pieces: Iterable[Piece], found: Tallies) -> list[Piece]:
    """Return the pieces that are not complete yet."""
    return [
        piece
        for piece in pieces
        if any((piece.policy, number) not in found for number in range(piece.first, piece.last))
    ]


def play(
    question: Question, policy: SlotPolicy, piece: Piece, progress: Callable[[int], None] = lambda tasks: None
) -> Tallies:
    """Play a piece, for a process of its own."""
    numbers = range(piece.first, piece.last)
    if piece.policy in WAYS:
        question = remedied(question, piece.policy)
    (plays,) = replicate(question, [policy], numbers, progress=progress)
    return {(piece.policy, number): one for number, one in zip(numbers, tallied(plays), strict=True)}


def tallied(plays: Iterable[HasFigures]) -> tuple[Tally, ...]:
    """Return what is kept of replications."""
    return tuple(Tally(dict(one.figures)) for one in plays)


def play_without(
    question: Question,
    policy: SlotPolicy,
    kept: np.ndarray,
    replications: Sequence[int],
    progress: Callable[[int], None] = lambda tasks: None,
) -> tuple[Tally, ...]:
    """Play a policy with some stages without copies, for a process of its own."""
    return tallied(play_apart(question, policy, kept, replications, progress=progress))


def check_model(
    question: Question,
    policy: SlotPolicy,
    replications: int,
    progress: Callable[[int], None] = lambda tasks: None,
) -> tuple[Check, Pictures]:
    """Check the model at the recorded rate and slots, for a process of its own."""
    asked = replace(question, doubted=False, rate=1.0, slots=0)
    (plays,) = replicate(asked, [policy], range(replications), progress=progress)
    return check(asked, plays), pictures(asked, plays)
