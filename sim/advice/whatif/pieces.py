"""The pieces that an answer is made of: all options with few replications, then with more, and remedies.

From those that are there an answer is made at any time, whoever has played them and however many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from sim.advice.whatif.answer import (
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
from sim.advice.whatif.check import POOR, Check, Pictures
from sim.advice.whatif.model import Model
from sim.advice.whatif.price import FREE, Price
from sim.advice.whatif.remedies.judged import WAYS, plan, remedied
from sim.advice.whatif.runs import MOST_COPIES, Replay, ReplicationFigures, tallies, within_bounds
from sim.advice.whatif.setting_effect import changes
from sim.advice.whatif.systems import System, options_of, today
from sim.engines.slots.scenario import SlotPolicy
from sim.model.cached import cached_property
from sim.running.parallel import HERE, Player

#: Replications of the first answers; the last has all.
ROUNDS = (20, 50)
#: Fewest replications of a question that is scaled down.
FEWEST = 10


class Piece(NamedTuple):
    """Replications of a policy, or of today's where a way of a remedy is taken."""

    policy: str
    first: int
    last: int


@dataclass(frozen=True)
class Constraints:
    """The limits of the advice: the most extra slot-time, the figure to improve, the price."""

    budget: float = BUDGET
    objective: str = "mean"
    price: Price = FREE


#: Policy or way, replication -> what is kept.
Tallies = dict[tuple[str, int], ReplicationFigures]


@dataclass(frozen=True)
class SearchPlan:
    """A question, and what is compared.

    Parameters
    ----------
    question : Replay
    system : System or None
        Whose settings are recommended.
    policies : mapping of str to SlotPolicy
        What is compared, today's among it.
    today : str
        Its text.
    replications : int
        How many are judged; as many again are searched.
    """

    question: Replay
    system: System | None
    policies: Mapping[str, SlotPolicy]
    today: str
    replications: int

    @classmethod
    def of(
        cls, question: Replay, system: System | None, replications: int = 100, more: Sequence[str] = ()
    ) -> Self:
        """Return the inquiry about all options of a system; of fewer replications where it is too large.

        Parameters
        ----------
        question : Replay
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

    @cached_property
    def tasks(self) -> int:
        """Tasks of a replication."""
        return int(self.question.model.tasks.sum())

    def pieces(self, count: int, player: Player = HERE) -> Iterator[Piece]:
        """Yield what an answer of so many replications needs: option by option, then the search."""
        order = sorted(self.policies, key=lambda text: text != self.today)
        for text in order:
            yield from self._parts(player, text, 0, count)
        for text in order if self.system is not None else ():
            yield from self._parts(player, text, count, 2 * count)

    def remedies(self, player: Player = HERE) -> Iterator[Piece]:
        """Yield what the remedies need: their ways, and today's setting in as many replications."""
        ways = list(plan(self.question, self.replications))
        yield from self._parts(player, self.today, 0, max(count for _, count in ways))
        for way, count in ways:
            yield from self._parts(player, way, 0, count)

    def _parts(self, player: Player, text: str, first: int, last: int) -> Iterator[Piece]:
        return (Piece(text, one.start, one.stop) for one in player.parts(first, last, self.tasks))

    def batches(self, pieces: Iterable[Piece], player: Player) -> Iterator[list[Piece]]:
        """Yield the pieces together that a player plays in one go: where others wait, few small ones."""
        batch: list[Piece] = []
        for piece in pieces:
            if batch and self.cost([*batch, piece]) > player.tasks:
                yield batch
                batch = []
            batch.append(piece)
        if batch:
            yield batch

    def cost(self, pieces: Iterable[Piece]) -> int:
        """Return how many tasks some pieces play."""
        return self.tasks * sum(piece.last - piece.first for piece in pieces)

    def policy(self, piece: Piece) -> SlotPolicy:
        """Return the policy under which a piece is played."""
        return self.policies[self.today if piece.policy in WAYS else piece.policy]

    def options(self, found: Tallies, count: int) -> dict[str, Option]:
        """Return the options whose replications are all there, in the order of the policies."""

        def plays(text: str) -> tuple[ReplicationFigures, ...]:
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
        aim: Constraints = Constraints(),
    ) -> Answer:
        """Return what is known from so many replications; without advice until all of them are there.

        Parameters
        ----------
        found : dict
            Of all pieces that are there.
        count : int
            Replications of each option.
        checked : tuple of Check and Pictures
            From `sim.advice.whatif.check.check_model`.
        aim : Constraints, optional
        """
        options = self.options(found, count)
        searched = {
            text: [found[text, number] for number in range(count, 2 * count)]
            for text in options
            if all((text, number) in found for number in range(count, 2 * count))
        }
        advice: Advice | None = None
        leading = ""
        all_there = (options if self.system is None else searched).keys() == self.policies.keys()
        options = shown_options(options, checked[0], self.today)
        if checked[0].verdict != POOR and self.system is not None and all_there:
            aim = replace(aim, budget=self._left(options, aim.budget))
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

    def _left(self, options: Mapping[str, Option], budget: float) -> float:
        """Return what is left of a budget: the logs before tell what the steps so far have taken of it."""
        earlier = self.question.model.earlier
        at_first = options.get(today(earlier[0])) if earlier else None
        if at_first is None:
            return budget
        return min(budget, (1 + budget) * (1 + at_first.change["slot_time"].value) - 1)

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


def tasks_to_play(question: Replay, policies: int, replications: int) -> int:
    """Return how many tasks an answer about so many policies plays, its check and its remedies among them."""
    tasks = int(question.model.tasks.sum())
    ways = sum(count for _, count in plan(question, replications))
    return tasks * (replications * (2 * (policies + 1) + 1) + ways)


def most_replications(model: Model, policies: int) -> int:
    """Return how many replications of so many policies stay within `MOST_COPIES`."""
    return MOST_COPIES // (int(model.tasks.sum()) * (2 * policies + 1))


def missing(pieces: Iterable[Piece], found: Tallies) -> list[Piece]:
    """Return the pieces that are not complete yet."""
    return [
        piece
        for piece in pieces
        if any((piece.policy, number) not in found for number in range(piece.first, piece.last))
    ]


def play_all(question: Replay, asked: Iterable[tuple[SlotPolicy, Piece]], **options: Any) -> Tallies:
    """Play some pieces, each under its policy, for any process; options as of `play`."""
    found: Tallies = {}
    for policy, piece in asked:
        found |= play(question, policy, piece, **options)
    return found


def play(question: Replay, policy: SlotPolicy, piece: Piece, **options: Any) -> Tallies:
    """Play a piece, for any process; options as of `sim.advice.whatif.runs.replicate`."""
    if piece.policy in WAYS:
        question = remedied(question, piece.policy)
    numbers = range(piece.first, piece.last)
    found = tallies(question, policy, numbers, **options)
    return {(piece.policy, number): one for number, one in zip(numbers, found, strict=True)}
