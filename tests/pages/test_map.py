"""The page Map: from what is shipped at once, live otherwise; every number on it held to its source."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sim
from pages.compare.controls import PANEL as COMPARE
from pages.compare.controls import scenario_from
from pages.map import charts, layout
from pages.map.charts import PALE, strength, strongest
from pages.map.controls import AXES, PANEL, offered, parts, span
from pages.map.layout import shell_line
from pages.map.question import COMPARED, ask, compare_link
from pages.map.words import (
    alt,
    answer,
    cards,
    csv,
    gains_around,
    names,
    notices,
    numbers,
    of_cell,
    reading,
    safest,
    told,
    verdict,
    wins,
)
from sim.engines.registry import preset
from sim.engines.slots.scenario import read_policy
from sim.map.picture import BETWEEN, SIMULATED, Picture, Square, picture
from sim.map.plane import LETTERS, Axis, Plane
from sim.map.shipped import default, shipped, table
from sim.map.survey import ALIKE, SURE, UNKNOWN, UNSTABLE, Survey, boundaries
from sim.model.fields import BadInput
from sim.running.experiment import Experiment
from sim.shell.experiment import experiment
from sim.shell.map import read
from sim.shell.verbs import parser
from sim.telling.palette import contrast, mixed, palette
from sim.telling.words import measured, percent
from tests.pages.made import checked, traces, trouble, words
from tests.pages.visits import seen, visit
from tests.sim.map.made import plane as small
from tests.sim.map.made import run, simulated, stood, surveyed, unlike
from tests.test_structure import contrast as standard

ROOT = Path(__file__).resolve().parents[2]
DEFAULTS = PANEL.defaults("load-and-tail")
FILE: dict[str, Any] = json.loads((Path(sim.__file__).parent / "map" / "shipped.json").read_text())


@pytest.fixture(scope="module")
def asked():
    return ask(DEFAULTS)


@pytest.fixture(scope="module")
def whole():
    found = shipped()
    assert found is not None
    return found


@pytest.fixture(scope="module")
def mixed_map():
    """A map with every kind of cell, some of them not simulated."""
    asked = small("load=0.2:0.8:12", "beta=1.2:3:10")

    def value(cell, policy):
        return 1 + (0.02 * cell[0], 0.3 - 0.03 * cell[0], 0.5)[policy]

    survey = surveyed(asked, value)
    grows = {"waiting": (0, 100, 200, 300)}
    for i in range(3):
        for number in range(survey.wanted[11, 9][i]):
            survey.samples[(11, 9), i, number] = run(1.0, **grows)
    survey.samples[(11, 0), 1, 0] = run(None)
    survey._standings.clear()
    return picture(survey, final=True)


def test_controls_that_contradict_each_other_are_told_and_stay_there() -> None:
    """Jobs of this preset have at least 4 tasks: with at most 3 the page has no map, and not a bare error."""
    app = visit("map", preset="hopper-dag", tasks_max="3", policies="fair+none;fair+late")
    assert not app.exception
    assert "tasks_max: 3 is not accepted; give at least tasks_min (4)" in app.error[0].value
    assert {"Horizontal axis", "Vertical axis"} <= {box.label for box in app.selectbox}


def test_the_page_opens_at_once_on_what_is_shipped(asked, whole) -> None:
    assert asked.plane.key == default().key
    app = visit("map")
    assert not app.exception
    assert not app.error
    assert not trouble(seen(app))
    told = FILE["map"]
    said = next(
        one.value for one in app.markdown if one.value.startswith("**") and "mean flowtime" in one.value
    )
    letter, most = max(told["regrets"].items(), key=lambda one: one[1]["wins"])
    assert re.search(rf"^\*\*{letter} [^*]+\*\* has the shortest mean flowtime in {most['wins']} of ", said)
    assert [card.value for card in app.metric] == [
        f"{one['wins']} of {told['cells']}" for one in told["regrets"].values()
    ]
    caption = next(one.value for one in app.caption if "Computed beforehand" in one.value)
    for part in (FILE["version"], FILE["commit"], f"{told['runs']:,} runs", f"seed {told['seed']}"):
        assert part in caption
    assert shell_line(asked) in [one.value for one in app.code]
    (chart,) = app.get("plotly_chart")
    assert chart.proto.alt == alt(whole)


def test_the_answer_counts_the_cells_in_which_each_policy_has_the_least(mixed_map, whole) -> None:
    found = sorted(((one["wins"], letter) for letter, one in FILE["map"]["regrets"].items()), reverse=True)
    ties = sum(one["kind"] == "alike" for one in FILE["squares"])
    most, letter = found[0]
    who = f"**{letter} {names(whole.plane)[LETTERS.index(letter)]}**"
    cells = FILE["map"]["cells"]
    assert wins(whole) == f"{who} has the shortest mean flowtime in {most} of {cells} cells."
    assert f"Of the {cells} cells in {ties} it is a tie." in notices(whole)
    unsure = {
        cell: replace(one, standing=replace(one.standing, kind=ALIKE)) if one.standing.kind == SURE else one
        for cell, one in mixed_map.squares.items()
    }
    none = replace(mixed_map, squares=unsure)
    assert re.match(r"No policy is surely the best in any of the 120 cells.*; \d+ are ties\.", wins(none))
    slow = replace(mixed_map, plane=replace(mixed_map.plane, criterion="slowdown"))
    assert "has the lowest mean slowdown in" in wins(slow)


def test_the_answer_names_the_policy_that_is_least_wrong(whole) -> None:
    worst = {letter: one["worst"]["value"] for letter, one in FILE["map"]["regrets"].items()}
    best = min(worst, key=worst.__getitem__)
    assert LETTERS[safest(whole)] == best
    regret = whole.regrets[LETTERS.index(best)]
    assert f"at worst {measured(regret.worst, '%', 100)} above the best" in answer(whole)
    assert f"{100 * worst[best]:.1f}"[:3] in answer(whole)


def test_whoever_is_least_wrong_at_worst_is_chosen_and_not_on_average() -> None:
    found = unlike()
    assert safest(found) == 1
    told = f"**B {names(found.plane)[1]}** is the safest choice: at worst 20.0 ± 2.0 % above the best, on"
    assert f"{told} average 14.4 ± 1.2 %." in answer(found)
    first, second = cards(found)
    assert (first.value, second.value) == ("14 of 16", "1 of 16")
    assert first.details == (
        "above the best: at worst 50.0 ± 3.0 %",
        "(at load 0.8, β 2),",
        "on average 3.1 ± 1.2 %",
    )
    assert second.details[::2] == ("above the best: at worst 20.0 ± 2.0 %", "on average 14.4 ± 1.2 %")


def test_cells_where_the_best_is_not_known_are_left_out_and_told() -> None:
    squares = {cell: simulated(stood(0.0, 0.15)) for cell in unlike().squares}
    assert answer(replace(unlike(), squares=squares)).endswith("in any cell.")
    for cell in ((0, 0), (1, 2)):
        unknown = replace(squares[cell].standing, kind=UNKNOWN, best=None, second=None, regrets=())
        squares[cell] = simulated(unknown)
    found = replace(unlike(), squares=squares)
    assert answer(found).endswith("in any cell where the best is known.")
    assert all(card.details[-1] == "the best is not known in 2 cells" for card in cards(found))


def test_a_cell_tells_what_the_best_saves_of_the_second_and_not_how_far_that_is_above() -> None:
    """25 % above the best, the second saves 20 % by becoming it."""
    found = unlike()
    one = simulated(stood(0.25, 0.0))
    assert verdict(found.plane, one) == (f"best: B {names(found.plane)[1]}, saves 20.0 ± 1.0 % against A")
    (_, first), (_, second) = numbers(found.plane, one.standing)
    assert first.split("; ")[1] == "25.0 ± 1.0 % above the best"
    assert "above" not in second
    between = replace(one, known=BETWEEN, around=((0, 1), (2, 2), (3, 1)))
    low, high = 0.15 / 1.15, 0.5 / 1.5
    assert gains_around(found, between) == pytest.approx((low, high))
    told_between = told(layout.Request(found.plane, "load-and-tail"), replace_square(found, between), (1, 1))
    assert told_between[-1] == f"there the best saves {percent(low)} to {percent(high)} of the second best"


def test_cells_where_a_queue_grows_are_not_those_over_the_budget() -> None:
    squares = dict(unlike().squares)
    for cell in ((0, 1), (1, 1), (1, 2)):
        squares[cell] = simulated(replace(squares[cell].standing, unstable=(True, False)))
    squares[2, 1] = simulated(replace(squares[2, 1].standing, over=(True, False)))
    found = replace(unlike(), squares=squares)
    assert any(
        f"Under **{names(found.plane)[0]}** the queue grows in 3 cells" in one for one in notices(found)
    )
    assert cards(found)[0].details[-2:] == ("its queue grows in 3 cells", "over the budget in 1 cell")


def replace_square(found: Picture, one: Square) -> Picture:
    return replace(found, squares={**found.squares, (1, 1): one})


def test_every_number_of_a_cell_is_that_of_the_file(asked, whole) -> None:
    for (i, j), one in whole.squares.items():
        kept = FILE["squares"][j * 12 + i]
        lines = told(asked, whole, (i, j))
        for letter, policy in kept["policies"].items():
            line = next(line for line in lines if line.startswith(f"{letter} "))
            shown = [float(text.replace(",", "")) for text in re.findall(r"[\d,]*\d\.?\d*", line)]
            assert shown[0] == pytest.approx(policy["value"], rel=0.02)
            assert shown[1] == pytest.approx((policy["high"] - policy["low"]) / 2, rel=0.06)
            assert shown[-1] == policy["replications"]
            if letter != kept["best"]:
                assert shown[2] == pytest.approx(100 * policy["above"]["value"], rel=0.03, abs=0.06)
        assert one.gain == kept["gain"]
        if kept["kind"] == "sure":
            assert f"best: {kept['best']}" in lines[1]
        else:
            assert lines[1].startswith("a tie: ")


def test_the_chart_has_the_letters_and_strengths_of_the_cells(asked, whole) -> None:
    for dark in (False, True):
        figure, colors = checked(charts.draw(asked, whole, dark)), palette(dark)
        (text,) = traces(figure, type="scatter", mode="text")
        for x, y, letter in zip(text.x, text.y, text.text, strict=True):
            kept = FILE["squares"][y * 12 + x]
            want = kept["best"] if kept["kind"] == "sure" else kept["leaders"].lower()
            assert letter == want
        layers = [trace for trace in figure.data if trace.type == "heatmap"]
        for i, layer in enumerate(layers[:-1]):
            for y, row in enumerate(layer.z):
                for x, z in enumerate(row):
                    kept = FILE["squares"][y * 12 + x]
                    assert (z is not None) == (kept["best"] == LETTERS[i])
                    if z is not None and kept["kind"] == "sure":
                        assert z == strength(kept["gain"], strongest(colors.series[i], colors))
        assert all(z is None for row in layers[-1].z for z in row)
        hatched = next(trace for trace in traces(figure, type="scatter") if "a tie" in (trace.name or ""))
        assert len(hatched.x) == 9 * sum(one["kind"] == "alike" for one in FILE["squares"])
        assert not trouble(words(figure))
    assert not trouble([alt(whole), *notices(whole), reading(whole), answer(whole)])


def test_what_is_noticed_is_in_the_numbers_of_the_map(whole) -> None:
    called = dict(zip(LETTERS, names(whole.plane), strict=False))
    sure = [one for one in FILE["squares"] if one["kind"] == SURE]
    most = max((one for one in sure if one["known"] == SIMULATED), key=lambda one: one["saves"]["value"])
    first, slight, *lines = notices(whole)
    assert f"at load {most['x']:g}, β {most['y']:g}: **{called[most['best']]}** saves" in first
    assert f"saves {100 * most['saves']['value']:.1f} ± " in first
    few = sum(one["gain"] < 0.1 for one in sure)
    assert slight.startswith(f"In {few} of {FILE['map']['cells']} cells the best saves less than 10 %")
    for line in FILE["map"]["boundaries"].values():
        loads = dict(zip(FILE["map"]["y"]["values"], line["loads"], strict=True))
        sides = [
            [one["best"] for one in sure if (one["x"] > loads[one["y"]]) is far] for far in (False, True)
        ]
        (told,) = [one for one in lines if f"“{line['title']}”" in one]
        who = next(letter for letter, name in called.items() if told.startswith(f"**{name}** wins "))
        near, far = (f"{side.count(who)} of {len(side)} cells" for side in sides)
        assert f"wins {near} left of the line" in told
        assert f"and {far} right of it" in told
        apart = {
            one: abs(sides[0].count(one) / len(sides[0]) - sides[1].count(one) / len(sides[1]))
            for one in called
        }
        assert apart[who] == max(apart.values())


def test_a_line_of_theory_is_where_its_loads_are(whole) -> None:
    for one in boundaries(whole.plane):
        x, y = charts.line(whole, one)
        loads = whole.plane.x.values
        for place, j, load in zip(x, y, one.loads, strict=True):
            if loads[0] <= load <= loads[-1]:
                k = min(int(place), len(loads) - 2)
                there = loads[k] + (place - k) * (loads[k + 1] - loads[k])
                assert there == pytest.approx(load)
                assert whole.plane.y.values[int(j)]
            else:
                assert place != place  # cut


@pytest.mark.parametrize("dark", [False, True])
def test_letters_can_be_read_on_the_strongest_colour(dark: bool) -> None:
    colors = palette(dark)
    for color in colors.series[:6]:
        most = strongest(color, colors)
        assert most > 2 * PALE
        assert contrast(colors.ink, mixed(colors.paper, color, most)) >= 4.5
    assert contrast("#123456", "#FEDCBA") == pytest.approx(standard("#123456", "#FEDCBA"))


def test_every_kind_of_cell_is_marked_and_told_in_words(mixed_map) -> None:
    asked = layout.Request(mixed_map.plane, "load-and-tail")
    kinds = {one.standing.kind for one in mixed_map.squares.values()}
    assert kinds == {SURE, ALIKE, UNKNOWN, UNSTABLE}
    figure = checked(charts.draw(asked, mixed_map, dark=False))
    (text,) = traces(figure, type="scatter", mode="text")
    for (cell, one), letter in zip(mixed_map.squares.items(), text.text, strict=True):
        plain = letter.removeprefix("<i>").removesuffix("</i>")
        assert (plain != letter) == (one.known != SIMULATED)
        assert plain[0] in {SURE: "ABC", ALIKE: "abc", UNKNOWN: "?", UNSTABLE: "×"}[one.standing.kind]
        assert not trouble(told(asked, mixed_map, cell))
    told_all = " ".join([reading(mixed_map), *notices(mixed_map), alt(mixed_map)])
    for part in ("Italics", "Hatched", "?", "×", "were not simulated", "queue grows"):
        assert part in told_all
    assert not trouble([told_all, *(line for card in cards(mixed_map) for line in card.details)])
    saves = "saves less than"  # which cells that have a best policy are told of, too
    nobody = [one for one in notices(mixed_map) if one.startswith(("Of the", "In ")) and saves not in one]
    counts = map(int, re.findall(r"\b[Ii]n (\d+)\b", " ".join(nobody)))
    assert sum(counts) + sum(one.wins for one in mixed_map.regrets) == mixed_map.plane.size
    assert len(wins(mixed_map).split()) <= 20
    assert b"nan" not in csv(mixed_map)
    assert len(table(mixed_map)) == 3 * mixed_map.plane.size


def test_the_table_of_a_cell_has_its_numbers(whole) -> None:
    found = of_cell(whole, (0, 0))
    standing = whole.squares[0, 0].standing
    assert list(found.index) == [f"{LETTERS[i]} {name}" for i, name in enumerate(whole.plane.names)]
    for line, (i, text) in zip(found.itertuples(), numbers(whole.plane, standing), strict=True):
        assert line[1] == measured(standing.values[i], "s")
        assert line[3] in text


def test_a_click_opens_compare_at_the_cell(asked, whole) -> None:
    controls = {control.link: control for control in COMPARE.controls.values()}
    for cell in ((0, 0), (7, 9), (11, 1)):
        link = compare_link(asked, cell, whole.squares[cell].standing.best)
        assert link is not None
        values = COMPARE.defaults(link["preset"])
        for name, text in link.items():
            if name not in ("v", "preset"):
                values[controls[name].name] = controls[name].entry().read(text)
        experiment = asked.plane.at(cell)
        start = preset(link["preset"]).scenario
        assert scenario_from(start, values, {}) == experiment.scenario
        assert set(values["policies"]) == set(experiment.texts)
        assert values["baseline"] == experiment.texts[whole.squares[cell].standing.best]
    assert charts.cell_at(whole, 3.2, 0.9) == (3, 1)
    assert charts.cell_at(whole, 30, 0) is None


def test_six_policies_leave_one_out_on_compare_and_foreign_fields_have_no_link(asked) -> None:
    texts = [f"srpt+clone:copies={copies}" for copies in range(2, 8)]
    scenario = preset("load-and-tail").scenario
    axes = Axis.read("x", "load=0.3,0.5", "slots"), Axis.read("y", "beta=1.5,2", "slots")
    six = layout.Request(Plane(Experiment.of_texts(scenario, texts), *axes), "load-and-tail")
    link = compare_link(six, (0, 0), 5)
    assert link is not None
    assert len(link["policies"].split(";")) == COMPARED
    assert link["policies"].startswith("srpt+clone:copies=7;")
    beyond = Axis.read("y", "size_min=1,2", "slots")
    other = Plane(Experiment.of_texts(scenario, texts[:2]), axes[0], beyond)
    assert compare_link(layout.Request(other, "load-and-tail"), (0, 1), 0) is None


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"criterion": "budget", "budget": 25, "precision": 5.0},
        {"x": "observe.age", "y": "slots", "ys": "20.0:200.0:4", "tasks_max": 10, "seed": 7},
        {"x": "hopper.epsilon", "policies": ["srpt+none", "hopper"]},
    ],
)
def test_the_shell_line_makes_the_same_map(given: dict[str, Any]) -> None:
    import shlex

    asked = ask(DEFAULTS | given)
    chosen = parser().parse_args(shlex.split(shell_line(asked))[3:])
    assert read(chosen, experiment(chosen)[0]).key == asked.plane.key


def test_every_axis_that_is_offered_makes_a_map() -> None:
    scenario = preset("load-and-tail").scenario
    texts = ["hopper+late", "srpt+mantri", "fair+dolly", "fifo+spark"]
    policies = [read_policy(text) for text in texts]
    for name in offered(scenario, policies):
        other = "load" if name != "load" else "straggle_tail"
        low, high, count = parts(AXES[name].span)
        values = {"x": name, "xs": span(low, high, 4), "y": other, "policies": texts}
        found = ask(DEFAULTS | values).plane
        assert len(found.x.values) == 4
        assert count in (6, 8, 10, 12)
        assert len(textwrap.wrap(AXES[name].label, charts.MOST_TITLE)) <= 2
    assert "straggle_cv" not in offered(scenario, policies)
    assert "dolly.tau" not in offered(scenario, policies[:2])


def test_what_is_too_much_for_a_server_is_refused_by_name() -> None:
    with pytest.raises(BadInput, match="jobs: a first look at this map would take"):
        ask(DEFAULTS | {"jobs": 100_000, "tasks_max": 200})


@pytest.mark.compiled
def test_another_map_is_computed_live_and_kept() -> None:
    query = {
        "v": "1",
        "xs": "0.3:0.7:4",
        "ys": "1.5:3:4",
        "jobs": "100",
        "slots": "20",
        "precision": "5",
        "policies": "srpt+none;srpt+clone",
    }
    app = visit("map", **query)
    assert not app.exception
    assert not app.error
    assert not trouble(seen(app))
    assert any("cells of 16 simulated" in one.value or "16 cells" in one.value for one in app.caption)
    first = [card.value for card in app.metric]
    app.run()
    assert [card.value for card in app.metric] == first


def test_what_cannot_be_a_map_is_told(asked) -> None:
    app = visit("map", v="1", x="straggle_tail", policies="srpt+none;srpt+late")
    assert [one.value for one in app.error]
    assert "on the other axis" in app.error[0].value
    assert not app.exception


def test_a_first_look_is_small_enough_for_three_seconds(asked) -> None:
    assert len({unit.cell for unit in Survey(asked.plane).todo()}) == 16
