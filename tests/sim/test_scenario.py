"""A scenario refuses invalid values, and equal scenarios are written alike."""

from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.engines.registry import ENGINES
from sim.engines.slots.scenario import ABOUT, KINDS, SlotScenario, read_policy
from sim.model.fields import About, BadInput, from_text
from sim.model.outcome import Observation
from tests.depth import each

#: Laws under which no field contradicts another, so that one field can be tried at a time.
PLAIN = {"tasks": "constant", "size": "constant", "straggle": "deterministic"}
NUMBERS = [name for name, kind in KINDS.items() if kind in (int, float)]
WORDS = [name for name, about in ABOUT.items() if about.choices]
BOUNDED_BELOW = [name for name in NUMBERS if math.isfinite(ABOUT[name].low)]
BOUNDED_ABOVE = [name for name in NUMBERS if math.isfinite(ABOUT[name].high)]


def scenario_with(name: str, value: object) -> SlotScenario:
    return SlotScenario(**(PLAIN | {name: value}))


def beyond(name: str, bound: float, towards: float) -> float:
    """The first number on the other side of a bound."""
    if KINDS[name] is int:
        return int(bound) + (1 if towards > bound else -1)
    return math.nextafter(bound, towards)


def assert_refused(name: str, value: object) -> None:
    with pytest.raises(BadInput) as refusal:
        scenario_with(name, value)
    told = repr(value) if len(repr(value)) <= 80 else f"{repr(value)[:78]}…{repr(value)[-1]}"
    assert str(refusal.value).startswith(f"{name}: {told} is not accepted; give ")


@each("name", BOUNDED_BELOW)
def test_a_number_below_the_lower_bound_is_refused(name):
    about = ABOUT[name]
    assert_refused(name, about.low if about.open_low else beyond(name, about.low, -math.inf))
    assert_refused(name, -math.inf)


@each("name", BOUNDED_BELOW)
def test_the_smallest_accepted_number_is_accepted(name):
    about = ABOUT[name]
    value = beyond(name, about.low, math.inf) if about.open_low else about.low
    assert getattr(scenario_with(name, value), name) == value


@each("name", BOUNDED_ABOVE)
def test_the_upper_bound_is_the_last_number_accepted(name):
    high = ABOUT[name].high
    assert getattr(scenario_with(name, high), name) == high
    assert_refused(name, beyond(name, high, math.inf))
    assert_refused(name, math.inf)


def test_every_number_has_a_lower_bound():
    assert BOUNDED_BELOW == NUMBERS


@pytest.mark.parametrize("name", sorted(set(NUMBERS) - set(BOUNDED_ABOVE)))
def test_a_number_without_upper_bound_accepts_infinity_and_says_so(name):
    assert getattr(scenario_with(name, "inf"), name) == math.inf
    assert ABOUT[name].accepted(KINDS[name]).endswith(", or inf")


@each("nan", [math.nan, np.float64("nan"), "nan"])
@each("name", NUMBERS)
def test_nan_is_refused_everywhere(name, nan):
    assert_refused(name, nan)


@pytest.mark.parametrize("straggle", ["empirical", "pareto"])
@pytest.mark.parametrize("sample", [math.nan, 0.0, -1.0, math.inf])
def test_a_sample_that_is_no_factor_is_refused_even_where_it_is_not_used(straggle, sample):
    with pytest.raises(BadInput, match=rf"^samples: {sample!r} is not accepted; give numbers above 0"):
        SlotScenario(straggle=straggle, samples=(1.0, sample))


@pytest.mark.parametrize("samples", ["1,2", 3.0, ((1.0, 2.0),), (1.0, "x")], ids=repr)
def test_samples_that_are_no_list_of_numbers_are_refused(samples):
    with pytest.raises(BadInput, match=r"^samples: .* is not accepted; give numbers above 0"):
        SlotScenario(samples=samples)


@each("name", NUMBERS)
@each("value", ["many", None, True, [], 10**400])
def test_what_is_not_a_number_is_refused(name, value):
    assert_refused(name, value)


@pytest.mark.parametrize("name", [name for name in NUMBERS if KINDS[name] is int])
def test_a_fraction_is_refused_where_a_whole_number_is_meant(name):
    assert_refused(name, ABOUT[name].low + 0.5)


