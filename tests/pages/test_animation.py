"""The element of an animation: the numbers of its run, all of them and no others, and small."""

from __future__ import annotations

import numpy as np
import pytest

from pages.animation.show import element
from pages.frame.browser import parts
from sim.engines.registry import PRESETS
from sim.model.result import Sample
from sim.running.animation import LOG, Animation, animation
from sim.running.experiment import Experiment
from sim.telling.palette import contrast, palette
from tests.pages.animated import read

pytestmark = pytest.mark.compiled

SMALL = Experiment.of_texts(PRESETS["small"].scenario, ("fair+none", "hopper"))
#: Bytes of an animation, what draws it and what is drawn, at most.
MOST = 300_000


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return SMALL.replicate(0, log=LOG)


@pytest.fixture(scope="module")
def animations(samples: list[Sample]) -> dict[str, Animation]:
    workload = SMALL.workload(0)
    return {
        name: animation(SMALL.scenario, workload, one.log)
        for name, one in zip(SMALL.names, samples, strict=True)
    }


@pytest.mark.parametrize("dark", [False, True])
def test_the_browser_gets_the_numbers_of_the_run_and_the_colours_of_the_theme(animations, dark) -> None:
    found = read(element(animations, "s", dark))
    assert found.animation["unit"] == "s"
    assert [run["name"] for run in found.animation["runs"]] == list(animations)
    for run, one in zip(found.animation["runs"], animations.values(), strict=True):
        for name in ("instants", "jobs", "copies"):
            np.testing.assert_array_equal(run[name], getattr(one, name))
        assert run["slots"] == SMALL.scenario.slots
        assert run["expected"] == pytest.approx(SMALL.scenario.mean_duration)  # all sizes are alike
    assert contrast(found.look["late"], palette(dark).paper) >= 3
    assert min(contrast(color, palette(dark).paper) for color in found.look["jobs"]) >= 3
    assert (found.look["ink"], found.look["paper"]) == (palette(dark).ink, palette(dark).paper)


def test_the_words_say_what_the_report_says(animations, samples) -> None:
    told = read(element(animations, "s", False)).told
    assert told.startswith("Animation of 30 jobs on 20 slots.")
    for name, one in zip(animations, samples, strict=True):
        mean = one.values["flowtime", "mean"]
        extra = int((one.log["copy"] > 0).sum())
        assert f"Under {name}: {one.log.size} copies, {extra} of them extra;" in told
        assert f"30 jobs done, mean flowtime {mean:.2f} s." in told


def test_names_cannot_end_the_attribute_they_are_in(animations) -> None:
    name = """<b>'"--></style>&amp;"""
    html = element({name: next(iter(animations.values()))}, "s", False)
    assert "-->" not in html
    assert "</style" not in html
    found = read(html)
    assert found.animation["runs"][0]["name"] == name
    assert f"Under {name}:" in found.told


def test_an_animation_is_small(animations) -> None:
    drawing = sum(len(content) for name, content in parts().items() if name.startswith("animation"))
    assert drawing + len(element(animations, "s", False).encode()) < MOST / 3
