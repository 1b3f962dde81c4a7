"""The curves of the Threshold page, and whether its text about them is true."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.formulas.threshold.charts import rate_alt, rate_chart, slot_limit, value_alt, value_chart
from pages.formulas.threshold.question import Scene, SlotValue, scene
from pages.formulas.threshold.words import cards, curves, job_columns, notices, reading
from tests.pages.made import checked, trouble, words
from theory.service_rate import blow_up

BETAS = st.integers(22, 80).map(lambda n: n / 20)  # what the slider offers, the corners 3/2 and 2 among them
TASKS = st.tuples(*[st.integers(1, 100)] * 3)


Setting = tuple[SlotValue, tuple[int, int, int], int]


@st.composite
def settings_of_the_page(draw: st.DrawFn) -> Setting:
    beta, kind = draw(BETAS), draw(st.sampled_from(["any", "whole", "printed"]))
    law = SlotValue(beta, kind == "whole", kind == "printed" and beta > 2)
    return law, draw(TASKS), draw(st.integers(1, 400))


def each_setting(test: Callable[[Scene], None]) -> Callable[[], None]:
    """Try a test of a scene with what the controls can be set to."""

    @settings(max_examples=40, deadline=None)
    @given(setting=settings_of_the_page())
    def tried(setting: Setting) -> None:
        law, tasks, chosen = setting
        test(scene(law, tasks, chosen, slot_limit(tasks, chosen)))

    tried.__name__ = test.__name__  # type: ignore[attr-defined]
    return tried


def seen(beta: float, *, whole: bool = False, printed: bool = False, chosen: int = 30) -> Scene:
    return scene(SlotValue(beta, whole, printed), (10, 20, 40), chosen, 100)


@each_setting
def test_the_threshold_is_where_the_value_of_a_slot_begins_to_fall(at: Scene) -> None:
    for job in at.jobs:
        for share in (0.01, 0.5, 1 - 1e-9):
            assert isclose(
                float(at.law.value(share * job.threshold, job.tasks)), at.law.plateau, rel_tol=1e-6
            )
        assert float(at.law.value(1.001 * job.threshold, job.tasks)) < at.law.plateau * (1 - 1e-6)


@settings(max_examples=40, deadline=None)
@given(beta=BETAS, tasks=TASKS, chosen=st.integers(1, 400))
def test_copies_and_tasks_in_service_make_up_the_rate(
    beta: float, tasks: tuple[int, int, int], chosen: int
) -> None:
    for job in scene(SlotValue(beta), tasks, chosen, 1000).jobs:
        assert job.in_service <= job.tasks
        assert job.in_service * job.copies == pytest.approx(chosen)
        assert job.rate == pytest.approx(chosen * float(blow_up(job.copies, beta)))


@each_setting
def test_another_slot_does_most_where_the_page_says(at: Scene) -> None:
    def gain(tasks: float) -> float:
        return float(at.law.rate(at.chosen + 1e-4, tasks) - at.law.rate(at.chosen, tasks))

    most = max(gain(job.tasks) for job in at.jobs)
    for job in at.neediest:
        assert gain(job.tasks) == pytest.approx(most, rel=1e-3)
    assert gain(at.contented.tasks) <= most * (1 + 1e-6)
    needy = " or ".join(job.name for job in at.neediest)
    assert cards(at)[3][1] == ("any of them" if at.level else f"job {needy}")


@each_setting
def test_a_jump_is_spoken_of_exactly_where_the_value_jumps(at: Scene) -> None:
    told = " ".join(notices(at))
    job = at.jobs[0]
    before, after = (float(at.law.value(job.threshold * k, job.tasks)) for k in (1 - 1e-9, 1))
    if at.law.printed:
        assert "less than one copy" in told
    else:
        assert ("does jump" in told) == (after < before * (1 - 1e-6))
        assert ("nothing jumps" in told) == (after > before * (1 - 1e-6))


def test_whole_copies_jump_at_two_slots_a_task_only_at_the_tie() -> None:
    thresholds = {beta: seen(beta, whole=True).law.theta for beta in (1.25, 1.45, 1.5, 1.55, 3.0)}
    assert thresholds == {1.25: 2, 1.45: 2, 1.5: 2, 1.55: 1, 3.0: 1}
    for beta in thresholds:
        tie = [notice for notice in notices(seen(beta, whole=True)) if "one copy and two" in notice]
        assert len(tie) == (beta == 1.5)


def test_the_numbers_of_the_notices_are_those_of_the_theory() -> None:
    told = notices(seen(1.5))  # theta = 4/3, kappa = 9/8; at 30 slots 2 (10/30)^2 in A
    assert "Up to 1.333 slots per task every slot adds the same, 1.125. Job A" in told[0]
    assert "with 13.3 slots" in told[0]
    assert "adds 1.125 to job C and 0.222 to job A, 5.1 times as much" in told[1]
    assert "still 1.125 at 13.3 slots and 0.281 at twice as many" in told[2]
    assert "from 1 to 0.5" in notices(seen(3.0))[2]
    assert "would do the work of 7.50 plain slots with 6.67 of them" in notices(seen(3.0, printed=True))[2]


@pytest.mark.parametrize(
    ("chosen", "said"), [(5, "no difference"), (30, "before it lets"), (90, "All are beyond")]
)
def test_what_hopper_does_depends_on_who_is_below(chosen: int, said: str) -> None:
    assert said in notices(seen(1.5, chosen=chosen))[1]


@each_setting
def test_every_picture_is_valid_and_within_its_axes(at: Scene) -> None:
    for draw, tell in ((rate_chart, rate_alt), (value_chart, value_alt)):
        figure = checked(draw(at, dark=at.chosen % 2 == 0))
        width, height = figure.layout.xaxis.range[1], figure.layout.yaxis.range[1]
        for trace in figure.data:
            assert np.all(np.isfinite(trace.y))
            assert np.min(trace.y) >= 0
            assert np.max(trace.y) <= height * (1 + 1e-9)
        assert at.chosen <= width
        assert not trouble([*words(figure), tell(at)])
        assert re.search(r"\d", tell(at))


@each_setting
def test_a_jump_is_drawn_upright(at: Scene) -> None:
    """Both its ends are there, so that no slanted line stands for it."""
    for job in at.jobs:
        corner = np.flatnonzero(np.isclose(job.slots, job.threshold, rtol=1e-6))
        assert job.threshold > job.slots[-1] or job.values[corner].max() == pytest.approx(at.law.plateau)
        if at.law.whole or (at.law.beta > 2 and not at.law.printed):
            after = float(at.law.value(job.threshold, job.tasks))
            assert job.threshold > job.slots[-1] or job.values[corner].min() == pytest.approx(after)


@each_setting
def test_what_is_taken_away_holds_what_is_on_the_screen(at: Scene) -> None:
    table, told = curves(at), reading(at)
    assert set(table["job"]) == {job.name for job in at.jobs}
    assert not table.isna().any().any()
    again = json.loads(json.dumps(told, allow_nan=False))
    assert [job["slot_adds"] for job in again["jobs"]] == [job.value for job in at.jobs]
    assert not trouble([*job_columns(at).to_numpy().ravel(), *(text for card in cards(at) for text in card)])
