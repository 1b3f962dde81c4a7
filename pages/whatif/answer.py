"""The answer so far: the check first, then option by option, played in a separate process.

A piece of about a second is asked for after the other, so that visitors take turns and nothing is played for
who has left; what has been played is kept, and goes on from there when somebody comes back.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pages.logs.playing import PLAYING
from pages.shared.app.placeholders import Placeholders
from pages.shared.app.runs import records
from pages.shared.app.uploads import digest
from pages.whatif.question import Asked
from sim.byte_cache import ByteCache
from sim.cached import once
from sim.code_digest import ROOT, essence
from sim.slots.policy import SlotPolicy
from sim.telling.words import counted
from sim.whatif.answer import Answer
from sim.whatif.check import POOR, Check
from sim.whatif.film import Film, film
from sim.whatif.pictures import Pictures
from sim.whatif.pieces import (
    Inquiry,
    Piece,
    Tallies,
    Tally,
    check_model,
    missing,
    play,
    play_without,
)
from sim.whatif.reach import CLOSER, MOST, STEPS, Reach, reach

#: Bytes of what has been played that are kept, of all sessions together.
KEPT_BYTES = 96 * 2**20
#: Runs that trying higher loads takes at most.
REACH = 4 * MOST * (STEPS + CLOSER)


@dataclass(frozen=True)
class Known:
    """What has been played.

    Parameters
    ----------
    checked : tuple of Check and Pictures, or None
    tallies : dict
        Of the pieces that are there.
    beforehand : bool
        Whether all of it was computed beforehand.
    """

    checked: tuple[Check, Pictures] | None = None
    tallies: Tallies = field(default_factory=dict)
    beforehand: bool = False


@dataclass(frozen=True)
class Snapshot:
    """What is shown.

    Parameters
    ----------
    answer : Answer
        With the options that are known so far.
    pictures : Pictures
        What the check compares.
    count : int
        Replications of the last answer that is whole, 0 before the first.
    final : bool
        Whether no better one follows.
    """

    answer: Answer
    pictures: Pictures
    count: int
    final: bool

    @property
    def check(self) -> Check:
        """How the model came out."""
        return self.answer.check


@once
def _kept() -> ByteCache:
    """Return what has been played for all sessions."""
    return ByteCache(KEPT_BYTES)


def follow(asked: Asked, status: Placeholders) -> Iterator[Snapshot]:
    """Yield what is known: once the model is checked, whenever an option is, and when all is."""
    known = _checked(asked, status)
    shown = snapshot(asked, known)
    yield shown
    if shown.check.verdict == POOR:
        status.caption("line", ":material/close: The settings are not compared.", width="stretch")
        return
    stage = _stage(asked, known)
    for count, pieces in plan(asked.inquiry):
        while todo := missing(pieces, known.tallies):
            known = _played(asked, known, count, pieces, todo, status)
            if (now := _stage(asked, known)) != stage:
                stage = now
                yield snapshot(asked, known)
    shown = snapshot(asked, known)
    if shown.answer.to_keep_apart is not None:
        shown = replace(shown, answer=shown.answer.with_apart(_without(asked, shown.answer, status)))
        yield shown
    if (found := _reach(asked, shown.answer, status)) is not None:
        yield replace(shown, answer=replace(shown.answer, reach=found))
    status.caption("line", f":material/check: {rests_on(asked)}", width="stretch")


def plan(inquiry: Inquiry) -> Iterator[tuple[int, list[Piece]]]:
    """Yield what is played: a first answer, then remedies (0), then better answers; replications, pieces."""
    for count in inquiry.rounds:
        yield count, list(inquiry.pieces(count))
        if count == inquiry.rounds[0]:
            yield 0, list(inquiry.remedies())


def _played(
    asked: Asked, known: Known, count: int, pieces: list[Piece], todo: list[Piece], status: Placeholders
) -> Known:
    """Return what is known with the first of the pieces that are to be played, of those of an answer."""
    piece = todo[0]
    left, total = (sum(one.last - one.first for one in of) for of in (todo, pieces))
    settings = counted(len(asked.inquiry.policies), "setting")
    what = f"{counted(count, 'replication')} of {settings}" if count else "remedies"

    so_far = "Computed beforehand. " if known.beforehand else ""

    def say(share: float, waits: str) -> None:
        status.progress("line", min(1 - (left - share) / total, 1.0), f"{so_far}Playing {what} … {waits}")

    policy = asked.inquiry.policy(piece)
    key = (*asked.key, piece)
    found, recorded = _called(asked, key, say, play, policy, piece)
    known = replace(known, tallies=known.tallies | found, beforehand=known.beforehand and recorded)
    _kept().keep(asked.key, known)
    return known


def _without(asked: Asked, answer: Answer, status: Placeholders) -> tuple[Tally, ...]:
    """Return replications of the advice with copies only in stages that nothing speaks against, if played."""
    arguments = asked.inquiry.apart_of(answer)
    if arguments is None:
        return ()
    _, policy, kept, numbers = arguments
    key = (*asked.key, "apart", policy, kept.tobytes(), numbers)

    def say(share: float, waits: str) -> None:
        status.progress("line", min(share / len(numbers), 1.0), f"Leaving out stages … {waits}")

    found: tuple[Tally, ...] | None = _kept().get(key)
    if found is None:
        found, _ = _called(asked, key, say, play_without, policy, kept, numbers)
        _kept().keep(key, found)
    return found


def _reach(asked: Asked, answer: Answer, status: Placeholders) -> Reach | None:
    """Return up to which load the recommended setting pays, if that can be found."""
    arguments = asked.inquiry.reach_of(answer)
    if arguments is None:
        return None
    _, wanted, *more = arguments
    key = (*asked.key, wanted.policy, asked.inquiry.replications, asked.aim)

    def say(share: float, waits: str) -> None:
        status.progress("line", min(share / REACH, 1.0), f"Trying higher loads … {waits}")

    found: tuple[Reach | None] | None = _kept().get(key)
    if found is None:
        limit, _ = _called(asked, key, say, reach, wanted, *more)
        found = (limit,)
        _kept().keep(key, found)
    return found[0]


def filmed(asked: Asked, policy: SlotPolicy | None, status: Placeholders) -> Film:
    """Return what is to be seen of the worst stage, as recorded and under a setting if there is one."""
    key = (*asked.key, "film", policy)

    def say(share: float, waits: str) -> None:
        status.progress("line", min(share, 1.0), f"Looking for the worst stage … {waits}")

    found: Film | None = _kept().get(key)
    if found is None:
        found, _ = _called(asked, key, say, film, policy)
        _kept().keep(key, found)
    return found


def rests_on(asked: Asked) -> str:
    """Say what the numbers rest on."""
    count = asked.inquiry.replications
    fewer = (
        f" (not {asked.wanted:,}: this history has {int(asked.question.model.tasks.sum()):,} tasks)"
        if count < asked.wanted
        else ""
    )
    return (
        f"{counted(count, 'replication')}{fewer}, and {count:,} others to choose the setting, "
        f"seed {asked.question.seed}, paired 95 % intervals."
    )


def snapshot(asked: Asked, known: Known) -> Snapshot:
    """Return the best answer that the pieces which are there give."""
    assert known.checked is not None
    rounds = asked.inquiry.rounds
    count = max(_whole(asked, known), default=0)
    answer = asked.inquiry.answer(known.tallies, count or rounds[0], known.checked, asked.aim)
    return Snapshot(answer, known.checked[1], count, count == rounds[-1])


def _stage(asked: Asked, known: Known) -> tuple[int, int, bool]:
    """Return how many options the first answer has, how many answers are whole, whether remedies are."""
    inquiry = asked.inquiry
    remedies = not missing(inquiry.remedies(), known.tallies)
    return len(inquiry.there(known.tallies, inquiry.rounds[0])), len(_whole(asked, known)), remedies


def _whole(asked: Asked, known: Known) -> list[int]:
    """Return the rounds that are all there."""
    inquiry = asked.inquiry
    return [count for count in inquiry.rounds if not missing(inquiry.pieces(count), known.tallies)]


def _checked(asked: Asked, status: Placeholders) -> Known:
    """Return what is known, with the check of the model."""
    known: Known = _kept().get(asked.key) or Known()
    inquiry = asked.inquiry
    key = (*asked.key, inquiry.today, inquiry.replications)
    checked = _kept().get(key)
    if checked is None:

        def say(share: float, waits: str) -> None:
            status.progress("line", share / inquiry.replications, f"Checking the model … {waits}")

        today = inquiry.policies[inquiry.today]
        checked, recorded = _called(asked, key, say, check_model, today, inquiry.replications)
        known = replace(known, beforehand=recorded)
        _kept().keep(key, checked)
    return replace(known, checked=checked)


def _called(
    asked: Asked, key: Hashable, say: Callable[[float, str], None], function: Callable[..., Any], *more: Any
) -> tuple[Any, bool]:
    """Return what a function answers to the question, and whether it was computed beforehand, of a sample.

    What was not, or by other sources, is computed in the other process.
    """
    data = records().read(name_of(asked, key)) if asked.log.kind == "sample" else None
    if data is not None:
        return pickle.loads(data), True
    tasks = int(asked.question.model.tasks.sum())  # of a replication: what is done is said in these
    question = replace(asked.question)  # without what was worked out from it, which would be sent, too
    return PLAYING.done(key, lambda done, waits: say(done / tasks, waits), function, question, *more), False


def name_of(asked: Asked, key: Hashable) -> str:
    """Return how an answer is called among those that were computed beforehand: by all that it depends on."""
    made = repr((key, _made_by(), *map(digest, asked.log.files())))
    return f"whatif-{hashlib.sha256(made.encode()).hexdigest()[:20]}"


@cache
def _made_by() -> str:
    """Return what changes with the sources that read a history and play it; the records know the others."""
    files = sorted(one for name in ("traces", "whatif") for one in (ROOT / "sim" / name).rglob("*.py"))
    return hashlib.sha256("".join(essence(one.read_text("utf-8")) for one in files).encode()).hexdigest()
