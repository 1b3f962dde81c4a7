"""The Coding page without a browser: controls, links, and texts that must never be on the screen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.coding import question as asked
from sim.effort import Effort
from tests.pages.visits import arrived

APP = Path(__file__).resolve().parents[2] / "app.py"
PATIENCE = 120
DRAWERS = ("cluster", "theory", "precision", "scenario", "formulas")
#: Short runs: what is looked for is there after two replications of these.
SHORT = {"jobs": "5000"}


@pytest.fixture(autouse=True)
def _few_replications(monkeypatch) -> None:
    monkeypatch.setattr(asked, "EFFORT", Effort(replications=2))
    monkeypatch.setattr(asked, "LANDMARKS", (0.9,))


def visit(**query: str) -> AppTest:
    app = arrived(PATIENCE)
    for name in DRAWERS:
        app.session_state[f"coding:open:{name}"] = True
    for name, value in query.items():
        app.query_params[name] = value
    return app.switch_page("pages/coding/page.py").run()


def seen(app: AppTest) -> list[str]:
    """Return every text on the screen, the numbers of the cards and the words of the charts."""
    blocks = [*app.markdown, *app.caption, *app.warning, *app.error, *app.info, *app.title]
    cards = [part for card in app.metric for part in (card.label, card.value, card.delta)]
    charts = [chart.proto.alt for chart in app.get("plotly_chart")]
    tables = [str(table.value.to_numpy().tolist()) for table in app.dataframe[:1]]
    return [block.value for block in blocks] + cards + charts + tables


def drawn(app: AppTest) -> str:
    return "".join(chart.proto.spec for chart in app.get("plotly_chart"))


def link(app: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def test_the_page_opens_with_its_question_four_cards_four_charts_and_what_to_notice() -> None:
    app = visit(**SHORT)
    assert not app.exception
    assert not app.warning
    assert not app.error
    assert app.title[0].value.endswith("?")
    assert [card.label for card in app.metric] == [
        "No redundancy", "Expanded up to d = 120 s", "All jobs expanded", "Best d tried",
    ]  # fmt: skip
    assert len(app.get("plotly_chart")) == 4
    assert all(re.search(r"\d", chart.proto.alt) for chart in app.get("plotly_chart"))
    text = " ".join(seen(app))
    assert "What to notice" in text
    assert "95 % intervals" in text
    assert not re.search(r"\b(nan|NaN|None|inf)\b", text)
    assert not re.search(r"NaN|Infinity", drawn(app))
    assert link(app) == {"v": "1", **SHORT}


MOVES = {
    "preset": lambda app: app.selectbox(key="coding.preset").set_value("aktas"),
    "load": lambda app: app.slider(key="coding.load").set_value(0.5),
    "d": lambda app: app.select_slider(key="coding.d").set_value(60.0),
    "r": lambda app: app.slider(key="coding.r").set_value(1.5),
    "straggle_tail": lambda app: app.slider(key="coding.straggle_tail").set_value(2.0),
    "size_tail": lambda app: app.slider(key="coding.size_tail").set_value(2.5),
    "measure": lambda app: app.selectbox(key="coding.measure:shown").set_value("p99"),
    "tasks_max": lambda app: app.select_slider(key="coding.tasks_max").set_value(5),
    "nodes": lambda app: app.select_slider(key="coding.nodes").set_value(30),
    "capacity": lambda app: app.select_slider(key="coding.capacity").set_value(5),
    "size_max": lambda app: app.select_slider(key="coding.size_max").set_value(100.0),
    "placement": lambda app: app.selectbox(key="coding.placement").set_value("pool"),
    "redundancy": lambda app: app.selectbox(key="coding.redundancy").set_value("replicated"),
    "jobs": lambda app: app.select_slider(key="coding.jobs").set_value(10_000),
    "seed": lambda app: app.slider(key="coding.seed").set_value(2),
    "claim": lambda app: app.radio(key="coding.claim").set_value("one"),
    "view": lambda app: app.segmented_control(key="coding.view").set_value("tail"),
    "learned": lambda app: app.toggle(key="coding.learned").set_value(True),
}


@pytest.mark.parametrize("name", MOVES)
def test_every_control_changes_what_is_seen_and_the_link_and_the_link_brings_it_back(name: str) -> None:
    app = visit(**SHORT)
    before = seen(app)
    MOVES[name](app)
    app.run()
    assert not app.exception
    assert seen(app) != before
    assert not re.search(r"\b(nan|NaN|None|inf)\b", " ".join(seen(app)))
    assert name in link(app)
    assert seen(visit(**link(app))) == seen(app)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"load": "1"}, "load: '1' is not accepted; give a number from 0.1 to 0.95"),
        ({"d": "20"}, "d: '20' is not accepted; give one of 15, 30, 60"),
        ({"r": "nan"}, "r: 'nan' is not accepted; give a number from 1.1 to 3"),
        ({"nodes": "many"}, "nodes: 'many' is not accepted; give one of 20, 30, 50, 100"),
        ({"size_max": "-inf"}, "size_max: '-inf' is not accepted; give one of 100"),
        ({"claim": "two moments"}, "claim: 'two moments' is not accepted; give one of two, printed"),
        ({"learned": "yes"}, "learned: 'yes' is not accepted; give 0 or 1"),
        ({"preset": "light"}, "preset: 'light' is not accepted; give one of aktas, aktas-beta3"),
        ({"colour": "red"}, "link: 'colour' is not known"),
    ],
)
def test_a_bad_link_is_explained_and_the_page_is_there(query: dict[str, str], said: str) -> None:
    app = visit(**SHORT, **query)
    assert not app.exception
    assert [said in warning.value for warning in app.warning] == [True]
    assert len(app.get("plotly_chart")) == 4


def test_the_learned_policy_is_a_choice() -> None:
    app = visit(**SHORT, learned="1")
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
    app = visit(**SHORT, load="0.9", size_max="100", measure="mean", nodes="50")
    app.selectbox(key="coding.preset").set_value("aktas").run()
    assert link(app) == {"v": "1", "preset": "aktas"}
    assert app.slider(key="coding.size_tail").value == 1.5
    assert app.selectbox(key="coding.measure:shown").value == "p50"


def test_the_page_is_as_it_was_left_after_a_look_at_another() -> None:
    app = visit(**SHORT, d="60", nodes="30")
    before = seen(app)
    app.switch_page("pages/threshold/page.py").run()
    for name in list(app.query_params):
        del app.query_params[name]
    app.switch_page("pages/coding/page.py").run()
    assert seen(app) == before
    assert link(app) == {"v": "1", "d": "60", "nodes": "30", **SHORT}


def test_everything_can_be_taken_away_and_repeated() -> None:
    app = visit(**SHORT)
    assert [button.label for button in app.get("download_button")] == [
        "Numbers (CSV)", "Everything (JSON)", "Charts (HTML)",
    ]  # fmt: skip
    (line,) = (block.value for block in app.code)
    assert line.startswith("python -m sim run --preset aktas-beta3 --set load=0.6 --set jobs=5000")


def test_the_theory_is_drawn_dashed_and_only_where_it_says_something() -> None:
    def dashed(app: AppTest) -> int:
        (spec,) = (json.loads(chart.proto.spec) for chart in app.get("plotly_chart")[:1])
        return sum(one.get("line", {}).get("dash") == "dash" for one in spec["data"])

    assert dashed(visit(**SHORT)) > 0
    assert dashed(visit(**SHORT, measure="p95")) == 0
    assert dashed(visit(**SHORT, redundancy="replicated")) == 0
    app = visit(**SHORT, size_tail="1.5")
    assert dashed(app) == 0
    assert "is infinite for every d" in " ".join(seen(app))
