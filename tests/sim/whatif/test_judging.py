"""A verdict about an advice changes at the very value of each limit: of mean, p95 and slot-time."""

from __future__ import annotations

import pytest

from sim.advice.whatif.doubt import MODELS
from sim.advice.whatif.runs import ReplicationFigures
from sim.advice.whatif.second_opinion import Opinion
from sim.advice.whatif.setting_effect import SettingEffect, changes
from sim.advice.whatif.verdict import (
    APPROVED,
    CANNOT_TELL,
    NOT_APPROVED,
    TO_TRY,
    Watch,
    judged,
    watch_of,
)

Ends = tuple[float, ...]
#: A gain in all models, and hardly any change.
GAIN, NONE = (-0.3, -0.4, -0.2), (0.0, -0.01, 0.01)
LITTLE = 1e-9


def effects(mean: Ends, p95: Ends, slots: Ends = NONE) -> dict[str, SettingEffect]:
    """Return changes: value, low, high, and perhaps what 95 % of the models are below."""
    return {name: SettingEffect(*one) for name, one in {"mean": mean, "p95": p95, "slot_time": slots}.items()}


#: Changes of mean, p95 and slot-time, which number is at a limit, and the verdicts there and beyond.
LIMITS: dict[str, tuple[list[Ends], tuple[int, int], str, str]] = {
    "jobs may be longer": ([(-0.3, -0.4, 0.05, -0.2), GAIN, NONE], (0, 2), APPROVED, CANNOT_TELL),
    "the p95 may be longer": ([GAIN, (-0.3, -0.4, 0.05, -0.2), NONE], (1, 2), APPROVED, CANNOT_TELL),
    "longer by twice its gain": ([NONE, (-0.3, -0.4, -0.2, -0.005), NONE], (1, 3), APPROVED, CANNOT_TELL),
    "the p95 gains enough": ([(0.0, -0.1, 0.01), (-0.03, -0.4, -0.01), NONE], (1, 0), APPROVED, CANNOT_TELL),
    "the mean gains enough": ([(-0.03, -0.4, -0.01), (0.0, -0.1, 0.01), NONE], (0, 0), APPROVED, CANNOT_TELL),
    "the mean may gain": ([(0.0, -0.03 - LITTLE, 0.01), NONE, NONE], (0, 1), CANNOT_TELL, NOT_APPROVED),
    "the p95 may gain": ([NONE, (0.0, -0.03 - LITTLE, 0.01), NONE], (1, 1), CANNOT_TELL, NOT_APPROVED),
    "slot-time in the budget": ([GAIN, GAIN, (0.05, -0.2, 0.05)], (2, 0), APPROVED, CANNOT_TELL),
    "slot-time surely in it": ([GAIN, GAIN, (0.02, -0.2, 0.06, 0.05)], (2, 3), APPROVED, CANNOT_TELL),
    "slot-time hardly beyond it": ([GAIN, GAIN, (0.02, -0.2, 0.06, 0.04)], (2, 2), APPROVED, CANNOT_TELL),
    "slot-time is saved": ([(0.0, -0.01, 0.03), NONE, (-0.2, -0.3, -0.03)], (0, 2), APPROVED, NOT_APPROVED),
    "enough is saved": ([NONE, NONE, (-0.2, -0.3, -0.02, -0.03)], (2, 3), APPROVED, NOT_APPROVED),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_verdict_changes_where_a_number_passes_its_limit(name: str) -> None:
    at, (figure, end), there, beyond = LIMITS[name]
    past = [list(one) for one in at]
    past[figure][end] += 2 * LITTLE
    assert judged(effects(*at), 0.05)[0] == there
    assert judged(effects(*map(tuple, past)), 0.05)[0] == beyond  # type: ignore[arg-type]


def test_harm_is_told_of_the_figure_that_it_is_of() -> None:
    """Mean and p95 go opposite ways, and each is named with its own end."""
    worse, better = (0.2, 0.11, 0.37), (-0.01, -0.02, 0.0)
    for mean, p95, said in ((worse, better, "the mean job time"), (better, worse, "the p95 of the job time")):
        told = f"{said} surely grows by 11 % or more."
        assert judged(effects(mean, p95), 0.05) == (NOT_APPROVED, told)
        may = f"{said} may grow by 37 %, more than 5 %."
        least = [(0.01, -0.01, 0.37) if one is worse else one for one in (mean, p95)]
        assert judged(effects(*least), 0.05) == (NOT_APPROVED, may)
    assert "surely" not in judged(effects((0.0099, 0.001, 0.01), NONE), 0.05)[1]
    assert "surely" in judged(effects((0.01, 0.001, 0.01), NONE), 0.05)[1]
    dear = "slot-time surely grows by 11 % or more, and the budget is 5 %."
    assert judged(effects(GAIN, GAIN, worse), 0.05) == (NOT_APPROVED, dear)
    assert judged(effects(GAIN, GAIN, worse), 0.11)[1].startswith(
        "slot-time may grow by 37 %, more than 13.2 %."
    )
    assert "20 of 20" in judged(effects((-0.3, -0.4, -LITTLE), GAIN), 0.05)[1]
    assert "19 of 20" in judged(effects((-0.3, -0.4, 0.0), GAIN), 0.05)[1]
    assert "19 of 20" in judged(effects(GAIN, (-0.3, -0.4, 0.0)), 0.05)[1]
    one = Opinion({}, NOT_APPROVED, "No.", effects((0.02, -0.01, 0.07), (0.1, 0.05, 0.2), (0.03, 0.01, 0.11)))
    assert "take 7 % longer on average, and slot-time grows by 11 %." in one.worst
    assert one.sentence.startswith("mean job time +2.0 % (-1.0 to +7.0), slot-time +3.0 % (+1.0 to +11.0).")


def test_a_trial_is_allowed_by_its_watch_alone() -> None:
    bet = effects((-0.3, -0.4, 0.2, -0.2), GAIN)
    for watch, verdict in {
        None: CANNOT_TELL,
        Watch(50, 10, 0.1, 0.02): TO_TRY,
        Watch(50, 10, 0.1, 0.02, False): CANNOT_TELL,
    }.items():
        assert judged(bet, 0.05, watch=watch)[0] == verdict


@pytest.mark.parametrize("name", ["mean", "p95", "slot_time"])
def test_a_trial_watches_whichever_figure_is_harmed(name: str) -> None:
    """One model in twenty makes it longer by 20 %; where another harms, the trial cannot tell."""

    def plays(harmed: int, factor: float) -> list[ReplicationFigures]:
        of = {"mean": 0.9, "p95": 0.9, "slot_time": 1.0, "copies": 60.0, "won": 30.0, "makespan": 3600.0}
        found = [dict(of) for _ in range(MODELS)]
        found[7]["won"] = 0.0
        found[harmed][name] = factor
        return [ReplicationFigures(one) for one in (*found, *found)]

    today = [
        ReplicationFigures(one.figures | {"mean": 1.0, "p95": 1.0, "slot_time": 1.0}) for one in plays(7, 1)
    ]

    def watched(harmed: int, budget: float = 0.05) -> Watch | None:
        then = plays(harmed, 1.2)
        return watch_of(then, today, changes(then, today), budget)

    found = watched(7)
    assert found is not None
    assert found.hours == pytest.approx(found.copies / 60)
    then = plays(7, 1.2)
    assert found.costs == pytest.approx(found.hours * changes(then, today)[name].high)
    assert watched(8) is None
    assert (watched(8, 0.2) is None) == (name != "slot_time")  # within a larger budget
