"""The load up to which a setting pays."""

from __future__ import annotations

import dataclasses

import pytest

from sim.advice.whatif import reach as module
from sim.advice.whatif.model import fit
from sim.advice.whatif.reach import Wanted, reach
from sim.advice.whatif.runs import Replay, at_load
from sim.advice.whatif.setting_effect import CHANGES, SettingEffect
from sim.engines.slots.scenario import read_policy
from sim.model.fields import BadInput
from tests.sim.whatif.clusters import cluster, pareto

WANTED = Wanted(read_policy("fifo+spark"), read_policy("fifo+none"), "mean", 0.05)


def changed(gain: float, extra: float = 0.01, half: float = 0.02) -> dict[str, SettingEffect]:
    """Return changes of job times and of slot-time."""
    around = dict.fromkeys(CHANGES, gain) | {"slot_time": extra}
    return {name: SettingEffect(value, value - half, value + half) for name, value in around.items()}


@pytest.fixture(scope="module")
def question() -> Replay:
    return Replay(fit(cluster(3, pareto(1.5), load=0.4).history))


def found_with(question, monkeypatch, change_at):
    """Search where the change at each offered load is known."""
    monkeypatch.setattr(module, "in_parts", lambda player, play, asked, *more: [asked.load])
    monkeypatch.setattr(module, "changes", lambda ours, theirs: change_at(ours[0]))
    return reach(question, WANTED, change_at(question.load), 10)


@pytest.mark.parametrize("edge", [0.55, 0.7, 0.93])
def test_the_load_at_which_a_setting_stops_paying_is_found(question, monkeypatch, edge):
    found = found_with(question, monkeypatch, lambda load: changed(0.4 * (load - edge)))
    assert found.last.load < edge <= found.stops.load
    assert found.stops.load / found.last.load < (1 / question.load) ** (1 / 3 / module.STEPS)
    assert found.sure.load < edge - 0.05 <= found.sure.load * 1.3
    assert found.last.rate == pytest.approx(found.last.load / question.load)
    assert "stops paying at" in found.sentence
    assert "change of the mean job time is +" in found.sentence


def test_a_setting_that_always_pays_pays_up_to_what_was_tried(question, monkeypatch):
    found = found_with(question, monkeypatch, lambda load: changed(-0.2))
    assert found.stops is None
    assert found.last.load == pytest.approx(1.0)
    assert found.sure is found.last
    assert "higher rates were not tried" in found.sentence


def test_a_setting_stops_paying_where_it_costs_more_than_the_budget(question, monkeypatch):
    found = found_with(question, monkeypatch, lambda load: changed(-0.2, extra=0.2 * load - 0.05))
    assert found.stops.change["slot_time"].value > 0.05
    assert found.last.change["slot_time"].value <= 0.05
    assert "more than the budget" in found.sentence


def test_each_rate_is_played_with_the_same_luck_as_today(question):
    found = reach(question, WANTED, changed(-0.1), 4)
    again = reach(question, WANTED, changed(-0.1), 4)
    assert found == again
    assert [point.load for point in found.points] == sorted(point.load for point in found.points)
    never = dataclasses.replace(WANTED, policy=read_policy("fifo+spark:multiplier=100"))
    assert all(
        point.change["mean"].value == 0 for point in reach(question, never, changed(-0.1), 4).points[1:]
    )


def test_no_load_is_higher_than_all_the_slots_can_do(question):
    assert reach(at_load(question, 1.2), WANTED, changed(-0.1), 4) is None
    together = dataclasses.replace(question.model, jobs=question.model.jobs.assign(submit=0.0))
    assert reach(Replay(together), WANTED, changed(-0.1), 4) is None
    with pytest.raises(BadInput, match=r"^load: all jobs of this history arrive at once"):
        at_load(Replay(together), 0.5)


def test_a_load_is_given_by_a_rate(question):
    asked = at_load(question, 0.8)
    assert asked.load == pytest.approx(0.8)
    assert asked.rate == pytest.approx(0.8 / question.load)
