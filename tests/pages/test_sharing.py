"""The shares of the Allocation page, and whether its text about them is true."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.formulas.allocation.charts import bars, bars_alt, pouring, water, water_alt, water_level
from pages.formulas.allocation.controls import INSTANCES, PANEL
from pages.formulas.allocation.question import LEAST, RULES, Request, Row, Scene, Share, answers, checked
from pages.formulas.allocation.words import cards, decided, notices, reading, sums, table
from tests.pages.made import checked as validated
from tests.pages.made import trouble, words
from theory.objective import total_rate

CELLS = st.tuples(
    st.integers(0, 200).map(float),
    st.none() | st.sampled_from([0.01, 0.25, 1.0, 4.0]),
    st.none() | st.floats(1, 500),
)
#: The ends of what the table accepts.
ENDS = st.tuples(
    st.sampled_from([0.0, LEAST, 0.001, 1.0, 999.0, 1000.0]),
    st.none() | st.sampled_from([LEAST, 1.0, 1000.0]),
    st.none() | st.sampled_from([LEAST, 1.0, 1e6]),
)


@st.composite
def questions(
    draw: st.DrawFn, printed: bool | None = None, cells: st.SearchStrategy[tuple[float | None, ...]] = CELLS
) -> Request:
    drawn = draw(st.lists(cells, min_size=1, max_size=12).filter(lambda rows: any(T for T, *_ in rows)))
    rows = [Row(name, *row) for name, row in zip("ABCDEFGHIJKL", drawn, strict=False)]
    jobs, _ = checked(tuple(rows))
    assert jobs is not None
    beta, epsilon = draw(st.integers(22, 80)) / 20, draw(st.integers(0, 20)) / 20
    as_printed = draw(st.booleans()) if printed is None else printed
    return Request(jobs, float(draw(st.integers(1, 500))), beta, epsilon, as_printed)


def asked(name: str) -> Request:
    start = PANEL.defaults(name)
    jobs, _ = checked(start["jobs"])
    assert jobs is not None
    return Request(jobs, start["S"], start["beta"], start["epsilon"], start["printed"])


def answered(name: str) -> tuple[Request, dict[str, Share]]:
    question = asked(name)
    return question, answers(question)


def seen(question: Request, rule: str = "Algorithm 2") -> Scene:
    return Scene(question, rule)


@settings(max_examples=40)
@given(question=questions(printed=False))
def test_corrected_every_rule_has_an_answer_within_the_slots(question: Request) -> None:
    found = answers(question)
    for share in found.values():
        assert share.slots is not None
        assert share.rate is not None
        assert share.slots.min() >= 0
        assert share.slots.sum() <= question.slots * (1 + 1e-9)
        assert 0 <= share.rate.shortfall <= 1
    assert found["Algorithm 1"].rate.shortfall == pytest.approx(0, abs=1e-9)
    assert found["Exact optimum"].weighted.shortfall == pytest.approx(0, abs=1e-9)
    F = question.regime(question.epsilon).guarantee
    for name in ("Algorithm 2", "Projection"):
        assert found[name].slots.min() >= F * (1 - 1e-9)


@settings(max_examples=40)
@given(question=questions(printed=False))
def test_slots_are_short_when_the_jobs_want_more(question: Request) -> None:
    wanted, has_tasks = float(question.wanted.sum()), bool(question.jobs.T.any())
    if abs(wanted - question.slots) > 1e-6:
        assert question.short == (wanted > question.slots or not has_tasks)
    assert cards(seen(question))[0][1] == ("short" if question.short else "to spare")


@settings(max_examples=40)
@given(question=questions(printed=False))
def test_the_water_level_is_where_jobs_stand_that_are_above_the_guarantee(question: Request) -> None:
    for rule, share in answers(question).items():
        poured = water_level(seen(question, rule))
        if poured is not None:
            F = 0 if rule == "Algorithm 1" else question.regime(question.epsilon).guarantee
            np.testing.assert_allclose(
                share.slots, np.maximum(F, poured * question.jobs.T), rtol=1e-6, atol=1e-6 * question.slots
            )


@settings(max_examples=15)
@given(question=questions() | questions(cells=ENDS))
def test_every_picture_and_every_word_is_fit_to_be_seen(question: Request) -> None:
    scene = seen(question)
    told = [*notices(scene), decided(scene), bars_alt(scene)]
    told += [text for card in cards(scene) for text in card]
    told += [str(cell) for cell in sums(scene).to_numpy().ravel()]
    figure = validated(bars(scene, dark=True))
    assert sum(np.sum(trace.x) for trace in figure.data) == pytest.approx(
        sum(share.slots.sum() for share in scene.found.values() if share.slots is not None),
        rel=1e-6,
        abs=1e-6,
    )
    for rule in scene.found:
        poured = seen(question, rule)
        told += [*words(validated(water(poured, dark=False))), water_alt(poured), pouring(poured)]
    assert not trouble([*told, *words(figure)])
    json.dumps(reading(scene), allow_nan=False)
    assert len(table(scene)) == len(RULES) * len(question.jobs.names)


@settings(max_examples=40)
@given(question=questions(printed=False))
def test_the_area_of_a_job_is_its_slots(question: Request) -> None:
    for rule, share in answers(question).items():
        columns = water(seen(question, rule), dark=False).data[0]
        area = {cells[0]: float(cells[3]) for cells in columns.customdata}
        for name, tasks, slots in zip(question.jobs.names, question.jobs.T, share.slots, strict=True):
            if tasks > 0:
                assert area[name] == pytest.approx(slots, abs=1e-9 * question.slots)


@settings(max_examples=40)
@given(question=questions(printed=True))
def test_a_printed_rule_is_spoken_of_exactly_where_it_differs(question: Request) -> None:
    printed, right = (answers(replace(question, printed=p)) for p in (True, False))
    told = notices(seen(question))
    for name in printed:
        before, after = printed[name].slots, right[name].slots
        differs = before is None or not np.allclose(before, after, rtol=0, atol=1e-6 * max(question.slots, 1))
        assert any(notice.startswith(f"As printed, {name} ") for notice in told) == differs


@settings(max_examples=40)
@given(question=questions(printed=False))
def test_fairness_costs_what_is_said(question: Request) -> None:
    notice = next((n for n in notices(seen(question)) if n.startswith("To guarantee")), None)
    assert (notice is None) == (question.epsilon == 1)
    if notice:
        cost = answers(question)["Algorithm 2"].rate.shortfall
        assert ("costs nothing" in notice) == (cost < 1e-9)


def test_a_job_that_loses_by_a_slot_more_is_named() -> None:
    told = " ".join(notices(seen(asked("drop"))))
    assert "With one slot less Algorithm 3 would give job A 16 slots instead of 0" in told
    calm = " ".join(notices(seen(asked("dag"))))
    assert "With one slot less" not in calm


def test_the_printed_instances_go_wrong_as_their_titles_say() -> None:
    question, found = answered("count")
    np.testing.assert_allclose(found["Algorithm 2"].slots, [25, 75])
    assert found["Algorithm 2"].rate.shortfall > 1e-3
    _, found = answered("few")
    assert found["Algorithm 2"].slots is None
    question, found = answered("pass")
    np.testing.assert_allclose(found["Projection"].slots, [45, 25, 30])
    assert found["Projection"].slots.min() < question.regime(question.epsilon).guarantee == pytest.approx(30)
    assert answered("gap")[1]["Algorithm 3"].case == "no case applies at S = 140"
    assert answered("both")[1]["Algorithm 3"].case == "case 2, k = 2 and case 3, k = 1 apply at once"
    question, found = answered("early")
    right = answers(replace(question, printed=False))["Algorithm 3"]
    assert found["Algorithm 3"].weighted.value < right.weighted.value * 0.99


def test_the_other_instances_show_what_their_titles_say() -> None:
    assert answered("short")[0].short
    assert not answered("spare")[0].short
    assert len(answered("many")[0].jobs.names) == 12
    assert answered("dag")[0].jobs.weighted
    assert answered("greedy")[1]["Algorithm 3"].weighted.shortfall > 0.9


@pytest.mark.parametrize("name", INSTANCES)
def test_numbers_in_the_table_are_sums_over_the_jobs(name: str) -> None:
    question, found = answered(name)
    shown = sums(seen(question))
    for rule, share in found.items():
        if share.slots is None:
            assert set(shown.loc[rule]) == {"—"}
        else:
            value = float(re.sub(",", "", shown.loc[rule, "Σ μ"]))
            assert value == pytest.approx(total_rate(question.jobs.T, share.slots, question.beta), rel=1e-3)
    assert ("Σ αμ" in shown) == question.jobs.weighted
