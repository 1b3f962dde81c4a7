"""Policies as values: whatever a slider sets, a policy is written so that it is read as it was."""

from __future__ import annotations

import math
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from sim.engines import plugins
from sim.engines.engine import EngineImplementation
from sim.engines.plugins import KINDS, complaints
from sim.engines.registry import ENGINES
from sim.engines.slots.scenario import read_policy
from sim.model.fields import BadInput
from sim.model.policy import Parameter, Policy
from sim.model.rule import Rule

#: The rules of every engine, which are compiled here and not while examples are drawn.
ALL = [engine.implementation for engine in ENGINES.values()]


def values(parameter: Parameter) -> st.SearchStrategy[float]:
    """Every value a parameter accepts."""
    about = parameter.about
    if parameter.whole:
        return st.integers(int(about.low), int(about.high))
    return st.floats(about.low, about.high, exclude_min=about.open_low, allow_nan=False)


@st.composite
def engines_and_policies(draw) -> tuple[EngineImplementation, Policy]:
    """An engine and any policy of it, with any numbers."""
    one = draw(st.sampled_from(ALL))
    keys = [draw(st.sampled_from(list(registry))) for registry in one.policy.registries().values()]
    try:
        policy = one.policy.read("+".join(keys))
    except BadInput:  # a pair that does not fit
        reject()
    numbers = {
        kind: {parameter.name: draw(values(parameter)) for parameter in rule.declared}
        for kind, rule in policy.rules.items()
    }
    return one, policy.with_(**numbers)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_registry_lists_every_file_that_declares_a_rule(kind: type[Rule]) -> None:
    (root,) = import_module(kind.REGISTRY.partition(":")[0]).__path__
    declared = [
        import_module(f"{kind.REGISTRY.partition(':')[0]}.{path.stem}").RULE.key
        for path in Path(root).glob("*.py")
        if "\nRULE = " in path.read_text()
    ]
    registry = plugins.rules(kind)
    assert sorted(declared) == sorted(registry)
    assert [rule.key for rule in registry.values()] == list(registry)
    assert not [complaint for rule in registry.values() for complaint in complaints(rule)]


@pytest.mark.parametrize("one", ALL)
def test_parameters_accept_their_defaults_and_bounds_and_nothing_beyond(one: EngineImplementation) -> None:
    for place, (kind, registry) in enumerate(one.policy.registries().items()):
        declared = [(key, parameter) for key, rule in registry.items() for parameter in rule.parameters]
        for key, parameter in declared:
            text, about = "hopper+" * place + f"{key}:{parameter.name}=", parameter.about
            for value in (parameter.default, about.low, about.high):
                assert one.policy.read(f"{text}{value!r}").rules[kind].as_dict[parameter.name] == value
            outside = (about.low - 1, about.high + 1, math.nan, -math.inf, math.inf)
            for value in [value for value in outside if value != about.high]:
                with pytest.raises(BadInput, match=parameter.name):
                    one.policy.read(f"{text}{value!r}")


@given(st.data())
def test_any_number_of_any_rule_survives_being_written_and_read(data):
    one, policy = data.draw(engines_and_policies())
    for kind, rule in policy.rules.items():
        for parameter in rule.declared:
            number = data.draw(values(parameter))
            changed = policy.with_(**{kind: {parameter.name: number}})
            assert one.policy.read(changed.text) == changed
            assert changed.rules[kind].as_dict == rule.as_dict | {parameter.name: number}
            assert {**changed.rules, kind: rule} == policy.rules


@given(st.data())
def test_a_name_is_enough_unless_two_rules_have_it(data):
    _, policy = data.draw(engines_and_policies())
    for kind, rule in policy.rules.items():
        for parameter in rule.declared:
            number = data.draw(values(parameter))
            twice = sum(parameter.name in other.as_dict for other in policy.rules.values()) > 1
            if twice:
                with pytest.raises(BadInput, match=rf"{kind}=\{{'{parameter.name}'"):
                    policy.with_(**{parameter.name: number})
            else:
                by_kind = policy.with_(**{kind: {parameter.name: number}})
                assert policy.with_(**{parameter.name: number}) == by_kind


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 2}, "epsilon: 2 is not accepted; give a number from 0 to 1"),
        ({"epsilom": 0.5}, "'epsilom' is not known; did you mean 'epsilon'"),
        ({"speculation": {"epsilon": 0.5}}, "parameter of late: 'epsilon' is not known"),
        ({"sharings": {"epsilon": 0.5}}, "did you mean 'sharing'"),
    ],
)
def test_what_no_rule_accepts_is_refused_by_name(changes, message):
    with pytest.raises(BadInput, match=message):
        read_policy("hopper+late").with_(**changes)


def test_where_two_rules_have_the_name_both_can_be_set():
    policy = read_policy("hopper+dolly").with_(sharing={"epsilon": 0.5}, speculation={"epsilon": 0.1})
    assert policy.text == "hopper:epsilon=0.5+dolly:epsilon=0.1"


def test_a_rule_is_equal_to_one_of_the_same_numbers_however_it_was_made():
    first, again = read_policy("hopper:epsilon=0.5"), read_policy("hopper").with_(epsilon=0.5)
    assert first == again
    assert hash(first) == hash(again)


@pytest.mark.parametrize("implementation", ALL)
def test_every_rule_and_parameter_has_a_name_for_people_that_no_other_has(
    implementation: EngineImplementation,
) -> None:
    for registry in implementation.policy.registries().values():
        titles = [rule.title for rule in registry.values()]
        assert all(titles)
        assert len(set(titles)) == len(titles)
        for rule in registry.values():
            labels = [parameter.label for parameter in rule.parameters]
            assert all(labels)
            assert len(set(labels)) == len(labels), rule.title


def test_no_two_policies_are_called_alike_and_parameters_are_in_the_name() -> None:
    slots = ENGINES["slots"].implementation
    sharing, speculation = slots.policy.registries().values()
    names = [read_policy(f"{one}+{other}").name for one in sharing for other in speculation]
    assert len(set(names)) == len(names)
    assert read_policy("fair+late").name == "Fair shares + LATE"
    assert read_policy("mantri-xl:delta=0.3").name == "Mantri (Xu and Lau), δ = 0.3"
    assert read_policy("hopper:epsilon=0.3+late").name == "Hopper, ε = 0.3 + LATE"
