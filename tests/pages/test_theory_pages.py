"""The pages Threshold, Allocation and Errata without a browser: controls, links, texts never shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.allocation.controls import PANEL
from pages.allocation.question.jobs import Row
from pages.allocation.setting import INSTANCES
from pages.errata.words.papers import PAPERS
from tests.pages.visits import arrived

APP = Path(__file__).resolve().parents[2] / "app.py"


def visit(page: str, drawers: tuple[str, ...] = (), **query: str) -> AppTest:
    app = arrived()
    for name in drawers:
        app.session_state[f"{page}:open:{name}"] = True
    for name, value in query.items():
        app.query_params[name] = value
    return app.switch_page(f"pages/{page}/page.py").run()


def seen(app: AppTest) -> list[str]:
    """Return every text on the screen, the numbers of the cards and the words of the charts."""
    blocks = [*app.markdown, *app.caption, *app.warning, *app.error, *app.info, *app.title]
    charts = [figure["layout"]["uirevision"] + chart.proto.alt for chart, figure in drawn(app)]
    tables = [str(table.value.to_numpy().tolist()) for table in app.table]
    return [block.value for block in blocks] + [card.value for card in app.metric] + charts + tables


def drawn(app: AppTest) -> list[tuple[Any, dict[str, Any]]]:
    return [(chart, json.loads(chart.proto.spec)) for chart in app.get("plotly_chart")]


def notices(app: AppTest) -> str:
    return next(block.value for block in app.markdown if block.value.startswith("**What to notice**"))


def link(app: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


@pytest.mark.parametrize(
    ("page", "charts", "numbers"), [("threshold", 2, 4), ("allocation", 2, 4), ("errata", 5, 0)]
)
def test_a_page_opens_with_its_charts_and_numbers_and_nothing_for_programmers(
    page: str, charts: int, numbers: int
) -> None:
    app = visit(page, drawers=("formulas", "cases"))
    assert not app.exception
    assert not app.warning
    assert not app.error
    assert len(app.metric) == numbers
    assert len(app.get("plotly_chart")) >= charts
    assert app.title[0].value.endswith("?")
    assert all(re.search(r"\d", chart.proto.alt) for chart, _ in drawn(app))
    assert not re.search(r"\b(nan|NaN|None|inf)\b", " ".join(seen(app)))
    assert link(app) == {"v": "1"}


Move = Callable[[AppTest], Any]
MOVES: dict[str, dict[str, Move]] = {
    "threshold": {
        "beta": lambda app: app.slider(key="threshold.beta").set_value(1.2),
        "S": lambda app: app.slider(key="threshold.S").set_value(31),
        "TA": lambda app: app.slider(key="threshold.TA").set_value(11),
        "TB": lambda app: app.slider(key="threshold.TB").set_value(21),
        "TC": lambda app: app.slider(key="threshold.TC").set_value(41),
        "copies": lambda app: app.radio(key="threshold.copies").set_value("whole"),
    },
    "allocation": {
        "instance": lambda app: app.selectbox(key="allocation.instance").set_value("dag"),
        "S": lambda app: app.slider(key="allocation.S").set_value(121),
        "beta": lambda app: app.slider(key="allocation.beta").set_value(1.2),
        "epsilon": lambda app: app.slider(key="allocation.epsilon").set_value(0.9),
        "printed": lambda app: app.toggle(key="allocation.printed").set_value(True),
        "pour": lambda app: app.selectbox(key="allocation.pour").set_value("SRPT"),
    },
    "errata": {"paper": lambda app: app.segmented_control(key="errata.paper").set_value("dolly")},
}


@pytest.mark.parametrize(("page", "name"), [(page, name) for page, moves in MOVES.items() for name in moves])
def test_every_control_changes_what_is_seen_and_the_link_and_the_link_brings_it_back(
    page: str, name: str
) -> None:
    app = visit(page)
    before = seen(app)
    MOVES[page][name](app)
    app.run()
    assert not app.exception
    assert seen(app) != before
    assert name in link(app)
    assert seen(visit(page, **link(app))) == seen(app)


def test_the_printed_form_of_the_threshold_matters_for_light_tails_only() -> None:
    app = visit("threshold")
    assert app.toggle(key="threshold.printed").disabled
    app = visit("threshold", beta="3")
    before = seen(app)
    app.toggle(key="threshold.printed").set_value(True).run()
    assert seen(app) != before
    assert "less than one copy" in notices(app)
    assert link(app) == {"v": "1", "beta": "3", "printed": "1"}


@pytest.mark.parametrize(
    ("page", "query", "said"),
    [
        ("threshold", {"beta": "heavy"}, "beta: 'heavy' is not accepted; give a number from 1.1 to 4"),
        ("threshold", {"S": "401"}, "S: '401' is not accepted; give a whole number from 1 to 400"),
        ("threshold", {"copies": "many"}, "copies: 'many' is not accepted; give one of any, whole"),
        ("threshold", {"printed": "yes"}, "printed: 'yes' is not accepted; give 0 or 1"),
        ("allocation", {"jobs": "3,-1"}, "job B, T: -1.0 is not accepted"),
        ("allocation", {"jobs": "3,many"}, "jobs: 'many' is not accepted"),
        ("allocation", {"instance": "nothing"}, "instance: 'nothing' is not accepted"),
        ("allocation", {"epsilon": "2"}, "epsilon: '2' is not accepted; give a number from 0 to 1"),
        ("errata", {"paper": "hoppper"}, "paper: 'hoppper' is not accepted; give one of hopper"),
        ("errata", {"colour": "red"}, "link: 'colour' is not known"),
    ],
)
def test_a_bad_link_is_explained_and_the_page_is_there(page: str, query: dict[str, str], said: str) -> None:
    app = visit(page, **query)
    assert not app.exception
    assert [said in warning.value for warning in app.warning] == [True]
    assert app.get("plotly_chart")


@pytest.mark.parametrize("name", INSTANCES)
def test_every_instance_is_shown(name: str) -> None:
    app = visit("allocation", drawers=("cases",), instance=name)
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="allocation.pour").value == PANEL.defaults(name)["pour"]
    assert app.toggle(key="allocation.printed").value == PANEL.defaults(name)["printed"]
    assert not re.search(r"\b(nan|NaN|None|inf)\b", " ".join(seen(app)))
    if PANEL.defaults(name)["printed"]:
        assert "As printed, " in notices(app)
        app.toggle(key="allocation.printed").set_value(False).run()
        assert "As printed, " not in notices(app)


def test_choosing_an_instance_sets_every_control_and_the_jobs() -> None:
    app = visit("allocation", S="77", jobs="9,9", epsilon="0.1", printed="1")
    app.selectbox(key="allocation.instance").set_value("many").run()
    assert app.slider(key="allocation.S").value == PANEL.defaults("many")["S"]
    assert app.slider(key="allocation.epsilon").value == PANEL.defaults("many")["epsilon"]
    assert not app.toggle(key="allocation.printed").value
    assert len(app.session_state["allocation.jobs"]) == 12
    assert link(app) == {"v": "1", "instance": "many"}


def test_a_bad_cell_is_named_the_others_are_shown_and_nothing_typed_is_lost() -> None:
    app = visit("allocation")
    typed = (Row("A", 10.0), Row("B", -3.0), Row("C", 20.0))
    app.session_state["allocation.jobs"] = typed
    app.run()
    assert [error.value for error in app.error] == [
        "job B, T: -3.0 is not accepted; give a number from 0 to 1000. Left out until then."
    ]
    assert app.session_state["allocation.jobs"] == typed
    assert link(app)["jobs"] == "10,C=20"
    assert "A 10" not in notices(app)
    assert len(app.get("plotly_chart")) == 2


def test_without_a_job_the_page_asks_for_one() -> None:
    app = visit("allocation")
    app.session_state["allocation.jobs"] = (Row("A", None),)
    app.run()
    assert not app.exception
    assert "Type how many tasks" in app.info[0].value
    assert not app.get("plotly_chart")


def test_jobs_typed_survive_a_look_at_another_page() -> None:
    app = visit("allocation")
    app.session_state["allocation.jobs"] = (Row("A", 33.0), Row("B", 44.0, 2.0))
    app.run()
    before = seen(app)
    app.switch_page("pages/threshold/page.py").run()
    for name in list(app.query_params):
        del app.query_params[name]
    app.switch_page("pages/allocation/page.py").run()
    assert seen(app) == before
    assert link(app)["jobs"] == "33,44:2"


@pytest.mark.parametrize("name", PAPERS)
def test_every_finding_of_a_paper_has_its_card(name: str) -> None:
    app = visit("errata", paper=name)
    assert not app.exception
    anchors = [heading.proto.anchor for heading in app.header]
    assert anchors == [*map(PAPERS[name].anchor, PAPERS[name].findings), f"{name}-slips"]
    contents = next(block.value for block in app.markdown if block.value.startswith("**Found**"))
    assert re.findall(r"\(#([\w-]+)\)", contents) == anchors[:-1]
    text = " ".join(seen(app))
    for said in ("**Confirmed**", "**An instance.**"):
        assert said in text
    assert not re.search(r"\b(nan|NaN|None|inf)\b", text)


@pytest.mark.parametrize("page", ["threshold", "allocation"])
def test_table_and_reading_can_be_taken_away(page: str) -> None:
    names = [button.label for button in visit(page).get("download_button")]
    assert names == ["CSV", "JSON"]
