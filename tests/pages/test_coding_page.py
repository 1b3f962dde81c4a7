"""The Coding page without a browser: controls, links, and texts that must never be on the screen."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.visits import link, seen, visit

pytestmark = pytest.mark.usefixtures("short_runs")
#: Short runs: what is looked for is there after two replications of these.
SHORT = {"jobs": "5000"}


def test_the_page_opens_with_its_question_four_cards_four_charts_and_what_to_notice() -> None:
    app = visit("coding", **SHORT)
    assert [card.label for card in app.metric] == [
        "No redundancy",
        "Expanded up to d = 120 s",
        "All jobs expanded",
        "Best d tried",
    ]
    assert len(app.get("plotly_chart")) == 4
    text = " ".join(seen(app))
    assert "What to notice" in text
    assert "95 % intervals" in text


def test_the_learned_policy_is_a_choice() -> None:
    app = visit("coding", **SHORT, learned="1")
    assert not app.exception
    assert [card.label for card in app.metric][-1] == "Learned policy"
    charts = app.get("plotly_chart")
    assert len(charts) == 6
    assert [json.loads(chart.proto.spec)["data"][0]["type"] for chart in charts[2:4]] == ["heatmap"] * 2
    text = " ".join(seen(app))
    assert "small enough jobs, low enough load" in text
    assert "under the learned policy" in text
    assert "redundant-rl" in app.code[0].value
    app.toggle(key="coding.learned").set_value(False).run()
    assert len(app.get("plotly_chart")) == 4
    assert "learned" not in link(app)


def test_choosing_a_preset_sets_every_control() -> None:
    app = visit("coding", **SHORT, load="0.9", size_max="100", measure="mean", nodes="50")
    app.selectbox(key="coding.preset").set_value("aktas").run()
    assert link(app) == {"v": "1", "preset": "aktas"}
    assert app.slider(key="coding.size_tail").value == 1.5
    assert app.selectbox(key="coding.measure:shown").value == "p50"


def test_everything_can_be_taken_away_and_repeated() -> None:
    app = visit("coding", **SHORT)
    assert [button.label for button in app.get("download_button")] == [
        "Numbers (CSV)",
        "Everything (JSON)",
        "Charts (HTML)",
    ]
    (line,) = (block.value for block in app.code)
    assert line.startswith("python -m sim run --preset aktas-beta3 --set load=0.6 --set jobs=5000")


def test_the_theory_is_drawn_dashed_and_only_where_it_says_something() -> None:
    def dashed(app: AppTest) -> int:
        (spec,) = (json.loads(chart.proto.spec) for chart in app.get("plotly_chart")[:1])
        return sum(one.get("line", {}).get("dash") == "dash" for one in spec["data"])

    assert dashed(visit("coding", **SHORT)) > 0
    assert dashed(visit("coding", **SHORT, measure="p95")) == 0
    assert dashed(visit("coding", **SHORT, redundancy="replicated")) == 0
    app = visit("coding", **SHORT, size_tail="1.5")
    assert dashed(app) == 0
    assert "is infinite for every d" in " ".join(seen(app))
