"""Foreign text on pages: shown letter by letter, in every message of every page, whatever is in a link."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.shared.controls.links import LONGEST, MOST_MESSAGES
from pages.shared.words.foreign import code, literal
from sim.telling.plot import in_chart
from tests.foreign import AWAY, HOSTILE, IN_LINKS, alive, unseen
from tests.pages.test_controls import PANELS, address, visit
from tests.pages.visits import turn_to

ROOT = Path(__file__).resolve().parents[2]
#: Calls that draw a message, and the module in which they may have one that is not a constant.
MESSAGES = {"error", "warning", "info", "success", "toast", "exception"}
AT_ONE_PLACE = "pages/shared/words/foreign.py"
#: Where the same names write into a log.
LOGS = ("pages/server/log.py", "pages/server/run.py")

#: Texts too long to share a link with another.
LONG = [text for text in IN_LINKS.values() if len(text) > 1000]
SHORT = [text for text in IN_LINKS.values() if text not in LONG]


def mixtures(page: str) -> Iterator[dict[str, str]]:
    """Yield links to a page that together try every text, each on a control or more, and every control."""
    names = list(PANELS[page].controls)
    for first in range(0, len(SHORT), len(names)):
        yield {name: SHORT[(first + place) % len(SHORT)] for place, name in enumerate(names)}
    yield from ({names[place % len(names)]: text} for place, text in enumerate(LONG, start=len(page)))


def texts(message: Message) -> Iterator[str]:
    """Yield every text in a message of Streamlit's."""
    for field, value in message.ListFields():
        for one in value if field.is_repeated and not isinstance(value, Message) else [value]:
            if isinstance(one, str):
                yield one
            elif isinstance(one, Message):
                yield from texts(one)


def drawn(app: AppTest) -> Iterator[tuple[str, str]]:
    """Yield the kind and every text of every element on the page."""
    for node in app._tree:
        proto: Any = getattr(node, "proto", None)
        if isinstance(proto, Message):
            yield from ((node.type, text) for text in texts(proto))


def assert_harmless(app: AppTest) -> None:
    assert not app.exception
    for kind, text in drawn(app):
        if kind in ("warning", "error", "info"):
            assert not alive(text.partition(":material/")[2] if text.startswith(":material/") else text), text
        else:
            assert AWAY not in text, (kind, text)
            text = text.replace("\n", "")  # which our own texts have
        assert not unseen(text), (kind, text)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_nothing_of_a_hostile_text_is_alive_or_unseen(text: str) -> None:
    assert not alive(literal(text))
    assert not alive(literal(f"load: {text} is not accepted"))
    assert not alive(code(text))
    assert not unseen(literal(text) + code(text) + in_chart(text))
    assert not re.search("[<>]", in_chart(text))


@pytest.mark.parametrize(
    "name", [name for name in HOSTILE if name not in ("terminal", "turned", "long", "nothing", "surrogate")]
)
def test_markup_would_be_noticed(name: str) -> None:
    assert alive(HOSTILE[name])


@given(st.text(alphabet=st.sampled_from("ab1 `*_[]()<>$:/\\!|~&#-.@=\n"), max_size=30))
def test_no_text_is_alive(text: str) -> None:
    assert not alive(literal(text))


@given(st.text(alphabet=st.sampled_from("ab1 `*_[]()<>$:/\\!|~&#-.@="), max_size=30))
def test_literal_text_is_the_text(text: str) -> None:
    """Reading it as Markdown gives the words back: code as it is, the rest without its escapes."""
    shown = re.split(r"((?<![`\\])(`+)(?!`).+?(?<!`)\2(?!`))", literal(text))
    parts = []
    for place in range(0, len(shown), 3):
        parts.append(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown[place]))
        if place + 2 < len(shown):
            inside = shown[place + 1].removeprefix(shown[place + 2]).removesuffix(shown[place + 2])
            padded = inside.startswith(" ") and inside.endswith(" ")
            parts.append(inside[1:-1] if padded else inside)
    assert "".join(parts) == " ".join(text.split())


@pytest.mark.parametrize("page", PANELS)
def test_hostile_texts_in_all_parameters_are_shown_and_not_obeyed(page: str) -> None:
    for values in mixtures(page):
        assert_refused(page, values)