@pytest.mark.parametrize("name", WORDS)
def test_words_are_taken_from_the_list(name):
    assert_refused(name, "nonsense")
    assert_refused(name, None)
    needs = {"size": {"size_max": 2.0}, "straggle": {"samples": (1.0, 2.0)}}
    for choice in ABOUT[name].choices:
        assert getattr(SlotScenario(**({name: choice} | needs.get(name, {}))), name) == choice


@pytest.mark.parametrize("unit", ["", "  ", 5])
def test_the_time_unit_has_a_name(unit):
    with pytest.raises(BadInput, match=r"^time_unit: .*give a word"):
        SlotScenario(time_unit=unit)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"tasks": "uniform", "tasks_min": 5, "tasks_max": 4}, "tasks_max"),
        ({"tasks": "pareto", "tasks_min": 5, "tasks_max": 4}, "tasks_max"),
        ({"size": "uniform"}, "size_max"),
        ({"size": "uniform", "size_min": 3, "size_max": 3}, "size_max"),
        ({"size": "pareto", "size_min": 3, "size_max": 2}, "size_max"),
        ({"size": "pareto", "size_tail": 1}, "size_tail"),
        ({"size": "trace", "size_per": "task"}, "size_per"),
        ({"straggle": "empirical"}, "samples"),
        ({"straggle": "outlier", "outlier_share": 0.8, "outlier_spread": 0.5}, "outlier_spread"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_fields_that_contradict_each_other_are_refused(fields, named):
    with pytest.raises(BadInput, match=f"^{named}: .* give "):
        SlotScenario(**fields)


def test_a_pareto_size_of_infinite_mean_is_accepted_once_it_is_bounded():
    assert SlotScenario(size="pareto", size_tail=0.8, size_max=50).mean_duration < math.inf


@pytest.mark.parametrize(
    ("about", "kind", "text"),
    [
        (About("", low=0, high=4, open_low=True), float, "a number above 0 up to 4"),
        (About("", low=0, high=0.95), float, "a number from 0 to 0.95"),
        (About("", low=0, open_low=True), float, "a number above 0, or inf"),
        (About("", low=0), float, "a number of at least 0, or inf"),
        (About("", high=3), float, "a number of at most 3"),
        (About(""), float, "a number"),
        (About("", low=1, high=1e12), float, "a number from 1 to 1e+12"),
        (About("", low=0, high=0.123456789), float, "a number from 0 to 0.123456789"),
        (About("", low=1, high=1_000_000), int, "a whole number from 1 to 1000000"),
        (About("", low=0, high=2**53 - 1), int, "a whole number from 0 to 9007199254740991"),
        (About("", low=1), int, "a whole number of at least 1"),
        (About("", choices=("a", "b")), str, "one of a, b"),
        (About(""), str, "a word"),
        (About("", low=0, high=9, open_low=True), tuple, "numbers above 0 up to 9, separated by commas"),
    ],
)
def test_what_is_accepted_is_said_in_words(about, kind, text):
    assert about.accepted(kind) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"slots": 10.0}, {"slots": 10}),
        ({"slots": np.int64(10)}, {"slots": "10"}),
        ({"load": 1}, {"load": np.float32(1)}),
        ({"load": "0.50"}, {"load": 0.5}),
        ({"warm_up": -0.0}, {"warm_up": 0}),
        ({"arrivals": " poisson "}, {"arrivals": np.str_("poisson")}),
        ({"observe": " age:0.50"}, {"observe": "age:.5"}),
        ({"observe": "age:-0.0"}, {"observe": "age:0"}),
        ({"samples": [2, 1]}, {"samples": np.array([1.0, 2.0])}),
    ],
    ids=str,
)
def test_equal_scenarios_have_equal_prints_and_hashes(one, other):
    one, other = SlotScenario(**one), SlotScenario(**other)
    assert one == other
    assert repr(one) == repr(other)
    assert hash(one) == hash(other)


def fields() -> st.SearchStrategy[dict[str, object]]:
    """Fields that do not contradict each other, drawn over their whole ranges."""
    choices = {name: st.sampled_from(ABOUT[name].choices) for name in ("arrivals", "size_per", "straggle")}
    contradicted = ("size_max", "tasks_min", "outlier_spread")
    plain = {name: _number(name) for name in NUMBERS if name not in contradicted}
    factors = st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=4).map(tuple)
    quantiles = factors.filter(lambda some: len(some) >= 2)
    observe = st.one_of(
        st.just("never"),
        st.floats(0, 1e3).map(lambda a: f"age:{a!r}"),
        st.floats(0, 0.99).map(lambda s: f"fraction:{s!r}"),
    )
    return st.fixed_dictionaries({}, optional=choices | plain | {"observe": observe}).flatmap(
        lambda some: (quantiles if some.get("straggle") == "table" else factors).map(
            lambda samples: some | {"samples": samples}
        )
    )


