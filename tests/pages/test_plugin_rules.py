"""Rules that pages have never heard of: in their menus, with their sliders, in links, charts and tables.

The rules are those of docs/how-to/write-a-rule.md, registered as one's own; new ones of ours are in the same
places.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from pages.coding import controls as coding
from pages.coding import question as asked
from pages.coding.charts import response_alt, response_chart
from pages.coding.layout import numbers, tidy
from pages.coding.question import see
from pages.coding.words import cards
from pages.decentralised import controls as decentralised
from pages.decentralised import question as points
from pages.decentralised.question import AXES, Setting, rivals
from sim.engines.probes.policy import read_policy
from sim.model.fields import BadInput
from sim.running.execution import Effort
from sim.running.experiment import compare
from sim.running.live import Snapshot
from tests.documented_rules import documented_rules
from tests.pages.visits import visit

pytestmark = pytest.mark.compiled
NAME = "Sparrow with aging, aging = 2"
GANG, PROTOCOL = "while-idle:until=0.3", "sparrow-aged:aging=2+none"


@pytest.fixture(autouse=True, scope="module")
def _registered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with documented_rules(tmp_path_factory.mktemp("rules")):
        yield


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sim.running.compiled.is_compiled", lambda key: True
    )  # but for the rules of this file
    monkeypatch.setattr(asked, "EFFORT", Effort(replications=2))
    monkeypatch.setattr(asked, "LANDMARKS", ())
    monkeypatch.setattr(points, "EFFORT", Effort(replications=2))
    monkeypatch.setattr(points, "POINT", Effort(replications=2))


def labels(app: AppTest) -> list[str]:
    return [card.label for card in app.metric]


def in_link(app: AppTest, name: str) -> str:
    value = app.query_params.get(name, "")
    return value if isinstance(value, str) else value[0]


# --- Coding ---


def test_coding_runs_a_rule_of_ones_own_beside_its_own() -> None:
    app = visit("coding", jobs="5000", beside=GANG)
    assert not app.exception
    assert not app.warning
    menu = app.multiselect(key="coding.beside")
    assert menu.value == [GANG]
    assert "Redundancy while idle" in menu.options
    assert labels(app)[-1] == "Redundancy while idle, until = 0.3"
    assert "Redundancy while idle, until = 0.3 at offered load" in app.get("plotly_chart")[0].proto.alt
    before = app.metric[-1].value
    app.slider(key="coding.rule:0:redundancy:until").set_value(0.9).run()
    assert in_link(app, "beside") == "while-idle:until=0.9"
    assert (labels(app)[-1], app.metric[-1].value) != ("Redundancy while idle, until = 0.9", before)
    assert labels(app)[-1] == "Redundancy while idle, until = 0.9"
    app.slider(key="coding.rule:0:redundancy:r").set_value(1.0).run()
    assert app.metric[-1].value == app.metric[0].value  # r = 1 is no redundancy


def test_all_that_coding_says_of_it_are_its_numbers() -> None:
    values = coding.PANEL.defaults() | {"jobs": 5000, "beside": [GANG]}
    question = coding.asked_of(values)
    comparison = compare(question.requests[0].experiment, replications=2)
    seen = see(question, [Snapshot(comparison, done=2, most=2, final=True, preview=False)])
    (found,) = seen.others
    assert found.estimate == comparison.policies[GANG].estimate("flowtime", "mean")
    assert found.gain == comparison.share(GANG, "flowtime", "mean")
    assert GANG not in seen.comparison.policies  # which are those of the demands
    assert tidy(seen).iloc[-1]["value"] == found.estimate.value
    assert numbers(seen).iloc[-1, 0] == found.title == cards(seen)[-1].name
    (line,) = (
        one
        for one in response_chart(seen, False).data
        if one.name.startswith(found.title) and one.hovertemplate
    )
    assert set(line.y) == {found.estimate.value}
    assert found.title in response_alt(seen)


def test_coding_offers_no_menu_where_there_is_no_other_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "SHOWN", (*asked.SHOWN, "while-idle"))
    app = visit("coding", jobs="5000")
    assert "coding.beside" not in [one.key for one in app.multiselect]
    with pytest.raises(BadInput, match=r"give some of rules of your own \(there are none\)"):
        coding.BESIDE.entry().read("while-idle")


# --- Decentralised ---


def test_decentralised_compares_a_protocol_of_ones_own() -> None:
    app = visit(
        "decentralised",
        workers="20",
        length="20",
        tasks_max="5",
        schedulers="2",
        rivals=f"sparrow-srpt+none;{PROTOCOL}",
    )
    assert not app.exception
    assert not app.warning
    menu = app.multiselect(key="decentralised.rivals")
    assert menu.value == ["sparrow-srpt+none", PROTOCOL]
    aged = {read_policy(text).name for text in rivals() if text.startswith("sparrow-aged")}
    assert aged <= set(menu.options)
    assert any(NAME in label for label in labels(app))
    assert all(NAME in one.proto.alt for one in app.get("plotly_chart")[:2])
    before = app.get("plotly_chart")[0].proto.alt
    app.number_input(key="decentralised.rule:1:protocol:aging").set_value(0.0).run()
    assert in_link(app, "rivals") == "sparrow-srpt+none;sparrow-aged:aging=0+none"
    _, srpt, aged = (card.value for card in app.metric)
    assert srpt == aged  # without aging it is Sparrow-SRPT
    assert app.get("plotly_chart")[0].proto.alt != before.replace(", aging = 2", ", aging = 0")


def test_only_parameters_with_sliders_may_be_in_a_link() -> None:
    read = decentralised.RIVALS_COMPARED.entry().read
    assert read("sparrow-aged:aging=2;hopper+late") == ["sparrow-aged:aging=2+none", "hopper+late"]
    for refused in (
        "hopper:probes=2+late",
        "sparrow:cancel=1+late",
        "sparrow+late:speculative_cap=0.5",
        "central",
    ):
        with pytest.raises(BadInput, match=r"^rivals: .* give some of hopper\+budget, .*sparrow-aged\+none$"):
            read(refused)


def test_ours_are_offered_in_the_order_they_always_were() -> None:
    ours = [text for text in rivals() if not text.startswith("sparrow-aged")]
    assert ours == [
        *("hopper+budget", "hopper+late", "hopper+none", "sparrow+late", "sparrow+none"),
        *("sparrow-srpt+late", "sparrow-srpt+none"),
    ]


def test_a_curve_has_the_policies_to_which_its_control_means_something() -> None:
    both = read_policy("hopper+late"), read_policy(PROTOCOL)
    setting = Setting(rivals=both)
    assert AXES["probes"].setting(setting, 2).rivals == setting.rivals
    assert AXES["refusals"].setting(setting, 2).rivals == both[:1]
