"""The page Reproductions: its numbers against the files they come from, its links, its figures."""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.errata.words import PAPERS as ERRATA
from pages.frame.menu import entry_of
from pages.reproductions import charts
from pages.reproductions.controls import FILTERS
from pages.reproductions.layout import told
from pages.reproductions.question import PAPERS, SWEPT, asked, counts, rows
from pages.reproductions.words import (
    HEADS,
    LIVE,
    TOUCHING,
    answer,
    as_read,
    known,
    live,
    readings,
    summary,
    table,
    touching,
)
from sim.model.statistics import Estimate
from sim.papers import CLAIMS
from sim.papers.claim import FAILED, REPRODUCED, SHAPE, typeset
from sim.papers.hopper import READINGS
from sim.papers.pictures import PICTURES
from sim.papers.record import curves
from sim.running.processes.worker import Ended
from tests.depth import each, every
from tests.pages.made import checked, trouble, words
from tests.pages.visits import seen, visit

ROOT = Path(__file__).resolve().parents[2]
#: The file itself, read by no module of ours.
KEPT: dict[str, dict[str, Any]] = json.loads((ROOT / "sim/papers/results.json").read_text())
#: A claim of each figure, and the theorems.
EACH = list({key.rsplit("-", 1)[0] if "theorems" not in key else key: key for key in CLAIMS}.values())


#: What the record has and a reader does not see.
SPELLED = re.compile(r"\d%|sigma|epsilon|alpha|1 refusals")


def numbers(text: str) -> list[float]:
    return [float(one.replace("−", "-").replace(",", "")) for one in re.findall(r"−?\d[\d,]*\.?\d*", text)]


def said(app: AppTest) -> str:
    return next(block.value for block in app.markdown if " of the papers: " in block.value)


def test_the_page_opens_on_all_claims_and_counts_them_from_the_file() -> None:
    app = visit("reproductions")
    assert not app.exception
    assert not app.warning
    assert not app.error
    verdicts = Counter(one["verdict"] for one in KEPT.values())
    assert numbers(said(app)) == [
        len(KEPT),
        *(verdicts[one] for one in (REPRODUCED, SHAPE, FAILED) if verdicts[one]),
    ]
    assert len(app.dataframe[0].value) == len(KEPT)
    assert not trouble(seen(app))


def test_every_row_has_the_numbers_of_the_file() -> None:
    shown = table(rows())
    assert list(KEPT) == [row.claim.key for row in rows()]
    for (_, line), one, row in zip(shown.iterrows(), KEPT.values(), rows(), strict=True):
        ours = numbers(line["Ours, 95 %"])
        half = (one["high"] - one["low"]) / 2
        assert ours[0] == pytest.approx(one["value"], rel=6e-3, abs=max(half / 10, 1e-6))
        if "±" in line["Ours, 95 %"]:
            assert ours[1] == pytest.approx((one["high"] - one["low"]) / 2, rel=0.06)
        assert numbers(line["Reported"])[0] == pytest.approx(one["reported"])
        assert (
            line["Reported"]
            .removeprefix("no number; read as ")
            .startswith(row.claim.bound or tuple("0123456789"))
        )
        assert line["Verdict"][2:] == one["verdict"]
        assert line["Why"] == typeset(one["reason"])
        assert not SPELLED.search(line["Why"] + line["What it says"])


def test_numbers_have_their_interval_or_both_ends() -> None:
    assert known(Estimate(2.0)) == "2.00"
    assert known(Estimate(None)) == "unknown: some jobs unfinished"
    assert known(Estimate(1.0, 0.5, 3.0)) == "1.00 (0.500 to 3.00)"


