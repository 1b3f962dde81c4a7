"""What if: the answer of a question, from the check to the advice, step by step.

Settings are searched on one set of replications and judged on another, so that the best of many is not
flattered by its luck. All policies meet the same luck in the same replication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sim.advice.diagnosis import diagnose
from sim.advice.whatif.answer import BUDGET, Answer, compared
from sim.advice.whatif.check import FIT, POOR, Check, Pictures, check_model
from sim.advice.whatif.model import Model, fit
from sim.advice.whatif.pieces import Constraints, Piece, SearchPlan, Tallies, missing, play_all
from sim.advice.whatif.price import FREE, Price
from sim.advice.whatif.reach import reach
from sim.advice.whatif.report import headline
from sim.advice.whatif.runs import Replay, ReplicationFigures, within_bounds
from sim.advice.whatif.safety import UnsafeStages, play_apart
from sim.advice.whatif.systems import (
    OFFERED,
    REPLICATIONS,
    TRIED,
    System,
    Without,
    candidates,
    options_of,
    passing,
)
from sim.engines.slots.scenario import SlotPolicy
from sim.logs.history import History
from sim.model.cached import cached_property
from sim.running.parallel import Player
from sim.telling.words import counted

#: How a note begins of earlier logs that are left out.
ALONE = "earlier logs are not learned from"


@dataclass(frozen=True, eq=False)
class Step:
    """What is known so far.

    Parameters
    ----------
    make : callable
        Returns the answer, with the options that are known.
    count : int
        Replications of the last answer that is whole, 0 before the first.
    final : bool
        Whether no better one follows.
    """

    make: Callable[[], Answer]
    count: int = 0
    final: bool = False

    @cached_property
    def answer(self) -> Answer:
        """The answer, with the options that are known."""
        return self.make()

    @property
    def check(self) -> Check:
        """How the model came out."""
        return self.answer.check

    @property
    def pictures(self) -> Pictures:
        """What the check compares."""
        assert self.answer.pictures is not None
        return self.answer.pictures


def steps(
    inquiry: SearchPlan,
    aim: Constraints,
    player: Player,
    *,
    first: int = 0,
    remedies: bool = True,
    sweep: bool = True,
) -> Iterator[Step]:
    """Yield what is known: once the model is checked, whenever an option is, and when all is.

    Where the model is poor, today's setting alone is played after the check.

    Parameters
    ----------
    inquiry : SearchPlan
    aim : Constraints
    player : Player
    first : int, optional
        Replications of the first answer, at least.
    remedies : bool, optional
        Whether to play what else could be done (`sim.advice.whatif.remedies`).
    sweep : bool, optional
        Whether to find up to which load the recommended setting pays (`sim.advice.whatif.reach`).
    """
    today, replications = inquiry.policies[inquiry.today], inquiry.replications
    player.begin("Checking the model", replications * inquiry.tasks)
    question, alone = inquiry.question, not inquiry.question.model.earlier
    checked = player.made(
        (inquiry.today, replications, alone), lambda: check_model(question, today, replications, player)
    )
    if checked[0].verdict == POOR and not alone:  # more logs must not tell less
        cost = FIT * question.model.history.copies.num_rows
        model = player(fitted_alone, question.model.history, question.leave_out, tasks=cost, key="alone")
        inquiry = replace(inquiry, question=replace(question, model=model))
        yield from steps(inquiry, aim, player, first=first, remedies=remedies, sweep=sweep)
        return
    rounds = [count for count in inquiry.rounds if count >= first]
    found: Tallies = {}

    def step(wanted: int, count: int) -> Step:
        there = dict(found)
        return Step(lambda: inquiry.answer(there, wanted, checked, aim), count, count == rounds[-1])

    yield step(rounds[0], 0)
    if checked[0].verdict == POOR:
        found |= _played(inquiry, player, [Piece(inquiry.today, 0, replications)])
        answer = inquiry.answer(found, replications, checked, aim)
        yield Step(lambda: answer, replications)
        answer = _with_first(answer, inquiry, player)
        yield Step(lambda: answer, replications)
        yield _last(_without_some(answer, inquiry, aim, player), replications)
        return
    count, options = 0, 0
    for wanted in rounds:
        for what, pieces in _plan(inquiry, player, wanted, remedies and wanted == rounds[0]):
            todo = missing(pieces, found)
            player.begin(f"Playing {what}", inquiry.cost(todo))
            for batch in inquiry.batches(todo, player):
                found |= _played(inquiry, player, batch)
                if not count and options != (options := len(inquiry.there(found, wanted))):
                    yield step(wanted, 0)
            count = wanted
            yield step(wanted, count)
    answer = inquiry.answer(found, count, checked, aim)
    if (known := answer.to_keep_apart) is not None:
        answer = answer.with_apart([] if known[1].why else _without(inquiry, player, *known))
        yield _last(answer, count)
    if sweep and (asked := answer.to_reach) is not None:
        key = ("reach", asked[0], replications)
        limit = player.made(key, lambda: reach(inquiry.question, *asked, replications, player))
        answer = replace(answer, reach=limit)
    yield _last(_with_first(answer, inquiry, player), count)


def fitted_alone(history: History, leave_out: str, **options: Any) -> Model:
    """Fit the model to the last of several logs, which the others do not fit, for any process."""
    model = fit(history, leave_out=leave_out)
    return replace(model, notes=(f"{ALONE}: with them the model does not reproduce this one", *model.notes))


def first_of(history: History, leave_out: str, copies: bool, **options: Any) -> str:
    """Return what the diagnosis of a log says to do first, copies only if asked for; for any process."""
    found = diagnose(history, leave_out=leave_out)
    if copies:
        return found.first
    return next((one.action for one in found.findings if one.key != "luck"), "")


def _with_first(answer: Answer, inquiry: SearchPlan, player: Player) -> Answer:
    """Return an answer that advises nothing with what the log itself says to do first."""
    if answer.advises:
        return answer
    question = inquiry.question
    history = question.model.history
    cost = FIT * history.copies.num_rows
    player.begin("Looking at the log", cost)
    poor = answer.check.verdict == POOR  # else it is known that copies do not surely pay
    asked = (question.leave_out, poor)
    first = player(first_of, history, *asked, tasks=cost, key=("first", *asked))
    return replace(answer, first=first)


def _without_some(answer: Answer, inquiry: SearchPlan, aim: Constraints, player: Player) -> Answer:
    """Return an answer of a poor model with what is advised without some of the jobs."""
    question = inquiry.question
    if question.leave_out:
        return answer
    cost = TRIED * (FIT * question.model.history.copies.num_rows + inquiry.replications * inquiry.tasks)
    player.begin("Leaving out jobs that do not fit", cost)
    asked = (inquiry.system, tuple(inquiry.policies), aim)
    return replace(answer, without=player(narrowed, question, *asked, tasks=cost, key=("narrowed", *asked)))


def narrowed(
    question: Replay, system: System | None, policies: Sequence[str], aim: Constraints, **options: Any
) -> tuple[Without, ...]:
    """Return what is advised without jobs that the model cannot reproduce, the least part of them first.

    Parameters
    ----------
    question : Replay
        Whose check is poor.
    system, policies, aim
        As of `answer`.
    **options
        Of a player (`sim.running.parallel`), for any process.
    """
    history = question.model.history
    jobs = history.frame("jobs")
    times = (jobs["end"] - jobs["submit"]).fillna(0.0)
    tried = sorted(list(candidates(jobs))[:TRIED], key=lambda one: times[one[1]].sum())
    told: list[Without] = []
    for text, held in tried:
        if len(told) == OFFERED:
            break
        asked = passing(history, text, question.seed)
        if asked is None:
            continue
        wanted: dict[str, Any] = {"policies": policies, "budget": aim.budget, "objective": aim.objective}
        found = answer(asked, system, **wanted, replications=REPLICATIONS, sweep=False, threads=1)
        if found.check.verdict != POOR:
            share = float(times[held].sum() / times.sum())
            told.append(Without(text, int(held.sum()), share, found.check.verdict, headline(found)))
    return tuple(told)


def _last(answer: Answer, count: int) -> Step:
    return Step(lambda: answer, count, final=True)


def _without(
    inquiry: SearchPlan, player: Player, policy: SlotPolicy, stages: UnsafeStages
) -> list[ReplicationFigures]:
    """Return replications of a policy with some stages without copies."""
    numbers = range(inquiry.replications)
    player.begin("Leaving out stages", len(numbers) * inquiry.tasks)
    return player.made(
        ("apart", policy, stages.kept.tobytes(), len(numbers)),
        lambda: play_apart(inquiry.question, policy, stages.kept, numbers, player),
    )


def _played(inquiry: SearchPlan, player: Player, pieces: list[Piece]) -> Tallies:
    """Return the replications of some pieces."""
    asked = [(inquiry.policy(piece), piece) for piece in pieces]
    found: Tallies = player(play_all, inquiry.question, asked, tasks=inquiry.cost(pieces), key=tuple(pieces))
    return found


def _plan(
    inquiry: SearchPlan, player: Player, count: int, remedies: bool
) -> Iterator[tuple[str, list[Piece]]]:
    """Yield what an answer needs, and how that is called."""
    settings = counted(len(inquiry.policies), "setting")
    yield f"{counted(count, 'replication')} of {settings}", list(inquiry.pieces(count, player))
    if remedies:
        yield "remedies", list(inquiry.remedies(player))


def answer(
    question: Replay,
    system: System | None,
    *,
    policies: Sequence[str] = (),
    replications: int = 100,
    budget: float = BUDGET,
    objective: str = "mean",
    price: Price = FREE,
    sweep: bool = True,
    remedies: bool = True,
    threads: int | None = None,
    progress: Callable[[int], object] = lambda tasks: None,
) -> Answer:
    """Answer a question.

    Parameters
    ----------
    question : Replay
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
    price : Price, optional
        Of slots or executors.
    sweep : bool, optional
        Whether to find up to which load the recommended setting pays (`sim.advice.whatif.reach`).
    remedies : bool, optional
        Whether to play what else could be done (`sim.advice.whatif.remedies`).
    threads : int, optional
        Replications played at a time.
    progress : callable, optional
        Called, from any thread, with the number of tasks played.
    """
    asked, now = compared(question, policies or options_of(system, question.model.history))
    within_bounds(question.model, len(asked), replications)
    inquiry, aim = (
        SearchPlan(question, system, asked, now, replications),
        Constraints(budget, objective, price),
    )
    player = Player(threads, progress)
    *_, last = steps(inquiry, aim, player, first=replications, remedies=remedies, sweep=sweep)
    return last.answer
