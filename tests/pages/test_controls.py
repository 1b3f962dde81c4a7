"""The contract of every control of every page in the menu: a page is tested when it is listed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.compare.controls import Observed, PolicyText
from pages.formulas.allocation.controls import JobRows
from pages.formulas.rollouts.controls import Pasted
from pages.frame.browser import panels
from pages.logs.controls import LeftOut, Offered
from pages.map.controls import COUNTS, Span, span
from pages.room.controls import Written
from pages.shared.controls.control import Control, OneOf, Panel, Range, Switch
from pages.shared.controls.fields import (
    NEED_DATA,
    ChosenPolicies,
    FieldSteps,
    FieldWords,
    Policies,
    meaning,
    menu,
)
from pages.shared.controls.file_in_link import FileInLink
from pages.shared.controls.links import MOST_MESSAGES, as_text
from pages.wait.controls import Typed, hosts_in, time_in
from sim.advice.waiting.siblings import sizes_in, times_in
from sim.engines.registry import ENGINES
from sim.model.fields import TIME, BadInput, about_fields
from sim.model.outcome import Observation
from tests.documented_rules import documented_rules
from tests.pages.test_jobs import tables
from tests.strategies import policies

ROOT = Path(__file__).resolve().parents[2]
#: Controls whose messages name what they hold: each a policy.
CALLED = {"policies": "policy", "baseline": "policy"}
#: Streamlit's widgets with a value, and the modules in which they may be drawn beside the controls': they
#: choose what is looked at of an answer, and are not in the link.
WIDGETS = {
    *("slider", "select_slider", "number_input", "text_input", "data_editor", "toggle", "checkbox"),
    *("selectbox", "multiselect", "radio", "segmented_control", "pills"),
}
LOOKING = {
    *("pages/compare/layout.py", "pages/decentralised/layout.py"),
    "pages/logs/diagnose/layout.py",
    "pages/logs/beforeafter/layout.py",  # which runs are those after
    "pages/logs/controls.py",  # the place for files, and which of them is looked at
    "pages/logs/fleet/layout.py",  # which log is opened elsewhere
    "pages/map/layout.py",
    "pages/lessons/prediction.py",  # a prediction
    "pages/room/layout/door.py",  # where a code is typed
    "pages/room/layout/student.py",  # where a number is typed
    "pages/room/layout/teacher.py",  # what can be asked, and where a question is written
    "pages/learn/details.py",  # where an exercise's answer is typed
    "pages/compare/sidebar.py",  # a menu of what can be added, not what is
}
#: What reads a text that is typed -> such texts.
TYPED = {
    times_in: ("12 1.5min 1:30", "7", "3 s 4 h"),
    time_in: ("15 min", "90", "1-00:00:30"),
    sizes_in: ("120 3.5e6 128MB", "7"),
    hosts_in: ("node1 node-2.example:7337", "a"),
}


@pytest.fixture(autouse=True, scope="module")
def _rules_of_ones_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have the rules of docs/how-to/write-a-rule.md, which menus then offer as they do ours."""
    with documented_rules(tmp_path_factory.mktemp("rules")):
        yield


PANELS: dict[str, Panel] = panels()
WITH_STARTS = [page for page, panel in PANELS.items() if panel.starts]


