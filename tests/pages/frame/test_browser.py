"""The scripts and styles added to Streamlit's page, and the QR codes of links."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
import segno
from streamlit import file_util

from pages.frame import browser
from pages.frame.browser import LONGEST, BrowserParts
from pages.frame.menu import entries
from tests.pages.server.asking import ask, page

PAGES = frozenset({"", "start", "compare", "room"})
#: What imports, and what is imported by, a module of the parts.
IMPORT = re.compile(r'(?:from |import\()"\./([\w.-]+)"')


def parts_app() -> BrowserParts:
    return BrowserParts(page, pages=PAGES, first="start")


@pytest.mark.parametrize("path", ["/", "/compare"])
def test_a_page_has_the_parts_and_they_are_there(path: str) -> None:
    answer = ask(parts_app(), path)
    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-cache"
    named = re.findall(r'(?:href|src)="\.(/frame/[^"]+)"', answer.body)
    assert [name.rpartition("/")[2] for name in named] == [browser.PLACE, *browser.LOOKS, browser.SCRIPT]
    for name in named:
        part = ask(parts_app(), name)
        assert part.status == 200, name
        assert part.headers["content-type"].startswith(browser.KINDS[name[name.rindex(".") :]]), name
        assert "immutable" in part.headers["cache-control"]
    assert '<div id="root"></div>' in answer.body


@pytest.mark.parametrize(("path", "charts"), [("/", True), ("/compare", True), ("/room", False)])
def test_what_draws_charts_is_loaded_early_where_there_are_charts(path: str, charts: bool) -> None:
    found = re.findall(
        r'<link rel="modulepreload" [^>]*href="\./static/js/([^"]+)" data-charts>',
        ask(parts_app(), path).body,
    )
    assert found == [browser.charts_script()] * charts
    if charts:
        text = (Path(file_util.get_static_dir()) / "static" / "js" / found[0]).read_text(encoding="utf-8")
        assert "plotly.js" in text


def test_without_such_a_file_a_page_is_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "CHARTS", "Nothing.*.js")
    assert browser.charts_script() is None
    assert browser.with_charts("<head></head>", None) == "<head></head>"


def test_every_part_is_used() -> None:
    content = {name: text.decode() for name, text in browser.parts().items()}
    imported = {name for text in content.values() for name in IMPORT.findall(text)}
    assert imported | {browser.PLACE, browser.SCRIPT, *browser.LOOKS} == content.keys()


#: What is looked for in something small, which is never around a chart.
IN_A_HANDLE = 'input[aria-valuetext="tap the line"]'


def within(text: str, opening: str) -> list[str]:
    """Return what stands between each opening, which ends in a bracket, and the bracket that closes it."""
    found = []
    for part in text.split(opening)[1:]:
        depth = 1
        for place, letter in enumerate(part):
            depth += (letter == "(") - (letter == ")")
            if not depth:
                found.append(part[:place])
                break
    return found


@pytest.mark.parametrize("name", sorted(set(browser.LOOKS) - set(browser.AT_TIMES)))
def test_no_rule_makes_a_browser_look_through_charts(name: str) -> None:
    """Each part of a :has() names its steps: else all nodes of a chart are asked at each move."""
    looks = re.sub(r"/\*.*?\*/", "", browser.parts()[name].decode(), flags=re.DOTALL)
    for wanted in within(looks, ":has("):
        for one in wanted.split(","):
            steps = re.sub(r"\s*>\s*", ">", re.sub(r'"[^"]*"', "", one)).strip()
            assert one == IN_A_HANDLE or (steps.startswith(">") and " " not in steps), one


def test_the_addresses_of_parts_change_with_them() -> None:
    parts = browser.parts()
    assert browser.digest(parts | {"bar.js": b"other"}) != browser.digest(parts)


@pytest.mark.parametrize(
    "path", ["/nowhere", "/frame/0a/nothing.js", "/frame/0a/../run.py", "/static/js/a.js"]
)
def test_the_rest_is_left_to_streamlit(path: str) -> None:
    assert ask(parts_app(), path).body == "a page"


def test_the_first_page_has_one_address_and_keeps_its_settings() -> None:
    answer = ask(parts_app(), "/start", query="load=0.7&copies=on")
    assert (answer.status, answer.headers["location"]) == (307, "/?load=0.7&copies=on")


def test_below_a_base_path_all_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "base_path", lambda: "/lab/")
    for path in ("/lab/", "/lab/compare"):
        assert "./frame/" in ask(parts_app(), path).body
    assert ask(parts_app(), "/lab/start").headers["location"] == "/lab/"
    assert ask(parts_app(), "/lab").body == "a page"  # which Streamlit redirects: all addresses are relative
    assert ask(parts_app(), "/compare").body == "a page"


def code(address: str, host: str = "lab.example:8501") -> tuple[int, str]:
    answer = ask(parts_app(), "/frame/qr.svg", query=f"address={quote(address, safe='')}", host=host)
    return answer.status, answer.body


def test_a_link_has_a_code_with_every_square_of_the_encoder() -> None:
    address = "http://lab.example:8501/compare?v=1&load=0.8&policies=fair%2Blate"
    status, picture = code(address)
    assert status == 200
    squares = segno.make_qr(address, error="l", boost_error=False)
    side = squares.symbol_size(border=4)[0]
    assert f'viewBox="0 0 {side} {side}"' in picture
    light, *dark = [int(run) for run in re.findall(r"h(\d+)", picture)]
    assert light == side  # the paper behind it
    assert sum(dark) == sum(map(sum, squares.matrix))


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://elsewhere.example/", "of a page of this server"),
        ("javascript:alert(1)", "of a page of this server"),
        ("", "of a page of this server"),
        ("http://lab.example:8501/é", "of a page of this server"),
        ("http://lab.example:8501/?" + "a" * LONGEST, f"give at most {LONGEST:,}"),
    ],
)
def test_no_code_is_made_of_anything_else(address: str, told: str) -> None:
    status, words = code(address)
    assert status == 400
    assert told in words


def test_the_controls_of_each_page_are_told_by_name_and_label() -> None:
    answer = ask(parts_app(), "/frame/controls.json")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    known = json.loads(answer.body)
    assert {*known} == {entry.name for entry in entries()} - {"room"}
    assert ["load", "How busy the cluster is: load ρ₀"] in known["compare"]
    assert "beta" in dict(known["compare"])
    assert not any(name == "file" or "*" in label for controls in known.values() for name, label in controls)


def test_the_bar_knows_the_longest_link() -> None:
    assert f"const LONGEST = {LONGEST};" in browser.parts()["bar.js"].decode()
