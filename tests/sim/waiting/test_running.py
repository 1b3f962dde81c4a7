"""Times that are typed, and the stages of a log in which a task still runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.advice.waiting.answer import EXPLAINED, FEWEST, OWN, PRICES, SURE, UNSURE, WORTH
from sim.advice.waiting.laws import APART
from sim.advice.waiting.running import one_of, running_stages
from sim.advice.waiting.siblings import UNITS, Siblings, times_in
from sim.model.fields import BadInput
from tests.documents import ROOT
from tests.sim.logs.logs import ended, executor, job, launched, read, small, stage, start

# --- times that are typed ------------------------------------------------------------------------

amounts = st.floats(1e-3, 1e6).map(lambda one: float(f"{one:.6g}"))
words = st.sampled_from([*UNITS, "Min", "S"])


@given(
    st.lists(st.tuples(amounts, words, st.sampled_from(["", " ", "\t"])), min_size=1, max_size=8),
    st.sampled_from([" , ", ",", "\n", " ; ", "  ", "|", ",\r\n"]),
)
def test_amounts_with_their_units_are_read_back(given_times, apart):
    text = apart.join(f"{amount!r}{gap if unit else ''}{unit}" for amount, unit, gap in given_times)
    expected = [amount * UNITS[unit.lower()] for amount, unit, _ in given_times]
    np.testing.assert_allclose(times_in(text, "done"), expected, rtol=1e-12)


@given(st.integers(0, 10**6))
def test_a_clock_is_read_back(seconds):
    minutes, left = divmod(seconds, 60)
    texts = [f"{minutes}:{left:02}", f"{minutes // 60}:{minutes % 60:02}:{left:02}.5"]
    texts.append(f"{minutes // 1440}-{minutes // 60 % 24:02}:{minutes % 60:02}:{left:02}")  # of squeue
    assert times_in(" ".join(texts), "running").tolist() == [seconds, seconds + 0.5, seconds]


def test_nothing_is_no_time():
    assert times_in(" \n, ", "done").size == times_in("", "done").size == 0


@pytest.mark.parametrize("word", ["x", "12 parsecs", "-3", "1:2:3:4", "nan", "1.2.3", "min", "12s5"])
def test_what_is_no_time_is_named(word):
    with pytest.raises(
        BadInput, match=r"^done: '.+' is not accepted; give numbers such as 12, 1.5 min or 1:30"
    ):
        times_in(f"12, {word}, 14", "done")


def test_more_times_than_a_stage_has_are_refused():
    with pytest.raises(BadInput, match="running: more than 100,000 times; give those of one stage"):
        times_in("1 " * 100_001, "running")


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, math.inf])
def test_siblings_have_durations_and_ages_above_nothing(wrong):
    with pytest.raises(BadInput, match=r"^done: "):
        Siblings([wrong], [1.0])
    with pytest.raises(BadInput, match=r"^ages: "):
        Siblings([1.0], [wrong])


def test_siblings_have_a_size_each_or_none():
    with pytest.raises(BadInput, match="work: 2 sizes for 1 ages; give one for each, or none"):
        Siblings([1.0], [1.0], work=[1.0, 2.0])
    assert np.isnan(Siblings([1.0], [1.0]).done_work).all()
    assert Siblings([1.0, 2.0], [3.0]).tasks == ("task 3",)


# --- stages of a log -----------------------------------------------------------------------------


def of_reads(number):
    return {"Internal": 1, "Input Metrics": {"Bytes Read": number, "Records Read": 1}, "Executor Run Time": 5}


def running(more=()):
    """Of the first stage task 2 runs since 2 s; of the second task 1 since 1 s; the log ends at 9 s.

    Task 0 of the first stage was late: its copy ended it. Task 1 failed, and its second run ended.
    """
    first = [
        launched(0, 0, 1000),
        launched(1, 1, 1000),
        launched(2, 2, 2000, host="h2", executor="2"),
        launched(3, 0, 3000, speculative=True, host="h2", executor="2"),
        ended(3, 0, 3000, 5000, speculative=True, host="h2", executor="2", metrics=of_reads(70)),
        ended(0, 0, 1000, 5000, reason="TaskKilled", kill="another attempt succeeded", metrics=of_reads(60)),
        ended(1, 1, 1000, 4000, reason="ExceptionFailure"),
        launched(4, 1, 4000),
        ended(4, 1, 4000, 8500, metrics=of_reads(90)),
    ]
    second = [
        launched(5, 0, 1000, of=1),
        launched(6, 1, 1000, of=1),
        ended(5, 0, 1000, 9000, of=1, metrics=of_reads(10)),
    ]
    head = [start(), executor("1", 0), executor("2", 0, host="h2"), job(0, [0, 1], 50)]
    return [*head, stage(0, 3, 60), stage(1, 2, 60), *first, *second, *more]


def test_stages_with_running_tasks_come_with_the_oldest_one_first():
    found = list(running_stages(read(running())))
    assert [one.name for one in found] == ["stage 1", "stage 0"]
    assert [one.ages.tolist() for one in found] == [[8.0], [7.0]]  # up to the last time in the log, 9 s
    assert [one.tasks for one in found] == [("task 1",), ("task 2",)]
    assert [one.hosts for one in found] == [("h1",), ("h2",)]


def test_siblings_are_copies_that_finished_and_not_those_killed_or_failed():
    of_first = list(running_stages(read(running())))[1]
    assert sorted(of_first.done.tolist()) == [2.0, 4.5]
    by_time = dict(zip(of_first.done.tolist(), of_first.done_work.tolist(), strict=True))
    assert by_time == {2.0: 70.0, 4.5: 90.0}
    assert of_first.unit == "bytes"
    assert sorted(zip(of_first.done.tolist(), of_first.done_hosts, strict=True)) == [(2.0, "h2"), (4.5, "h1")]


def test_a_task_with_a_finished_copy_does_not_run():
    lost = [one for one in running() if one.get("Task End Reason", {}).get("Reason") != "TaskKilled"]
    assert len(lost) == len(running()) - 1  # the loser, of which nothing is told yet
    assert [one.tasks for one in running_stages(read(lost))] == [("task 1",), ("task 2",)]


def test_a_task_of_which_two_copies_run_is_one_task_as_old_as_the_first():
    copied = [launched(7, 2, 8000, speculative=True, host="h1")]
    of_first = list(running_stages(read(running(copied))))[1]
    assert (of_first.tasks, of_first.ages.tolist(), of_first.hosts) == (("task 2",), [7.0], ("h2",))


def test_ages_are_counted_up_to_now():
    history = read(running())
    now = history.origin + 60.0
    ages = [one.ages.tolist() for one in running_stages(history, now)]
    last = [one.ages.tolist() for one in running_stages(history)]
    assert [
        [age - before for age, before in zip(*pair, strict=True)] for pair in zip(ages, last, strict=True)
    ] == [
        [pytest.approx(60 - 9)],
        [pytest.approx(60 - 9)],
    ]
    with pytest.raises(BadInput, match="at: the log goes on for 4 s after that; give a later time, or now"):
        list(running_stages(history, history.origin + 5.0))


def test_of_a_finished_log_nothing_runs():
    assert list(running_stages(read(small()))) == []
    with pytest.raises(BadInput, match="file: no task of this log still runs"):
        one_of([], "")


def test_a_stage_is_found_by_its_name():
    stages = list(running_stages(read(running())))
    assert one_of(stages, "").name == "stage 1"
    assert one_of(stages, "stage 0") is stages[1]
    with pytest.raises(BadInput, match="stage: 'stage 7' has no running task; give one of stage 1, stage 0"):
        one_of(stages, "stage 7")


# --- documents -----------------------------------------------------------------------------------


def test_the_documents_have_the_numbers_of_the_advice():
    why, how = (
        " ".join((ROOT / "docs" / name).read_text().split())
        for name in ("explanation/waiting.md", "how-to/ask-about-a-running-task.md")
    )
    own, known = (f"{100 * OWN[one]:.0f} %" for one in (False, True))
    assert f"with a fixed probability, {own}, or {known} if its work is known" in why
    assert f"a slot costs {PRICES['idle']:g} seconds of the task's end if slots are idle" in why
    assert PRICES["queue"] == 1  # in words
    assert f"saves {100 * WORTH:.0f} % of the cost on average" in why
    idle, queue, less = (f"{100 * one:.0f}" for one in (*SURE.values(), UNSURE))
    assert f"at least {idle} % of the probability, or {queue} % if tasks wait for slots" in why
    assert f"less by up to {less} points" in why
    assert "a tail of index {:g}, {:g} or {:g}".format(*APART) in why
    assert f"with a probability of {100 * EXPLAINED:.0f} % or more" in why
    assert FEWEST == 5
    assert "Fewer than five siblings" in how
