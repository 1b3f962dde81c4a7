"""The first screen without a browser: how its sandbox is set, and its doors; `test_sandbox` runs it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.animation.sandbox import SLOTS, TAILS, Sandbox
from pages.frame.menu import door
from pages.start.controls import DOORS, PANEL
from tests.pages.test_controls import address
from tests.pages.visits import visit


def sandbox(app: AppTest) -> dict[str, Any]:
    """What the browser is given."""
    found: list[dict[str, Any]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if text := dict(attrs).get("data-sandbox"):
                found.append(json.loads(text))

    for one in app.get("html"):
        Reader().feed(one.proto.body)
    (given,) = found
    return given


def test_the_app_opens_on_a_cluster_to_play_with_and_nothing_else_to_set() -> None:
    app = visit("start")
    assert not app.exception
    assert "one task" in app.title[0].value
    assert sandbox(app)["setting"] == Sandbox().setting
    assert [*app.slider, *app.get("segmented_control"), *app.metric] == []


@pytest.mark.parametrize(
    "link", [{"load": "0.7"}, {"copies": "late", "tail": "very wild"}, {"copies": "on", "load": "0.2"}]
)
def test_a_link_says_how_the_cluster_is_set(link: dict[str, str]) -> None:
    app = visit("start", **link)
    given = sandbox(app)
    wanted = PANEL.defaults() | {name: float(one) if name == "load" else one for name, one in link.items()}
    assert given["setting"] == Sandbox(**wanted).setting
    assert given["links"] == PANEL.defaults(), "what the address need not say"
    assert address(app) == link


def test_a_class_meets_what_its_link_leaves() -> None:
    app = visit("start", load="0.7", lock="load", show="copies")
    given = sandbox(app)
    assert given["shown"] == ["copies"]
    assert given["setting"]["load"] == 0.7
    assert any(":material/lock:" in one.value for one in app.markdown)


def test_what_the_numbers_rest_on_is_said() -> None:
    (told,) = [one.value for one in visit("start").markdown if "Poisson" in one.value]
    assert f"Each of the {SLOTS} slots" in told
    for name, tail in TAILS.items():
        assert f"{name} β = {tail:g}" in told


def test_each_kind_of_visitor_has_a_door() -> None:
    app = visit("start")
    links = [(link.proto.page, link.proto.label) for link in app.get("page_link")]
    for one in DOORS:
        assert any(text.value.startswith(f"**{one.who}**") for text in app.markdown)
        for name in one.pages:
            assert (name, door(name)) in links
