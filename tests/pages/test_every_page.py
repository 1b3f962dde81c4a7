"""The contract of all pages whose answer follows their controls: what each does, whatever it asks.

What a control accepts and how it goes into a link and back is in `test_controls`, presets in `test_presets`.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.shared.controls.control import Control, OneOf, Range, Switch
from pages.shared.controls.links import MOST_MESSAGES
from tests.pages.made import trouble
from tests.pages.test_controls import PANELS, bad
from tests.pages.visits import away_and_back, drawn, link, seen, visit
from tests.strategies import search

pytestmark = pytest.mark.usefixtures("short_runs")
#: Pages, and links to them with which a run is short and every control has something to change.
PAGES: dict[str, dict[str, str]] = {
    "threshold": {},
    "allocation": {},
    "errata": {},
    "cloning": {},
    "detection": {},
    "coded": {},
    "rollouts": {"N": "16"},
    "coding": {"jobs": "5000"},
    "decentralised": {
        **{"workers": "20", "length": "20", "tasks_max": "5", "schedulers": "2"},
        "rivals": "hopper+budget",
    },
    "compare": {
        **{"preset": "small", "precision": "10", "phases": "3", "alpha": "1", "slow_share": "0.2"},
        **{"replicas": "1", "policies": "hopper-dag+budget;fair+late;hopper+budget"},
    },
    "learn": {"lesson": "2"},
    "map": {
        **{"xs": "0.3:0.6:4", "ys": "1.5:2.5:4", "slots": "20", "tasks_max": "5", "jobs": "200"},
        **{"policies": "fair+none;fair+late", "criterion": "budget", "precision": "5"},
    },
    "diagnose": {},
    "whatif": {"replications": "20", "price_kind": "executor"},
    "fleet": {},
    "beforeafter": {},
    "reproductions": {"claim": "xl-fig4-alpha2"},
    "wait": {"example": "size"},
}
CASES = [pytest.param(page, marks=pytest.mark.compiled if page == "decentralised" else ()) for page in PAGES]
#: Where a control is moved to, if not a bit.
MOVED: dict[str, dict[str, Any]] = {
    "allocation": {"instance": "dag", "pour": "SRPT", "epsilon": 0.9},
    "cloning": {"start": "busy", "tau": 0.2, "small": 3, "spread": 1.0},
    "detection": {"start": "heavy", "xi": 5.0},
    "coding": {"preset": "aktas"},
    "compare": {
        **{"arrivals": "bursty", "tasks": "constant", "straggle": "exponential", "phases_law": "uniform"},
        **{"barrier": 1.0, "slow_factor": 5.0, "remote_factor": 4.0, "warm_up": 0.3},
    },
    "map": {"x": "slow_share", "y": "slots"},
    "diagnose": {"log": "spark"},
    "beforeafter": {"runs": "nightly"},
    "fleet": {"rows": "unread"},
    "reproductions": {"paper": "XL", "system": "ESE", "verdict": "not reproduced"},
    "whatif": {"price_kind": "slot", "slots": 40, "system": "hadoop", "budget": 1},
}
#: Controls that change nothing after some others have been moved: they come first.
FIRST = {
    "detection": ("start", "xi"),
    "coding": ("claim",),
    "map": ("budget", "slots", "slow_share", "slow_factor"),
    "whatif": ("price_executor", "price_kind", "rate", "slots", "system", "seed", "replications"),
    "fleet": ("price",),
    "wait": ("unit",),
}
#: Controls with tests of their own: policies, files, and what only these ask for.
OWN = {
    *("jobs", "policies", "baseline", "rivals", "beside", "observe", "file"),
    *("recorded_times", "recorded_sizes", "preset of compare", "preset of map", "xs", "ys"),
    *("log of whatif", "leave_out", "left_out", "price_vcpu", "price_gb"),
    *("printed", "copies of threshold"),  # which only a link sets
    "list of rollouts",
    *("file2", "fleet", "sort", "compute", "format of fleet", "apart"),
    *(
        "done",
        "running",
        "sizes",
        "running_sizes",
        "hosts",
        "running_hosts",
        "deadline",
        "start of wait",
        "stage",
    ),
    *("straggle_cv", "straggle_max", "outlier_share", "arrival_cv", "tasks_tail"),  # of some laws
}
#: What makes a run long: as `PAGES` says, or not set.
LONG = {"preset of compare", "slots of compare", "workers of decentralised", "per_worker of decentralised"}
LONG |= {"precision of map"}  # a search met a map of 400 s
#: Drawers that show what is asked once more.
RESTATED = ("formulas", "scenario", "shell", "reported")


def controls_of(page: str) -> dict[str, Control]:
    """Return the controls that are moved, in the order in which they are."""
    found = PANELS[page].controls
    order = [*FIRST.get(page, ()), *found]
    return {
        name: found[name]
        for name in dict.fromkeys(order)
        if not {name, f"{name} of {page}"} & OWN or name in MOVED.get(page, {})
    }


def nearby(control: Control, value: Any) -> Any:
    """Return another value, not far from this one."""
    match control.values:
        case Range(low, high, step):
            by = max(1, round((high - low) / step / 10)) * step
            return round(value + by if value + by <= high else value - by, 6)
        case OneOf(values):
            values = [*values]
            place = values.index(value) if value in values else -1
            return values[place + 1] if place + 1 < len(values) else values[place - 1]
        case Switch():
            return not value
    raise AssertionError(f"say in MOVED where {control.name} is moved to")


def widget(app: AppTest, key: str) -> Any:
    """Return the widget of a control."""
    kinds = ("slider", "select_slider", "number_input", "toggle", "selectbox", "radio", "segmented_control")
    found = [one for kind in kinds for one in app.get(kind) if one.key in (key, f"{key}:shown")]
    assert len(found) == 1, f"{key}: {len(found)} widgets"
    return found[0]


def answer(app: AppTest) -> list[str]:
    """Return what a page answers: all that is seen but titles and captions, which may say what is asked."""
    asked = {block.value for block in (*app.title, *app.header, *app.caption)}
    return [one for one in seen(app) if one not in asked] + [table.value.to_csv() for table in app.dataframe]


def opened(page: str) -> dict[str, str]:
    """Return the address of a page that was opened by its link."""
    return {"v": PANELS[page].version} | PAGES[page]


def assert_sound(app: AppTest) -> None:
    """Assert that a page asks and answers, each chart in words with its numbers, and shows no accident."""
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert app.title[0].value.endswith("?")
    assert drawn(app)
    assert all(re.search(r"\d", chart.proto.alt) for chart, _ in drawn(app))
    assert not trouble(seen(app))


def test_every_page_is_held_to_its_contract() -> None:
    assert PAGES.keys() == PANELS.keys() - {"room", "start"}  # answered by people, and by the browser


@pytest.mark.parametrize("page", CASES)
def test_every_control_changes_the_answer_and_the_link_and_the_link_brings_all_back(page: str) -> None:
    app = visit(page, RESTATED, **PAGES[page])
    assert_sound(app)
    assert link(app) == opened(page)
    for name, control in controls_of(page).items():
        before, start = answer(app), link(app)
        key = f"{page}.{name}"
        default = nearby(control, widget(app, key).value) if name not in MOVED.get(page, {}) else None
        widget(app, key).set_value(MOVED.get(page, {}).get(name, default)).run()
        assert not app.exception, name
        assert answer(app) != before, name
        assert link(app).get(control.link) != start.get(control.link), name
        assert not trouble(seen(app)), name
    last = seen(app)
    assert seen(visit(page, RESTATED, **link(app))) == last
    assert seen(away_and_back(app, page, "errata" if page == "threshold" else "threshold")) == last


@pytest.mark.parametrize("page", CASES)
def test_what_is_bad_in_a_link_is_explained_one_by_one_and_the_page_is_there(page: str) -> None:
    wrong = {control.link: list(bad(control))[-1][0] for control in PANELS[page].controls.values()}
    wrong = {name: text for name, text in wrong.items() if name not in PAGES[page]}
    told = dict([*wrong.items()][: MOST_MESSAGES - 1])
    app = visit(page, **PAGES[page], **told, colour="red")
    assert not app.exception
    said = [warning.value for warning in app.warning]
    assert len(said) == len(told) + 1
    assert sum("link: 'colour' is not known" in one for one in said) == 1
    for name in told:
        assert any(name in one and "accepted" in one for one in said), name
    assert drawn(app)
    assert not trouble([text for text in seen(app) if text not in said])
    assert link(app) == opened(page)


def test_what_is_set_in_a_drawer_that_was_closed_at_first_stays_after_a_look_at_another_page() -> None:
    app = visit("cloning", closed=("more",))
    app.session_state["cloning:open:more"] = True
    app.run().slider(key="cloning.small").set_value(30).run()
    away_and_back(app, "cloning")
    assert app.session_state["cloning.small"] == 30
    assert link(app) == {"v": "1", "small": "30"}


def anywhere(control: Control) -> st.SearchStrategy[Any]:
    """Values all over what a control accepts, its ends often."""
    match control.values:
        case Range(low, high, step):
            steps = round((high - low) / step)
            places = st.sampled_from([0, steps]) | st.integers(0, steps)
            return places.map(lambda place: type(low + step)(round(low + place * step, 6)))
        case OneOf(values):
            return st.sampled_from([*values])
        case Switch():
            return st.booleans()
    return st.nothing()


#: Visits that the search takes; fewer where each plays the jobs of a log again.
VISITS = dict.fromkeys(PAGES, 18) | {"whatif": 5}


@pytest.mark.parametrize("page", CASES)
def test_values_that_were_never_together_make_a_page_or_are_told(page: str) -> None:
    """A page ended in an exception where a preset has more tasks at least than were set at most."""

    @search(VISITS[page])
    @given(data=st.data())
    def opens(data: st.DataObject) -> None:
        query = dict(PAGES[page])
        for name, control in controls_of(page).items():
            if not {name, f"{name} of {page}"} & LONG and data.draw(st.booleans()):
                value = data.draw(anywhere(control), name)
                query[control.link] = control.values.write(value)
        app = visit(page, **query)
        assert not app.exception, query
        assert not trouble(seen(app)), query

    opens()
