"""Engines side by side: one registry, through which everything above the engines finds them."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from sim.engines.registry import ENGINES, PRESETS, engine, engine_of, preset, presets_of
from sim.engines.slots.scenario import read_policy
from sim.model.fields import BadInput, settable
from sim.model.result import SHARES
from sim.model.scenario import Scenario
from sim.running.experiment import Experiment

every_engine = pytest.mark.parametrize("one", ENGINES.values(), ids=ENGINES)


@every_engine
def test_a_scenario_leads_to_its_engine_and_back(one):
    assert one.key == one.scenario.ENGINE
    assert engine_of(one.scenario()) is engine(one.key) is one
    assert issubclass(one.scenario, Scenario)


@every_engine
def test_an_engine_can_read_its_own_example_and_the_policies_of_its_presets(one):
    texts = {one.example, *(text for chosen in presets_of(one.key).values() for text in chosen.policies)}
    for text in texts:
        read = one.implementation.policy.read(text)
        assert one.implementation.policy.read(read.text) == read


@every_engine
def test_what_an_engine_reports_beyond_the_others_has_names_of_its_own(one):
    keys = [measure.key for measure in (*one.columns, *one.scalars)]
    assert len({*keys, "flowtime", "slowdown", "resource", "utilisation"}) == len(keys) + 4
    for measure in one.columns:
        assert set(measure.statistics) <= set(SHARES)
    assert not any(measure.statistics for measure in one.scalars)


@every_engine
def test_a_field_of_another_engine_is_not_accepted(one):
    others = {name for other in ENGINES.values() for name in settable(other.scenario)}
    for name in others - set(settable(one.scenario)) - {"slots"}:
        with pytest.raises(BadInput, match=f"^field: '{name}' is not known"):
            one.scenario().replace(**{name: 1})


@every_engine
def test_every_field_that_can_be_set_is_set(one):
    """By the constructor and by `replace`; a derived one by neither."""
    scenario = one.scenario()
    for field in dataclasses.fields(scenario):
        value = getattr(scenario, field.name)
        if field.init:
            assert scenario.replace(**{field.name: value}) == scenario
        else:
            with pytest.raises(BadInput, match=f"^{field.name}: .* follows from other fields"):
                scenario.replace(**{field.name: value})


def test_presets_are_shared_out_among_the_engines():
    shared = [name for key in ENGINES for name in presets_of(key)]
    assert sorted(shared) == sorted(PRESETS)


def test_a_preset_of_another_engine_is_not_offered():
    with pytest.raises(BadInput, match=r"^preset: 'small' is not known; known are light$"):
        preset("small", {"light": PRESETS["light"]})


def test_an_unknown_engine_is_answered_with_the_nearest_one():
    with pytest.raises(BadInput, match=r"^engine: 'slot' is not known; did you mean 'slots'"):
        engine("slot")


def test_an_experiment_reads_its_policies_as_the_engine_of_its_scenario_does():
    experiment = Experiment.of_texts(PRESETS["small"].scenario, ("hopper",))
    assert experiment.policies == (read_policy("hopper"),)


def test_naming_engines_and_their_presets_does_not_wait_for_numba():
    code = """
import sys
import sim.model.result
from sim.engines.registry import ENGINES
[one.scenario() for one in ENGINES.values()]
sys.exit("numba" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