def values_of(control: Control) -> st.SearchStrategy[Any]:
    """Return what a control may be set to."""
    match control.values:
        case Range(low, high, step):
            whole = isinstance(step, int)
            return st.integers(low, high) if whole else st.floats(low, high)
        case FieldWords(values):
            return st.sampled_from([word for word in values if word not in NEED_DATA])
        case FieldSteps(values):
            first, last = values[0], values[-1]
            return st.integers(first, last) if isinstance(first, int) else st.floats(first, last)
        case OneOf(values):
            return st.sampled_from([*values])
        case Switch():
            return st.booleans()
        case JobRows():
            return tables()
        case Offered():
            return st.sampled_from([*control.values.known])
        case LeftOut():
            return st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=60)
        case FileInLink():
            digest = st.text("0123456789abcdef", min_size=16, max_size=16)
            name = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=80)
            return st.builds("{},{},{}".format, st.integers(0, 10**9), digest, name)
        case Written(form):
            return st.from_regex(form, fullmatch=True)
        case ChosenPolicies(offered=offered, fewest=fewest, most=most):
            texts = [*offered()]
            return st.lists(
                st.sampled_from(texts), min_size=fewest, max_size=min(most, len(texts)), unique=True
            )
        case Policies(fewest=fewest, most=most):
            return st.lists(texts_of_policies(), min_size=fewest, max_size=most, unique=True)
        case Span():
            ends = st.lists(st.floats(0, 100), min_size=2, max_size=2, unique=True).map(sorted)
            return st.builds(lambda two, count: span(*two, count), ends, st.sampled_from(COUNTS))
        case PolicyText():
            return texts_of_policies()
        case Pasted():
            return st.lists(st.integers(1, 10**6), min_size=5, max_size=80).map(
                lambda few: " ".join(map(str, few))
            )
        case Typed(check=check):
            return st.sampled_from(TYPED[check])
        case Observed():
            ages = st.floats(0, 10).map(lambda at: Observation("age", at).text)
            shares = st.floats(0, 0.99).map(lambda at: Observation("fraction", at).text)
            return ages | shares | st.just("never")
    raise AssertionError(f"say here which values {type(control.values).__name__} accepts")


def texts_of_policies() -> st.SearchStrategy[str]:
    return st.sampled_from(menu()).flatmap(policies).map(lambda policy: policy.text)


