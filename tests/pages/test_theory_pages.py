"""The pages Threshold, Allocation and Errata without a browser: controls, links, texts never shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.errata.words import PAPERS
from pages.formulas.allocation.controls import INSTANCES, PANEL
from pages.formulas.allocation.question import Row
from tests.pages.made import trouble
from tests.pages.test_first_lines import shown
from tests.pages.visits import away_and_back, link, notices, seen, visit

#: A reading that a link chooses, what the page says of it, and a part of what only that reading says.
READINGS = [
    (
        "threshold",
        {"beta": "3", "printed": "1"},
        "As printed: the threshold is θ = 2/β",
        "less than one copy",
    ),
    ("threshold", {"copies": "whole"}, "Whole copies of a task", "With whole copies the value of a slot"),
    ("allocation", {"instance": "count"}, "As printed: Algorithms 2 and 3", "As printed, Algorithm 2 gives"),
]


def ways_back(app: AppTest) -> list[Any]:
    """Return the buttons that leave a reading."""
    return [one for one in app.button if one.label.startswith("Use ")]


@pytest.mark.parametrize(("page", "query", "told", "only"), READINGS)
def test_a_reading_that_a_link_chooses_is_said_above_the_answer_and_has_a_way_back(
    page: str, query: dict[str, str], told: str, only: str
) -> None:
    app = visit(page, **query)
    texts = [one.value for one in shown(app.main) if one.type in ("caption", "markdown")]
    assert texts[0].startswith(told)
    assert only in notices(app)
    (back,) = ways_back(app)
    back.click().run()
    assert not ways_back(app)
    assert only not in notices(app)
    assert told not in " ".join(seen(app))


def test_a_reading_is_no_switch_and_a_fixed_one_has_no_way_back() -> None:
    for page in ("threshold", "allocation"):
        assert not visit(page).toggle
        assert not visit(page).radio
    app = visit("threshold", copies="whole", lock="copies")
    assert not ways_back(app)
    assert any(one.value.startswith("Whole copies") for one in app.caption)


def test_as_printed_changes_nothing_for_heavy_tails_and_the_page_says_so() -> None:
    before, app = seen(visit("threshold")), visit("threshold", printed="1")
    (line,) = (one for one in seen(app) if one not in before)
    assert line.endswith("the printed formula and the corrected one are the same.")


@pytest.mark.parametrize("name", INSTANCES)
def test_every_instance_is_shown(name: str) -> None:
    app = visit("allocation", instance=name)
    assert not app.exception
    assert not app.error
    assert app.selectbox(key="allocation.pour").value == PANEL.defaults(name)["pour"]
    assert app.session_state["allocation.printed"] == PANEL.defaults(name)["printed"]
    assert not trouble(seen(app))
    if PANEL.defaults(name)["printed"]:
        assert "As printed, " in notices(app)
        ways_back(app)[0].click().run()
        assert "As printed, " not in notices(app)


def test_choosing_an_instance_sets_every_control_and_the_jobs() -> None:
    app = visit("allocation", S="77", jobs="9,9", epsilon="0.1", printed="1")
    app.selectbox(key="allocation.instance").set_value("many").run()
    assert app.slider(key="allocation.S").value == PANEL.defaults("many")["S"]
    assert app.slider(key="allocation.epsilon").value == PANEL.defaults("many")["epsilon"]
    assert not app.session_state["allocation.printed"]
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
    assert "how many tasks T a job has left" in app.info[0].value
    assert not app.get("plotly_chart")


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
    assert not trouble([text])


@pytest.mark.parametrize("page", ["threshold", "allocation"])
def test_table_and_reading_can_be_taken_away(page: str) -> None:
    names = [button.label for button in visit(page).get("download_button")]
    assert names == ["Numbers (CSV)", "Everything (JSON)"]


def test_jobs_typed_survive_a_look_at_another_page() -> None:
    app = visit("allocation")
    app.session_state["allocation.jobs"] = (Row("A", 33.0), Row("B", 44.0, 2.0))
    before = seen(app.run())
    assert seen(away_and_back(app, "allocation")) == before
    assert link(app)["jobs"] == "33,44:2"


@pytest.mark.parametrize(
    ("jobs", "said"),
    [("3,-1", "job B, T: -1.0 is not accepted"), ("3,many", "jobs: 'many' is not accepted")],
)
def test_what_is_wrong_with_the_jobs_of_a_link_is_said(jobs: str, said: str) -> None:
    (warning,) = visit("allocation", jobs=jobs).warning
    assert said in warning.value