def _number(name: str) -> st.SearchStrategy[float]:
    about = ABOUT[name]
    if KINDS[name] is int:
        return st.integers(int(about.low), int(about.high))
    high = None if math.isinf(about.high) else about.high
    return st.floats(about.low, high, exclude_min=about.open_low, allow_nan=False)


@given(fields())
def test_every_field_survives_a_trip_through_text(some):
    scenario = SlotScenario(**some)
    for name in ABOUT:
        value = getattr(scenario, name)
        text = ",".join(map(repr, value)) if KINDS[name] is tuple else str(value)
        assert scenario.replace(**{name: from_text(name, text, SlotScenario)}) == scenario


@given(fields(), fields())
def test_scenarios_print_equally_only_if_they_are_equal(some, others):
    one, other = SlotScenario(**some), SlotScenario(**others)
    assert (repr(one) == repr(other)) == (one == other)
    assert pickle.loads(pickle.dumps(one)) == one


def test_from_text_refuses_what_is_not_a_list_of_numbers():
    with pytest.raises(BadInput, match=r"^samples: .* is not accepted; give numbers above 0"):
        from_text("samples", "1,two", SlotScenario)


@pytest.mark.parametrize(
    "door", [lambda: from_text("slot", "3", SlotScenario), lambda: SlotScenario().replace(slot=3)]
)
def test_an_unknown_field_is_answered_with_the_nearest_one(door):
    with pytest.raises(BadInput, match=r"^field: 'slot' is not known; did you mean 'slots'"):
        door()


@pytest.mark.parametrize("name", ["beta", "alpha", "β", "α"])
@pytest.mark.parametrize("engine", ENGINES)
def test_symbols_of_the_papers_are_other_names_of_a_field(name, engine):
    some = ENGINES[engine].scenario()
    assert some.replace(**{name: 2.5}) == some.replace(straggle_tail=2.5)
    assert from_text(name, "2.5", type(some)) == 2.5
    with pytest.raises(BadInput, match=r"^straggle_tail: 0\.5 is not accepted"):
        some.replace(**{name: 0.5})
    with pytest.raises(BadInput, match=f"^straggle_tail: not accepted together with {name}, which"):
        some.replace(**{name: 2.5}, straggle_tail=2.5)


def test_symbols_are_other_names_of_parameters_of_rules():
    assert read_policy("hopper:ε=0.5").text == read_policy("hopper:epsilon=0.5").text
    with pytest.raises(BadInput, match=r"^policy 'hopper:ε=7', hopper: epsilon: '7' is not accepted"):
        read_policy("hopper:ε=7")


def test_replace_checks_like_the_constructor():
    assert SlotScenario().replace(load=0.5) == SlotScenario(load=0.5)
    with pytest.raises(BadInput, match=r"^load"):
        SlotScenario().replace(load=0)


def test_a_scenario_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        SlotScenario().load = 0.5


@each("name", list(ABOUT))
def test_every_field_has_a_description_and_a_default_it_accepts(name):
    assert ABOUT[name].text
    assert SlotScenario().replace(**{name: getattr(SlotScenario(), name)}) == SlotScenario()


@pytest.mark.parametrize(
    ("text", "kind", "at"),
    [
        ("age:0.5", "age", 0.5),
        ("fraction:0", "fraction", 0),
        ("never", "never", math.inf),
        ("age:3", "age", 3),
    ],
)
def test_an_observation_is_read_and_written(text, kind, at):
    observation = SlotScenario(observe=text).observation
    assert (observation.kind, observation.at) == (kind, at)
    assert Observation.read(observation.text) == observation


@pytest.mark.parametrize(
    "text",
    ["age", "age:", "age:-1", "age:inf", "age:nan", "fraction:1", "fraction:-1", "never:1", "x:1", "", None],
)
def test_an_observation_that_means_nothing_is_refused(text):
    with pytest.raises(BadInput, match=r"^observe: .* is not accepted; give age:a with a >= 0"):
        SlotScenario(observe=text)


def test_mean_duration_is_mean_size_times_mean_factor():
    scenario = SlotScenario(size="uniform", size_min=1, size_max=4, straggle="pareto", straggle_tail=2)
    assert scenario.mean_duration == pytest.approx(2.5 * 2)