@pytest.mark.parametrize("page", PANELS)
def test_a_panel_bears_the_name_of_its_page(page: str) -> None:
    assert PANELS[page].page == page
    assert PANELS[page].controls
    assert all(control.label for control in PANELS[page].controls.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_field_says_its_unit_in_words(engine: str) -> None:
    fields = about_fields(ENGINES[engine].scenario)
    times = {name for name, about in fields.items() if about.unit == TIME}
    assert {"size_min", "size_max"} <= times
    for name, about in fields.items():
        unit = "in the scenario's unit of time" if name in times else about.unit
        assert meaning(about).endswith(f" ({unit})." if unit else ".")
        assert TIME not in meaning(about)


@pytest.mark.parametrize("page", PANELS)
def test_no_control_calls_its_unit_as_the_code_does(page: str) -> None:
    for control in PANELS[page].controls.values():
        assert TIME not in f"{control.label} {control.about}", control.name


@pytest.mark.parametrize("page", PANELS)
def test_the_default_is_a_value_of_its_control(page: str) -> None:
    for control in PANELS[page].controls.values():
        assert accepts(control, control.default), control.name


@pytest.mark.parametrize("page", PANELS)
def test_a_slider_can_be_moved_to_its_ends_and_back_to_its_default(page: str) -> None:
    for control in PANELS[page].controls.values():
        if isinstance(control.values, Range):
            low, high, step = control.values.low, control.values.high, control.values.step
            steps = (
                (high - low) / step,
                ((low if control.default is None else control.default) - low) / step,
            )
            assert all(round(one) >= 0 for one in steps), control.name
            assert steps == pytest.approx([round(one) for one in steps]), control.name


@pytest.mark.parametrize("page", WITH_STARTS)
def test_every_start_sets_controls_of_its_page_to_values_of_theirs(page: str) -> None:
    panel = PANELS[page]
    for start, sets in panel.starts.items():
        assert set(sets.values) <= set(panel.controls), start
        for name, value in panel.defaults(start).items():
            assert accepts(panel.controls[name], value), (start, name)


def accepts(control: Control, value: Any) -> bool:
    """Whether a value survives a link."""
    entry = control.entry()
    return bool(entry.read(entry.write(value)) == value)


@pytest.mark.parametrize("page", PANELS)
@settings(max_examples=20)
@given(data=st.data())
def test_a_link_brings_back_every_value(page: str, data: st.DataObject) -> None:
    for control in PANELS[page].controls.values():
        value = data.draw(values_of(control))
        assert accepts(control, value), control.name


@pytest.mark.parametrize("page", PANELS)
def test_a_bad_text_is_refused_and_what_is_accepted_is_said(page: str) -> None:
    for control in PANELS[page].controls.values():
        for text, accepted in bad(control):
            with pytest.raises(BadInput) as refusal:
                control.entry().read(text)
            message = str(refusal.value)
            assert message.startswith(f"{CALLED.get(control.name, control.name)}: {text!r}")
            assert "give " in message or "known are " in message, message
            assert all(one in message for one in accepted), (control.name, text)


def bad(control: Control) -> Iterator[tuple[str, list[str]]]:
    """Yield texts that a control may not accept, each with what its message must have."""
    if isinstance(control.values, LeftOut):  # whose texts are parts of names that others gave
        yield "x" * 61, ["60"]
        return
    yield "?!", []
    match control.values:
        case Range(low, high, step):
            beyond = [as_text(low), as_text(high)]
            yield as_text(high + step), beyond
            yield "nan", []
        case FieldSteps(values):
            yield as_text(values[-1] + 1), [as_text(values[0]), as_text(values[-1])]
        case FieldWords(values):
            yield "chess", [*values]
        case OneOf(values) if control.name not in ("preset", "observe"):  # which know more than their values
            few = len([*values]) <= 30  # of more the nearest are named, and how many there are
            yield "?!", [as_text(value) for value in values] if few else [f"another of the {len([*values])}"]
            if not few:
                yield f"{as_text([*values][-1])}x", [as_text([*values][-1])]
        case Switch():
            yield "2", ["0", "1"]
        case Written(accepted=accepted):
            yield "7", [accepted]


def screen(page: str) -> None:
    """Draw all controls of a page, unless the visitor is away."""
    from importlib import import_module

    import streamlit as st

    from pages.frame.menu import entry_of
    from pages.shared.controls.links import show_messages

    if st.session_state.get("away"):
        return
    panel = import_module(f"{entry_of(page).package}.controls").PANEL
    messages = panel.open()
    if panel.starts:
        panel.draw_start()
    for name in list(panel.controls)[bool(panel.starts) :]:
        panel.draw(name)
    panel.write(panel.values())
    show_messages(messages)


def visit(page: str, link: Mapping[str, str | list[str]]) -> AppTest:
    app = AppTest.from_function(screen, args=(page,), default_timeout=60)
    for name, text in link.items():
        app.query_params[name] = text
    return app.run()


def address(app: AppTest) -> dict[str, str]:
    return {
        name: text if isinstance(text, str) else text[0]
        for name, text in app.query_params.items()
        if name != "v"
    }


def shown(app: AppTest, page: str) -> dict[str, Any]:
    """Return the value of every widget by the name of its control."""
    widgets = [widget for kind in WIDGETS - {"data_editor"} for widget in app.get(kind)]
    keys = {widget.key: widget.value for widget in widgets if widget.key}
    return {key.removeprefix(f"{page}.").removesuffix(":shown"): value for key, value in keys.items()}


def moved(panel: Panel, start: str = "") -> dict[str, Any]:
    """Return a start, if one is given, and for every other control another value than the default there."""
    chooser = next(iter(panel.controls)) if panel.starts else ""
    return ({chooser: start} if start else {}) | {
        entry.name: other(panel.controls[entry.name], entry.default)
        for entry in panel.entries(start)
        if entry.name not in (chooser, "baseline")  # the baseline follows the policies
    }


def other(control: Control, default: Any) -> Any:
    """Return a value of a control that is not its default."""
    match control.values:
        case Range(low, high):
            return high if default != high else low
        case FieldWords(values):
            return next(word for word in values if word not in (default, *NEED_DATA))
        case OneOf(values):
            return next(value for value in values if value != default)
        case Switch():
            return not default
    examples = {
        Offered: lambda: next(name for name in control.values.known if name != default),
        LeftOut: lambda: "warmup",
        FileInLink: lambda: "1234,0123456789abcdef,jobs.csv",
        Written: lambda: "1KTWXB" if control.name == "room" else "k" * 22,
        JobRows: lambda: control.values.read(control.name, "7,8:2"),
        ChosenPolicies: lambda: [*control.values.offered()][-1:],  # a rule of one's own
        Span: lambda: "1.5:2.5:8",
        Policies: lambda: ["srpt+mantri", "hopper:learn_tail=1+budget"],
        Observed: lambda: "fraction:0.25",
        Pasted: lambda: "12 13 90 1:30 2min",
        Typed: lambda: TYPED[control.values.check][0],
    }
    return examples[type(control.values)]()


def linked(panel: Panel, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the address of these values."""
    controls = ((panel.controls[name], value) for name, value in values.items())
    return {control.link: control.entry().write(value) for control, value in controls}


CHOSEN = [(page, "") for page in PANELS] + [
    (page, next(start for start in panel.starts if start != panel.entries()[0].default))
    for page, panel in PANELS.items()
    if panel.starts
]


@pytest.mark.parametrize(("page", "start"), CHOSEN)
def test_a_links_values_are_in_the_widgets_and_in_the_address_again_and_stay(page: str, start: str) -> None:
    panel = PANELS[page]
    values = moved(panel, start)
    link = linked(panel, values)
    app = visit(page, link)
    assert_shows(app, page, values, link)
    app.session_state["away"] = True  # a look at another page
    for name in list(app.query_params):
        del app.query_params[name]
    app.run()
    app.session_state["away"] = False
    app.run()
    assert_shows(app, page, values, link)


def assert_shows(app: AppTest, page: str, values: dict[str, Any], link: dict[str, str]) -> None:
    assert not app.exception
    assert not app.warning
    widgets = shown(app, page)
    for name, value in values.items():
        assert app.session_state[f"{page}.{name}"] == value, name
        if isinstance(PANELS[page].controls[name].values, (Range, OneOf, Switch, ChosenPolicies, Policies)):
            assert widgets[name] == value, name
    assert address(app) == link


@pytest.mark.parametrize("page", PANELS)
def test_a_link_fixes_some_controls_and_leaves_few_of_the_others(page: str) -> None:
    panel = PANELS[page]
    values = moved(panel)
    fixed, left = [*panel.controls][::2], [*panel.controls][1:2]
    limits = {
        which: ",".join(panel.controls[name].link for name in names)
        for which, names in (("lock", fixed), ("show", left))
    }
    link = linked(panel, values) | limits
    app = visit(page, link)
    for _ in ("at first", "after a move"):
        told = [block.value for block in app.markdown]
        assert not app.exception
        assert not app.warning
        for name in fixed:
            value = app.session_state[f"{page}.{name}"]
            assert value == values.get(name, value)
            assert f":material/lock: {panel.controls[name].fact(value)}" in told
        assert all(any(key.startswith(name) for name in left) for key in shown(app, page))
        assert address(app) == link
        for name in fixed:  # as a start or another control would move it
            app.session_state[f"{page}.{name}"] = panel.controls[name].default
        app.run()


def test_a_start_moves_what_a_link_leaves_and_what_is_chosen_elsewhere_moves_nothing() -> None:
    link = {"lock": "beta", "beta": "1.5", "show": "start,sigma"}
    app = visit("detection", link)
    app.selectbox(key="detection.start").set_value("heavy").run()
    assert [widget.key for widget in app.slider] == ["detection.sigma"]
    values = [app.session_state[f"detection.{name}"] for name in ("alpha", "omega", "sigma", "copies")]
    assert values == [1.5, 0.5, 1.2, 3]
    app.session_state["carried over"] = {"offered load": 0.8, "tail index": 3.0}
    app.session_state["away"] = True
    for name in list(app.query_params):
        del app.query_params[name]
    app.run()
    app.session_state["away"] = False
    app.run()
    assert app.session_state["detection.omega"] == 0.5
    assert address(app) == link | {"start": "heavy"}


def test_a_parameter_that_a_link_gives_twice_is_said_and_the_last_counts() -> None:
    app = visit("threshold", {"beta": ["2", "3"]})
    assert [one.value for one in app.warning] == ["beta: given 2 times; the last value, '3', counts."]
    assert app.session_state["threshold.beta"] == 3
    assert not visit("threshold", {"beta": ["3", "3"]}).warning


#: How links call what the labels of controls have.
SYMBOL = {"β": "beta", "ρ₀|^Load$": "load", "α": "alpha", "ε": "epsilon", "^Slots( S| in| \\()": "slots"}


@pytest.mark.parametrize(("symbol", "name"), SYMBOL.items())
def test_a_symbol_has_one_name_in_the_links_of_all_pages_which_means_nothing_else(
    symbol: str, name: str
) -> None:
    has, called = (
        {(page, one.label) for page, panel in PANELS.items() for one in panel.controls.values() if holds(one)}
        for holds in (lambda one: re.search(symbol, one.label), lambda one: one.link == name)
    )
    assert len({page for page, _ in has}) > 1
    assert has == called


@pytest.mark.parametrize("page", PANELS)
def test_no_name_old_or_new_means_two_controls_of_a_page(page: str) -> None:
    controls = PANELS[page].controls.values()
    names = [name for one in controls for name in {one.name, one.link}]
    assert len(names) == len({*names})


OLD = [(page, one) for page, panel in PANELS.items() for one in panel.controls.values() if one.symbol]


@pytest.mark.parametrize(("page", "control"), OLD, ids=[f"{page}-{one.name}" for page, one in OLD])
def test_an_old_link_sets_and_fixes_the_same_control_and_gets_its_new_name(
    page: str, control: Control
) -> None:
    value = other(control, control.default)
    text = control.entry().write(value)
    app = visit(page, {control.name: text, "lock": control.name})
    assert not app.warning
    assert app.session_state[f"{page}.{control.name}"] == value
    assert address(app) == {control.link: text, "lock": control.link}


@pytest.mark.parametrize("given", ["beta", "β", "straggle_tail"])
def test_what_is_wrong_is_said_by_the_name_that_the_link_has(given: str) -> None:
    (warning,) = visit("compare", {given: "9"}).warning
    assert warning.value.startswith(f"{given}: '9'")


@pytest.mark.parametrize(
    ("page", "given", "name"),
    [
        ("threshold", "β", "beta"),
        ("compare", "beta", "straggle_tail"),
        ("compare", "straggle_tail", "straggle_tail"),
        ("coding", "α", "straggle_tail"),
        ("compare", "α", "transfer"),
        ("detection", "α", "alpha"),
        ("cloning", "ε", "epsilon"),
    ],
)
def test_a_link_may_call_a_control_by_its_symbol(page: str, given: str, name: str) -> None:
    app, whole = (
        visit(page, {one: "2.5" if name != "epsilon" else "0.1", "lock": one}) for one in (given, name)
    )
    assert not app.warning
    assert address(app) == address(whole)
    assert app.session_state[f"{page}.{name}"] == (2.5 if name != "epsilon" else 0.1)


def test_a_control_that_a_link_gives_by_two_names_is_said() -> None:
    app = visit("threshold", {"β": "2", "beta": "3"})
    said = "beta: not accepted together with β, which is the same; give one of them."
    assert [one.value for one in app.warning] == [said]
    assert app.session_state["threshold.beta"] == 3


def test_unknown_names_in_limits_are_named_with_what_is_accepted() -> None:
    app = visit("threshold", {"lock": "S,load", "show": "nothing"})
    accepted = "beta, slots, TA, TB, TC, copies, printed"
    assert [one.value for one in app.warning] == [
        f"lock: 'load' is not accepted; give some of {accepted}.",
        f"show: 'nothing' is not accepted; give some of {accepted}.",
    ]
    assert address(app) == {"lock": "slots"}
    assert {"beta", "TA", "printed"} <= shown(app, "threshold").keys()


@pytest.mark.parametrize("page", PANELS)
def test_what_is_wrong_in_a_link_is_said_and_the_defaults_are_shown(page: str) -> None:
    panel = PANELS[page]
    app = visit(page, {name: next(bad(control))[0] for name, control in panel.controls.items()})
    assert not app.exception
    more = len(panel.controls) - MOST_MESSAGES
    assert len(app.warning) == min(len(panel.controls), MOST_MESSAGES + 1)
    assert more <= 0 or f"{more} more parameters" in app.warning[-1].value
    assert address(app) == {}
    for entry in panel.entries():
        assert app.session_state[f"{page}.{entry.name}"] == entry.default


@pytest.mark.parametrize("page", WITH_STARTS)
def test_choosing_a_start_sets_the_controls(page: str) -> None:
    panel = PANELS[page]
    chooser = next(iter(panel.controls))
    for start in panel.starts:
        app = visit(page, {})
        app.selectbox(key=f"{page}.{chooser}").set_value(start).run()
        assert not app.exception, start
        for name, value in panel.defaults(start).items():
            if name != chooser:
                assert app.session_state[f"{page}.{name}"] == value, (start, name)
        assert address(app) in ({}, {chooser: start}), start


def test_only_controls_are_widgets() -> None:
    astray = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "pages").rglob("*.py")
        if path.name not in ("control.py", "controls.py", "fields.py", "parameters.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in WIDGETS
    }
    assert astray <= LOOKING
