"""Choices carried over between pages, and the question at the end of each."""

from __future__ import annotations

from importlib import import_module

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame.carry_over import CHOICES
from pages.frame.menu import entries, entry_of, following
from pages.shared.controls.control import Panel
from tests.pages.visits import arrived, turn_to

pytestmark = pytest.mark.compiled


def panel(page: str) -> Panel:
    found: Panel = import_module(f"{entry_of(page).package}.controls").PANEL
    return found


def opened(page: str, **parameters: str) -> AppTest:
    at = arrived()
    at.query_params.update(parameters)
    return turn_to(at, page).run()


@pytest.mark.parametrize("choice", CHOICES)
def test_what_travels_is_set_by_a_control_of_each_page_and_they_can_be_set_alike(choice: str) -> None:
    common = {
        **{"offered load": 0.7, "tail index": 1.7, "slots": 100, "seed": 7, "history": "spark"},
        **{"tasks": 20, "copies": 3, "unfairness": 0.3},
    }[choice]
    for page, name in CHOICES[choice].items():
        values = panel(page).controls[name].values
        assert values.read(name, values.write(common)) == common, page


def test_every_page_has_a_next_one_with_a_question() -> None:
    reached = [following(entry.name) for entry in entries()]
    assert sorted(entry.name for entry in reached) == sorted(entry.name for entry in entries())
    for entry, after in zip(entries(), reached, strict=True):
        assert after != entry
        assert after.question.endswith("?")


def test_the_link_to_the_next_page_is_of_the_version_of_its_links() -> None:
    (link,) = [one.proto for one in opened("room").get("page_link") if one.proto.label.startswith("Next: ")]
    assert following("room").name == "compare"
    assert link.query_string == f"v={panel('compare').version}"


def test_a_moved_slider_travels_by_menu_and_by_link_and_what_does_not_fit_stays() -> None:
    at = opened("threshold")
    at.slider(key="threshold.beta").set_value(1.8).run()
    (link,) = [one.proto for one in at.get("page_link") if one.proto.label.startswith("Next: ")]
    assert link.query_string == "v=1&beta=1.8"
    turn_to(at, "allocation")
    at.query_params.clear()
    at.run()
    assert at.slider(key="allocation.beta").value == 1.8
    assert at.toast[0].value == "As on the pages before: tail index 1.8"
    at.slider(key="allocation.S").set_value(123).run()
    assert at.session_state["carried over"] == {"tail index": 1.8, "slots": 123}
    at.session_state["carried over"]["tail index"] = 9.0  # of a page with a longer slider
    turn_to(at, "threshold")
    at.query_params.clear()
    at.run()
    assert at.slider(key="threshold.beta").value == 1.8
    assert not at.exception


def test_what_follows_on_a_sample_is_about_that_sample() -> None:
    """Diagnose begins with another sample than What-if."""
    at = opened("diagnose")
    assert at.session_state["carried over"] == {"history": "slurm"}
    (link,) = [one.proto for one in at.get("page_link") if one.proto.label.startswith("Next: ")]
    assert link.query_string == "v=1&log=slurm"


def test_a_setting_to_start_from_does_not_travel_and_a_link_does() -> None:
    at = opened("allocation", v="1", instance="many")
    assert "carried over" not in at.session_state
    at = opened("allocation", v="1", S="77")
    assert at.session_state["carried over"] == {"slots": 77}