@pytest.mark.parametrize("name", ["paper", "system", "verdict"])
def test_a_filter_of_a_link_leaves_its_claims_and_counts_them(name: str) -> None:
    value = {"paper": "XL", "system": "Sparrow", "verdict": "not reproduced"}[name]
    app = visit("reproductions", v="1", **{name: value})
    given = {"paper": "all", "system": "all", "verdict": "all"} | {name: value}
    some = asked(**given)
    fitting = [
        key for key, one in KEPT.items() if value in (CLAIMS[key].paper, CLAIMS[key].system, one["verdict"])
    ]
    assert [row.claim.key for row in some] == fitting
    assert len(app.dataframe[0].value) == len(fitting) == sum(counts(some).values())
    assert app.query_params[name] in (value, [value])
    assert {control.name for control in FILTERS} == set(given)


def test_a_link_that_cannot_be_used_is_told_with_what_is_accepted() -> None:
    app = visit("reproductions", v="1", paper="[x](http://y)", claim="xl-fig9")
    assert not app.exception
    assert len(app.warning) == 2
    assert "Hopper" in app.warning[0].value
    assert re.search(
        r"give one of xl-fig6-\S+, .*, or another of the \d+ that the page lists", app.warning[1].value
    )
    assert answer(asked("Dolly", "ESE", "all")) == "No claim passes these filters."


@pytest.mark.parametrize("key", every(3, EACH))
def test_a_claim_opens_into_its_figure_and_what_other_choices_give(key: str) -> None:
    row = next(row for row in rows() if row.claim.key == key)
    app = visit("reproductions", v="1", claim=key)
    assert not app.exception
    assert [card.label for card in app.metric] == [
        "Read as" if row.claim.taken else "Reported",
        "Ours",
        "Verdict",
    ]
    read, ours, _ = (caption.value for caption in app.caption[:3])
    assert read.startswith(f"{as_read(row.claim.unit) or '–'}; {PAPERS[row.claim.paper]}")
    assert ours.startswith(f"{as_read(row.claim.unit) or '–'}; ")
    panels = len(row.picture.panels) if row.picture else 0
    assert len(app.get("plotly_chart")) == panels + bool(row.choices)
    assert f"python -m sim reproduce {key}" in [block.value for block in app.code]
    assert not trouble(seen(app))
    assert len(app.dataframe[0].value) == len(KEPT)


@each("key", CLAIMS)
def test_the_chart_of_choices_has_the_numbers_of_the_file(key: str) -> None:
    row = next(row for row in rows() if row.claim.key == key)
    kept = [one for name, one in KEPT[key]["choices"].items() if not name.endswith(SWEPT)]
    assert len(row.choices) == len(kept)
    for dark in (False, True):
        (dots,) = checked(charts.draw_choices(row, dark)).data
        assert np.allclose(dots.x, [KEPT[key]["value"], *(one["value"] for one in kept)])
        ends = np.asarray(dots.x) + np.asarray(dots.error_x.array)
        assert np.allclose(ends, [KEPT[key]["high"], *(one["high"] for one in kept)])
    assert not trouble([charts.alt_choices(row)])
    assert not SPELLED.search(charts.alt_choices(row))


@pytest.mark.parametrize("key", PICTURES)
def test_a_figure_has_our_curves_and_the_paper_s_points(key: str) -> None:
    one = PICTURES[key]
    found = curves(key) if one.simulated else one.draw(True)
    for place in range(len(one.panels)):
        figure = checked(charts.draw_picture(one, found, place, dark=False))
        told = words(figure)
        assert not trouble([*told, charts.alt_picture(one, found, place)])
        assert not SPELLED.search(" ".join([*told, charts.alt_picture(one, found, place)]))
        for mark in one.marks:
            if mark.panel == place and mark.x is not None and mark.y is not None:
                assert "paper" in [trace.name for trace in figure.data if trace.showlegend]
                assert mark.text in charts.reported(one, place)
        ours = [
            trace
            for trace in figure.data
            if trace.to_plotly_json().get("fill") is None and not str(trace.name).startswith("paper")
        ]
        mine = [curve for curve in found if curve.panel == place]
        for trace, curve in zip(ours, mine, strict=True):
            assert list(trace.y) == [point.value for point in curve.y]


