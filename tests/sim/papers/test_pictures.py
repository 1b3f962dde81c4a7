"""The papers' figures: complete, finite, on their axes, and made by the code that is here."""

from __future__ import annotations

import math

import pytest

from sim.model.statistics import Estimate
from sim.papers import CLAIMS
from sim.papers.digest import digest
from sim.papers.picture import SAID, Curve, Picture, as_json, from_json, picture
from sim.papers.pictures import PICTURES
from sim.papers.record import CURVES, curves, recorded
from sim.telling.content import ContentError

every_picture = pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)


def drawn(picture: Picture) -> tuple[Curve, ...]:
    return curves(picture.key) if picture.simulated else picture.draw(True)


def test_every_picture_is_drawn_and_has_its_words():
    assert set(SAID) == set(PICTURES)
    with pytest.raises(
        ContentError, match=r"figures.toml: xl-fig7: a picture is drawn, and there is no table"
    ):
        picture("xl-fig7", panels=(), draw=lambda quick: ())
    with pytest.raises(ContentError, match=r"figures.toml: xl-fig6: .*unexpected keyword argument 'colour'"):
        picture("xl-fig6", panels=(), draw=lambda quick: (), colour="red")


def test_every_figure_of_the_papers_has_its_picture():
    without = ("-theorems-", "-formulas-", "as-section2-")  # the last is of a sentence, not of a figure
    for key in CLAIMS:
        assert any(key.startswith(f"{name}-") for name in PICTURES) or any(one in key for one in without), key
    xu_lau = {f"xl-fig{n}" for n in range(1, 7)}
    assert xu_lau | {"as-fig1", "as-fig2", "as-fig3", "dolly-fig5", "dolly-fig6"} <= set(PICTURES)
    assert {"hopper-note", "hopper-fig5a", "hopper-fig5b", "hopper-section43", "hopper-section44"} <= set(
        PICTURES
    )


@every_picture
def test_a_picture_has_curves_in_each_panel_and_marks_in_some(picture):
    found = drawn(picture)
    panels = set(range(len(picture.panels)))
    assert {curve.panel for curve in found} == panels
    assert {mark.panel for mark in picture.marks} <= panels
    assert picture.about.endswith(".")


@every_picture
def test_a_curve_is_finite_within_its_band_and_on_the_axis(picture):
    for curve in drawn(picture):
        assert len(curve.x) == len(curve.y) > 0
        limits = picture.panels[curve.panel].ylim
        for one in curve.y:
            assert one.value is not None
            assert math.isfinite(one.value)
            assert one.low is not None
            assert one.high is not None
            assert one.low - 1e-9 <= one.value <= one.high + 1e-9
        if limits:
            inside = [limits[0] <= one.value <= limits[1] for one in curve.y if one.value is not None]
            assert sum(inside) >= 0.5 * len(inside), curve.name


@every_picture
def test_what_the_paper_reports_is_on_the_axis(picture):
    for mark in picture.marks:
        panel = picture.panels[mark.panel]
        if panel.xlim and mark.x is not None:
            assert panel.xlim[0] <= mark.x <= panel.xlim[1]
        if panel.ylim and mark.y is not None:
            assert panel.ylim[0] <= mark.y <= panel.ylim[1]


def test_recorded_curves_are_those_of_the_simulated_pictures_and_of_this_code():
    kept = recorded(CURVES)
    assert list(kept) == [key for key, picture in PICTURES.items() if picture.simulated]
    for key, one in kept.items():
        assert one["digest"] == digest(PICTURES[key]), (
            f"stale: python -m sim reproduce {key} --curves --record"
        )
        assert {"version", "commit", "seconds"} <= set(one)


def test_curves_survive_their_file():
    curve = Curve("a", (1.0, 2.0), (Estimate(1.23456789, 1.0, 2.0), Estimate(3.0)), panel=1, exact=True)
    (back,) = from_json(as_json([curve]))
    assert back.y[0].value == pytest.approx(curve.y[0].value, rel=1e-5)
    assert (back.name, back.x, back.panel, back.exact) == ("a", (1.0, 2.0), 1, True)
    assert back.y[1] == Estimate(3.0)
