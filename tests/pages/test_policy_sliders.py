"""The sliders of the Compare page can meet any policy that its menu offers, with any parameters."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from pages.compare.controls import CHOICE, OFFERED, PANEL, SCENARIO, baseline, with_epsilon
from pages.compare.controls import scenario_from as scenario_of
from pages.shared.controls.control import Range, Switch
from pages.shared.controls.fields import menu, of_parameter
from sim.engines.slots.scenario import read_policy
from sim.model.fields import BadInput
from sim.running.experiment import Experiment
from tests.pages.test_controls import texts_of_policies, values_of
from tests.strategies import policies

CHOSEN = st.lists(texts_of_policies(), min_size=1, max_size=4, unique=True)


def steps(values: Range | Switch) -> st.SearchStrategy[Any]:
    """Return what a slider can be moved to, or a switch."""
    if isinstance(values, Switch):
        return st.booleans().map(float)
    count = round((values.high - values.low) / values.step)
    return st.integers(0, count).map(lambda k: min(values.low + k * values.step, values.high))


@given(data=st.data(), pair=st.sampled_from(menu()))
def test_a_slider_of_a_rule_changes_one_parameter_of_one_policy(data: st.DataObject, pair: str) -> None:
    policy = data.draw(policies(pair))
    texts = data.draw(CHOSEN)
    place = data.draw(st.integers(0, len(texts)))
    texts = [*texts[:place], policy.text, *texts[place:], "no policy"]
    for part, rule in policy.rules.items():
        for parameter in rule.declared:
            moved = data.draw(steps(of_parameter("any", parameter).values))
            after = CHOICE.retuned(texts, place, part, {parameter.name: moved})
            changed = read_policy(after.pop(place))
            assert after == texts[:place] + texts[place + 1 :]
            assert changed.rules[part].as_dict == rule.as_dict | {parameter.name: moved}
            assert changed.rules == policy.rules | {part: changed.rules[part]}


@given(data=st.data(), preset=st.sampled_from(list(OFFERED)), texts=CHOSEN)
def test_what_the_controls_hold_is_an_experiment_or_is_refused_with_a_reason(
    data: st.DataObject, preset: str, texts: list[str]
) -> None:
    values = {name: data.draw(values_of(PANEL.controls[name])) for name in (*SCENARIO, "epsilon")}
    chosen, complaints = CHOICE.picked(texts)
    assert not complaints
    compared = with_epsilon(chosen.values(), values["epsilon"])
    try:
        scenario = scenario_of(OFFERED[preset].scenario, values, {})
        experiment = Experiment(scenario, tuple(compared), None, baseline(compared, compared[-1].text))
    except BadInput as error:
        refusal = str(error)
        event("refused")
    else:
        refusal = ""
        event("accepted")
        assert [read_policy(text) for text in experiment.texts] == compared
    assert not refusal or "give " in refusal