@pytest.mark.parametrize("key", LIVE)
def test_the_link_to_the_live_page_is_understood_there(key: str) -> None:
    there = LIVE[key]
    panel = import_module(f"{entry_of(there.page).package}.controls").PANEL
    values = {control.link: control.values for control in panel.controls.values()}
    for name, value in there.query.items():
        values[name].read(name, value)


def test_every_claim_is_live_somewhere_and_errata_that_touch_it_exist() -> None:
    titles = {key: {finding.title for finding in paper.findings} for key, paper in ERRATA.items()}
    for paper, found in TOUCHING.values():
        assert set(found) <= titles[paper]
    for key in CLAIMS:
        assert live(key).page
        touching(key)
    assert all(any(key == one or key.startswith(f"{one}-") for key in CLAIMS) for one in TOUCHING)


def test_the_readings_of_fig_5a_are_judged_side_by_side() -> None:
    shown = readings(rows())
    assert list(shown.index) == list(READINGS)
    assert list(shown.columns) == list(HEADS.values())
    for part, head in HEADS.items():
        kept = KEPT[f"hopper-fig5a-{part}"]
        for reading in READINGS:
            value = kept["choices"][reading]
            claim = CLAIMS[f"hopper-fig5a-{part}"]
            word = claim.judge(Estimate(value["value"], value["low"], value["high"])).word
            assert shown.loc[reading, head].startswith(
                {"reproduced": "✓", "reproduced in shape": "≈"}.get(word, "✗")
            )
            half = (value["high"] - value["low"]) / 2
            assert numbers(shown.loc[reading, head])[0] == pytest.approx(value["value"], abs=half / 10)
    all_held = any(all(cell.startswith("✓") for cell in line) for line in shown.to_numpy())
    assert ("No single reading" in summary(rows())) is not all_held
    ticks = {name: sum(cell.startswith("✓") for cell in line) for name, line in shown.T.items()}
    most = {name for name in ticks if ticks[name] == max(ticks.values())}
    assert {name for name in ticks if f"“{name}”" in summary(rows())} == most


def test_a_claim_is_computed_anew_in_another_process() -> None:
    app = visit("reproductions", v="1", claim="xl-fig4-alpha2")
    app.button(key="reproductions:run").click().run(timeout=120)
    assert not app.exception
    assert not app.error
    (found,) = [block.value for block in app.markdown if "Just computed" in block.value]
    assert "1.71" in found
    assert "what was recorded of a quick run" in found


def test_a_number_that_is_not_the_recorded_one_is_told() -> None:
    row = next(row for row in rows() if row.claim.key == "xl-fig4-alpha2")
    found = {"value": 1.9, "low": 1.9, "high": 1.9, "verdict": FAILED, "seconds": 0.1}
    assert "Recorded of a quick run: 1.71" in told(row, found)


def test_every_figure_is_shown_by_some_claim() -> None:
    assert {row.picture.key for row in rows() if row.picture} == set(PICTURES)


def test_papers_are_called_as_people_do() -> None:
    assert set(PAPERS) == {claim.paper for claim in CLAIMS.values()}


def test_a_claim_is_computed_in_turn_by_what_its_visitor_had_and_what_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_for: list[dict[str, Any]] = []

    class Busy:
        @contextlib.contextmanager
        def joined(self, *_: object, **options: Any) -> Iterator[Any]:
            asked_for.append(options)
            raise Ended("time")
            yield

    monkeypatch.setattr("pages.reproductions.layout._jobs", Busy)
    key, kept = max(KEPT.items(), key=lambda pair: pair[1]["quick"]["seconds"])
    app = visit("reproductions", claim=key)
    app.button(key="reproductions:run").click().run()
    assert "It was ended: time" in app.error[0].value
    (options,) = asked_for
    assert options["expected"] == kept["quick"]["seconds"] > 1
    assert options["owner"]
