"""Pieces of answers, played where all visitors take turns: what they make, and for whom a piece waits."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import MagicMock

import pytest

from pages.shared.app.turns import Placeholders
from pages.shared.live import playing
from pages.shared.live.playing import SharedPlayer
from sim.advice.fleet import first_look
from sim.advice.fleet.first_look import advised
from sim.advice.several.after import compared
from sim.advice.several.report import after_json
from sim.advice.whatif.model import fit
from sim.advice.whatif.pieces import Constraints, SearchPlan
from sim.advice.whatif.report import as_json
from sim.advice.whatif.runs import Replay
from sim.advice.whatif.steps import answer, steps
from sim.advice.whatif.systems import SPARK
from sim.logs.source import Upload
from sim.model.fields import BadInput
from sim.running.byte_cache import ByteCache
from sim.running.parallel import HERE, Player
from sim.running.processes.jobs import Job, Jobs
from sim.running.processes.worker import Ended
from tests.sim.logs.truth import generated, pareto
from tests.sim.processes import calls

#: Tasks of a piece in these tests.
FEW = 1_000


class Noting(Jobs):
    """Processes that note what they were asked for."""

    def __init__(self) -> None:
        super().__init__(1, playing.LIMITS)
        self.noted: list[Job] = []
        self.over: dict[Job, float] = {}

    def _done(self, job: Job, *arguments: Any, **options: Any) -> None:
        self.over[job] = time.monotonic()
        super()._done(job, *arguments, **options)

    @contextlib.contextmanager
    def joined(self, *arguments: Any, **options: Any) -> Iterator[Job]:
        """Join a job and note it."""
        with super().joined(*arguments, **options) as job:
            self.noted.append(job)
            yield job


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Noting:
    """Return processes and a cache of this test alone; a session is a thread."""
    jobs, long, kept = Noting(), Noting(), ByteCache(2**24)
    monkeypatch.setattr(playing, "players", lambda: playing.Players(jobs, long))
    monkeypatch.setattr(playing, "kept", lambda: kept)
    monkeypatch.setattr(playing, "session", lambda: threading.current_thread().name)
    monkeypatch.setattr(playing, "TICK_S", 0.02)
    return jobs


def player(*key: object) -> SharedPlayer:
    found = SharedPlayer(key, Placeholders(MagicMock()))
    found.tasks = FEW
    return found


def test_pieces_of_a_comparison_make_what_the_whole_makes(jobs: Noting) -> None:
    """Some figures of these runs have no interval but that of reruns, so that all is played."""
    one, two = (generated(seed, pareto(1.6), stages=12, tasks=20) for seed in (7, 8))
    whole = compared([one], [two], 40, 3)
    assert whole.found.untold or any(one.over.startswith("reruns") for one in whole.found.change.values())
    pieces = compared([one], [two], 40, 3, player("comparison"))
    assert json.dumps(after_json(pieces)) == json.dumps(after_json(whole))
    assert len(jobs.noted) > 30
    again = compared([one], [two], 40, 3, player("comparison"))
    assert json.dumps(after_json(again)) == json.dumps(after_json(whole))


def test_what_was_made_beforehand_is_not_played_and_is_said_while_the_next_piece_is(
    jobs: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, sample = {("one",): 7}, (Upload("sample", b""),)
    monkeypatch.setattr(playing, "made_of", lambda key, files: made.get(key) if files is sample else None)
    status = MagicMock()
    own = SharedPlayer((), status, sample=sample)
    own.begin("Adding up", 10.0)
    assert own(calls.echo, 1, tasks=5, key="one") == 7
    several("warm", 1, 0.0)
    for _ in range(2):
        own(calls.sleeps, 0.5, tasks=5)
    said = [call.args for call in status.progress.call_args_list]
    assert ("line", 0.5, "Computed beforehand. Adding up … ") in said
    assert said[-1] == ("line", 1.0, "Adding up … ")
    assert len(jobs.noted) == 3


def several(visitor: str, count: int, seconds: float) -> None:
    """Play pieces, one after the other."""
    own = player(visitor)
    for _ in range(count):
        own(calls.sleeps, seconds, tasks=FEW)


def test_a_piece_of_a_visitor_waits_for_at_most_two_others(jobs: Noting) -> None:
    """Two visitors have long comparisons; the third asks for little."""
    several("warm", 1, 0.0)
    visitors = [threading.Thread(target=several, args=(name, 12, 0.1), name=name) for name in ("ann", "bob")]
    for one in visitors:
        one.start()
    third = threading.Thread(target=several, args=("cem", 3, 0.01), name="cem")
    third.start()
    for one in (*visitors, third):
        one.join()
    own = [job for job in jobs.noted if job.owner == "cem"]
    others = [job for job in jobs.noted if job.owner in ("ann", "bob")]
    assert len(own) == 3
    assert len(others) == 24
    for job in own:
        before = [one for one in others if (one.begun or 0) < (job.begun or 0) and jobs.over[one] > job.asked]
        assert len(before) <= 2


def test_a_piece_does_not_wait_for_what_cannot_be_divided(jobs: Noting) -> None:
    several("warm", 1, 0.0)
    long = 10 * playing.LONG_S * playing.TASKS
    fits = [
        threading.Thread(target=lambda name=name: player(name)(calls.sleeps, 2.0, tasks=long))
        for name in ("ann", "bob")
    ]
    for one in fits:
        one.start()
    time.sleep(0.3)
    begun = time.monotonic()
    several("cem", 1, 0.01)
    assert time.monotonic() - begun < 1
    for one in fits:
        one.join()


def test_a_piece_says_who_asks_and_how_long_it_is_expected_to_take(jobs: Noting) -> None:
    several("ann", 1, 0.0)
    (job,) = jobs.noted
    assert job.owner == threading.current_thread().name
    assert job.due == pytest.approx(job.asked + 30 * FEW / 300_000, abs=0.05)


def test_what_is_known_is_shown_at_once_and_as_one_step(jobs: Noting) -> None:
    def steps(player: Player) -> Iterator[int]:
        for number in range(4):
            yield number
            player(calls.echo, number, key=number)
        yield 4

    first = player("same")
    found = first.follow(steps)
    assert [next(found), next(found), next(found)] == [0, 1, 2]
    assert list(player("same").follow(steps)) == [2, 3, 4]
    assert list(player("same").follow(steps)) == [4]
    assert list(steps(HERE)) == [0, 1, 2, 3, 4]
    assert len(jobs.noted) == 4


def test_what_is_made_of_pieces_is_kept_and_errors_are_not(jobs: Noting) -> None:
    tried = []

    def fails(player: Player) -> Callable[[], int]:
        def make() -> int:
            tried.append(1)
            if len(tried) == 1:
                raise Ended("time")
            return int(player(calls.echo, 5))

        return make

    for expected in ("took more processor time", "5", "5"):
        own = player("kept")
        try:
            found = str(own.made("sum", fails(own)))
        except BadInput as error:
            found = str(error)
        assert expected in found
    assert len(tried) == 2


def test_pieces_of_what_if_make_what_the_shell_makes(jobs: Noting) -> None:
    """The check, settings, remedies, and the load up to which the advice pays."""
    history = generated(7, pareto(1.6), stages=12, tasks=24, slots=4)
    whole = answer(Replay(fit(history)), SPARK, replications=20, budget=0.5)
    inquiry = SearchPlan.of(Replay(fit(history)), SPARK, 20)
    *_, last = player("question").follow(lambda player: steps(inquiry, Constraints(budget=0.5), player))
    assert json.dumps(as_json(last.answer)) == json.dumps(as_json(whole))
    assert len(jobs.noted) > 100
    (again,) = player("question").follow(lambda player: steps(inquiry, Constraints(budget=0.5), player))
    assert json.dumps(as_json(again.answer)) == json.dumps(as_json(whole))


def test_pieces_of_a_log_of_a_fleet_make_what_the_shell_makes(
    jobs: Noting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_look, "REPLICATIONS", 10)
    history = replace(generated(7, pareto(1.6), stages=12, tasks=24, slots=4), format="spark")
    assert advised(history, player("log")) == advised(history)
    assert len(jobs.noted) > 50


def test_a_failure_that_may_pass_is_not_kept_by_what_is_made_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache, ends = ByteCache(2**20), [True, False]
    monkeypatch.setattr(playing, "kept", lambda: cache)

    def play(*arguments: Any) -> str:
        if ends.pop(0):
            raise Ended("died")
        return "played"

    monkeypatch.setattr(SharedPlayer, "play", play)

    def visit() -> str:
        player = SharedPlayer(("a log",), MagicMock())

        def advise() -> str:
            try:
                return player.made("inner", lambda: player(len))
            except BadInput:
                return "cannot be told"

        return player.made("advised", advise)

    with pytest.raises(BadInput, match="load the page again"):
        visit()
    assert visit() == "played"


def test_a_step_that_was_kept_meanwhile_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first pass a piece would have to be waited for; in the second another visitor's is there."""
    cache = ByteCache(2**20)
    monkeypatch.setattr(playing, "kept", lambda: cache)
    player, passes = SharedPlayer(("a log",), MagicMock()), []

    def known(_: SharedPlayer) -> Iterator[str]:
        passes.append(1)
        if len(passes) == 2:
            cache.keep((((("a log",)), 0)), ("theirs",))
        yield player(len)

    assert list(player.follow(known)) == ["theirs"]
    assert len(passes) == 2
