"""Axes: fields, detection times, parameters of policies; refusals name option and value."""

from __future__ import annotations

import pytest

from sim.map.plane import Axis
from sim.model.fields import BadInput
from sim.running.experiment import Experiment
from tests.sim.map.made import SMALL, plane


def put(axis: str, value: float, *policies: str) -> Experiment:
    return Axis.read("x", axis, "slots").put(Experiment.of_texts(SMALL, policies), value)


def test_an_axis_sets_a_field_or_what_can_be_seen_or_a_parameter() -> None:
    assert put("beta=1.5,2", 1.5, "fair+none").scenario.straggle_tail == 1.5
    assert put("slots=10:1000:3:log", 100, "fair+none").scenario.slots == 100
    assert put("observe.age=0,1", 1.0, "fair+none").scenario.observe == "age:1.0"
    assert put("observe.fraction=0,0.5", 0.5, "fair+none").scenario.observe == "fraction:0.5"
    found = put("hopper.epsilon=0.2,0.4", 0.2, "fair+none", "hopper+late")
    assert found.texts == ("fair+none", "hopper:epsilon=0.2+late")
    assert put("late.min_age=0,1", 1.0, "hopper+late").texts == ("hopper+late:min_age=1",)


def test_values_are_evenly_spread_and_read_again() -> None:
    axis = Axis.read("x", "load=0.3:0.9:12", "slots")
    assert len(axis.values) == 12
    assert axis.values[1] == 0.3545
    assert Axis.read("x", axis.text, "slots") == axis
    assert Axis.read("x", "clone.copies=1:4:4", "slots").values == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("load", "x: 'load' is not accepted; give name=low:high:count"),
        ("load=", "x: 'load=' is not accepted"),
        ("load=0.3:0.9", "give name=low:high:count"),
        ("load=0.3:0.9:12:lin", "or …:log"),
        ("load=0.9:0.3:4", "give a low end below the high one"),
        ("load=0.3:0.9:1", "x: '1' is not accepted; give a whole number from 2 to 40"),
        ("load=0.3:0.9:400", "x: '400' is not accepted"),
        ("load=0.3:x:4", "'x' is not a number"),
        ("load=nan:1:4", "'nan' is not a number"),
        ("load=-1:1:3:log", "give ends above 0"),
        ("load=0.5", "has 1 different values; give 2 to 40"),
        ("load=0.1:9:4", "load: '9' is not accepted; give a number above 0 up to 4"),
        ("slots=1:3:6", "has equal values; give at most 3"),
        ("lode=1:2:3", "field: 'lode' is not known; did you mean 'load'?"),
        ("tasks=1:2:3", "x: 'tasks' is not accepted; give a field that is a number"),
        ("seed=1:2:2", "x: 'seed' is not accepted; give a field that is a number"),
        ("observe=1:2:3", "or one of observe.age, observe.fraction"),
        ("observe.fraction=0:1:3", "observe: 'fraction:1.0' is not accepted"),
        ("hoper.epsilon=0:1:3", "rule: 'hoper' is not known; did you mean 'hopper'?"),
        ("hopper.eps=0:1:3", "parameter of hopper: 'eps' is not known"),
        ("hopper.epsilon=0:2:3", "epsilon: 2.0 is not accepted; give a number from 0 to 1"),
    ],
)
def test_what_is_no_axis_is_refused_by_name(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refusal:
        Axis.read("x", text, "slots")
    assert said in str(refusal.value)


def test_what_is_no_map_is_refused_by_name() -> None:
    for given, said in (
        ({"policies": ["hopper"]}, "policy: 1 is given; give 2 to 6"),
        ({"y": "load=0.1,0.2"}, "y: 'load' is on the other axis"),
        ({"criterion": "men"}, "criterion: 'men' is not known; did you mean 'mean'?"),
        ({"precision": 0.0}, "precision: 0.0 is not accepted"),
        ({"budget": -1.0}, "budget: -1.0 is not accepted"),
        ({"most": 1}, "replications: 1 is not accepted"),
        ({"x": "dolly.tau=0,1"}, "dolly.tau: no policy has the rule 'dolly'"),
        ({"x": "tasks_min=1:9:3"}, "tasks_max: 5 is not accepted; give at least tasks_min (9)"),
        ({"x": "clone.copies=2,3", "policies": ["srpt+clone", "srpt+clone:copies=3"]}, "is given twice"),
    ):
        with pytest.raises(BadInput) as refusal:
            plane(**given)
        assert said in str(refusal.value)


def test_maps_that_are_the_same_are_equal_whatever_the_fields_on_their_axes_were() -> None:
    assert plane(scenario=SMALL.replace(load=0.4)).key == plane(scenario=SMALL.replace(load=0.5)).key
    assert plane(scenario=SMALL.replace(slots=30)).key != plane().key
    assert plane(criterion="p95").runs_key == plane().runs_key