@pytest.mark.slow
@pytest.mark.parametrize("text", IN_LINKS.values(), ids=IN_LINKS)
@pytest.mark.parametrize("page", PANELS)
def test_a_hostile_text_in_every_parameter_is_shown_and_not_obeyed(page: str, text: str) -> None:
    assert_refused(page, dict.fromkeys(PANELS[page].controls, text))


def assert_refused(page: str, values: dict[str, str]) -> None:
    """Assert that each of these parameters is refused in words of its own, that are harmless."""
    for part in in_parts(values):
        app = visit(page, part)
        assert_harmless(app)
        controls = PANELS[page].controls  # an empty text is what some begin with
        refused = [name for name, text in part.items() if text or controls[name].default]
        assert len(app.warning) == len(refused)
        assert address(app) == {}
        assert all(len(warning.value) < 1500 for warning in app.warning)


@pytest.mark.parametrize("page", PANELS)
def test_every_text_is_tried_on_every_page_and_every_control_tries_one(page: str) -> None:
    links = list(mixtures(page))
    assert {text for link in links for text in link.values()} == set(IN_LINKS.values())
    assert {name for link in links for name in link} == set(PANELS[page].controls)


def in_parts(values: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield parameters in links that are not too long to be read, and told of one by one."""
    part: dict[str, str] = {}
    for name, text in values.items():
        longer = part | {name: text}
        if part and (
            len(longer) > MOST_MESSAGES or len(re.sub(r"\W", "%00", "".join(longer.values()))) > 6000
        ):
            yield part
            longer = {name: text}
        part = longer
    yield part


@pytest.mark.parametrize("text", IN_LINKS.values(), ids=IN_LINKS)
def test_a_hostile_name_of_a_parameter_is_shown_and_not_obeyed(text: str) -> None:
    app = visit("start", {text: "1"})
    assert_harmless(app)
    assert len(app.warning) == 1


def test_a_value_is_shown_by_its_first_letters() -> None:
    (warning,) = visit("start", {"load": "7" * 4000}).warning
    assert "7" * 70 in warning.value
    assert "7" * 80 not in warning.value


@pytest.mark.parametrize("page", PANELS)
def test_a_link_that_is_too_long_is_refused_whole(page: str) -> None:
    panel = PANELS[page]
    name = list(panel.controls)[-1]
    usual = panel.controls[name].default
    app = visit(page, {name: panel.controls[name].entry().write(usual), "x": "y" * LONGEST})
    assert not app.exception
    (warning,) = app.warning
    assert f"at most {LONGEST:,}" in warning.value
    assert "defaults" in warning.value
    assert address(app) == {}


def test_a_link_of_the_greatest_length_is_read() -> None:
    (warning,) = visit("start", {"x": "y" * (LONGEST - 2)}).warning
    assert "'x' is not known" in warning.value


def test_of_many_messages_the_first_are_shown_and_the_others_counted() -> None:
    app = visit("start", {f"p{number}": "" for number in range(MOST_MESSAGES + 7)})
    assert len(app.warning) == MOST_MESSAGES + 1
    assert "7 more parameters" in app.warning[-1].value


def test_messages_that_are_no_constants_are_literal() -> None:
    found = 0
    for path in sorted((ROOT / "pages").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name != AT_ONE_PLACE and name not in LOGS:
            for node in messages(path.read_text()):
                found += 1
                assert all(map(is_harmless, node.args)), f"{name}: {node.lineno}"
    assert found > 3


def is_harmless(node: ast.expr) -> bool:
    """Whether an argument of a message is a constant, or a call of `literal`."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "literal"
    return called or isinstance(node, ast.Constant)


def messages(source: str) -> list[ast.Call]:
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [node for node in calls if isinstance(node.func, ast.Attribute) and node.func.attr in MESSAGES]


def test_a_message_that_is_no_constant_would_be_noticed() -> None:
    (call,) = messages("st.error(str(error), icon='x')")
    assert not is_harmless(call.args[0])


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", ["image", "bare address", "turned"])
@pytest.mark.parametrize("page", PANELS)
def test_the_whole_page_shows_it_and_does_not_obey(page: str, name: str) -> None:
    """As above, with all that the page draws beside its controls."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).run()
    if page != "start":
        turn_to(app, page)
    for control in PANELS[page].controls:
        app.query_params[control] = HOSTILE[name]
    app.run()
    assert_harmless(app)
    assert len(app.warning) >= min(len(PANELS[page].controls), MOST_MESSAGES)
