"""A question answered in pieces has the same answer as at once; too large ones are scaled down or refused."""

from __future__ import annotations

import dataclasses
from dataclasses import replace

import numpy as np
import pytest

from sim.advice.whatif import pieces
from sim.advice.whatif.answer import with_remedies
from sim.advice.whatif.check import Check, check_model
from sim.advice.whatif.library import read_and_fit
from sim.advice.whatif.pieces import Constraints, SearchPlan, missing, play
from sim.advice.whatif.remedies.judged import plan, remedied
from sim.advice.whatif.report import as_json
from sim.advice.whatif.runs import Replay, plays
from sim.advice.whatif.steps import answer
from sim.advice.whatif.systems import SPARK
from sim.logs.samples import spark
from sim.logs.source import Upload
from sim.model.fields import BadInput
from tests.sim.logs.truth import generated, pareto

FEW = dataclasses.replace(SPARK, options=("fifo+spark", "fifo+spark:multiplier=1.5,quantile=0.5"))


@pytest.fixture(scope="module")
def question() -> Replay:
    from sim.advice.whatif.model import fit

    return Replay(fit(generated(7, pareto(1.6), stages=12, tasks=24)))


def played(inquiry: SearchPlan, count: int) -> dict:
    found: dict = {}
    for piece in missing([*inquiry.pieces(count), *inquiry.remedies()], found):
        found |= play(inquiry.question, inquiry.policy(piece), piece)
    return found


def test_pieces_make_the_answer_that_is_made_at_once(question):
    inquiry = SearchPlan.of(question, FEW, 6)
    checked = check_model(question, inquiry.policies[inquiry.today], 6)
    found = played(inquiry, 6)
    assert not missing(inquiry.pieces(6), found)
    whole = inquiry.answer(found, 6, checked, Constraints(budget=0.5, objective="p95"))
    once = answer(question, FEW, replications=6, budget=0.5, objective="p95", sweep=False)
    assert as_json(whole) == as_json(replace(once, first=""))  # which the log says, not the pieces


def test_options_come_one_by_one_and_advice_last(question):
    inquiry = SearchPlan.of(question, FEW, 4)
    _, pictures = check_model(question, inquiry.policies[inquiry.today], 4)
    checked, found, seen = (Check(()), pictures), {}, []
    for piece in inquiry.pieces(4):
        found |= play(question, inquiry.policies[piece.policy], piece)
        now = inquiry.answer(found, 4, checked)
        seen.append((len(now.options), now.advice is not None))
    assert seen == sorted(seen)
    assert {count for count, _ in seen} == {1, 2, 3}
    assert [advised for _, advised in seen].count(True) == 1
    assert next(iter(inquiry.pieces(4))).policy == inquiry.today


def test_remedies_come_when_all_of_their_pieces_are_there(question):
    inquiry = SearchPlan.of(question, FEW, 5)
    _, pictures = check_model(question, inquiry.policies[inquiry.today], 5)
    checked, found = (Check(()), pictures), {}
    for piece in [*inquiry.pieces(5), *inquiry.remedies()]:
        assert inquiry.answer(found, 5, checked).remedies is None
        found |= play(question, inquiry.policy(piece), piece)
    whole = inquiry.answer(found, 5, checked)
    policy = inquiry.policies[inquiry.today]
    once = {way: plays(remedied(question, way), policy, range(count)) for way, count in plan(question, 5)}
    today = [found[inquiry.today, number] for number in range(5)]
    assert as_json(whole)["remedies"] == as_json(with_remedies(whole, today, once))["remedies"]
    assert [one.remedy.key for one in whole.remedies.judged] == ["copy", "host", "split", "warm"]


def test_what_is_played_for_a_first_answer_counts_for_a_better_one(question):
    inquiry = SearchPlan.of(question, FEW, 40)
    assert inquiry.rounds == (20, 40)
    found = dict.fromkeys(
        (piece.policy, number) for piece in inquiry.pieces(20) for number in range(piece.first, piece.last)
    )
    todo = {
        (piece.policy, number) for piece in inquiry.pieces(40) for number in range(piece.first, piece.last)
    } - found.keys()
    assert {number for _, number in todo} == set(range(40, 80))


def test_a_question_that_is_too_large_is_scaled_down_and_a_huge_one_is_refused(question, monkeypatch):
    once = int(question.model.tasks.sum()) * (2 * 3 + 1)
    for module in (pieces, pieces.within_bounds.__globals__):
        if isinstance(module, dict):
            monkeypatch.setitem(module, "MOST_COPIES", 30 * once)
        else:
            monkeypatch.setattr(module, "MOST_COPIES", 30 * once)
    assert SearchPlan.of(question, FEW, 100).replications == 30
    assert SearchPlan.of(question, FEW, 20).replications == 20
    monkeypatch.setitem(pieces.within_bounds.__globals__, "MOST_COPIES", 9 * once)
    with pytest.raises(BadInput, match=f"would run {10 * once:,} tasks, more than {9 * once:,}"):
        SearchPlan.of(question, FEW, 100)


def test_a_log_that_holds_too_little_is_read_all_the_same():
    rows = ["job_id,task_id,start_s,end_s", *(f"a,{task},0,{task + 1}" for task in range(5))]
    found = read_and_fit(Upload("few.csv", "\n".join(rows).encode()))
    assert found.model is None
    assert "not enough to tell luck from work" in found.reason
    assert found.counts.copies == 5
    whole = read_and_fit(spark(speculation=False))
    assert whole.reason == ""
    assert whole.model is not None
    assert int(whole.model.tasks.sum()) == whole.counts.tasks == 456


def test_the_pictures_show_what_the_check_says(question):
    inquiry = SearchPlan.of(question, FEW, 20)
    checked, pictures = check_model(question, inquiry.policies[inquiry.today], 20)
    share = next(item.recorded for item in checked.items if item.name == "job times")
    inside = (pictures.low <= pictures.recorded) & (pictures.recorded <= pictures.high)
    assert inside.mean() == pytest.approx(share)
    middle = next(item.recorded for item in checked.items if item.name == "ranks of stage times")
    assert pictures.ranks.mean() == pytest.approx(middle)
    np.testing.assert_allclose(pictures.recorded, question.model.job_times)
